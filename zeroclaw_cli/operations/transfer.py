"""Export and import of entries as JSON Lines (cli.md, memory)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from zeroclaw_cli.errors import Conflict, Interrupted, UsageError, ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry


class OnConflict(StrEnum):
    """What an import does with a row whose (key, agent) is there already."""

    REPLACE = "replace"
    KEEP = "keep"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Imported:
    imported: int
    skipped: int


def json_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """One compact JSON object a line, without the newline."""
    for entry in entries:
        yield json.dumps(entry.to_json(), ensure_ascii=False, separators=(",", ":"))


def read_entries(text: str, *, source: str) -> list[Entry]:
    """Every entry of a JSON Lines text, oldest first; all lines are checked before the first is returned.

    Raises UsageError that names ``source`` and the line.
    """
    entries = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            entries.append(_entry(line, f"{source}, line {number}"))
    return entries


def import_entries(memory: Memory, entries: Iterable[Entry], on_conflict: OnConflict) -> Imported:
    """Store every entry; rows are the same when key and agent are.

    Under ``error`` the first row that is there already raises Conflict before anything is stored. A failure on the way
    names the entry and how many were kept; each of those is durable.
    """
    rows = [_with_agent_id(memory, entry) for entry in entries]
    present = set() if on_conflict is OnConflict.REPLACE else {_row(entry) for entry in memory.list_entries(None, None)}
    chosen = []
    for entry in rows:
        if on_conflict is not OnConflict.REPLACE:
            if _row(entry) in present:
                if on_conflict is OnConflict.ERROR:
                    raise Conflict(
                        f"'{entry.key}' is already in {memory.name}; nothing was imported",
                        hint="pass --on-conflict replace or --on-conflict keep",
                    )
                continue
            present.add(_row(entry))
        chosen.append(entry)
    for done, entry in enumerate(chosen):
        try:
            memory.import_entry(entry)
        except ZeroclawError as error:
            raise _stopped(error, entry, done, len(chosen)) from error
        except KeyboardInterrupt:
            raise _stopped(Interrupted("interrupted"), entry, done, len(chosen)) from None
    return Imported(len(chosen), len(rows) - len(chosen))


def _stopped(error: ZeroclawError, entry: Entry, done: int, total: int) -> ZeroclawError:
    resume = "what was imported is kept; import again with --on-conflict keep to go on"
    return type(error)(
        f"{error.message} (entry {done + 1} of {total}, key '{entry.key}')",
        hint=f"{error.hint}; {resume}" if error.hint else resume,
        details={"imported": done},
    )


def _row(entry: Entry) -> tuple[str, str | None]:
    return entry.key, entry.agent_id


def _with_agent_id(memory: Memory, entry: Entry) -> Entry:
    if entry.agent_id is None and entry.agent_alias is not None:
        return replace(entry, agent_id=memory.ensure_agent_uuid(entry.agent_alias))
    return entry


def _entry(line: str, where: str) -> Entry:
    try:
        row = _json_object(line)
        entry = Entry.from_json(row)
        json.dumps(row, ensure_ascii=False).encode("utf-8")
        if not entry.key:
            raise ValueError("key must not be empty")
        if entry.timestamp:
            instant(entry.timestamp)
    except UnicodeEncodeError:
        raise _bad_line(where, "a text holds half of a surrogate pair") from None
    except ValueError as error:
        raise _bad_line(where, str(error)) from None
    return entry


def _json_object(line: str) -> dict[str, Any]:
    try:
        row: Any = json.loads(line, parse_int=_number)
    except RecursionError:
        raise ValueError("the value is nested too deep") from None
    if not isinstance(row, dict):
        raise ValueError("an entry is a JSON object")
    return row


def _number(text: str) -> float:
    # No field of an entry is an integer of its own, and Python refuses to read very long ones.
    return float(text)


def _bad_line(where: str, problem: str) -> UsageError:
    return UsageError(
        f"{where}: {problem}; nothing was imported",
        hint="each line is one entry as `zeroclaw memory export` writes it",
    )
