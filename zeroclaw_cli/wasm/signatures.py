"""The 23 functions of the world, each with the shapes of its parameters and of its result (specs/zeroclaw.md §7).

A shape is a word; :mod:`zeroclaw_cli.wasm.abi` and :mod:`zeroclaw_cli.wasm.generic` know how each is converted. In
Python a category is its text, an agent filter a sequence of ids (empty: every agent), a filter an
:class:`~zeroclaw_cli.memory.types.ExportFilter`, messages a list of
:class:`~zeroclaw_cli.memory.types.ProceduralMessage`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from zeroclaw_cli.memory.types import Capability

Parameter = Literal[
    "string",
    "u64",
    "category",
    "optional-string",
    "optional-f64",
    "optional-category",
    "agents",
    "export-filter",
    "messages",
]
Result = Literal["unit", "bool", "u64", "string", "entry", "entries", "flags"]


class Outcome(NamedTuple):
    """What a guest answered. ``ok``: ``value`` is the result, else it is the guest's error text. ``total`` is how many
    entries the guest returned, of which ``value`` may hold only the first."""

    ok: bool
    value: Any
    total: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """One function of ``zeroclaw:plugin/memory``.

    ``fallible``: the guest may answer with an error text. ``capability``: the flag that says whether the guest has it.
    ``recorded``: it changes what the guest remembers, so a completed call goes into the journal.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Result
    fallible: bool = True
    capability: Capability | None = None
    recorded: bool = False


def _functions() -> dict[str, Function]:
    key_content: tuple[Parameter, ...] = ("string", "string", "category", "optional-string")
    bounds: tuple[Parameter, ...] = ("u64", "optional-string", "optional-string", "optional-string")
    table = [
        Function("name", (), "string", fallible=False),
        Function("get-memory-capabilities", (), "flags", fallible=False),
        Function("store-entry", key_content, "unit", recorded=True),
        Function("recall", ("string", *bounds), "entries"),
        Function("get", ("string",), "entry"),
        Function("list-entries", ("optional-category", "optional-string"), "entries"),
        Function("forget", ("string",), "bool", recorded=True),
        Function("forget-for-agent", ("string", "string"), "bool", recorded=True),
        Function("count", (), "u64"),
        Function("health-check", (), "bool", fallible=False),
        Function(
            "store-with-agent",
            (*key_content, "optional-string", "optional-f64", "optional-string"),
            "unit",
            recorded=True,
        ),
        Function("recall-for-agents", ("agents", "string", *bounds), "entries"),
        Function("get-for-agent", ("string", "string"), "entry", capability=Capability.GET_FOR_AGENT),
        Function("purge-namespace", ("string",), "u64", capability=Capability.PURGE_NAMESPACE, recorded=True),
        Function("purge-session", ("string",), "u64", capability=Capability.PURGE_SESSION, recorded=True),
        Function("purge-agent", ("string",), "u64", capability=Capability.PURGE_AGENT, recorded=True),
        Function(
            "purge-session-for-agent",
            ("string", "string"),
            "u64",
            capability=Capability.PURGE_SESSION_FOR_AGENT,
            recorded=True,
        ),
        Function("reindex", (), "u64", capability=Capability.REINDEX, recorded=True),
        Function(
            "store-procedural",
            ("messages", "optional-string"),
            "unit",
            capability=Capability.STORE_PROCEDURAL,
            recorded=True,
        ),
        Function("ensure-agent-uuid", ("string",), "string", capability=Capability.ENSURE_AGENT_UUID, recorded=True),
        Function(
            "recall-namespaced", ("string", "string", *bounds), "entries", capability=Capability.RECALL_NAMESPACED
        ),
        Function("export-entries", ("export-filter",), "entries", capability=Capability.EXPORT_ENTRIES),
        Function(
            "store-with-metadata",
            (*key_content, "optional-string", "optional-f64"),
            "unit",
            capability=Capability.STORE_WITH_METADATA,
            recorded=True,
        ),
    ]
    return {function.name: function for function in table}


FUNCTIONS: Final[Mapping[str, Function]] = _functions()
