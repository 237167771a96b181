"""What becomes of a plugin's journal that is damaged: every kind of damage, what is served, what the repair saves.

Run: ``python tests/campaigns/damage_journal.py [--seed N] [--part 1/N]``. Prints a table and exits 1 when a journal
stays unusable, a readable row is lost without a word, or a forgotten row comes back. README.md keeps the last table.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.wasm.helpers import journal_file, opened
from zeroclaw_cli.errors import JournalDamaged
from zeroclaw_cli.wasm.journal_copy import check_copy, copy_journal, replace_journal
from zeroclaw_cli.wasm.journal_repair import repair

PAGE: Final = 4096
ROWS: Final = 40
FORGOTTEN: Final = 6
INVERSIONS: Final = 200
TABLES: Final = 50
# The way out over a backup is tried on every so many trials, since it waits for the disk.
BACKUP_EVERY: Final = 25
UNUSABLE, LOST, BACK = "unusable", "readable rows lost silently", "forgotten rows back"
COLUMNS: Final = ("trials", "served", "refused", "repaired whole", "repaired in part", "altered unnoticed")
MUST_BE_ZERO: Final = (UNUSABLE, LOST, BACK)

Damage = Callable[[Path], None]


@dataclass
class Case:
    """A journal to be damaged: its folder, what it holds by key, and a backup of it."""

    home: Path
    rows: dict[str, str]
    backup: Path


@dataclass
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def note(self, what: str, trial: str) -> None:
        self.counts[what] += 1
        if what in MUST_BE_ZERO and len(self.examples) < 10:
            self.examples.append(f"{what}: {trial}")


def build(folder: Path, *, logged: bool) -> Case:
    """A journal with entries, replaced and forgotten ones; ``logged``: the newest are in its write-ahead log alone."""
    home = folder / ("logged" if logged else "plain")
    rows: dict[str, str] = {}
    with opened("notes", home) as memory:
        agent = memory.ensure_agent_uuid("ada")
        for number in range(ROWS):
            key, content = f"k{number}", f"<k{number}|{'text ' * (number % 40)}>"
            owner = agent if number % 5 == 0 else None
            memory.store_with_agent(key, content, "core", "s", "n", 0.5, owner)
            rows[key] = content
            if number < FORGOTTEN:
                memory.store(f"gone{number}", f"<forgotten {number}>", "core", None)
            if number >= ROWS - FORGOTTEN:
                memory.forget(f"gone{number - ROWS + FORGOTTEN}")
        if logged:
            shutil.copytree(home, folder / "copied")
    if logged:
        shutil.rmtree(home)
        (folder / "copied").rename(home)
    backup = folder / f"{home.name}-backup.db"
    copy_journal(journal_file(home), backup)
    for suffix in ("-wal", "-shm"):
        if not logged:
            journal_file(home).with_name(f"journal.db{suffix}").unlink(missing_ok=True)
    return Case(home, rows, backup)


# ------------------------------------------------------------------------------------------------------- damage


def cut_to(length: int) -> Damage:
    def damage(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:length])

    return damage


def zeroed(page: int) -> Damage:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
        path.write_bytes(data)

    return damage


def inverted(places: list[int]) -> Damage:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for place in places:
            data[place % len(data)] ^= 0xFF
        path.write_bytes(data)

    return damage


def executed(statement: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement)

    return damage


def statements(dice: random.Random) -> Iterator[str]:
    fixed = [f"{verb} {table}" for table in ("meta", "limits", "records") for verb in ("DROP TABLE", "DELETE FROM")]
    fixed += ["DELETE FROM sqlite_schema", "UPDATE sqlite_schema SET rootpage = 2", "UPDATE meta SET value = NULL"]
    yield from fixed
    for _ in range(TABLES - len(fixed)):
        number = dice.randrange(1, ROWS)
        yield dice.choice(
            [
                f"DELETE FROM records WHERE number >= {number}",
                f"DELETE FROM records WHERE number = {number}",
                f"DELETE FROM records WHERE number < {number}",
                f"UPDATE records SET function = x'ff' WHERE number = {number}",
                f"UPDATE records SET arguments = CAST(x'ff' AS TEXT) WHERE number = {number}",
                f"UPDATE records SET seed = NULL, mono_ns = -1 WHERE number = {number}",
                f"DELETE FROM meta WHERE rowid_of = {number}".replace("rowid_of", "length(key)"),
            ]
        )


def trials(case: Case, seed: int) -> Iterator[tuple[str, str, Damage]]:
    """Kind, name and damage of every trial."""
    dice = random.Random(seed)
    size = journal_file(case.home).stat().st_size
    kind = case.home.name
    if kind == "plain":
        yield from (("every length", f"length {length}", cut_to(length)) for length in range(size))
    for page in range(size // PAGE):
        yield f"every page zeroed ({kind})", f"page {page + 1}", zeroed(page)
    for number in range(INVERSIONS):
        places = [dice.randrange(1 << 30) for _ in range(8)]
        yield f"eight bytes inverted ({kind})", f"inversion {number}", inverted(places)
    for statement in statements(dice):
        yield f"tables dropped or emptied ({kind})", statement, executed(statement)


# -------------------------------------------------------------------------------------------------------- judge


def readable(path: Path, rows: dict[str, str]) -> set[str]:
    """The keys whose storing record SQLite itself still finds, one by one, in a copy of the damaged journal."""
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.glob("journal.db*"):
            shutil.copy(file, folder)
        try:
            with closing(sqlite3.connect(Path(folder, "journal.db"))) as connection:
                for number in range(1, 2 * ROWS + 3 * FORGOTTEN):
                    try:
                        query = "SELECT arguments FROM records WHERE number = ?"
                        row = connection.execute(query, (number,)).fetchone()
                        values = json.loads(row[0]) if row else [None, None]
                    except (sqlite3.Error, ValueError, TypeError):
                        continue
                    if isinstance(values, list) and len(values) > 1 and rows.get(str(values[0])) == values[1]:
                        found.add(values[0])
        except sqlite3.Error:
            return found
    return found


def served(home: Path) -> dict[str, str]:
    with opened("notes", home) as memory:
        rows = {entry.key: entry.content for entry in memory.list_entries(None, None)}
        memory.store("after", "the damage", "core", None)
    with opened("notes", home) as memory:
        assert memory.get("after") is not None, "an acknowledged row is gone"
    return rows


def run(case: Case, work: Path, damage: Damage, tally: Tally, trial: str, *, with_backup: bool) -> None:
    tally.counts["trials"] += 1
    home = work / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(case.home, home)
    path = journal_file(home)
    try:
        damage(path)
    except sqlite3.Error:
        tally.counts["trials"] -= 1
        return
    could_be_read = readable(path, case.rows)
    if with_backup:
        restored(case, home, work, tally, trial)
    held: dict[str, str] = {}
    told = False
    try:
        rows = served(home)
        tally.note("served", trial)
    except JournalDamaged:
        tally.note("refused", trial)
        try:
            rows, held, told = repaired(home, tally, trial)
        except Exception as error:  # noqa: BLE001 - whatever it is, the journal stays unusable
            tally.note(UNUSABLE, f"{trial}: {error!r}")
            return
    except Exception as error:  # noqa: BLE001 - as above
        tally.note(UNUSABLE, f"{trial}: {error!r}")
        return
    judge(case, {**held, **rows}, rows, could_be_read, tally, trial, told=told)


def repaired(home: Path, tally: Tally, trial: str) -> tuple[dict[str, str], dict[str, str], bool]:
    done = repair(journal_file(home))
    assert done is not None
    held: dict[str, str] = {}
    if done.held_in is not None:
        held = {row["key"]: row["content"] for row in map(json.loads, done.held_in.read_text("utf-8").splitlines())}
    told = done.lost is None or done.lost > 0
    tally.note("repaired in part" if told or held else "repaired whole", trial)
    return served(home), held, told


def judge(
    case: Case,
    kept: dict[str, str],
    live: dict[str, str],
    could_be_read: set[str],
    tally: Tally,
    trial: str,
    *,
    told: bool,
) -> None:
    missing = case.rows.keys() - kept.keys()
    if missing & could_be_read or (missing and not told):
        tally.note(LOST, f"{trial}: {sorted(missing & could_be_read or missing)[:5]}")
    if any("<forgotten" in content for content in live.values()):
        tally.note(BACK, trial)
    if any(kept[key] != content for key, content in case.rows.items() if key in kept):
        tally.note("altered unnoticed", trial)


def restored(case: Case, home: Path, work: Path, tally: Tally, trial: str) -> None:
    """Bring the backup back over a copy of the damaged journal."""
    other = work / "restored"
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(home, other)
    copy = work / "copy.db"
    shutil.copy(case.backup, copy)
    try:
        check_copy(copy)
        replace_journal(journal_file(other), copy, kept_as="journal.before-restore.db")
        rows = served(other)
    except Exception as error:  # noqa: BLE001 - whatever it is, the way out does not work
        tally.note(UNUSABLE, f"restore after {trial}: {error!r}")
        return
    if rows != case.rows:
        tally.note(LOST, f"restore after {trial}")


# -------------------------------------------------------------------------------------------------------- table


def campaign(folder: Path, seed: int, part: int) -> dict[str, Tally]:
    """Every ``part``-th trial, chosen by ``seed``."""
    found: dict[str, Tally] = {}
    for logged in (False, True):
        case = build(folder, logged=logged)
        for number, (kind, name, damage) in enumerate(trials(case, seed)):
            if part > 1 and random.Random(f"{seed} {number} {kind}").randrange(part):
                continue
            tally = found.setdefault(kind, Tally())
            run(case, folder, damage, tally, name, with_backup=number % BACKUP_EVERY == 0)
    return found


def table(found: dict[str, Tally]) -> str:
    columns = (*COLUMNS, *MUST_BE_ZERO)
    lines = [f"| damage | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    lines += [f"| {kind} | {' | '.join(str(tally.counts[c]) for c in columns)} |" for kind, tally in found.items()]
    return "\n".join(lines)


def failures(found: dict[str, Tally]) -> list[str]:
    return [f"{kind}: {example}" for kind, tally in found.items() for example in tally.examples]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, default=1, help="run one trial in so many")
    chosen = parser.parse_args()
    # Nothing here depends on a disk, and waiting for one takes most of the time.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        found = campaign(Path(folder), chosen.seed, chosen.part)
    print(table(found))
    print(*failures(found), sep="\n")
    return 1 if failures(found) else 0


if __name__ == "__main__":
    sys.exit(main())
