"""The component probe that install, update and check run (design.md, The probe)."""

from __future__ import annotations

import os
import time

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins.model import Manifest, Package, ProbeReport, Trial
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Serving
from zeroclaw_cli.wasm.component import denied_imports, load_component
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.instance import Instance
from zeroclaw_cli.wasm.limits import plugin_limits
from zeroclaw_cli.wasm.logs import LogQueue


class WasmProbe:
    """Looks into components. ``probe`` compiles, which also fills the cache; ``load`` runs the component's start, and
    ``rehearse`` all that its package remembers."""

    def __init__(self, config: Config, options: HostOptions) -> None:
        self._config = config
        self._options = options

    def probe(self, component: bytes, manifest: Manifest) -> ProbeReport:
        """Imports, ungranted and denied imports, and differences from the world of ``component``; nothing of it runs.

        Raises ComponentInvalid and PrecompiledRefused.
        """
        loaded, _ = load_component(
            component, manifest.name, self._options, allow_precompiled=self._config.plugins.allow_precompiled
        )
        return loaded.report._replace(denied=denied_imports(loaded.imports, manifest))

    def load(self, component: bytes, manifest: Manifest) -> tuple[str, ...]:
        """Start ``component`` under the limits, without its journal and its folder, and give the names of the optional
        capabilities that it declares, in the order of the world.

        Raises as :meth:`probe` does, ImportNotGranted and ComponentInvalid for a component that must not start, and
        InstantiationFailed, Trap and CallTimeout.
        """
        from zeroclaw_cli.memory.types import Capability
        from zeroclaw_cli.plugins import probing

        loaded, _ = load_component(
            component, manifest.name, self._options, allow_precompiled=self._config.plugins.allow_precompiled
        )
        probing.require(self, component, manifest)
        birth = Serving(time.time_ns(), 0, os.urandom(SEED_BYTES))
        instance = Instance(loaded, plugin_limits(self._config, manifest.name), birth, LogQueue(), None)
        try:
            return tuple(word.value for word in Capability if word in instance.capabilities)
        finally:
            instance.close()

    def rehearse(self, package: Package, component: bytes) -> Trial:
        """What differs when the journal of ``package`` is replayed with ``component``, as
        :func:`~zeroclaw_cli.wasm.rehearsal.rehearse` says it; nothing when that does not run it."""
        from zeroclaw_cli.wasm.rehearsal import rehearse

        return rehearse(self._config, self._options, package, component) or Trial()
