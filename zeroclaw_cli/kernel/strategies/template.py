"""``zeroclaw strategy new``: a strategy that passes check and replay, to be changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import AlreadyInstalled, KernelFailure, UsageError
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    CatalogSnapshot,
    Participation,
    SystemDescriptor,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.default_system import DEFAULT_LAYERS, DEFAULT_TOPOLOGY
from zeroclaw_cli.kernel.limits import (
    API_VERSION,
    CAPABILITIES,
    DEFAULT_STRATEGY_ID,
    MANIFEST_KIND,
    MAX_LABEL,
    MAX_STEPS,
    MEMORY_SPACES,
)
from zeroclaw_cli.kernel.strategies.artefact import CASES, MANIFEST, PYTHON, RULES, Kind

_LAYERS: Final = tuple(layer.id for layer in DEFAULT_LAYERS)

_MANIFEST: Final = """\
# Who the strategy is, and all that it may do. What is promoted keeps its id and version: a change needs a new version.
apiVersion = "{api_version}"
kind = "{kind}"

[metadata]
id = "{name}"
version = "1"
label = "{label}"
description = "Every layer that can and may; few results come from the single memories alone."

[permissions]
layerIds = [{layers}]
# The stores that it may name: those that are bound to its layers, as `zeroclaw memory layers` shows them. A layer with
# adapters keeps its memories in them, so a request for a layer of which none is granted is refused.
adapterIds = [{adapters}]
capabilities = [
{capabilities}
]
maxSteps = {max_steps}
"""

_RULES: Final = """\
# The first rule whose conditions hold says where a request goes. Of its layers those get a step that are enabled, do
# what is asked and take part under the request's trigger.
#
# when      capability, trigger, storage: a word or a list of words; left out, anything will do.
#           budget: {{ max_steps, max_results, max_tokens, timeout_ms }}, for a request that allows at most so much.
# layers    in the order of the steps.
# adapters  a step for each of these that is bound to the layer. Left out, for each bound one that the manifest grants.
# own_store whether a layer to which no adapter is bound is asked too: true without adapters, else false.
# max_steps so many steps at most.
# reason    what a plan says of itself.

[[rule]]
when = {{ capability = ["recall", "search"], budget = {{ max_results = 3 }} }}
layers = ["memory-spaces"]
reason = "few results are wanted: the single memories have them"

[[rule]]
layers = [{layers}]
reason = "every layer that can and may"
"""

_PYTHON: Final = '''\
"""A memory strategy: where a request goes.

It runs in a process of its own, without files, network and environment, with 2 seconds for each proposal. What it is
given is frozen JSON with the keys that `zeroclaw memory plan` shows; only Python's own library is there.
"""

from __future__ import annotations

LAYERS = [{layers}]
CHANNELS = {{
    "project": "projection",
    **dict.fromkeys(["write", "archive", "link", "forget", "import"], "write"),
    **dict.fromkeys(["maintain", "export", "status"], "maintenance"),
}}


def propose(request, context):
    """Steps for `request`; `context` holds the catalog and the topology of this moment."""
    wanted, reason = LAYERS, "every layer that can and may"
    few = request.get("budget", {{}}).get("maxResults", 4) <= 3
    if few and request["capability"] in ("recall", "search"):
        wanted, reason = ["memory-spaces"], "few results are wanted: the single memories have them"
    steps = []
    for layer_id in wanted:
        if takes_part(layer_id, request, context):
            for place in places(layer_id, request, context):
                step = {{"layerId": layer_id, "capability": request["capability"], **place}}
                if "input" in request:
                    step["input"] = request["input"]
                steps.append(step)
    return {{"reason": reason, "steps": steps}}


def takes_part(layer_id, request, context):
    """Whether the layer is enabled, can do it, and may under the request's trigger."""
    declared = {{layer["id"]: layer["capabilities"] for layer in context["catalog"]["layers"]}}
    layer = next((layer for layer in context["topology"]["layers"] if layer["id"] == layer_id), None)
    if layer is None or not layer["enabled"] or request["capability"] not in declared.get(layer_id, ()):
        return False
    if layer_id not in request.get("candidateLayerIds", [layer_id]):
        return False
    mode = layer["participation"][CHANNELS.get(request["capability"], "recall")]
    return mode == "automatic" or (mode == "manual" and request["trigger"] == "manual")


def places(layer_id, request, context):
    """Where the layer keeps its memories: in each adapter bound to it that can do it, or else in its own store."""
    able = [store["id"] for store in context["catalog"]["adapters"] if request["capability"] in store["capabilities"]]
    bound = next(layer["adapterIds"] for layer in context["topology"]["layers"] if layer["id"] == layer_id)
    wanted = request.get("adapterIds", bound)
    return [{{"adapterId": id_}} for id_ in bound if id_ in able and id_ in wanted] if bound else [{{}}]
'''


@dataclass(frozen=True, slots=True)
class NewStrategy:
    """``files`` are relative to ``directory``."""

    name: str
    directory: Path
    kind: Kind
    files: tuple[str, ...]


def create(parent: Path, name: str, kind: Kind, adapters: Sequence[str] = ()) -> NewStrategy:
    """Write the strategy ``name`` into a new folder of ``parent``, which is there whole or not at all. It is granted
    the stores ``adapters``.

    Raises UsageError for a name that is not an id, AlreadyInstalled when something has it.
    """
    target = parent.absolute() / _checked(name)
    if os.path.lexists(target):
        raise AlreadyInstalled(f"{target} is there already", hint="choose another name, or remove it")
    files = template_files(name, kind, adapters)
    fsio.publish_dir(target, {path: text.encode("utf-8") for path, text in files.items()})
    return NewStrategy(name, target, kind, tuple(sorted(files)))


def template_files(name: str, kind: Kind, adapters: Sequence[str] = ()) -> dict[str, str]:
    """The text of each file of a new strategy that is granted ``adapters``, by its name."""
    layers = ", ".join(f'"{id_}"' for id_ in _LAYERS)
    capabilities = "\n".join(f'  "{capability}",' for capability in CAPABILITIES)
    label = name.replace("-", " ").strip().capitalize()[:100]
    form, text = (RULES, _RULES) if kind == "rules" else (PYTHON, _PYTHON)
    return {
        MANIFEST: _MANIFEST.format(
            api_version=API_VERSION,
            kind=MANIFEST_KIND,
            name=name,
            label=label,
            layers=layers,
            adapters=", ".join(f'"{id_}"' for id_ in adapters),
            capabilities=capabilities,
            max_steps=min(max(8, len(_LAYERS) * len(adapters)), MAX_STEPS),
        ),
        form: text.format(layers=layers),
        CASES: "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in _cases(name, adapters)),
    }


def _checked(name: str) -> str:
    try:
        if parsing.component_id(name, "strategy id") != name:
            raise UsageError(f"'{name}' has blanks around it", hint="leave them out")
    except KernelFailure as failure:
        raise UsageError(failure.message, hint=failure.hint) from None
    if name.endswith("-") or "--" in name or name == DEFAULT_STRATEGY_ID:
        raise UsageError(f"'{name}' is not to be the id of a strategy", hint="choose another name, such as my-strategy")
    return name


def _cases(name: str, adapters: Sequence[str]) -> list[dict[str, Any]]:
    def case(
        title: str, category: str, request: Mapping[str, Any], expect: Any, system: SystemDescriptor | None = None
    ) -> dict[str, Any]:
        given = {
            "operation": "memory.recall",
            "capability": "recall",
            "trigger": "manual",
            "scope": {"storage": "global"},
        }
        found = {"error": expect} if isinstance(expect, str) else {"steps": [_place(words) for words in expect]}
        descriptor = (system or _system(name)).to_json()
        return {
            "name": title,
            "category": category,
            "request": {**given, **request},
            "expect": found,
            "descriptor": descriptor,
        }

    disabled = _system(name, lambda layer: replace(layer, enabled=layer.id != "memory-spaces"))
    bound = ["documents", *(f"{MEMORY_SPACES}/{id_}" for id_ in adapters)]
    manual = _system(name, lambda layer: replace(layer, participation=Participation.all("manual")))
    return [
        case("a recall goes to documents and single memories", "normal-routing", {}, ["documents", "memory-spaces"]),
        case(
            "a recall of few goes to single memories",
            "normal-routing",
            {"budget": {"maxResults": 3}},
            ["memory-spaces"],
        ),
        case(
            "a write goes where it is sent",
            "normal-routing",
            {"operation": "memory.store", "capability": "write", "candidateLayerIds": ["memory-spaces"]},
            ["memory-spaces"],
        ),
        case("a disabled layer is left out", "disabled-layer", {}, ["documents"], disabled),
        case("manual channels are open to a person", "trigger-boundary", {}, ["documents", "memory-spaces"], manual),
        case("manual channels are closed to a model", "trigger-boundary", {"trigger": "automatic"}, "no-steps", manual),
        case(
            "an adapter that is not bound is not named",
            "missing-adapter",
            {"adapterIds": ["elsewhere"]},
            ["documents", "memory-spaces"],
        ),
        case(
            "more steps than the budget allows are refused whole",
            "budget-ceiling",
            {"budget": {"maxSteps": 1}},
            "budget-exceeded",
        ),
        case("a store that is bound is named", "normal-routing", {}, bound, _system(name, stores=adapters))
        if adapters
        else case(
            "a store that is not granted is not named",
            "escape",
            {},
            "permission-adapter",
            _system(name, stores=("elsewhere",)),
        ),
        case("a layer that was not asked for gets no step", "escape", {"candidateLayerIds": ["elsewhere"]}, "no-steps"),
    ]


def _place(words: str) -> dict[str, str]:
    layer_id, _, adapter_id = words.partition("/")
    return {"layerId": layer_id, **({"adapterId": adapter_id} if adapter_id else {})}


def _system(
    name: str, change: Callable[[TopologyLayer], TopologyLayer] = lambda layer: layer, stores: Sequence[str] = ()
) -> SystemDescriptor:
    """The default layers as ``change`` makes them, with ``stores`` bound to the single memories."""
    layers = tuple(
        replace(layer, adapter_ids=tuple(stores)) if layer.id == MEMORY_SPACES else layer
        for layer in map(change, DEFAULT_TOPOLOGY.layers)
    )
    cards = tuple(
        AdapterDescriptor(id_, id_[:MAX_LABEL], "A store of a case", "local", ("global",), CAPABILITIES)
        for id_ in sorted(stores)
    )
    return SystemDescriptor(
        CatalogSnapshot(1, DEFAULT_LAYERS, cards, ()),
        TopologySnapshot(DEFAULT_TOPOLOGY.id, name, layers, 1, 1, "2000-01-01T00:00:00.000Z"),
    )
