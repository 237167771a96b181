"""Which records of a journal came out otherwise when they were replayed, and what that means for what is kept.

Nothing is lost of a journal by replaying it. But what a version does not carry out is not in its memory either: neither
what it shows, nor what a compaction under it would keep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.wasm.records import Record
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome

_ENSURE: Final = FUNCTIONS["ensure-agent-uuid"]
_SHOWN_AGENTS: Final = 5


@dataclass
class Differences:
    """``total`` records had another result, the first of them ``first``. Of these ``unequal`` were a success, then or
    now, the first of them ``first_unequal``: the memory is not the one that was acknowledged. ``undone`` were a success
    and are none now. ``agents`` are the aliases whose agents have another id now, or none."""

    total: int = 0
    first: Record | None = None
    unequal: int = 0
    first_unequal: Record | None = None
    undone: int = 0
    agents: dict[str, None] = field(default_factory=dict)

    def note(self, record: Record, outcome: Outcome) -> None:
        """Add a record whose result is ``outcome`` now."""
        self.total += 1
        self.first = self.first or record
        if record.ok or outcome.ok:
            self.unequal += 1
            self.first_unequal = self.first_unequal or record
        self.undone += record.ok and not outcome.ok
        if record.ok and record.function is _ENSURE:
            self.agents[record.arguments[0]] = None

    def add(self, later: Differences) -> None:
        """Add what was noted of later records."""
        self.total += later.total
        self.first = self.first or later.first
        self.unequal += later.unequal
        self.first_unequal = self.first_unequal or later.first_unequal
        self.undone += later.undone
        self.agents |= later.agents

    def told(self, name: str) -> list[str]:
        """What is to be said of them, one line each; ``name`` is the plugin's."""
        if self.first is None:
            return []
        undone = ""
        if self.undone:
            undone = f"; {counted(self.undone, 'record')} {_is(self.undone)} not carried out by this version"
        line = (
            f"replaying the journal of {name} gave other results than when it was written for "
            f"{counted(self.total, 'record')} (first: record {self.first.number}, {self.first.function.name}); "
            f"nothing is lost from the journal{undone}"
        )
        return [line, *self.hidden_agents()]

    def hidden_agents(self) -> list[str]:
        """One line about each of the agents whose entries are out of reach, or about the first and how many more."""
        lines = [
            f"agent '{display(alias, 60)}' has another id in this version; what it stored is not reached "
            f"with --agent {display(alias, 60)}"
            for alias in list(self.agents)[:_SHOWN_AGENTS]
        ]
        more = len(self.agents) - len(lines)
        return [*lines, f"so it is with {counted(more, 'more agent')}"] if more > 0 else lines

    def loss(self) -> str | None:
        """What a memory that was made of this replay lacks of what was acknowledged; None when it lacks nothing."""
        record = self.first_unequal
        if record is None:
            return None
        first = record.arguments[0] if record.arguments else None
        of = f" of '{display(first, 60)}'" if isinstance(first, str) else ""
        return (
            f"{counted(self.unequal, 'record')} of the journal {_is(self.unequal)} not carried out by this version of "
            f"the plugin as acknowledged (first: record {record.number}, {record.function.name}{of})"
        )


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
