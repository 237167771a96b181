"""What the other program of this family remembers, as entries: its ``brain.db``, ``MEMORY.md`` and daily files.

It is read, never written: not even the files that SQLite puts beside a database it opens appear in its folder. Formats:
a table ``memories`` whose younger columns may be missing, a table ``agents``, and Markdown files of one fact a line,
``- **key**: text`` (specs/native-memory.md §22, cli.md ``memory import --from-zeroclaw``).
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.errors import Busy, MemoryFailure, SourceNotFound
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, importance_of
from zeroclaw_cli.native.entries import NativeEntry
from zeroclaw_cli.native.stamps import shown, stamp

_COLUMNS: Final = (
    *("id", "key", "content", "category", "created_at", "updated_at", "session_id", "namespace", "importance"),
    *("superseded_by", "kind", "pinned", "agent_id"),
)
# Rows that no agent was named for belong to one of this name there, and to nobody here.
_NOBODY: Final = "default"
_FACT: Final = re.compile(r"(?:[-*+]\s+)?\*\*(?P<key>[^*]+?)\*\*\s*:\s*(?P<text>.+)", re.DOTALL)
_BULLET: Final = re.compile(r"[-*+]\s+")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_COPY_ATTEMPTS: Final = 3
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
# A number of seconds for the year 5138; thousandths of a second reached it in 1973.
_LATEST_S: Final = 1e11


@dataclass(frozen=True, slots=True)
class Found:
    """What was found: the entries, oldest first; the files they came from; what could not be kept, one line each; and
    what could not be read and is missing among the entries, one line each."""

    entries: tuple[NativeEntry, ...]
    sources: tuple[Path, ...]
    warnings: tuple[str, ...]
    missing: tuple[str, ...] = ()


def read_zeroclaw(directory: Path) -> Found:
    """Everything that the other program remembers in ``directory`` (its workspace, or the home that holds it).

    A link that leads out of ``directory`` is not followed, and a damaged database is a warning where there is anything
    else. Raises SourceNotFound when there is nothing of it, MemoryFailure when nothing but a damaged database is there,
    Busy when its program keeps the database to itself.
    """
    if not directory.is_dir():
        raise SourceNotFound(f"{directory} is not a directory", hint="name the other program's workspace")
    warnings: list[str] = []
    inside = _Inside(directory.resolve(), warnings)
    roots = [root for root in (directory, directory / "workspace") if root.is_dir() and inside(root)]
    entries: list[NativeEntry] = []
    sources: list[Path] = []
    missing: list[str] = []
    failure: MemoryFailure | None = None
    for root in roots:
        for database in (root / "memory" / "brain.db", root / "brain.db"):
            if not database.is_file() or not all(inside(file) for file in _parts(database)):
                continue
            try:
                entries += _from_database(database, warnings, missing)
                sources.append(database)
            except Busy:
                raise
            except MemoryFailure as error:
                failure = error
                missing.append(f"{error.message}; nothing of it was imported")
        for file, category in _notes(root):
            if inside(file):
                entries += _from_notes(file, category, warnings, missing)
                sources.append(file)
    if not sources:
        if failure is not None:
            raise failure
        raise SourceNotFound(
            f"{directory} holds no memory of the other program"
            + "".join(f"; {line}" for line in (*missing, *warnings)),
            hint="it has memory/brain.db, MEMORY.md or memory/*.md there, or below a folder 'workspace'",
        )
    entries.sort(key=lambda entry: stamp(entry.timestamp))
    return Found(tuple(entries), tuple(sources), tuple(warnings), tuple(missing))


@dataclass(frozen=True, slots=True)
class _Inside:
    """Whether a path, its links followed, is in the folder that is read; a warning tells of one that is not."""

    folder: Path
    warnings: list[str]

    def __call__(self, path: Path) -> bool:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return False
        if real.is_relative_to(self.folder):
            return True
        self.warnings.append(f"{path} leads out of the folder, to {real}, and was left out")
        return False


def _parts(database: Path) -> list[Path]:
    """The files of a database that are there: itself and its logs."""
    named = (database.with_name(database.name + suffix) for suffix in ("", "-wal", "-journal"))
    return [file for file in named if file.exists()]


def _from_database(file: Path, warnings: list[str], missing: list[str]) -> list[NativeEntry]:
    try:
        with _opened(file) as connection:
            # One text that is not UTF-8 must not hide the others.
            connection.text_factory = bytes
            return _rows(connection, file, warnings, missing)
    except (sqlite3.Error, OSError) as error:
        problem = f"{file} cannot be read as a memory of the other program: {error}"
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Busy(problem, hint="end the other program and try again; nothing was imported") from error
        hint = "make it readable" if isinstance(error, PermissionError) else "bring back a sound copy of the database"
        raise MemoryFailure(problem, hint=f"{hint} and import again; nothing was imported") from error


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    if not any(file.with_name(file.name + suffix).exists() for suffix in ("-wal", "-journal")):
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="zeroclaw-import-") as folder:
        connection = _consistent_copy(file, Path(folder))
    # The names are gone: whoever kills this process leaves no copy of a memory behind.
    with closing(connection):
        yield connection


def _consistent_copy(file: Path, folder: Path) -> sqlite3.Connection:
    """A copy of a database that its program may be writing right now; a copy that is not a sound one is made again."""
    for attempt in range(1, _COPY_ATTEMPTS + 1):
        copy = folder / str(attempt) / file.name
        copy.parent.mkdir()
        for suffix in ("", "-wal", "-journal"):
            source = file.with_name(file.name + suffix)
            if source.exists():
                shutil.copyfile(source, copy.with_name(copy.name + suffix))
        connection = sqlite3.connect(copy)
        # One that stays damaged is read as far as that goes.
        if attempt == _COPY_ATTEMPTS or _is_sound(connection):
            return connection
        connection.close()
    raise AssertionError("the last copy is always taken")


def _is_sound(connection: sqlite3.Connection) -> bool:
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


def _rows(connection: sqlite3.Connection, file: Path, warnings: list[str], missing: list[str]) -> list[NativeEntry]:
    present = {_text(row[1]) for row in connection.execute("PRAGMA table_info(memories)")}
    if not {"key", "content"} <= present:
        raise sqlite3.DatabaseError("it has no table 'memories' with key and content")
    aliases = _aliases(connection, file, missing)
    columns = [name for name in _COLUMNS if name in present]
    fallback = _changed(file)
    entries: list[NativeEntry] = []
    counts: Counter[str] = Counter()
    for row in _every_row(connection, columns, file, missing):
        values = dict(zip(columns, row, strict=True))
        if values["content"] is None or not (_text(values["key"]) or _text(values.get("id"))):
            counts["have no key or no text and were left out"] += 1
            continue
        created = _time(values.get("created_at"))
        importance = _importance(values.get("importance"))
        counts["have no readable time; they got that of the file"] += created is None
        counts["have an importance that is not a number from 0 to 1; it was left out"] += (
            importance is None and values.get("importance") is not None
        )
        counts["hold text that is not UTF-8; invalid bytes were replaced"] += any(map(_is_garbled, row))
        entries.append(_entry(values, created or fallback, importance, aliases))
    warnings += [f"{number} entries of {file} {what}" for what, number in counts.items() if number]
    return entries


def _every_row(
    connection: sqlite3.Connection, columns: Sequence[str], file: Path, missing: list[str]
) -> list[tuple[Any, ...]]:
    """Every row that can be read, from the front and, behind a damaged place, from the back."""
    found: dict[int, tuple[Any, ...]] = {}
    for order in ("ASC", "DESC"):
        query = f"SELECT rowid, {', '.join(columns)} FROM memories ORDER BY rowid {order}"  # noqa: S608 - names of ours
        try:
            for number, *row in connection.execute(query):
                found[number] = tuple(row)
        except sqlite3.DatabaseError as error:
            if order == "DESC":
                if not found:
                    raise
                missing.append(f"{file} is damaged ({error}); {len(found)} entries could be read, and others may not")
            continue
        break
    return [found[number] for number in sorted(found)]


def _aliases(connection: sqlite3.Connection, file: Path, missing: list[str]) -> dict[str, str]:
    try:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'agents'").fetchone():
            return {}
        return {_text(agent): _text(alias) for agent, alias in connection.execute("SELECT id, alias FROM agents")}
    except sqlite3.DatabaseError as error:
        missing.append(f"the names of agents in {file} cannot be read: {error}")
        return {}


def _entry(values: dict[str, Any], created: str, importance: float | None, aliases: dict[str, str]) -> NativeEntry:
    agent = _text(values.get("agent_id")) or None
    alias = None if agent is None else aliases.get(agent)
    if alias == _NOBODY:
        agent = alias = None
    return NativeEntry(
        id=_text(values.get("id")),
        key=_text(values["key"]) or _text(values.get("id")),
        content=_text(values["content"]),
        category=_text(values.get("category")) or "core",
        timestamp=created,
        session_id=_text(values.get("session_id")) or None,
        namespace=_text(values.get("namespace")) or DEFAULT_NAMESPACE,
        importance=importance,
        superseded_by=_text(values.get("superseded_by")) or None,
        agent_alias=alias,
        agent_id=agent,
        kind=_kind(values.get("kind")),
        pinned=values.get("pinned") == 1,
        updated_at=_time(values.get("updated_at")) or created,
    )


def _importance(value: Any) -> float | None:
    """None for what is not on the scale from 0 to 1: the row is worth more than the number."""
    try:
        return importance_of(float(_text(value)) if isinstance(value, bytes | str) else value)
    except ValueError:
        return None


def _is_garbled(value: Any) -> bool:
    return isinstance(value, bytes) and "\ufffd" in value.decode("utf-8", "replace") and b"\xef\xbf\xbd" not in value


def _kind(value: Any) -> str | None:
    """The word of a kind, which is kept there as JSON: a string, or an object under its word."""
    text = _text(value)
    if not text:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict) and len(found) == 1:
        return str(next(iter(found)))
    return found if isinstance(found, str) else text


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _time(value: Any) -> str | None:
    """A time as RFC 3339: one without an offset is UTC, as that program writes it, and a number counts from 1970 in
    seconds, or in thousandths, millionths or billionths of one, as its size tells."""
    text = _text(value).strip()
    try:
        if _NUMBER.fullmatch(text):
            return _since_1970(float(text))
        text = text.removesuffix(" UTC").replace(" ", "T", 1)
        for attempt in (text, f"{text}Z"):
            with suppress(ValueError):
                return shown(stamp(attempt))
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return shown(stamp(moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")))
    except (ValueError, OverflowError):
        return None


def _since_1970(number: float) -> str:
    while number >= _LATEST_S:
        number /= 1000
    return shown(stamp(datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")))


def _notes(root: Path) -> list[tuple[Path, str]]:
    """The Markdown files of a workspace and the category of what is in them."""
    found = [(root / "MEMORY.md", "core")] if (root / "MEMORY.md").is_file() else []
    daily = sorted((root / "memory").glob("*.md"))
    return found + [(file, "daily") for file in daily if file.is_file()]


def _from_notes(file: Path, category: str, warnings: list[str], missing: list[str]) -> list[NativeEntry]:
    try:
        data = file.read_bytes()
    except OSError as error:
        missing.append(f"{file} cannot be read: {error.strerror}")
        return []
    text = data.decode("utf-8-sig", "replace")
    if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
        warnings.append(f"{file} is not UTF-8 text; invalid bytes were replaced")
    at = _day_of(file) or _changed(file)
    entries: list[NativeEntry] = []
    facts: set[tuple[str, str]] = set()
    taken: set[str] = set()
    for number, fact in enumerate(_facts(text)):
        match = _FACT.fullmatch(fact)
        key = match["key"].strip() if match else f"{file.stem}:{number}"
        content = match["text"].strip() if match else _BULLET.sub("", fact, count=1)
        if (key, content) in facts:
            continue
        facts.add((key, content))
        # There a key may come again with another text and both stay; here the last one alone would.
        unique, again = key, 2
        while unique in taken:
            unique, again = f"{key} ({again})", again + 1
        taken.add(unique)
        entries.append(NativeEntry("", unique, content, category, at, updated_at=at))
    return entries


def _facts(text: str) -> Iterator[str]:
    """The facts of a file: its lines, those that are indented below a list item joined to it; no headings."""
    gathered: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        continues = bool(gathered) and line[:1].isspace() and _BULLET.match(stripped) is None
        if stripped and continues and not stripped.startswith("#"):
            gathered.append(stripped)
            continue
        if gathered:
            yield "\n".join(gathered)
        gathered = [stripped] if stripped and not stripped.startswith("#") else []
    if gathered:
        yield "\n".join(gathered)


def _day_of(file: Path) -> str | None:
    match = _DAY.match(file.stem)
    if match is None:
        return None
    try:
        local = datetime.strptime(match[0], "%Y-%m-%d").astimezone()
    except (ValueError, OverflowError):
        return None
    return local.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _changed(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
