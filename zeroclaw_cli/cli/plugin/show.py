"""``plugin list`` and ``plugin info``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.session import Json, Session, session

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.plugins.discovery import Inventory
    from zeroclaw_cli.plugins.model import Package, SignatureVerdict

Name = Annotated[str, typer.Argument(metavar="NAME", help="A package; `zeroclaw plugin list` shows the names.")]


def add(group: typer.Typer) -> None:
    group.command("list")(list_packages)
    group.command("info")(info)


@anybody
def list_packages(
    ctx: typer.Context,
    show_all: Annotated[bool, typer.Option("--all", help="Also list skipped packages, with the reason.")] = False,
    json: Json = False,
) -> None:
    """List the installed packages that the policy admits."""
    from zeroclaw_cli.plugins import discovery, legacy

    this = session(ctx)
    config = this.config()
    inventory = discovery.browse(config)
    if json:
        from zeroclaw_cli.plugins.describe import plugin_json

        output.say_json(
            {
                "plugins": [plugin_json(config, package) for package in inventory.packages],
                "skipped": [skipped.to_json() for skipped in inventory.skipped],
            }
        )
    elif output.is_terminal():
        _say_tables(this, config, inventory, show_all=show_all)
    else:
        _say_lines(inventory, show_all=show_all)
    for package in inventory.packages:
        for warning in package.warnings:
            this.warn(warning)
    _say_notes(this, inventory, show_all=show_all or json)
    for note in legacy.legacy_notes(config):
        this.note(note)


@anybody
def info(
    ctx: typer.Context,
    name: Name,
    load: Annotated[bool, typer.Option("--load", help="Open the component: its imports and capabilities.")] = False,
    json: Json = False,
) -> None:
    """Show one package."""
    from zeroclaw_cli.plugins import discovery
    from zeroclaw_cli.plugins.describe import plugin_json

    this = session(ctx)
    config = this.config()
    package = discovery.browse(config).find(name)
    body = plugin_json(config, package) | {
        "installed_at": None if package.lock is None else package.lock.installed_at,
        "source": None if package.lock is None else package.lock.source,
        "skills": list(package.skills),
        "data": _data(config, name),
    }
    if load:
        body["load"] = _load(this, config, name)
    if json:
        output.say_json(body)
    else:
        _say_package(package, body)
    for warning in package.warnings:
        this.warn(warning)
    warn_of_legacy_entry(this, config, package)


def warn_of_legacy_entry(this: Session, config: Config, package: Package) -> None:
    """Say that an entry of the config is named in the old way, when one is."""
    from zeroclaw_cli.plugins.bindings import legacy_entry_warning

    warning = legacy_entry_warning(config, package.manifest)
    if warning is not None:
        this.warn(warning)


def say_signature(verdict: SignatureVerdict) -> str:
    """The signature of a package in a few words."""
    text = str(verdict.state)
    if verdict.publisher_key is not None:
        text += f", publisher {verdict.publisher_key}"
    if verdict.state == "valid":
        text += ", covers the whole package" if verdict.covers_component else ", covers the manifest only"
    elif verdict.state == "unchecked":
        text += " (plugins.security.signature_mode is disabled)"
    return output.one_line(text)


def _description(package: Package) -> str:
    return output.one_line(package.manifest.description or "") or "(no description)"


def _say_lines(inventory: Inventory, *, show_all: bool) -> None:
    for package in inventory.packages:
        version = output.one_line(package.manifest.version)
        output.say(f"{package.name} v{version} — {_description(package)}")
    for skipped in inventory.skipped if show_all else ():
        name = skipped.directory.name
        output.say(f"{name} skipped ({skipped.code}) — {skipped.reason}")
        output.say(f"  hint: {skipped.hint}")


def _say_tables(this: Session, config: Config, inventory: Inventory, *, show_all: bool) -> None:
    from zeroclaw_cli.plugins.gates import activity

    rows = [
        (
            package.name,
            output.one_line(package.manifest.version),
            ", ".join(dict.fromkeys(package.manifest.capabilities)),
            str(package.signature.state),
            "yes" if any(gate.active for gate in activity(config, package.manifest)) else "no",
            _description(package),
        )
        for package in inventory.packages
    ]
    if rows:
        columns = ("Name", "Version", "Capabilities", "Signature", "Active", "Description")
        output.table(columns, rows, no_color=this.no_color)
    if show_all and inventory.skipped:
        skipped = [
            (
                skip.directory.name,
                str(skip.code),
                skip.reason,
                skip.hint,
            )
            for skip in inventory.skipped
        ]
        output.table(("Skipped", "Code", "Reason", "What to do"), skipped, no_color=this.no_color)


def _say_notes(this: Session, inventory: Inventory, *, show_all: bool) -> None:
    if inventory.skipped and not show_all:
        named = ", ".join(f"{skip.directory.name} ({skip.code})" for skip in inventory.skipped)
        this.note(f"{len(inventory.skipped)} skipped: {named}; `zeroclaw plugin list --all` says why")
    elif not inventory.skipped and not inventory.packages:
        this.note("no plugins are installed; `zeroclaw plugin install DIR` installs one")


def _data(config: Config, name: str) -> dict[str, Any] | None:
    from zeroclaw_cli.plugins import owner

    size = owner.data_size(config, name)
    if size is None:
        return None
    return {"directory": str(owner.data_dir(config, name)), "size": size, "records": _records(config, name)}


def _records(config: Config, name: str) -> int | None:
    from zeroclaw_cli.wasm.inventory import journal_stats

    records = journal_stats(config, name).get("records")
    return records if isinstance(records, int) else None


def _load(this: Session, config: Config, name: str) -> dict[str, Any]:
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins.examine import open_component

    opened = open_component(config, name, component_probe(config, this.host_options()))
    return {
        "imports": list(opened.report.imports),
        "ungranted": [finding.name for finding in opened.report.ungranted],
        "denied": [finding.name for finding in opened.report.denied],
        "differences": list(opened.report.differences),
        "capabilities": list(opened.capabilities),
    }


def _say_package(package: Package, body: dict[str, Any]) -> None:
    from zeroclaw_cli.plugins.model import PluginCapability

    manifest = package.manifest
    output.say(f"{manifest.name} v{output.one_line(manifest.version)}")
    if manifest.description:
        output.say(manifest.description.strip())
    if manifest.author:
        output.say(f"Author: {output.one_line(manifest.author)}")
    output.say(f"Capabilities: [{', '.join(capability.label for capability in manifest.capabilities)}]")
    output.say(f"Permissions: [{', '.join(permission.label for permission in manifest.permissions)}]")
    output.say(f"Signature: {say_signature(package.signature)}")
    output.say("Active: yes" if body["active"] else f"Active: no — {body['inactive_reason']}")
    for key in body["config_keys"]:
        # A memory is given no values, only held to limits.
        label, below = ("Limits", ".limits") if key["capability"] == PluginCapability.MEMORY else ("Config", "")
        output.say(f"{label}: plugins.entries.{key['key']}{below} ({key['capability']})")
    if package.skills:
        output.say(f"Skills: {', '.join(package.skills)}")
    if package.component is None:
        output.say("WASM: none, the package has skills only")
    else:
        output.say(f"WASM: {package.component!s}")
        output.say(f"SHA-256: {package.digests.component}")
    if package.lock is None:
        output.say(f"Locked: no — zeroclaw plugin verify {package.name} --accept")
    else:
        output.say(f"Installed: {package.lock.installed_at} from {package.lock.source}")
    if body["data"] is not None:
        records = body["data"]["records"]
        counted = "" if records is None else f", {records} record{'' if records == 1 else 's'}"
        output.say(f"Data: {body['data']['directory']} ({body['data']['size']} bytes{counted})")
    if "load" in body:
        for field, values in body["load"].items():
            output.say(f"{field.capitalize()}: {', '.join(values) or 'none'}")
