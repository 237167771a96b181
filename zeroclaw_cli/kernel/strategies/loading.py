"""From an artefact to a strategy behind its permissions. Loading runs none of its code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.errors import KernelFailure, StrategiesDamaged, StrategyUntrusted
from zeroclaw_cli.kernel.components import StrategyDescriptor
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.limits import CHANNEL_OF, PROPOSAL_S
from zeroclaw_cli.kernel.strategies.artefact import MANIFEST, PYTHON, RULES, Artefact, Kind
from zeroclaw_cli.kernel.strategies.process import PythonStrategy
from zeroclaw_cli.kernel.strategies.rules import RulesStrategy, read_rules
from zeroclaw_cli.kernel.strategies.state import Ref
from zeroclaw_cli.kernel.strategies.store import StrategyStore
from zeroclaw_cli.kernel.strategy_plugin import StrategyManifest, StrategyPlugin, define_strategy_plugin, read_manifest

_HOOK_OF: Final = {
    "write": "placement",
    "recall": "retrieval-planning",
    "projection": "projection",
    "maintenance": "maintenance",
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A strategy that can be asked. ``close`` ends the process of a ``strategy.py``; harmless when repeated."""

    artefact: Artefact
    kind: Kind
    plugin: StrategyPlugin
    close: Callable[[], None]


def manifest_of(artefact: Artefact) -> StrategyManifest:
    """The manifest in ``strategy.toml``. Raises KernelFailure ``invalid-artefact``, ``invalid-manifest`` or
    ``invalid-id``."""
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(artefact.text(MANIFEST))
    except ValueError as error:
        raise KernelFailure(
            "invalid-manifest",
            f"{MANIFEST} is not TOML: {printable(str(error))}",
            hint="`zeroclaw strategy new NAME` writes one that is",
        ) from None
    return read_manifest(document)


def descriptor_of(manifest: StrategyManifest, kind: Kind) -> StrategyDescriptor:
    """The descriptor of an artefact's strategy; its hooks are those of the capabilities that it is granted."""
    channels = {CHANNEL_OF[capability] for capability in manifest.permissions.capabilities}
    hooks = tuple(hook for channel, hook in _HOOK_OF.items() if channel in channels)
    # Both forms must answer the same to the same request; replay holds a strategy.py to it.
    return StrategyDescriptor(manifest.id, manifest.version, manifest.label, manifest.description, hooks, True)


def load(artefact: Artefact, *, processes: int = 1, proposal_s: float = PROPOSAL_S) -> Loaded:
    """The strategy of ``artefact``. Whether its code may run is the caller's to know (:func:`require_trust`).

    Raises KernelFailure ``invalid-artefact``, ``invalid-manifest``, ``invalid-id`` or ``invalid-rules``.
    """
    manifest, kind = manifest_of(artefact), artefact.kind
    descriptor = descriptor_of(manifest, kind)
    if kind == "rules":
        rules = RulesStrategy(descriptor, read_rules(artefact.text(RULES)), manifest.permissions.adapter_ids)
        return Loaded(artefact, kind, define_strategy_plugin(manifest, rules), lambda: None)
    code = PythonStrategy(descriptor, artefact.text(PYTHON), processes=processes, proposal_s=proposal_s)
    return Loaded(artefact, kind, define_strategy_plugin(manifest, code), code.close)


def require_trust(store: StrategyStore, artefact: Artefact) -> None:
    """Raise StrategyUntrusted when ``artefact`` is Python that nobody allowed to run; StrategiesDamaged."""
    if artefact.kind == "python" and store.evidence(artefact.digest).trusted_at is None:
        raise StrategyUntrusted(
            f"{artefact.directory / PYTHON} is not run: its code has not been approved",
            hint=f"look at it, then pass --trust {artefact.digest} (or --trust now)",
        )


def load_installed(store: StrategyStore, ref: Ref) -> Loaded:
    """The promoted strategy ``ref``, as it was promoted.

    Raises StrategiesDamaged when its files, its evidence or the approval of its code are not what they were then.
    """
    assert ref.digest is not None
    artefact = store.installed(ref.digest)
    evidence = store.evidence(ref.digest)
    missing = list(evidence.missing())
    if artefact.kind == "python" and evidence.trusted_at is None:
        missing.append("the approval of its code")
    loaded = load(artefact)
    manifest = loaded.plugin.manifest
    if (manifest.id, manifest.version) != (ref.id, ref.version):
        missing.append("its own id and version")
    if missing:
        raise StrategiesDamaged(
            f"the strategy {ref.label} is not used: there is no evidence of {', '.join(missing)}",
            hint="check, replay, shadow and promote it again, or `zeroclaw strategy rollback`; "
            "`zeroclaw config unset memory.topology.strategy_id` goes back to the host's own",
        )
    return loaded
