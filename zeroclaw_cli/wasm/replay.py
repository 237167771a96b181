"""Keeps an instance in step with its journal: births it, replays what it lacks, records what it does.

(design.md, decision 1.) Replay serves every call what it was served when it was recorded, under the larger of the
recorded and the present limits. Results that differ are reported and lose nothing, since the records stay as they are,
which is also why no compaction comes after them unasked; a record that no longer completes stops everything, since
what follows it would be built on something else.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from zeroclaw_cli.errors import CompactionRefused, JournalDamaged, MemoryFailure, ZeroclawError
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Present, Serving
from zeroclaw_cli.wasm.component import LoadedComponent
from zeroclaw_cli.wasm.differences import Differences
from zeroclaw_cli.wasm.instance import Folder, Instance, InstanceState
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.journal_rows import Head, missing_after
from zeroclaw_cli.wasm.limits import PluginLimits, larger
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.records import Record, result_digest
from zeroclaw_cli.wasm.runner import Control
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Function, Outcome

_PROGRESS_AFTER_S: Final = 2.0
_SLOW_MS: Final = 1_000
# How much longer than one call a writer waits for another (design.md, decision 1).
_EXTRA_WAIT_S: Final = 5.0
_ENSURE: Final = FUNCTIONS["ensure-agent-uuid"]
# A guest may give an agent up with its last row.
_TAKES_AWAY: Final = ("forget", "purge")


class OutOfTime(Exception):
    """A rewriting took longer than it may."""


class RecordFailed(JournalDamaged):
    """A record that the plugin does not carry out; ``way_out`` is the hint of what ended the call."""

    def __init__(self, name: str, journal: Journal, record: Record, error: MemoryFailure) -> None:
        self.way_out = error.hint
        raised = "" if error.hint is None else f"{error.hint}; or "
        super().__init__(
            f"record {record.number} ({record.function.name}) of the journal {journal.path} does not replay: "
            f"{error.message}",
            hint=f"{raised}put back the version of {name} that wrote it (zeroclaw plugin rollback {name}, or "
            f"zeroclaw plugin install DIR --replace), or start empty with zeroclaw plugin remove {name} --purge-data",
            path=error.path,
        )


class LiveInstance:
    """The instance of one plugin that always stands where its journal stands.

    Without a journal (``journal`` None) an instance that is replaced has forgotten what it knew, which is a warning.
    ``warn`` and ``progress`` take one line each; ``claim`` is called before the first write, and ``access`` before a
    journal is read into a new instance: it raises to refuse that. ``present`` makes what new calls are served,
    ``last_replay_ms`` is how long this instance took to replay the whole journal, if it did, ``differences`` says
    which records had other results in it, and ``agents`` the alias of each agent's id that the guest gave.
    """

    def __init__(
        self,
        name: str,
        loaded: LoadedComponent,
        limits: PluginLimits,
        journal: Journal | None,
        folder: Folder | None,
        logs: LogQueue,
        *,
        warn: Callable[[str], None],
        progress: Callable[[str], None] | None,
        claim: Callable[[], object] | None = None,
        access: Callable[[], object] | None = None,
    ) -> None:
        self.journal = journal
        self.name = name
        self.differences = Differences()
        self.agents: dict[str, str] = {}
        self.last_replay_ms: int | None = None
        self.present = Present()
        self._loaded = loaded
        self._limits = limits
        self._folder = folder
        self._logs = logs
        self._warn = warn
        self._progress = progress
        self._claim = claim
        self._access = access
        self._instance: Instance | None = None
        self._birth = Serving(0, 0, b"")
        self._generation: str | None = None
        self._applied = 0
        self._started_before = False
        self._told_of_files = False
        self._unsaved_replay_ms: int | None = None
        # What the agents' aliases resolve to, as long as no later record can have changed that.
        self._aliases: dict[str, Outcome] = {}

    def close(self) -> None:
        self.discard()
        if self.journal is not None:
            self.journal.close()

    @property
    def writes_files(self) -> bool:
        """Whether the guest has a folder that it may write to."""
        return self._folder is not None and self._folder.writable

    def discard(self) -> None:
        """Give the instance up; the next use makes a new one."""
        if self._instance is not None:
            self._instance.close()
            self._instance = None

    # ---------------------------------------------------------------------------------------------- calling

    def read(self, function: Function, arguments: Sequence[Any], most: int, *, cut: bool) -> Outcome:
        """Call a function that changes nothing, on an instance that has seen every record of every process."""
        return self.current().call(function, arguments, self.present.serving(), most, cut=cut)

    def write(self, function: Function, arguments: Sequence[Any], wall_ns: int | None = None) -> Outcome:
        """Call a function that changes something, and record it; returns when the record is durable.

        ``wall_ns`` is served to the guest as the time of day instead of the present. When anything fails, the journal
        and, from the next use on, the guest are as they were before.

        An alias whose id is recorded, with nothing after it that can take an id away, needs neither a second call nor
        a second record: it would be the same call with the same result. So naming an agent does not make the journal
        grow.
        """
        if self.journal is None:
            self._claim_data()
            return self.current().call(function, arguments, self.present.serving(wall_ns), 0, cut=True)
        if function is _ENSURE:
            self.current()
            known = self._aliases.get(arguments[0])
            if known is not None:
                return known
        self._claim_data()
        changed = False
        try:
            with self.journal.writing(self._limits.timeout_s + _EXTRA_WAIT_S) as writer:
                head = self.journal.head()
                instance = self._in_step_with(head)
                if head is None:
                    head = writer.begin(self._birth)
                if self._unsaved_replay_ms is not None:
                    writer.note_replay(self._unsaved_replay_ms)
                serving = self.present.serving(wall_ns)
                changed = True
                outcome = instance.call(function, arguments, serving, 0, cut=True)
                number = writer.append(function, arguments, outcome, serving, self._limits.limits)
            # Still within the try: a signal between the commit and these lines must not let the record be replayed
            # into an instance that has it.
            self._generation = head.generation
            self._applied = number
            self._unsaved_replay_ms = None
            self._follow_aliases(function, arguments, outcome)
        except BaseException:
            if changed:
                self.discard()
            raise
        return outcome

    def put_off_compaction(self, records: int) -> None:
        """Note in the journal that automatic compaction is not to be tried before there are ``records`` records."""
        assert self.journal is not None
        with self.journal.writing(0) as writer:
            writer.put_off_compaction(records)

    def note_slow_replay(self) -> None:
        """Note in the journal how long its replay took, for whoever wonders why reading takes long; a quick one is not
        worth a write, and neither is one that is noted already. Never raises an error of ours."""
        took = self._unsaved_replay_ms
        if self.journal is None or took is None or took < _SLOW_MS:
            return
        with suppress(ZeroclawError):
            noted = self.journal.last_replay_ms()
            if noted is None or not noted / 2 <= took <= noted * 2:
                with self.journal.writing(0) as writer:
                    writer.note_replay(took)

    def _claim_data(self) -> None:
        if self._claim is not None:
            self._claim()
            self._claim = None

    def rewrite(
        self,
        wait_s: float,
        plan: Callable[[Instance, Present], Sequence[Record]],
        verify: Callable[[Instance, Differences], None],
        give_up_at: float,
    ) -> tuple[int, int]:
        """Replace all records by those that ``plan`` gives; gives how many there were and how many there are.

        ``plan`` is shown the instance at the journal's head. ``verify`` is shown a fresh instance after the replay of
        the new records, and how their results differ from those that they carry; what it raises leaves the journal as
        it was, and so does the monotonic second ``give_up_at`` (OutOfTime). All is one transaction.
        """
        assert self.journal is not None
        self._claim_data()
        try:
            with self.journal.writing(wait_s) as writer:
                head = self.journal.head()
                if head is None:
                    return 0, 0
                records = plan(self._in_step_with(head), self.present)
                before = self.journal.count()
                # What an entry took when it was stored, it takes again.
                limits = self._replay_limits().limits
                writer.restart(head.birth)
                for record in records:
                    writer.add(record, limits)
                fresh = self.journal.head()
                self._start(fresh)
                assert fresh is not None and self._instance is not None
                try:
                    differences = self._replay(fresh.last, give_up_at)
                except RecordFailed as error:
                    raise CompactionRefused(
                        f"the plugin {self.name} does not carry out what would be its new journal: {error.message}",
                        hint="; ".join(filter(None, ("the journal is as it was", error.way_out))),
                        path=error.path,
                    ) from None
                verify(self._instance, differences)
                assert self.last_replay_ms is not None
                writer.note_replay(self.last_replay_ms)
        except BaseException:
            self.discard()
            raise
        self._unsaved_replay_ms = None
        return before, len(records)

    # ---------------------------------------------------------------------------------------- keeping in step

    def current(self) -> Instance:
        """An instance that has seen everything that is recorded."""
        if self.journal is None:
            if self._instance is None or self._instance.state is not InstanceState.READY:
                self._start(None)
                if self._started_before:
                    self._warn(f"the plugin {self.name} was restarted and lost the data it kept in memory")
                self._started_before = True
            assert self._instance is not None
            return self._instance
        return self._in_step_with(self.journal.head())

    def _in_step_with(self, head: Head | None) -> Instance:
        assert self.journal is not None
        if self._instance is not None and self._stands_at(head):
            return self._instance
        with self.journal.snapshot() as now:
            try:
                self._bring_to(now)
            except BaseException:
                self.discard()
                raise
        assert self._instance is not None
        return self._instance

    def _stands_at(self, head: Head | None) -> bool:
        if self._instance is None or self._instance.state is not InstanceState.READY:
            return False
        if head is None:
            return self._generation is None
        return head.generation == self._generation and head.last == self._applied

    def _bring_to(self, head: Head | None) -> None:
        """Start an instance if the present one has another past, then replay what it has not seen."""
        past = None if head is None else head.generation
        last = 0 if head is None else head.last
        usable = self._instance is not None and self._instance.state is InstanceState.READY
        if not usable or past != self._generation or self._applied > last:
            self._start(head)
        if last > self._applied:
            self._tell_of_differences(self._replay(last))

    def _start(self, head: Head | None) -> None:
        self.discard()
        if head is not None and self._access is not None:
            # Whose data it is may have been decided since the memory was opened, by whoever wrote first.
            self._access()
        fresh = Serving(time.time_ns(), 0, os.urandom(SEED_BYTES))
        self._birth = fresh if head is None else head.birth
        self._instance = Instance(self._loaded, self._replay_limits(), self._birth, self._logs, self._folder)
        self._instance.set_limits(self._limits)
        self.present.rebase(self._birth.mono_ns)
        self._generation = None if head is None else head.generation
        self._applied = 0
        self._aliases.clear()
        self.agents.clear()
        self.differences = Differences()

    def _replay_limits(self) -> PluginLimits:
        recorded = [] if self.journal is None else self.journal.recorded_limits()
        return replace(self._limits, limits=reduce(larger, recorded, self._limits.limits))

    def _replay(self, last: int, give_up_at: float = math.inf) -> Differences:
        """Bring the instance to record ``last``; gives what came out otherwise."""
        assert self.journal is not None and self._instance is not None
        started = time.monotonic()
        differences = Differences()
        already = self._applied
        told = False
        if self.writes_files and not self._told_of_files:
            self._told_of_files = True
            self._warn(
                f"the plugin {self.name} may write files, and replaying its journal lets it write them again; if it "
                f"keeps its memory in files: zeroclaw config set memory.plugin.durability guest"
            )
        self._instance.set_limits(self._replay_limits())
        for records in self.journal.records_after(self._applied):
            self._replay_some(self._instance, records, differences)
            self._applied = records[-1].number
            self.present.rebase(records[-1].serving.mono_ns)
            if not told and time.monotonic() - started > _PROGRESS_AFTER_S and self._applied < last:
                told = True
                self._tell(last - already)
            if time.monotonic() > give_up_at and self._applied < last:
                raise OutOfTime
        if self._applied != last:
            raise self.journal.damaged(str(missing_after(self._applied)))
        self._instance.set_limits(self._limits)
        if already == 0:
            self.last_replay_ms = self._unsaved_replay_ms = round((time.monotonic() - started) * 1000)
        return differences

    def _tell_of_differences(self, differences: Differences) -> None:
        self.differences.add(differences)
        for line in differences.told(self.name):
            self._warn(line)

    def _follow_aliases(self, function: Function, arguments: Sequence[Any], outcome: Outcome) -> None:
        if function is _ENSURE and outcome.ok:
            self._aliases[arguments[0]] = outcome
            self.agents[outcome.value] = arguments[0]
        elif function.name.startswith(_TAKES_AWAY):
            self._aliases.clear()

    def _tell(self, total: int) -> None:
        if self._progress is None:
            return
        if self.writes_files:
            hint = "if it keeps its memory in files: zeroclaw config set memory.plugin.durability guest"
        else:
            hint = f"a store without replay: zeroclaw memory copy --from plugin.{self.name} --to native"
        self._progress(f"replaying {counted(total, 'record')} of the plugin {self.name}; {hint}")

    def _replay_some(self, instance: Instance, records: Sequence[Record], differences: Differences) -> None:
        """Replay records in one go, and note in ``differences`` those whose result differs."""
        at = records[0]

        def job(control: Control) -> None:
            nonlocal at
            for at in records:
                outcome = instance.call_within(control, at.function, at.arguments, at.serving, 0, cut=True)
                self._follow_aliases(at.function, at.arguments, outcome)
                if outcome.ok != at.ok or result_digest(outcome) != at.digest:
                    differences.note(at, outcome)

        self._logs.muted = True
        try:
            instance.run(job)
        except MemoryFailure as error:
            assert self.journal is not None
            raise RecordFailed(self.name, self.journal, at, error) from None
        finally:
            self._logs.muted = False
