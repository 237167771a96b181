"""What of the entries that were handed to a memory is there afterwards.

A plugin or provider may answer that it stored an entry and keep none, or another. So a copy and an import ask for what
the memory lists, and say what arrived, instead of what was handed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from zeroclaw_cli.errors import NotSupported, ResultTooLarge, TransferIncomplete, ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted, escape, shortened
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry

_NAMED = 3


def check_arrival(memory: Memory, given: Sequence[Entry]) -> list[str]:
    """What ``memory`` keeps otherwise than it was given, one line each.

    ``given`` are the entries in the order in which they were stored: of two with one key and agent the last counts.
    Raises TransferIncomplete when entries are not there, or when the memory cannot say.
    """
    expected = list({(entry.key, entry.agent_id): entry for entry in given}.values())
    if not expected:
        return []
    try:
        found = memory.list_entries(None, None)
    except NotSupported:
        return [f"{memory.name} does not list its entries, so it was not checked whether they arrived"]
    except ResultTooLarge:
        return _check_count(memory, expected)
    except ZeroclawError as error:
        raise _incomplete(memory, f"was given {_number(expected)} and cannot list them: {error.message}", 0) from None
    return _compare(memory, expected, found)


def _compare(memory: Memory, expected: Sequence[Entry], found: Sequence[Entry]) -> list[str]:
    by_key: dict[str, list[Entry]] = {}
    for row in found:
        by_key.setdefault(row.key, []).append(row)
    texts = {row.content for row in found}
    missing: list[Entry] = []
    other_text, other_time = [], 0
    for entry in expected:
        kept = _row_of(entry, by_key.get(entry.key, ()))
        if kept is None:
            # A memory without keys of ours has it under one of its own.
            if entry.content not in texts:
                missing.append(entry)
            continue
        if kept.content != entry.content:
            other_text.append(entry)
        other_time += not _same_time(entry.timestamp, kept.timestamp)
    if missing:
        what = f"keeps {len(expected) - len(missing):,} of {_number(expected)}; not there: {_names(missing)}"
        raise _incomplete(memory, what, len(expected) - len(missing))
    said = []
    if other_text:
        said.append(f"{memory.name} keeps another text of {_number(other_text)}: {_names(other_text)}")
    if other_time:
        said.append(f"{memory.name} keeps another time of {counted(other_time, 'entry', 'entries')} than was given")
    return said


def _row_of(entry: Entry, rows: Sequence[Entry]) -> Entry | None:
    """The row of the same agent, or else the only one of nobody, where agents are not kept."""
    for row in rows:
        if row.agent_id == entry.agent_id or (row.agent_alias and row.agent_alias == entry.agent_alias):
            return row
    return next((row for row in rows if row.agent_id is None), None)


def _same_time(given: str, kept: str) -> bool:
    if not given:
        return True
    with suppress(ValueError):
        return instant(given)[0] == instant(kept)[0]
    return given == kept


def _check_count(memory: Memory, expected: Sequence[Entry]) -> list[str]:
    total = memory.count()
    if total < len(expected):
        raise _incomplete(memory, f"keeps {total:,} entries after it was given {_number(expected)}", total)
    return [f"{memory.name} has too many entries to be listed, so only their number was checked"]


def _incomplete(memory: Memory, what: str, arrived: int) -> TransferIncomplete:
    return TransferIncomplete(
        f"{memory.name} {what}",
        hint="what arrived is kept, and the source is as it was; choose another target, or ask its author",
        details={"imported": arrived},
    )


def _number(entries: Sequence[Entry]) -> str:
    return counted(len(entries), "entry", "entries")


def _names(entries: Sequence[Entry]) -> str:
    named = ", ".join(f"'{shortened(escape(entry.key), 60)}'" for entry in entries[:_NAMED])
    more = len(entries) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named
