"""The world ``memory-plugin`` as canonical text, and how a component differs from it (specs/zeroclaw.md §7).

The engine does not compare function types when it links, so a component built against an outdated WIT would fail in
the middle of a call. Every function's type is therefore walked into one line of text and compared with
``world.sig.txt`` before anything is instantiated (specs/wasm-host.md §1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from zeroclaw_cli.errors import ComponentInvalid
from zeroclaw_cli.memory.text import shortened
from zeroclaw_cli.wasm.binding import capi
from zeroclaw_cli.wasm.engine import engine

if TYPE_CHECKING:
    from wasmtime.component import Component

PACKAGE: Final = "zeroclaw:plugin/"
MEMORY: Final = "zeroclaw:plugin/memory@0.1.0"
LOGGING: Final = "zeroclaw:plugin/logging@0.1.0"
TYPES: Final = "zeroclaw:plugin/types@0.1.0"

# Raise it when the verdict on the same bytes can change: cached verdicts of another number are not read.
CHECKER_VERSION: Final = 1

DIFFERENCES_HINT: Final = (
    "build the component again with the WIT of zeroclaw:plugin@0.1.0, or install a version of the plugin that was"
)

Direction = Literal["import", "export"]
_DIRECTIONS: Final[tuple[Direction, ...]] = ("import", "export")

# A type of the world has at most some fifty nodes; a hostile one may have a million, each a walk through the engine.
_MOST_TYPE_NODES = 2_000
_DEEPEST_TYPE = 50
# The engine finds the n-th item of an instance in n steps, so that 20,000 items would take it some twenty seconds.
_MOST_ITEMS = 2_000


@cache
def world_signatures() -> Mapping[str, str]:
    """The functions of the world: ``import`` or ``export`` and ``<instance>#<function>`` to canonical type text."""
    lines = Path(__file__).with_name("world.sig.txt").read_text(encoding="utf-8").splitlines()
    signatures = {}
    for line in lines:
        direction, name, text = line.split(" ", 2)
        signatures[f"{direction} {name}"] = text
    return signatures


def imported_functions(component: Component) -> dict[str, tuple[str, ...]]:
    """What a component imports: the name of every import to the functions that it takes from it.

    An import that is not an instance (a plain function, a module, a type) has no functions.
    """
    return {name: tuple(sorted(functions)) for name, functions in _walk(component, "import").items()}


def component_signatures(component: Component) -> dict[str, str]:
    """The functions that a component imports and exports under ``zeroclaw:plugin``, in the form of
    :func:`world_signatures`."""
    signatures = {}
    for direction in _DIRECTIONS:
        for instance, functions in _walk(component, direction).items():
            if instance.startswith(PACKAGE):
                for name, function in functions.items():
                    signatures[f"{direction} {instance}#{name}"] = canonical(function)
    return signatures


def differences(found: Mapping[str, str]) -> tuple[str, ...]:
    """How a component's functions differ from the world's, one line a function; empty when it fits.

    A function that the world exports and the component does not is missing; one of another type is named with both
    types; an import that the world does not have is named. More exports than the world has are fine.
    """
    lines = []
    world = world_signatures()
    for name, wanted in world.items():
        direction, function = name.split(" ", 1)
        present = found.get(name)
        if present is None and direction == "export":
            lines.append(f"{function} is missing{_other_version(function, found)}")
        elif present is not None and present != wanted:
            lines.append(f"{function} is {_short(present)}, but the world has {_short(wanted)}")
    lines += [
        f"{name.removeprefix('import ')} is imported, which the world does not have"
        for name in found
        if name.startswith(f"import {LOGGING}#") and name not in world
    ]
    return tuple(lines)


def _short(text: str) -> str:
    """A type as a person reads it: the world's own types by their names, and no more than a few hundred characters."""
    for written, name in _type_names():
        text = text.replace(written, name)
    return shortened(text, 240)


@cache
def _type_names() -> tuple[tuple[str, str], ...]:
    """Canonical texts of the world's types and their names in the WIT, the larger types first."""
    signatures = world_signatures()
    get = signatures[f"export {MEMORY}#get"]
    log = signatures[f"import {LOGGING}#log-record"]
    list_entries = signatures[f"export {MEMORY}#list-entries"]
    return (
        (get[get.index("record{") : get.rindex(">,string>")], "memory-entry"),
        (log[log.index("record{") : log.rindex(")->_")], "plugin-event"),
        (list_entries[list_entries.index("variant{") : list_entries.index("}>") + 1], "memory-category"),
    )


def _other_version(function: str, found: Mapping[str, str]) -> str:
    """Names the version of the interface that the component has instead, if it has one."""
    instance = function.split("#", 1)[0]
    interface = instance.split("@", 1)[0]
    for name in found:
        other = name.split(" ", 1)[1].split("#", 1)[0]
        if other != instance and other.split("@", 1)[0] == interface:
            return f" (the component has {other})"
    return ""


def _walk(component: Component, direction: Direction) -> dict[str, dict[str, Any]]:
    """Every import or export of a component: its name to the functions that it has. Raises ComponentInvalid when there
    are far more than any world has."""
    from wasmtime import component as wc

    kind = component.type
    count = getattr(capi(), f"wasmtime_component_type_{direction}_count")(kind.ptr(), engine().ptr())
    _refuse_too_many(count, f"the component {direction}s")
    found: dict[str, dict[str, Any]] = {}
    for name, item in (kind.imports if direction == "import" else kind.exports)(engine()).items():
        inner = item.ty
        functions: dict[str, Any] = {}
        if isinstance(inner, wc.ComponentInstanceType):
            count += capi().wasmtime_component_instance_type_export_count(inner.ptr(), engine().ptr())
            _refuse_too_many(count, f"the component {direction}s")
            functions = {
                function: extern.ty
                for function, extern in inner.exports(engine()).items()
                if isinstance(extern.ty, wc.FuncType)
            }
        found[name] = functions
    return found


def _refuse_too_many(count: int, who: str) -> None:
    if count > _MOST_ITEMS:
        raise ComponentInvalid(f"{who} more than {_MOST_ITEMS:,} items", hint=DIFFERENCES_HINT)


def canonical(function: Any) -> str:
    """A function type of the engine as text, for instance ``func(key:string)->result<bool,string>``.

    Raises ComponentInvalid for a type that is far larger than any of the world.
    """
    walk = _TypeWalk()
    parameters = ",".join(f"{name}:{walk.text(kind)}" for name, kind in function.params)
    return f"func({parameters})->{walk.text(function.result)}"


class _TypeWalk:
    """Writes one function's types as text and gives up on types that are too large."""

    def __init__(self) -> None:
        self._nodes = 0
        self._depth = 0

    def text(self, kind: Any) -> str:
        if kind is None:
            return "_"
        self._nodes += 1
        self._depth += 1
        if self._nodes > _MOST_TYPE_NODES or self._depth > _DEEPEST_TYPE:
            raise ComponentInvalid(
                f"a function of the component has a type of more than {_MOST_TYPE_NODES:,} parts or "
                f"{_DEEPEST_TYPE} levels",
                hint=DIFFERENCES_HINT,
            )
        written = self._text(kind)
        self._depth -= 1
        return written

    def _text(self, kind: Any) -> str:
        match type(kind).__name__:
            case "ListType":
                return f"list<{self.text(kind.element)}>"
            case "OptionType":
                return f"option<{self.text(kind.payload)}>"
            case "ResultType":
                return f"result<{self.text(kind.ok)},{self.text(kind.err)}>"
            case "RecordType":
                return f"record{{{self._pairs(kind.fields, ':', '')}}}"
            case "TupleType":
                return f"tuple<{','.join(map(self.text, kind.elements))}>"
            case "VariantType":
                return f"variant{{{self._pairs(kind.cases, '(', ')')}}}"
            case "EnumType":
                return f"enum{{{','.join(kind.names)}}}"
            case "FlagsType":
                return f"flags{{{','.join(kind.names)}}}"
            case name:
                return name.lower()

    def _pairs(self, pairs: list[tuple[str, Any]], opening: str, closing: str) -> str:
        return ",".join(f"{name}{opening}{self.text(kind)}{closing}" for name, kind in pairs)
