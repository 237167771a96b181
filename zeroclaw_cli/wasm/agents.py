"""The aliases of the agents whose ids a guest's entries carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.wasm.signatures import Outcome


def named(outcome: Outcome, aliases: Mapping[str, str] | None) -> Outcome:
    """The answer with an alias in each entry that has an agent's id and no alias, where it can be known.

    ``aliases`` are those of the ids that the guest gave; None for a guest that gives none, whose agents have their
    aliases as ids.
    """
    value: Any = outcome.value
    if isinstance(value, Entry):
        return outcome._replace(value=_named(value, aliases))
    if not value or aliases == {}:
        return outcome
    return outcome._replace(value=[_named(entry, aliases) for entry in value])


def _named(entry: Entry, aliases: Mapping[str, str] | None) -> Entry:
    agent = entry.agent_id
    if agent is None or entry.agent_alias is not None:
        return entry
    alias = agent if aliases is None else aliases.get(agent)
    return entry if alias is None else replace(entry, agent_alias=alias)
