"""What a component must show before it is published (design.md, The probe)."""

from __future__ import annotations

from zeroclaw_cli.errors import ComponentInvalid, ImportNotGranted
from zeroclaw_cli.plugins.model import ComponentProbe, ImportFinding, Manifest, PluginCapability, ProbeReport


def require(probe: ComponentProbe, component: bytes, manifest: Manifest) -> tuple[str, ...]:
    """Probe the component and refuse what cannot run; returns warnings. Raises what the probe and :func:`accept` do."""
    return accept(probe.probe(component, manifest), manifest)


def accept(report: ProbeReport, manifest: Manifest) -> tuple[str, ...]:
    """Refuse what cannot run, by a report on the component; returns warnings.

    A memory package must fit its world: ImportNotGranted for an import that it is not served, ComponentInvalid for
    functions that differ. This host does not run tools, channels and observers, so of their components it asks only to
    be one, and warns about the rest.
    """
    if not manifest.has(PluginCapability.MEMORY):
        return tuple(f"{manifest.name}: {text}" for text in map(describe_import, report.ungranted))
    if report.ungranted:
        raise ImportNotGranted(
            f"{manifest.name}: {'; '.join(map(describe_import, report.ungranted))}",
            hint=import_hint(report),
            details={"imports": [finding.name for finding in report.ungranted]},
        )
    if report.differences:
        raise ComponentInvalid(
            f"the component of {manifest.name} does not fit the world memory-plugin: {'; '.join(report.differences)}",
            hint="build it against the WIT of this version",
            details={"differences": list(report.differences)},
        )
    return ()


def describe_import(finding: ImportFinding) -> str:
    """One line about an import that is not served."""
    if finding.permission is None:
        return f"it imports {finding.name}, which no permission grants"
    return f"it imports {finding.name}, which needs the permission {finding.permission}"


def describe_denied(report: ProbeReport) -> str | None:
    """One line about what a component imports beyond what it needs; None when there is nothing of that."""
    if not report.denied:
        return None
    listed = ", ".join(
        finding.name if finding.permission is None else f"{finding.name} (without the permission {finding.permission})"
        for finding in report.denied
    )
    return f"optional imports, refused or empty when used: {listed}"


def import_hint(report: ProbeReport) -> str:
    """What to do about the ungranted imports of ``report``."""
    permissions = sorted({finding.permission for finding in report.ungranted if finding.permission is not None})
    if permissions and all(finding.permission for finding in report.ungranted):
        words = ", ".join(f'"{word}"' for word in permissions)
        return f"ask the author to request permissions = [{words}] in the manifest"
    return "ask the author to build it without that import"
