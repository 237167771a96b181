"""Entries from elsewhere under the ids that their agents have in the memory that they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.memory.types import Entry


def under_own_ids(memory: Memory, entries: Iterable[Entry]) -> list[Entry]:
    """The entries, each with an alias under the id that ``memory`` gives it, which is asked once for each alias.

    An id whose alias another entry tells is that alias's. An id without any stays as it is.
    """
    rows = list(entries)
    told = {entry.agent_id: entry.agent_alias for entry in rows if entry.agent_id and entry.agent_alias}
    own: dict[str, str] = {}
    moved = []
    for entry in rows:
        alias = entry.agent_alias or told.get(entry.agent_id or "")
        if alias:
            if alias not in own:
                own[alias] = memory.ensure_agent_uuid(alias)
            entry = replace(entry, agent_id=own[alias], agent_alias=alias)
        moved.append(entry)
    return moved


def unnamed(memory: Memory, entries: Iterable[Entry]) -> tuple[str, ...]:
    """The warning about entries whose agent has an id and no alias, if there are any."""
    ids = [entry.agent_id for entry in entries if entry.agent_id and not entry.agent_alias]
    if not ids:
        return ()
    return (
        f"{counted(len(ids), 'imported row')} with an agent's id and no alias: {memory.name} may not have given that "
        f"id, so what --agent does not reach, --agent-id does (first: {display(ids[0], 60)})",
    )
