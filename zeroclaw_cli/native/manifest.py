"""The manifest of a memory provider and its assets (specs/native-memory.md §3, §16, §19).

A manifest grants nothing: it says what the provider serves and asks for. Everything here fails closed: a manifest that
breaks a rule, or names an asset that its own table does not hold, is an InvalidManifest and binds no provider.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast, get_args

from zeroclaw_cli.errors import InvalidManifest

SCHEMA_VERSION: Final = "reborn.extension_manifest.v3"
NATIVE_ID: Final = "ironclaw.memory"
NATIVE_SERVICE: Final = "native_memory_provider"
BUNDLED_IDS: Final = frozenset({NATIVE_ID, "mem0.local.memory"})
TOOL_PREFIX: Final = "ironclaw.memory."
MAX_MODEL_CALLS: Final = 20
# Ids whose request to run without a grant the host keeps; any other is lowered to `gated_unless_granted` (§3).
UNGATED_ALLOWLIST: Final = frozenset(f"{TOOL_PREFIX}{name}" for name in ("read", "search", "tree", "profile_set"))

Hook = Literal["read_long_term", "read_short_term", "record_interaction", "profile_read"]
Gate = Literal["ungated", "gated_unless_granted", "forbidden"]
Origin = Literal["loop_run", "product", "automation"]
_EFFECTS: Final = frozenset({"read_filesystem", "write_filesystem"})
_REF: Final = re.compile(r"[A-Za-z0-9._/-]{1,512}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. ``gates`` is None when the manifest has no matrix, which refuses every call that has an origin."""

    id: str
    description: str
    effects: frozenset[str]
    input_schema_ref: str
    output_schema_ref: str
    prompt_doc_ref: str | None = None
    default_permission: str = "allow"
    visibility: str = "model"
    gates: Mapping[Origin, Gate] | None = None

    @property
    def writes(self) -> bool:
        return "write_filesystem" in self.effects

    @property
    def function_name(self) -> str:
        """The name for models whose function names allow no dot: ``memory_read`` for ``ironclaw.memory.read``."""
        return f"memory_{self.id.rsplit('.', 1)[-1]}"

    def gate(self, origin: Origin) -> Gate:
        """What a call of this origin needs, as far as the host grants what the manifest asks for."""
        asked = (self.gates or {}).get(origin, "forbidden")
        return "gated_unless_granted" if asked == "ungated" and self.id not in UNGATED_ALLOWLIST else asked


@dataclass(frozen=True, slots=True)
class ScheduledOp:
    """A pass after every ``interval_turns`` completed turns: its prompt, its tools, and its budget of model calls."""

    interval_turns: int
    prompt_ref: str
    tools: tuple[str, ...]
    max_model_calls: int
    trigger: str = "after_turn"


@dataclass(frozen=True, slots=True)
class ProviderManifest:
    id: str
    name: str
    version: str
    service: str
    tools: tuple[ToolSpec, ...]
    lifecycle: frozenset[Hook] = frozenset()
    guidance_doc: str | None = None
    scheduled_ops: tuple[ScheduledOp, ...] = ()

    def tool(self, tool_id: str) -> ToolSpec | None:
        return next((tool for tool in self.tools if tool.id == tool_id), None)


@dataclass(frozen=True, slots=True)
class AssetTable:
    """The texts that a provider ships, by reference."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, ref: str, what: str) -> str:
        """The text of ``ref``; raises InvalidManifest, naming the reference, when it is missing or blank."""
        text = self.texts.get(ref)
        if text is None:
            raise InvalidManifest(f"the memory manifest names {what} '{ref}', which its assets do not hold")
        if not text.strip():
            raise InvalidManifest(f"the memory manifest names {what} '{ref}', which is empty")
        return text


@dataclass(frozen=True, slots=True)
class Bundle:
    """A provider as it is bundled: the manifest and the texts that it names, every reference resolved."""

    manifest: ProviderManifest
    assets: AssetTable

    @property
    def guidance(self) -> str | None:
        """The text for the system prompt, None when the manifest declares none."""
        ref = self.manifest.guidance_doc
        return None if ref is None else self.assets.resolve(ref, "the guidance")

    def prompt_of(self, op: ScheduledOp) -> str:
        return self.assets.resolve(op.prompt_ref, "the prompt of a pass")


def parse_manifest(
    document: Mapping[str, Any],
    *,
    bundled: bool,
    services: Iterable[str] = (NATIVE_SERVICE,),
    max_model_calls: int = MAX_MODEL_CALLS,
) -> ProviderManifest:
    """The manifest in a parsed TOML document.

    ``bundled`` says that it comes from the loader's own source, ``services`` which services the host registered.
    Raises InvalidManifest.
    """
    if document.get("schema_version") != SCHEMA_VERSION:
        raise InvalidManifest(f"the memory manifest's schema_version is not {SCHEMA_VERSION}")
    memory = _memory_section(document)
    manifest_id = _text(document, "id")
    runtime = _table(document, "runtime")
    service = _text(runtime, "service")
    if _text(runtime, "kind") != "first_party":
        raise InvalidManifest("a manifest with [memory] must have the runtime kind first_party")
    if not bundled or manifest_id not in BUNDLED_IDS:
        raise InvalidManifest(
            f"'{manifest_id}' is not a bundled memory provider, and a reserved id comes from no other source"
        )
    if service not in frozenset(services):
        raise InvalidManifest(f"no service '{service}' is registered for '{manifest_id}'")
    tools = tuple(_tool(table) for table in _tables(document, "tools"))
    if len({tool.id for tool in tools}) != len(tools):
        raise InvalidManifest("the memory manifest declares a tool twice")
    guidance = _optional_text(memory, "guidance_doc")
    return ProviderManifest(
        id=manifest_id,
        name=_text(document, "name"),
        version=_text(document, "version"),
        service=service,
        tools=tools,
        lifecycle=_lifecycle(memory),
        guidance_doc=None if guidance is None else check_ref(guidance),
        scheduled_ops=_scheduled_ops(memory, {tool.id for tool in tools}, max_model_calls),
    )


def load_bundle(manifest: ProviderManifest, assets: AssetTable) -> Bundle:
    """The bundle, after every reference resolved in the provider's own table. Raises InvalidManifest."""
    bundle = Bundle(manifest, assets)
    for tool in manifest.tools:
        assets.resolve(tool.input_schema_ref, f"the input schema of {tool.id}")
        assets.resolve(tool.output_schema_ref, f"the output schema of {tool.id}")
        if tool.prompt_doc_ref is not None:
            assets.resolve(tool.prompt_doc_ref, f"the prompt of {tool.id}")
    if manifest.guidance_doc is not None:
        assets.resolve(manifest.guidance_doc, "the guidance")
    for op in manifest.scheduled_ops:
        bundle.prompt_of(op)
    return bundle


def native_bundle() -> Bundle:
    """The native provider's bundle out of the package's own assets. Raises InvalidManifest."""
    import tomli

    texts = _packaged_assets()
    manifest = parse_manifest(tomli.loads(texts.pop("manifest.toml", "")), bundled=True)
    return load_bundle(manifest, AssetTable(texts))


def _packaged_assets() -> dict[str, str]:
    from importlib.resources import files

    root = files("zeroclaw_cli.native").joinpath("assets")
    texts = {"manifest.toml": root.joinpath("manifest.toml").read_text("utf-8")}
    for folder in ("prompts", "schemas"):
        for item in root.joinpath(folder).iterdir():
            texts[f"{folder}/{item.name}"] = item.read_text("utf-8")
    return texts


def check_ref(ref: str) -> str:
    """``ref`` if it is a relative reference of plain ASCII segments; raises InvalidManifest."""
    if _REF.fullmatch(ref) is None or any(segment in ("", ".", "..") for segment in ref.split("/")):
        raise InvalidManifest(f"'{ref[:80]}' is not an asset reference: relative, letters, digits, '.', '_', '-', '/'")
    return ref


def _memory_section(document: Mapping[str, Any]) -> Mapping[str, Any]:
    memory = document.get("memory")
    if not isinstance(memory, Mapping):
        raise InvalidManifest("a memory provider's manifest has no [memory] section")
    unknown = sorted(set(memory) - {"lifecycle", "guidance_doc", "scheduled_ops"})
    if unknown:
        raise InvalidManifest(f"[memory] has an unknown field '{unknown[0]}'")
    return memory


def _lifecycle(memory: Mapping[str, Any]) -> frozenset[Hook]:
    words = _texts(memory, "lifecycle")
    for word in words:
        if word not in get_args(Hook):
            raise InvalidManifest(f"[memory] lifecycle has an unknown word '{word}'")
    return frozenset(cast("list[Hook]", words))


def _tool(table: Mapping[str, Any]) -> ToolSpec:
    tool_id = _text(table, "id")
    effects = frozenset(_texts(table, "effects"))
    if not tool_id.startswith(TOOL_PREFIX):
        raise InvalidManifest(f"the tool '{tool_id}' of a memory provider is not under {TOOL_PREFIX}*")
    if not effects <= _EFFECTS:
        raise InvalidManifest(f"the tool '{tool_id}' has an unknown effect")
    prompt = _optional_text(table, "prompt_doc_ref")
    return ToolSpec(
        id=tool_id,
        description=_text(table, "description"),
        effects=effects,
        input_schema_ref=check_ref(_text(table, "input_schema_ref")),
        output_schema_ref=check_ref(_text(table, "output_schema_ref")),
        prompt_doc_ref=None if prompt is None else check_ref(prompt),
        default_permission=_text(table, "default_permission"),
        visibility=_text(table, "visibility"),
        gates=_gates(table, tool_id),
    )


def _gates(table: Mapping[str, Any], tool_id: str) -> Mapping[Origin, Gate] | None:
    if "origin_gate_matrix" not in table:
        return None
    matrix = _table(table, "origin_gate_matrix")
    for origin, gate in matrix.items():
        if origin not in get_args(Origin) or gate not in get_args(Gate):
            raise InvalidManifest(f"the origin_gate_matrix of '{tool_id}' has an unknown word")
    return cast("Mapping[Origin, Gate]", dict(matrix))


def _scheduled_ops(memory: Mapping[str, Any], tools: set[str], ceiling: int) -> tuple[ScheduledOp, ...]:
    ops = tuple(_scheduled_op(table, tools, ceiling) for table in _tables(memory, "scheduled_ops"))
    if len({(op.trigger, op.prompt_ref) for op in ops}) != len(ops):
        raise InvalidManifest("[memory] declares a scheduled operation twice")
    return ops


def _scheduled_op(table: Mapping[str, Any], declared: set[str], ceiling: int) -> ScheduledOp:
    work = _table(table, "pass")
    for part, known in ((table, {"trigger", "interval_turns", "pass"}), (work, {"prompt", "tools", "max_model_calls"})):
        unknown = sorted(set(part) - known)
        if unknown:
            raise InvalidManifest(f"a scheduled operation has an unknown key '{unknown[0]}'")
    trigger = _text(table, "trigger")
    if trigger != "after_turn":
        raise InvalidManifest(f"a scheduled operation has the unknown trigger '{trigger}'")
    tools = _texts(work, "tools")
    if not tools or not set(tools) <= declared:
        raise InvalidManifest("the tools of a scheduled operation must be some of the manifest's own")
    return ScheduledOp(
        interval_turns=_number(table, "interval_turns", 1, None),
        prompt_ref=check_ref(_text(work, "prompt")),
        tools=tuple(tools),
        max_model_calls=_number(work, "max_model_calls", 1, ceiling),
        trigger=trigger,
    )


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidManifest(f"the memory manifest's '{name}' must be a text that is not empty")
    return value


def _optional_text(table: Mapping[str, Any], name: str) -> str | None:
    return _text(table, name) if name in table else None


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    values = table.get(name, [])
    if not isinstance(values, Sequence) or isinstance(values, str) or not all(isinstance(v, str) for v in values):
        raise InvalidManifest(f"the memory manifest's '{name}' must be a list of texts")
    return list(values)


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name)
    if not isinstance(value, Mapping):
        raise InvalidManifest(f"the memory manifest's '{name}' must be a table")
    return value


def _tables(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    values = table.get(name, [])
    if not isinstance(values, Sequence) or isinstance(values, str) or not all(isinstance(v, Mapping) for v in values):
        raise InvalidManifest(f"the memory manifest's '{name}' must be a list of tables")
    return list(values)


def _number(table: Mapping[str, Any], name: str, least: int, most: int | None) -> int:
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        bound = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidManifest(f"the memory manifest's '{name}' must be a whole number {bound}")
    return value
