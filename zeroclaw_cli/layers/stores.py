"""The stores that may become layers or adapters: the built-in one, memory plugins and Python providers
(specs/memory-kernel.md §18).

A store joins as a layer of its own or as an adapter of ``memory-spaces``, under its own name. What the gates of plugins
or the trust in providers refuse is not a candidate, and says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.config.backend_name import NATIVE, parse_backend
from zeroclaw_cli.errors import KernelFailure, ZeroclawError
from zeroclaw_cli.kernel.contracts import AdapterDescriptor, LayerDescriptor
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS, MAX_DESCRIPTION
from zeroclaw_cli.kernel.topology_config import PATH, ConfiguredTopology, adapter_problem
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.types import Capability

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config

_TAKEN: Final = frozenset({NATIVE, *BUILT_IN_LAYERS})
_FIRST_ORDER: Final = 400
_OF_A_PLUGIN: Final = ("status", "project", "recall", "search", "read", "browse", "write", "forget", "import")
OF_SOME_PLUGINS: Final = MappingProxyType({Capability.EXPORT_ENTRIES: "export", Capability.REINDEX: "maintain"})
"""What some plugins do besides, by the flag with which an opened one tells."""

_OF_NATIVE: Final = (*_OF_A_PLUGIN[:1], *_OF_A_PLUGIN[2:], "export", "maintain", "graph", "related", "link")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A store under the name ``id``, opened as ``backend``. ``problem`` says why it cannot take part, and
    ``name_problem`` why not under its own name, so that only ``backend`` of a layer can bind it; ``remote`` is None
    where nobody tells; ``missing``: no such store is there."""

    id: str
    backend: str
    description: str
    problem: str | None = None
    remote: bool | None = False
    name_problem: str | None = None
    missing: bool = False

    @property
    def reason(self) -> str | None:
        """Why it cannot take part under its own name."""
        return self.problem or self.name_problem

    @property
    def kind(self) -> str:
        return parse_backend(self.backend).kind


def candidates(config: Config, configured: ConfiguredTopology, *, every: bool = False) -> list[Candidate]:
    """The stores beside the built-in one, by id: those that the topology names, or with ``every`` all that are
    installed. A name that two stores have is the plugin's; the other one takes part under ``backend`` of a layer."""
    named = _named(configured)
    backends = {parse_backend(layer.backend) for layer in configured.layers if layer.backend is not None}
    if not named and not every and not any(name.rest for name in backends):
        return []
    found: list[Candidate] = []
    taken = dict.fromkeys(_TAKEN, "the built-in system")
    for candidate in (*_plugins(config), *_providers(config)):
        owner = taken.setdefault(candidate.id, candidate.backend)
        if owner != candidate.backend:
            candidate = replace(
                candidate,
                name_problem=f"the name {candidate.id} belongs to {owner}; `zeroclaw config set "
                f"memory.topology.layers.ID.backend {candidate.backend}` makes it a layer of another name",
            )
        found.append(candidate)
    found.sort(key=lambda candidate: (candidate.id, candidate.name_problem is not None, candidate.backend))
    return [
        candidate
        for candidate in found
        if every or candidate.id in named or parse_backend(candidate.backend) in backends
    ]


def _named(configured: ConfiguredTopology) -> set[str]:
    named = {layer.id for layer in configured.layers if layer.id not in BUILT_IN_LAYERS and layer.backend is None}
    return named | {id_ for layer in configured.layers for id_ in layer.adapter_ids if id_ != NATIVE}


def _plugins(config: Config) -> Iterator[Candidate]:
    from zeroclaw_cli.plugins import discovery, gates
    from zeroclaw_cli.plugins.model import PluginCapability

    inventory = discovery.browse(config)
    for package in inventory.packages:
        if not package.manifest.has(PluginCapability.MEMORY):
            continue
        obstacles = [gates.not_enabled(config), gates.switched_off(config, package.name)]
        problem = "; ".join(str(obstacle) for obstacle in obstacles if obstacle is not None)
        yield Candidate(
            package.name,
            f"plugin.{package.name}",
            package.manifest.description or "",
            problem or None,
            name_problem=adapter_problem(package.name),
        )
    for skipped in inventory.skipped:
        if skipped.name is not None:
            yield Candidate(skipped.name, f"plugin.{skipped.name}", "", f"{skipped.reason}; {skipped.hint}")


def _providers(config: Config) -> Iterator[Candidate]:
    from zeroclaw_cli.providers import discovery, trust

    home = config.location.config_dir
    for plugin in discovery.discover(home, os.environ, Path.cwd()).plugins:
        verdict = trust.verdict(home, plugin)
        refused = None if verdict.loadable else "; ".join(filter(None, (verdict.reason, verdict.hint)))
        yield Candidate(
            plugin.name,
            f"provider.{plugin.name}",
            plugin.info.description,
            refused,
            plugin.info.network,
            adapter_problem(plugin.name),
        )


def capabilities(candidate: Candidate, memory: Memory | None) -> tuple[str, ...]:
    """What a store does. ``memory`` is the opened one; without it only what every store of its kind does."""
    if candidate.kind == "provider":
        return _of_a_provider(memory)
    flags = frozenset() if memory is None else memory.capabilities
    return (*_OF_A_PLUGIN, *(word for flag, word in OF_SOME_PLUGINS.items() if flag in flags))


def _of_a_provider(memory: Memory | None) -> tuple[str, ...]:
    if memory is None:
        return ("status", "recall", "search", "write")
    done: frozenset[str] = getattr(memory, "operations", frozenset())
    words = {
        "recall": ("recall", "search"),
        "list": ("read", "browse", "export"),
        "store": ("write", "import"),
        "forget": ("forget",),
        "prompt": ("project",),
    }
    return ("status", *(word for operation, does in words.items() if operation in done for word in does))


def layer_of(id_: str, candidate: Candidate, does: tuple[str, ...], number: int) -> LayerDescriptor:
    """The card of a store that is a layer of its own, the ``number``-th."""
    return LayerDescriptor(id_, id_[:100], _description(candidate), candidate.kind, _FIRST_ORDER + number, does)


def adapter_of(candidate: Candidate, does: tuple[str, ...]) -> AdapterDescriptor:
    """The card of a store that a layer may be bound to."""
    locality = {True: "remote", False: "local", None: "hybrid"}[candidate.remote]
    return AdapterDescriptor(
        candidate.id, candidate.id[:100], _description(candidate), locality, ("provider-owned",), does
    )


def native_adapter() -> AdapterDescriptor:
    """The card of the built-in store's entries, for a layer that is bound to other stores as well."""
    description = "The entries of the built-in store."
    return AdapterDescriptor(NATIVE, "Built-in store", description, "local", ("global", "workspace"), _OF_NATIVE)


def can_be_bound(backend: str) -> bool:
    """Whether ``backend`` names a store, be it there or not."""
    parsed = parse_backend(backend)
    return parsed.is_native or parsed.package is not None or parsed.provider is not None


def bound_candidate(layer_id: str, backend: str, known: Iterable[Candidate]) -> Candidate:
    """The store that ``backend`` of a layer names, which is :attr:`Candidate.missing` where none of ``known`` is it.

    Raises KernelFailure for what can be none.
    """
    named = parse_backend(backend)
    if named.is_native:
        return Candidate(layer_id, NATIVE, f"The memory {NATIVE}.")
    if can_be_bound(backend):
        same = next((found for found in known if parse_backend(found.backend) == named), None)
        problem = f"there is no {'memory plugin' if named.package else 'provider'} {named.rest}"
        return same or Candidate(layer_id, backend, f"The memory {backend}.", problem, missing=True)
    path = f"{PATH}.layers.{layer_id}.backend"
    raise KernelFailure(
        "invalid-topology",
        f"{path}: {backend} cannot be a layer",
        hint="write native, plugin.NAME or provider.NAME",
        details={"id": layer_id, "path": path},
    )


def why_not(error: ZeroclawError, all_candidates: list[Candidate]) -> ZeroclawError:
    """``error`` of a topology that names what is not there, with the reason where one is known."""
    if "backend" in (error.details or {}):
        # Of a layer under another name than its store's, which says its reason.
        return error
    named = (error.details or {}).get("id")
    reason = next((found.reason for found in all_candidates if found.id == named and found.reason), None)
    if reason is not None:
        error.message = f"{error.message}: {reason}"
    if isinstance(error, KernelFailure) and error.code == "adapter-unavailable" and named is not None:
        path = (error.details or {}).get("path")
        # The graph knows the stores that the config names, and not all that there are.
        error.hint = (
            "`zeroclaw memory layers` lists the adapters that there are; "
            f"`zeroclaw config unset {quote(str(path))}` binds none"
        )
    return error


def _description(candidate: Candidate) -> str:
    text = " ".join(candidate.description.split()) or f"The memory {candidate.backend}."
    return text[:MAX_DESCRIPTION]
