"""Makes a journal as short as what it holds: its records become one store for each entry that the plugin exports.

The new journal first ensures the agents' ids, under what those calls were served when they were recorded, and then
stores every entry under its own timestamp as the guest's clock, oldest first. Before it replaces the old one it is
replayed on a fresh instance, whose export must be the same in all but ids and scores; otherwise the old journal stays
and the error says what differs. Everything happens in one transaction of the journal, so whoever is killed leaves the
old journal or the new one, and other processes notice the new generation.

What this version of a guest does not carry out of the old journal is not in its export and would be gone for good, so a
journal whose replay gave other results is left alone, unless the caller allows that loss.

What a guest knows beside its entries and its agents' ids does not outlive a compaction: counters, statistics, what it
learned from queries. Three things are looked for, because guests are known to have them: times of day that a guest
without the host's clock made up itself, ids in ``superseded_by``, and procedures that the export does not show.

*Automatic compaction* (:func:`compact_if_mostly_dead`) happens when a memory that was written to is closed, so after
every acknowledgement, and only where it loses nothing. It is given half a second and half of the time that replaying
the journal took, and takes no lock that another process holds. What hinders it is told once and not tried again before
the journal has doubled.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, Final

from zeroclaw_cli.errors import Busy, CompactionRefused, GuestError, Interrupted, UsageError, ZeroclawError
from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter
from zeroclaw_cli.wasm import arguments as checked
from zeroclaw_cli.wasm import fallbacks
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Present, Serving, clock_of
from zeroclaw_cli.wasm.differences import Differences
from zeroclaw_cli.wasm.instance import Instance
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.records import Record, result_digest
from zeroclaw_cli.wasm.replay import LiveInstance, OutOfTime
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome

# A journal is mostly dead when it has this many records, and this many times more than there are entries.
_MIN_RECORDS: Final = 1_000
_RECORDS_PER_ENTRY: Final = 4
_BUDGET_S: Final = 0.5
_OF_THE_REPLAY: Final = 0.5

# How much longer than one call whoever asked for a compaction waits for another writer.
EXTRA_WAIT_S: Final = 5.0

_STORE: Final = FUNCTIONS["store-with-agent"]
_ENSURE: Final = FUNCTIONS["ensure-agent-uuid"]
_PROCEDURES: Final = FUNCTIONS["store-procedural"]
_STORED: Final = result_digest(Outcome(True, None))
_STEP_NS: Final = 1_000
_NEWEST_PROCEDURES: Final = 20
_NEVER_KEPT: Final = frozenset({"id", "score"})
_MAY_BE_LOST: Final = frozenset({"timestamp", "superseded_by"})
_ALLOW: Final = "zeroclaw memory compact --allow-loss does it all the same"


@dataclass(frozen=True, slots=True)
class Compacted:
    """How many records there were and are, and whether entries have other ids now."""

    before: int
    after: int
    new_ids: bool


@dataclass
class _Rewriting:
    """One compaction: what was exported before it, and the rules of what may change."""

    live: LiveInstance
    most: int
    reads_clock: bool
    allow_loss: bool
    entries: Sequence[Entry] = ()
    new_ids: bool = False

    def plan(self, instance: Instance, present: Present) -> list[Record]:
        """The new records. Raises CompactionRefused when it is plain already that they would lose something."""
        assert self.live.journal is not None
        journal = self.live.journal
        if not self.allow_loss:
            self._refuse_differences()
        self.entries = _exported(instance, present, self.most)
        if not self.allow_loss:
            self._refuse_losses(journal)
        records = _current_aliases(journal)
        now = present.serving()
        for number, entry in enumerate(self.entries):
            wall_ns = clock_of(entry.timestamp)
            if wall_ns is None and not self.allow_loss:
                what = f"has the timestamp '{_short(entry.timestamp)}', which no clock can show"
                raise _refused(f"the entry {_name(entry)} {what}")
            serving = Serving(
                now.wall_ns if wall_ns is None else wall_ns, now.mono_ns + number * _STEP_NS, os.urandom(SEED_BYTES)
            )
            records.append(Record(0, _STORE, _arguments(entry), ok=True, digest=_STORED, serving=serving))
        return records

    def verify(self, instance: Instance, differences: Differences) -> None:
        """Raise CompactionRefused unless ``instance`` exports what was exported before."""
        record = differences.first
        if record is not None:
            raise _refused(
                f"the plugin answers {record.function.name} of '{_short(str(record.arguments[0]))}' otherwise when it "
                f"starts anew"
            )
        found = _exported(instance, self.live.present, self.most)
        ignored = _NEVER_KEPT | _MAY_BE_LOST if self.allow_loss else _NEVER_KEPT
        kept = [field.name for field in fields(Entry) if field.name not in ignored]
        difference = _difference(self.entries, found, kept)
        if difference is not None:
            raise _refused(difference)
        self.new_ids = Counter(entry.id for entry in self.entries) != Counter(entry.id for entry in found)

    def _refuse_differences(self) -> None:
        loss = self.live.differences.loss()
        if loss is not None:
            raise CompactionRefused(
                f"compacting would lose something: {loss}",
                hint=f"the journal is as it was; put back the version that carries it out (zeroclaw plugin rollback "
                f"{self.live.name}, or zeroclaw plugin install DIR --replace); {_ALLOW}, and what this version does "
                f"not carry out is then gone for good",
            )

    def _refuse_losses(self, journal: Journal) -> None:
        if self.entries and not self.reads_clock:
            raise _refused("the plugin does not read the host's clock, so the entries would get other timestamps")
        pointing = next((entry for entry in self.entries if entry.superseded_by is not None), None)
        if pointing is not None:
            raise _refused(f"the entry {_name(pointing)} is superseded by another, which no store can say")
        procedures = journal.successes_of(_PROCEDURES)[-_NEWEST_PROCEDURES:]
        said = [message.content for record in procedures for message in record.arguments[0] if message.content]
        if said and not any(content in entry.content for entry in self.entries for content in said):
            raise _refused("procedures were stored, and the plugin's export shows none of them")


def compact(live: LiveInstance, wait_s: float, most: int, *, reads_clock: bool, allow_loss: bool) -> Compacted:
    """Rewrite the journal of ``live``; ``most`` entries at most. Without records nothing happens.

    ``allow_loss``: other timestamps, lost ``superseded_by``, hidden procedures and what this version does not carry out
    do not matter. Raises CompactionRefused, Busy after ``wait_s`` seconds, and the failures of calling the plugin; the
    journal is then as it was.
    """
    assert live.journal is not None
    if live.journal.head() is None:
        return Compacted(0, 0, new_ids=False)
    return _compact(live, wait_s, _Rewriting(live, most, reads_clock, allow_loss), math.inf)


def compact_if_mostly_dead(live: LiveInstance, most: int, *, reads_clock: bool, warn: Callable[[str], None]) -> None:
    """Rewrite the journal of ``live`` if that is worth it, can be done soon and loses nothing; never raises an error
    of ours, and ``warn`` gets one line about what is worth telling."""
    assert live.journal is not None
    try:
        head = live.journal.head()
    except ZeroclawError as error:
        warn(error.message)
        return
    if head is None or head.last <= _MIN_RECORDS:
        return
    # Replaying lets a guest write its files once more, which nobody asked for here.
    if live.writes_files or head.last < live.journal.compact_again_at():
        return
    budget_s = _BUDGET_S + _OF_THE_REPLAY * (live.last_replay_ms or 0) / 1_000
    entries = 0
    try:
        entries = int(live.read(FUNCTIONS["count"], (), 0, cut=True).value)
        if head.last <= _RECORDS_PER_ENTRY * entries:
            return
        done = _compact(live, 0, _Rewriting(live, most, reads_clock, allow_loss=False), time.monotonic() + budget_s)
    except Interrupted:
        raise
    except Busy:
        return
    except (OutOfTime, ZeroclawError) as error:
        reason = "it takes too long to do so in passing" if isinstance(error, OutOfTime) else error.message
        with suppress(ZeroclawError):
            live.put_off_compaction(2 * head.last)
        warn(
            f"the journal of {live.name} has {counted(head.last, 'record')} for "
            f"{counted(entries, 'entry', 'entries')} and was not compacted: {reason}; "
            f"`zeroclaw memory compact --backend plugin.{live.name}` tries it at leisure"
        )
        return
    warn_of_new_ids(live.name, done, warn)


def warn_of_new_ids(name: str, done: Compacted, warn: Callable[[str], None]) -> None:
    """The warning of a compaction that changed ids."""
    if done.new_ids:
        warn(
            f"the journal of {name} was compacted from {counted(done.before, 'record')} to {done.after:,}, and the "
            f"plugin gave its entries new ids"
        )


def _compact(live: LiveInstance, wait_s: float, rewriting: _Rewriting, give_up_at: float) -> Compacted:
    before, after = live.rewrite(wait_s, rewriting.plan, rewriting.verify, give_up_at)
    return Compacted(before, after, rewriting.new_ids)


def _exported(instance: Instance, present: Present, most: int) -> list[Entry]:
    """Everything in the guest, oldest first."""
    everything = ExportFilter()
    exports = Capability.EXPORT_ENTRIES in instance.capabilities
    function = FUNCTIONS["export-entries" if exports else "list-entries"]
    arguments: tuple[Any, ...] = (everything,) if exports else (None, None)
    outcome = instance.call(function, arguments, present.serving(), most, cut=False)
    if not outcome.ok:
        raise GuestError(f"memory.{function.name}: {display(outcome.value)}")
    return list(outcome.value) if exports else fallbacks.exported(outcome.value, everything)


def _current_aliases(journal: Journal) -> list[Record]:
    """For every alias the record that first gave it the id that it has."""
    current: dict[str, Record] = {}
    for record in journal.successes_of(_ENSURE):
        alias = record.arguments[0]
        if alias not in current or current[alias].digest != record.digest:
            current[alias] = record
    return sorted(current.values(), key=lambda record: record.number)


def _arguments(entry: Entry) -> tuple[Any, ...]:
    """The arguments of store-with-agent that store ``entry``. Raises CompactionRefused when there are none."""
    arguments = (
        entry.key, entry.content, entry.category, entry.session_id, entry.namespace, entry.importance, entry.agent_id,
    )  # fmt: skip
    try:
        checked.check(_STORE, arguments)
    except UsageError as error:
        raise _refused(f"the entry {_name(entry)} cannot be stored as it is ({error.message})") from None
    return arguments


def _difference(old: Sequence[Entry], new: Sequence[Entry], names: Sequence[str]) -> str | None:
    """How two exports differ in the fields ``names``, in one line; None when they hold the same."""

    def values(entry: Entry) -> tuple[Any, ...]:
        return tuple(getattr(entry, name) for name in names)

    gone = Counter(map(values, old))
    gone.subtract(map(values, new))
    missing = [entry for entry in old if gone[values(entry)] > 0]
    if not missing:
        return None if len(old) == len(new) else f"{len(new):,} entries would come out of {len(old):,}"
    entry = missing[0]
    others = "" if len(missing) == 1 else f" (and {len(missing) - 1:,} more)"
    same_row = [other for other in new if (other.key, other.agent_id) == (entry.key, entry.agent_id)]
    if not same_row:
        return f"the entry {_name(entry)} would be lost{others}"
    field = next(name for name in names if getattr(entry, name) != getattr(same_row[-1], name))
    before, after = (_short(str(getattr(which, field))) for which in (entry, same_row[-1]))
    return f"the {field} of the entry {_name(entry)} would change from '{before}' to '{after}'{others}"


def _refused(what: str) -> CompactionRefused:
    return CompactionRefused(f"compacting would lose something: {what}", hint=f"the journal is as it was; {_ALLOW}")


def _name(entry: Entry) -> str:
    return f"'{_short(entry.key)}'"


def _short(text: str) -> str:
    return display(text, 60)
