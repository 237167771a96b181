"""Trying another version of a plugin on the journal of the present one, before it takes its place."""

from __future__ import annotations

from contextlib import closing

from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.plugins import gates, owner, probing
from zeroclaw_cli.plugins.load import load_memory_package
from zeroclaw_cli.plugins.model import Package, Permission, PluginCapability, Trial
from zeroclaw_cli.wasm.component import load_component
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.journal import Journal, journal_path
from zeroclaw_cli.wasm.limits import plugin_limits
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.replay import LiveInstance


def rehearse(config: Config, options: HostOptions, package: Package, component: bytes) -> Trial | None:
    """Replay the journal of ``package`` with ``component`` and give what differs; None when it is not run.

    Nothing is written, not even the guest's log. A package that the gates keep from running is not run, and one that
    may use files is not, since its replay would write them: their next opening tells. Raises what starting a plugin
    raises, and JournalDamaged for a record that the component does not carry out.
    """
    if not _may_run(config, package):
        return None
    with closing(Journal(journal_path(config.location.data_dir, package.name))) as journal:
        head = journal.head()
        if head is None or head.last == 0:
            return Trial()
        return _tried(config, options, package, component, journal)


def of_installed(config: Config, options: HostOptions, name: str) -> Trial | None:
    """How the installed package ``name`` does on what it remembers, tried as :func:`rehearse` does; None when it is not
    run: it is not installed, not admitted or switched off, or its running could write files.

    Raises what opening it raises, DataOwner among it.
    """
    try:
        package, component = load_memory_package(config, name)
    except ZeroclawError:
        return None
    owner.require_access(config, package.manifest)
    return rehearse(config, options, package, component)


def _may_run(config: Config, package: Package) -> bool:
    """Whether the config lets the package run, and running it writes nothing."""
    manifest = package.manifest
    return (
        manifest.has(PluginCapability.MEMORY)
        and config.memory.plugin_durability is Durability.JOURNAL
        and gates.not_enabled(config) is None
        and gates.switched_off(config, package.name) is None
        and not manifest.granted(Permission.FILE_READ)
        and not manifest.granted(Permission.FILE_WRITE)
    )


def _tried(config: Config, options: HostOptions, package: Package, component: bytes, journal: Journal) -> Trial:
    warnings: list[str] = []
    loaded, _ = load_component(component, package.name, options, allow_precompiled=config.plugins.allow_precompiled)
    probing.accept(loaded.report, package.manifest)
    limits = plugin_limits(config, package.name)
    live = LiveInstance(
        package.name, loaded, limits, journal, None, LogQueue(), warn=warnings.append, progress=options.progress
    )
    try:
        live.current()
        return Trial(tuple(warnings), tuple(live.differences.hidden_agents()))
    finally:
        live.close()
