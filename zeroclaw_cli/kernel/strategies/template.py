"""``zeroclaw strategy new``: a strategy that passes check and replay, to be changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import AlreadyInstalled, KernelFailure, UsageError
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.components import (
    CatalogSnapshot,
    Participation,
    SystemDescriptor,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.default_system import DEFAULT_LAYERS, DEFAULT_TOPOLOGY
from zeroclaw_cli.kernel.limits import API_VERSION, CAPABILITIES, DEFAULT_STRATEGY_ID, MANIFEST_KIND
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
# The stores beside the built-in one that it may name: `zeroclaw memory layers` shows them.
adapterIds = []
capabilities = [
{capabilities}
]
maxSteps = 8
"""

_RULES: Final = """\
# The first rule whose conditions hold says where a request goes. Of its layers those get a step that are enabled, do
# what is asked and take part under the request's trigger.
#
# when      capability, trigger, storage: a word or a list of words; left out, anything will do.
#           budget: {{ max_steps, max_results, max_tokens, timeout_ms }}, for a request that allows at most so much.
# layers    in the order of the steps.
# adapters  a step for each of these that is bound to the layer. Then the layer's own store is left out, unless
#           own_store = true.
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
            step = {{"layerId": layer_id, "capability": request["capability"]}}
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
'''


@dataclass(frozen=True, slots=True)
class NewStrategy:
    """``files`` are relative to ``directory``."""

    name: str
    directory: Path
    kind: Kind
    files: tuple[str, ...]


def create(parent: Path, name: str, kind: Kind) -> NewStrategy:
    """Write the strategy ``name`` into a new folder of ``parent``, which is there whole or not at all.

    Raises UsageError for a name that is no id, AlreadyInstalled when something has it.
    """
    target = parent.absolute() / _checked(name)
    if os.path.lexists(target):
        raise AlreadyInstalled(f"{target} is there already", hint="choose another name, or remove it")
    files = template_files(name, kind)
    fsio.publish_dir(target, {path: text.encode("utf-8") for path, text in files.items()})
    return NewStrategy(name, target, kind, tuple(sorted(files)))


def template_files(name: str, kind: Kind) -> dict[str, str]:
    """The text of each file of a new strategy, by its name."""
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
            capabilities=capabilities,
        ),
        form: text.format(layers=layers),
        CASES: "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in _cases(name)),
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


def _cases(name: str) -> list[dict[str, Any]]:
    def case(
        title: str, category: str, request: Mapping[str, Any], expect: Any, system: SystemDescriptor | None = None
    ) -> dict[str, Any]:
        given = {
            "operation": "memory.recall",
            "capability": "recall",
            "trigger": "manual",
            "scope": {"storage": "global"},
        }
        found = {"steps": [{"layerId": id_} for id_ in expect]} if isinstance(expect, list) else {"error": expect}
        descriptor = (system or _system(name)).to_json()
        return {
            "name": title,
            "category": category,
            "request": {**given, **request},
            "expect": found,
            "descriptor": descriptor,
        }

    disabled = _system(name, lambda layer: replace(layer, enabled=layer.id != "memory-spaces"))
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
        case("what is manual is open to a person", "trigger-boundary", {}, ["documents", "memory-spaces"], manual),
        case("what is manual is closed to a model", "trigger-boundary", {"trigger": "automatic"}, "no-steps", manual),
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
        case("a layer that was not asked for gets no step", "escape", {"candidateLayerIds": ["elsewhere"]}, "no-steps"),
    ]


def _system(name: str, change: Callable[[TopologyLayer], TopologyLayer] = lambda layer: layer) -> SystemDescriptor:
    layers = tuple(map(change, DEFAULT_TOPOLOGY.layers))
    return SystemDescriptor(
        CatalogSnapshot(1, DEFAULT_LAYERS, (), ()),
        TopologySnapshot(DEFAULT_TOPOLOGY.id, name, layers, 1, 1, "2000-01-01T00:00:00.000Z"),
    )
