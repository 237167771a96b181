"""Rebuilding a damaged journal from the records that can still be read; the damaged file is kept beside it.

Where a lost record may have forgotten something, replaying the records before it could bring back what was forgotten.
So what these stored is not replayed: it is written to a file of entries that `zeroclaw memory import` takes, for a
person to decide. What a readable record forgot is in neither.

Every step may be done again. Until the last one, a rename, the damaged journal is in its place with all that it held.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import JournalDamaged
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.times import rfc3339
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.wasm import journal_file, journal_rows
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Serving
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.journal_pages import Pages, Row, Table
from zeroclaw_cli.wasm.journal_rows import Unreadable
from zeroclaw_cli.wasm.records import Record, result_digest
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome
from zeroclaw_cli.wasm.write_lock import WriteLock

_WAIT_S: Final = 5.0
# Where each table begins in a file of ours whose schema is lost.
_ROOTS: Final = {"meta": 2, "limits": 3, "records": 5}
_RECORD_COLUMNS: Final = 9
_LIMITS_COLUMNS: Final = 6
_WORK: Final = ".journal-repair"
_ENSURE: Final = FUNCTIONS["ensure-agent-uuid"]
_FORGETS: Final = ("forget", "purge")
_STORED: Final = result_digest(Outcome(True, None))


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did. ``kept`` is the damaged file; ``held_in`` has the entries that may have been forgotten
    since, ``held`` how many; ``lost`` is how many records could not be read, None when that cannot be told."""

    kept: Path
    records: int
    lost: int | None
    held: int = 0
    held_in: Path | None = None

    def describe(self, package: str) -> str:
        """The same in one line."""
        said = [f"{counted(self.records, 'record')} recovered"]
        if self.lost is None:
            said.append("how many are lost cannot be told")
        elif self.lost:
            said.append(f"{counted(self.lost, 'record')} cannot be read and {'is' if self.lost == 1 else 'are'} lost")
        if self.held_in is not None:
            were = "entry, which" if self.held == 1 else "entries, which"
            said.append(
                f"{self.held:,} more {were} may have been forgotten since, in {self.held_in}: "
                f"`zeroclaw memory import {self.held_in} --backend plugin.{package}` brings them back"
            )
        return f"{', '.join(said)}; the damaged file is kept as {self.kept}"


@dataclass(slots=True)
class _Found:
    """What could be read: records in their order, each with its limits; the numbers of those that could not, and
    whether more may have followed the last."""

    records: list[tuple[Record, Limits]] = field(default_factory=list)
    birth: Serving | None = None
    lost: list[int] = field(default_factory=list)
    barrier: int = 0
    open_end: bool = False


def repair(path: Path) -> Repaired | None:
    """Rebuild the journal at ``path``; None when it is sound.

    Raises Busy while another process writes it, NewerFormat, and OSError when it cannot be written: the journal is
    then as it was.
    """
    lock = WriteLock(path)
    try:
        lock.acquire(_WAIT_S)
        sweep(path.parent)
        if _is_sound(path):
            return None
        return _rebuild(path)
    finally:
        lock.close()


def leftovers(folder: Path) -> list[Path]:
    """What a repair that was killed left in a plugin's data folder."""
    return sorted(folder.glob(f"{_WORK}*"))


def kept(folder: Path) -> list[Path]:
    """The damaged journals and the held entries that repairs keep in a plugin's data folder."""
    return sorted([*folder.glob("journal.damaged-*.db"), *folder.glob("recovered-*.jsonl")])


def sweep(folder: Path) -> None:
    """Delete the leftovers; only under the write lock, or when no repair runs."""
    for left in leftovers(folder):
        fsio.remove_tree(left)


def set_aside(path: Path, kept: Path) -> Path:
    """Give the damaged journal at ``path`` the name ``kept`` too, with what its log holds; returns the name it got.

    Afterwards nothing of it lies beside ``path``, which another file may then replace.
    """
    if not path.is_file():
        if os.path.lexists(path):
            path.rename(kept)
            return kept
        fsio.write_new(path, b"")
    log = path.with_name(path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        # First into the database, on which the same log has no more effect; only then can the log go.
        merged = fsio.temporary_beside(path)
        fsio.write_new(merged, Pages(path).image())
        merged.replace(path)
        fsio.fsync_dir(path.parent)
    for suffix in journal_file.BESIDE:
        beside = path.with_name(path.name + suffix)
        if beside.is_dir():
            beside.rename(kept.with_name(kept.name + suffix))
        beside.unlink(missing_ok=True)
    if os.path.lexists(kept):
        kept = kept.with_name(f"{kept.stem}-{os.urandom(3).hex()}{kept.suffix}")
    fsio.give_name(path, kept)
    fsio.fsync_dir(path.parent)
    return kept


def _is_sound(path: Path) -> bool:
    with closing(Journal(path)) as journal:
        try:
            journal.examine()
        except journal_file.NewerFormat:
            raise
        except JournalDamaged:
            return False
    return True


def _rebuild(path: Path) -> Repaired:
    found = _read(Pages(path))
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    current, held = _divided(found)
    work = path.parent / f"{_WORK}-{os.urandom(4).hex()}"
    fsio.make_private_dir(work)
    try:
        fresh = work / "journal.db"
        _write(fresh, found.birth, current)
        held_in = None
        if held:
            lines = "".join(f"{json.dumps(entry.to_json(), ensure_ascii=False)}\n" for entry in held)
            held_in = path.with_name(f"recovered-{moment}-{os.urandom(3).hex()}.jsonl")
            fsio.write_new(held_in, lines.encode("utf-8"))
        kept = set_aside(path, path.with_name(f"journal.damaged-{moment}.db"))
        fresh.replace(path)
        fsio.fsync_dir(path.parent)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    lost = None if found.open_end else len(found.lost)
    return Repaired(kept, len(current), lost, len(held), held_in)


def _write(path: Path, birth: Serving | None, records: Sequence[tuple[Record, Limits]]) -> None:
    with closing(Journal(path)) as journal, journal.writing(_WAIT_S) as writer:
        writer.begin(birth or Serving(time.time_ns(), 0, os.urandom(SEED_BYTES)))
        for record, limits in records:
            writer.add(record, limits)


# ------------------------------------------------------------------------------------------------------ reading


def _read(pages: Pages) -> _Found:
    roots = pages.roots()
    roots = _ROOTS if roots is None else roots
    known = {row[0]: row[1] for row in pages.index(roots.get("meta", 0)) if len(row) == 2 and isinstance(row[0], str)}
    limits = dict(_limits(pages.table(roots.get("limits", 0), _LIMITS_COLUMNS).rows))
    table = pages.table(roots.get("records", 0), _RECORD_COLUMNS)
    found = _Found(birth=journal_rows.birth(known))
    noted = journal_rows.noted_last(known)
    last = max([noted or 0, *(number for number, _ in table.rows)])
    # Without the note nothing says how many there were.
    found.open_end = noted is None and table.incomplete
    found.lost = _take(found, table, limits, last)
    if found.open_end:
        found.barrier = last
    return found


def _limits(rows: Sequence[Row]) -> Iterator[tuple[int, Limits]]:
    for number, columns in rows:
        try:
            yield number, journal_rows.limits(columns[1:])
        except (Unreadable, ValueError):
            continue


def _take(found: _Found, table: Table, limits: dict[int, Limits], last: int) -> list[int]:
    """Take the readable records; returns the numbers of the others."""
    before = Serving(time.time_ns(), 0, b"")
    empty = [None] * _RECORD_COLUMNS
    rows = {number: [*columns, *empty][:_RECORD_COLUMNS] for number, columns in table.rows if number > 0}
    taken = set()
    for number in sorted(rows):
        columns = rows[number]
        record = _record(number, columns, before)
        if record is not None:
            taken.add(number)
            before = record.serving
            found.records.append((record, limits.get(columns[8], Limits())))
        elif not _only_stored(columns[1]):
            found.barrier = number
    lost = [number for number in range(1, last + 1) if number not in taken]
    gone = [number for number in lost if number not in rows]
    found.barrier = max([found.barrier, *gone])
    return lost


def _only_stored(function: Any) -> bool:
    """Whether a record whose arguments are lost is of a function that forgets nothing."""
    known = isinstance(function, str) and function in FUNCTIONS
    return known and FUNCTIONS[function].recorded and not function.startswith(_FORGETS)


def _function_of(arguments: Any) -> str | None:
    """The function that alone takes as many arguments; None when there are several."""
    try:
        count = len(json.loads(arguments))
    except (ValueError, TypeError, RecursionError):
        return None
    fitting = [name for name, known in FUNCTIONS.items() if known.recorded and len(known.parameters) == count]
    return fitting[0] if len(fitting) == 1 else None


def _record(number: int, columns: Sequence[Any], before: Serving) -> Record | None:
    """The record in a row, as long as it says what was done; what only served the call is made up where it is lost."""
    name, arguments, ok, digest, wall_ns, mono_ns, seed = columns[1:8]
    name = name if isinstance(name, str) and name in FUNCTIONS else _function_of(arguments)
    row = [number, name, arguments, 1, _STORED, before.wall_ns, before.mono_ns + 1, os.urandom(SEED_BYTES), 0]
    record = _readable(row)
    for column, value in enumerate((ok, digest, wall_ns, mono_ns, seed), start=3):
        attempt = [value if index == column else item for index, item in enumerate(row)]
        found = _readable(attempt)
        if found is not None:
            row, record = attempt, found
    return record


def _readable(row: Sequence[Any]) -> Record | None:
    try:
        return journal_rows.record(row, (0,))
    except Unreadable:
        return None


# ------------------------------------------------------------------------------------------------------ dividing


def _divided(found: _Found) -> tuple[list[tuple[Record, Limits]], list[Entry]]:
    """The records of the new journal, and the entries that only records up to the last gap tell of."""
    barrier = found.barrier
    if not barrier:
        return list(found.records), []
    rows: dict[tuple[str, str | None], tuple[int, Entry]] = {}
    agents: dict[str, bytes] = {}
    for record, _ in found.records:
        if record.ok:
            _follow(rows, agents, record)
    current = [
        (record, limits) for record, limits in found.records if record.number > barrier or record.function is _ENSURE
    ]
    held = [entry for number, entry in rows.values() if number <= barrier]
    return current, held


def _follow(rows: dict[tuple[str, str | None], tuple[int, Entry]], agents: dict[str, bytes], record: Record) -> None:
    """Do to ``rows`` what ``record`` did to the plugin's entries."""
    name, values = record.function.name, record.arguments
    if name == "ensure-agent-uuid":
        agents[values[0]] = record.digest
    elif name == "store-procedural":
        return
    elif name.startswith("store-"):
        key, content, category, session, *more = values
        namespace, importance, agent = (*more, None, None, None)[:3]
        at = rfc3339(record.serving.wall_ns // 1_000_000_000)
        entry = Entry("", key, content, category, at, session_id=session, importance=importance, agent_id=agent)
        entry = entry if namespace is None else replace(entry, namespace=namespace)
        entry = replace(entry, agent_alias=_alias(agents, agent))
        rows[key, agent] = record.number, entry
    elif name.startswith(_FORGETS):
        for identity, (_, entry) in list(rows.items()):
            if _forgets(name, values, entry):
                del rows[identity]


def _forgets(name: str, values: Sequence[Any], entry: Entry) -> bool:
    actual: tuple[Any, ...] = {
        "forget": (entry.key,),
        "forget-for-agent": (entry.key, entry.agent_id),
        "purge-namespace": (entry.namespace,),
        "purge-session": (entry.session_id,),
        "purge-session-for-agent": (entry.session_id, entry.agent_id),
        "purge-agent": (entry.agent_alias,),
    }[name]
    return actual == tuple(values)


def _alias(agents: dict[str, bytes], agent: str | None) -> str | None:
    """The alias whose id ``agent`` is: the journal keeps the digest of the id that each got."""
    if agent is None:
        return None
    digest = result_digest(Outcome(True, agent))
    return next((alias for alias, given in agents.items() if given == digest), None)
