"""Opening the component of an installed package to see what it is (``plugin info --load``)."""

from __future__ import annotations

from dataclasses import dataclass

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import PluginError
from zeroclaw_cli.plugins import discovery
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.model import ComponentProbe, PluginCapability, ProbeReport


@dataclass(frozen=True, slots=True)
class OpenedComponent:
    """``capabilities`` are those that the running component declares; only a memory component that fits its world is
    run, for every other it is empty."""

    report: ProbeReport
    capabilities: tuple[str, ...]


def open_component(config: Config, name: str, probe: ComponentProbe) -> OpenedComponent:
    """Probe the installed package ``name``, from the bytes whose digest was compared; the gates do not matter.

    Raises what finding it raises, PluginError when it has no component, and what the probe raises.
    """
    read = FreshDigests(keep=True)
    package = discovery.find_named(config, name, digests=read)
    component = read.components.get(package.directory)
    if component is None:
        raise PluginError(f"{name} has no component to load", hint=f"leave out --load: zeroclaw plugin info {name}")
    report = probe.probe(component, package.manifest)
    fits = not report.ungranted and not report.differences
    runs = fits and package.manifest.has(PluginCapability.MEMORY)
    return OpenedComponent(report, probe.load(component, package.manifest) if runs else ())
