"""A campaign of damage to the native store: what is lost, what stays unusable, what was forgotten and comes back.

``python -m tests.campaigns.damage_native [--share 0.1] [--seed 1] [--every-length]`` damages copies of a small store
and prints a table. The commands run in process; every fiftieth trial goes through the installed command instead.
A file is cut at each length of its first two pages and at each 509th beyond them; with ``--every-length`` a smaller
store, in pages of 512 bytes, is cut at each of its lengths, and nothing else is done.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.support.command import Home
from zeroclaw_cli.errors import Damaged, DocumentArgument, StoreDamaged, ZeroclawError
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.native import integrity
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.examination import examine
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.service import NativeDocuments
from zeroclaw_cli.native.settings import NativeSettings

PAGE = 4096
SETTINGS = NativeSettings(mirror="off")
KINDS = ("length", "zeroed page", "inversion", "table")
_STEP = 509
_SMALL_PAGE = 512
_INVERSIONS = 200
_TABLES = 50

Damage = Callable[[Path], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Base:
    """A store to be damaged: its data folder, what it holds by key, what its backup holds, and what was forgotten."""

    data: Path
    entries: dict[str, str]
    documents: dict[str, str]
    copied: frozenset[str]
    forgotten: frozenset[str]
    page: int = PAGE

    @property
    def file(self) -> Path:
        return self.data / "memory" / "native.db"


@dataclass
class Outcome:
    """What came of the trials of one kind."""

    trials: int = 0
    unusable: int = 0
    lost: int = 0
    back: int = 0
    unsaid: int = 0
    notes: list[str] = field(default_factory=list)


def text_of(key: str) -> str:
    # As it is it stands in its row alone: the index has the words without what is between them.
    return f'<{key}> = [tea]; it\'s "{key}"! ' + "(long) " * (900 if key.endswith("7") else 8)


def make_base(data: Path, *, entries: int = 60) -> Base:
    """A store with a backup of its first half, later writes, sessions, documents with versions and forgotten rows."""
    first = [f"early{number:03d}" for number in range(entries // 2)]
    late = [f"late{number:03d}" for number in range(entries // 2)]
    with open_memory(data, SETTINGS) as memory:
        for number, key in enumerate(first):
            memory.store(key, text_of(key), "daily", f"s{number % 4}" if number % 3 else None)
        with _documents(memory.store_file) as documents:
            for key in ("notes/one.md", "notes/gone.md", "MEMORY.md"):
                documents.write(WriteRequest(key, text_of(key), append=False))
    with open_memory(data, SETTINGS) as memory:
        for number, key in enumerate(late):
            memory.store(key, text_of(key), "core" if number == 1 else "daily", "s1" if number % 2 else None)
        gone = {key for key in [*first, *late] if key.endswith("5")}
        for key in sorted(gone):
            memory.forget(key)
        with _documents(memory.store_file) as documents:
            documents.write(WriteRequest("notes/one.md", text_of("notes/one.md, later"), append=False))
            documents.write(WriteRequest("notes/two.md", text_of("notes/two.md"), append=False))
            documents.forget("notes/gone.md", with_history=True)
    held = {key: text_of(key) for key in [*first, *late] if key not in gone}
    written = {
        "notes/one.md": text_of("notes/one.md, later"),
        "notes/two.md": text_of("notes/two.md"),
        "MEMORY.md": text_of("MEMORY.md"),
    }
    copied = frozenset({*first, "MEMORY.md", "notes/one.md"})
    return Base(data, held, written, copied, frozenset({*gone, "notes/gone.md"}))


def make_small_base(data: Path) -> Base:
    """A store whose every length can be tried: few rows, small pages."""
    base = make_base(data, entries=10)
    with closing(sqlite3.connect(base.file, isolation_level=None)) as connection:
        for statement in ("PRAGMA journal_mode = delete", f"PRAGMA page_size = {_SMALL_PAGE}", "VACUUM"):
            connection.execute(statement)
        connection.execute("PRAGMA journal_mode = wal")
    return replace(base, page=_SMALL_PAGE)


def _documents(store: Store) -> NativeDocuments:
    class Shared(NativeDocuments):
        def close(self) -> None:
            """The memory closes the store."""

    return Shared(store, Scope(), SETTINGS)


# Damages


def damages(base: Base, seed: int, share: float, *, every_length: bool) -> Iterator[tuple[str, str, Damage]]:
    """Each damage as its kind, its name and what does it."""
    chance = random.Random(seed)
    size = base.file.stat().st_size
    lengths = range(size) if every_length else [*range(2 * PAGE), *range(2 * PAGE, size, _STEP)]
    for length in _some(chance, lengths, share):
        yield "length", f"cut to {length}", partial(_cut, length)
    if every_length:
        return
    for page in _some(chance, range(size // PAGE), share, least=6):
        yield "zeroed page", f"page {page + 1}", partial(_write, page * PAGE, bytes(PAGE))
    for _ in range(max(int(_INVERSIONS * share), 1)):
        at = chance.randrange(size - 8)
        yield "inversion", f"8 bytes at {at}", partial(_invert, at)
    with closing(sqlite3.connect(base.file)) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE%TABLE%'")
        ]
    statements = [f"DROP TABLE {name}" for name in names] + [f"DELETE FROM {name}" for name in names]
    statements += ["DROP INDEX entries_recent", "DROP INDEX chunks_session"]
    while len(statements) < _TABLES:
        name = chance.choice(names)
        column = "rowid" if "rowid" not in name else "1"
        statements.append(f"DELETE FROM {name} WHERE {column} IN (SELECT {column} FROM {name} LIMIT 3)")
    for statement in _some(chance, statements[:_TABLES], share, least=6):
        yield "table", statement, partial(_execute, statement)


def _some(chance: random.Random, items: Sequence[T], share: float, least: int = 1) -> list[T]:
    chosen = list(items)
    count = max(round(len(chosen) * share), min(least, len(chosen)))
    return chosen if count >= len(chosen) else sorted(chance.sample(chosen, count), key=chosen.index)


def _cut(length: int, file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(length)


def _write(at: int, data: bytes, file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


def _invert(at: int, file: Path) -> None:
    with file.open("rb") as opened:
        opened.seek(at)
        data = opened.read(8)
    _write(at, bytes(byte ^ 0xFF for byte in data), file)


def _execute(statement: str, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        try:
            connection.execute(statement)
        except sqlite3.Error:
            # SQLite keeps some tables from such a statement: the schema loses its row instead.
            name = statement.split()[2]
            connection.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))


# Trials


def readable(base: Base, before: bytes, damaged: Path) -> set[str]:
    """What can still be had: what the backup holds, and the rows whose bytes are all where they were."""
    after = damaged.read_bytes()
    found = set()
    for key, text in {**base.entries, **base.documents}.items():
        if key in base.copied:
            found.add(key)
            continue
        place = before.find(text[:60].encode())
        if place < 0 or len(text) > 1000:
            continue
        start = place // base.page * base.page
        # A row may go over from one page to the next.
        end = -((place + len(text.encode())) // -base.page) * base.page
        if before[start:end] == after[start:end]:
            found.add(key)
    return found


class Unfound(ZeroclawError):
    """A row that is listed is not recalled."""


def attempt(data: Path) -> tuple[set[str], list[str]]:
    """What a person does: list, recall, store, look again; a command that finds damage is run once more."""
    said: list[str] = []
    for _ in range(2):
        try:
            _attempt(data, said)
            break
        except (StoreDamaged, Unfound, DocumentArgument) as error:
            # A path whose bytes are no text cannot be named: the error says so, and doctor mends it.
            said.append(str(error))
    path = data / "memory" / "native.db"
    before = examine(path)
    if not before.is_sound:
        # What `doctor --fix` does.
        said += before.problems
        integrity.suspect(path)
    found = _attempt(data, said)
    if examine(path).problems:
        raise ZeroclawError(f"doctor would say {examine(path).problems[0]}", hint="")
    return found, said


def _attempt(data: Path, said: list[str]) -> set[str]:
    with open_memory(data, SETTINGS) as memory:
        keys = {entry.key for entry in memory.list_entries(None, None)}
        found = {entry.key for entry in memory.recall("tea", 200, None, None, None)}
        memory.count()
        with _documents(memory.store_file) as documents:
            paths = set(documents.paths())
            for path in paths:
                documents.read(path)
        memory.store("new", "kept <new>", "daily", None)
        said += memory.take_warnings()
    with open_memory(data, SETTINGS) as memory:
        if memory.get("new") is None:
            raise ZeroclawError("an acknowledged write is gone", hint="")
        memory.forget("new")
        if not keys - found <= {"new"}:
            raise Unfound(f"recall does not find {sorted(keys - found)[:3]}", hint="")
    return keys | paths


def attempt_by_command(home: Home) -> tuple[set[str], list[str]]:
    """The same through the installed command."""
    said: list[str] = []
    for words in (["list"], ["recall", "tea"], ["store", "new", "kept"], ["get", "new"], ["forget", "new"]):
        done = home.run("memory", *words)
        said += done.stderr.splitlines()
        if done.code:
            home.ok("memory", *words)
    doctor = home.run("doctor", "--fix")
    said += doctor.stdout.splitlines() if doctor.code else []
    done = home.ok("memory", "list", "--limit", "1000", "--json")
    return {entry["key"] for entry in done.json()["entries"]}, said + done.stderr.splitlines()


def run(seed: int, share: float, *, every_length: bool = False, command_every: int = 50) -> dict[str, Outcome]:
    """Every trial; the outcomes by kind."""
    outcomes = {kind: Outcome() for kind in (KINDS[:1] if every_length else KINDS)}
    with tempfile.TemporaryDirectory(prefix="damage-") as folder:
        make = make_small_base if every_length else make_base
        base = make(Path(folder) / "base" / ".zeroclaw" / "data")
        before = base.file.read_bytes()
        for number, (kind, name, damage) in enumerate(damages(base, seed, share, every_length=every_length), 1):
            home = Path(folder) / "trial"
            shutil.copytree(Path(folder) / "base", home)
            data = home / ".zeroclaw" / "data"
            damage(data / "memory" / "native.db")
            wanted = readable(base, before, data / "memory" / "native.db")
            by_command = bool(command_every) and number % command_every == 0
            _judge(base, outcomes[kind], name, wanted, home, by_command=by_command)
            shutil.rmtree(home)
    return outcomes


def _judge(base: Base, outcome: Outcome, name: str, wanted: set[str], home: Path, *, by_command: bool) -> None:
    outcome.trials += 1
    try:
        found, said = attempt_by_command(Home(home)) if by_command else attempt(home / ".zeroclaw" / "data")
    except (Damaged, ZeroclawError, sqlite3.Error, AssertionError, ValueError, TypeError, KeyError) as error:
        outcome.unusable += 1
        outcome.notes.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
        return
    lost = {key for key in wanted - found if not by_command or key in base.entries}
    back = found & base.forgotten
    everything = set(base.entries) if by_command else {*base.entries, *base.documents}
    outcome.lost += len(lost)
    outcome.back += len(back)
    if not everything <= found and not said:
        outcome.unsaid += 1
        outcome.notes.append(f"{name}: {sorted(everything - found)[:3]} missing, and nothing was said")
    if lost or back:
        outcome.notes.append(f"{name}: lost {sorted(lost)[:4]}, back {sorted(back)[:4]}")


def table(outcomes: dict[str, Outcome]) -> str:
    """The outcomes as lines of a Markdown table."""
    lines = ["| damage | trials | stores unusable | readable rows lost | forgotten rows back | losses unsaid |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for kind, found in outcomes.items():
        lines.append(f"| {kind} | {found.trials:,} | {found.unusable} | {found.lost} | {found.back} | {found.unsaid} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="how much of each kind (0 to 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every-length", action="store_true")
    chosen = parser.parse_args()
    started = time.monotonic()
    outcomes = run(chosen.seed, chosen.share, every_length=chosen.every_length)
    print(table(outcomes))
    for kind, found in outcomes.items():
        for note in found.notes[:12]:
            print(f"  {kind}: {note}", file=sys.stderr)
    print(f"seed {chosen.seed}, share {chosen.share}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return int(any(found.unusable or found.lost or found.back for found in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
