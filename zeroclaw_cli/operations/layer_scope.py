"""The rows of the built-in store that a prompt of one agent and project may show: those of its lanes
(specs/native-memory.md §1, §22.3). What belongs to another agent never does. And the writes that change what every
prompt shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import StoreRequest
from zeroclaw_cli.memory.types import Entry

if TYPE_CHECKING:
    from zeroclaw_cli.native.entries import NativeEntry
    from zeroclaw_cli.native.memory import NativeMemory
    from zeroclaw_cli.native.scope import Scope

_CONVERSATION: Final = "conversation"


def pinned_rows(native: NativeMemory, scope: Scope) -> list[NativeEntry]:
    """The pinned entries of the scope's agent, or of none where it has none, in the order in which they were stored."""
    from zeroclaw_cli.native.entries import IN_SCOPE, Aliases, Selection, by_numbers, entry_of, place_of

    condition, values = Selection(_owners(native, scope.agent), live_only=True).condition()
    where = f"{IN_SCOPE} AND {condition} AND e.pinned AND e.category <> ?"
    sql = f"SELECT e.number FROM entries e WHERE {where} ORDER BY e.updated_at, e.number"  # noqa: S608 - words of ours
    with native.store_file.read() as connection:
        numbers = [number for (number,) in connection.execute(sql, (*place_of(scope), *values, _CONVERSATION))]
        found, _ = by_numbers(connection, numbers)
    aliases = Aliases(native.store_file)
    return [entry_of(found[number], aliases) for number in numbers if number in found]


def native_counts(native: NativeMemory, agent: str | None, project: str | None) -> Counter[str]:
    """How many entries an agent, or nobody for None, has of each category; ``project`` None is that of the store."""
    from zeroclaw_cli.native.entries import Selection, categories, count
    from zeroclaw_cli.native.scope import Scope

    scope = native.scope if project is None else Scope(project=project)
    owners = _owners(native, agent or "")
    found: Counter[str] = Counter()
    for category in categories(native.store_file, scope):
        number = count(native.store_file, scope, Selection(owners, category=category))
        if number:
            found[category] = number
    return found


def changes_a_pinned_row(memory: Memory, request: StoreRequest) -> bool:
    """Whether the row that is to be stored is pinned, or is to take the place of one that is."""
    if request.pinned:
        return True
    try:
        there = memory.row_of(request.key, request.agent.resolve(memory))
    except StoreDamaged:
        # Storing over a damaged entry is a way to mend it.
        return False
    return bool(getattr(there, "pinned", False))


def change_pinned_rows(memory: Memory, entries: Sequence[Entry], *, over: bool) -> bool:
    """As :func:`changes_a_pinned_row`, of rows that are imported; without ``over`` those that are there stay."""
    before = {(row.key, row.agent_id): row for row in memory.list_entries(None, None)}
    for row in entries:
        there = before.get((row.key, row.agent_id))
        if (over or there is None) and (getattr(row, "pinned", False) or getattr(there, "pinned", False)):
            return True
    return False


def _owners(native: NativeMemory, agent: str) -> tuple[str, ...]:
    """The ids under which rows of an agent are: an import may have brought its alias itself."""
    return (agent, native.agent_id_of(agent)) if agent else ("",)
