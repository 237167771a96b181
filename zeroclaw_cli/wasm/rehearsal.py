"""Trying another version of a plugin on the journal of the present one, before it takes its place."""

from __future__ import annotations

from collections.abc import Callable

from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.plugins import gates
from zeroclaw_cli.plugins.model import Package, Permission, PluginCapability
from zeroclaw_cli.wasm.component import load_component
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.journal import Journal, journal_path
from zeroclaw_cli.wasm.limits import plugin_limits
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.replay import LiveInstance


def rehearsal(config: Config, options: HostOptions) -> Callable[[Package, bytes], tuple[str, ...]]:
    """A function that replays the journal of a package with another component, and gives what differs as warnings.

    It writes nothing, not even the guest's log. A package that the gates keep from running is not run, and one that may
    use files is not, since its replay would write them: their next opening tells. The function raises what starting a
    plugin raises, and JournalDamaged for a record that the component does not carry out.
    """

    def rehearse(package: Package, component: bytes) -> tuple[str, ...]:
        if not _may_run(config, package):
            return ()
        journal = Journal(journal_path(config.location.data_dir, package.name))
        try:
            head = journal.head()
            return () if head is None or head.last == 0 else tuple(_tried(config, options, package, component, journal))
        finally:
            journal.close()

    return rehearse


def _may_run(config: Config, package: Package) -> bool:
    manifest = package.manifest
    return (
        manifest.has(PluginCapability.MEMORY)
        and config.memory.plugin_durability is Durability.JOURNAL
        and gates.not_enabled(config) is None
        and gates.switched_off(config, package.name) is None
        and not manifest.granted(Permission.FILE_READ)
        and not manifest.granted(Permission.FILE_WRITE)
    )


def _tried(config: Config, options: HostOptions, package: Package, component: bytes, journal: Journal) -> list[str]:
    warnings: list[str] = []
    loaded, _ = load_component(component, package.name, options, allow_precompiled=config.plugins.allow_precompiled)
    limits = plugin_limits(config, package.name)
    live = LiveInstance(
        package.name, loaded, limits, journal, None, LogQueue(), warn=warnings.append, progress=options.progress
    )
    try:
        live.current()
    finally:
        live.close()
    return warnings
