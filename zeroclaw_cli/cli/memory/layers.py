"""``memory layers``, ``plan``, ``wake`` and ``receipts``: the kernel and what it did (cli.md, memory)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.inputs import text_or_stdin
from zeroclaw_cli.cli.memory.common import Owner, Project, warn_all, whole_config
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import UsageError

if TYPE_CHECKING:
    from zeroclaw_cli.operations.layer_admin import AdapterReport, LayerReport, LayersReport

LayerId = Annotated[str, typer.Argument(metavar="LAYER", help="The layer's id.")]


def add(group: typer.Typer) -> None:
    layers = new_typer("Show the layers of memory; enable or disable them.")
    # Without a command they are listed.
    layers.info.no_args_is_help = False
    layers.callback(invoke_without_command=True)(list_)
    layers.command("enable")(enable)
    layers.command("disable")(disable)
    group.add_typer(layers, name="layers")
    group.command("plan")(plan)
    group.command("wake")(wake)
    group.command("receipts")(receipts)


@anybody
def list_(ctx: typer.Context, json: Json = False) -> None:
    """Show the layers of memory; enable or disable them."""
    if ctx.invoked_subcommand is not None:
        return
    from zeroclaw_cli.operations.layer_admin import survey

    this = session(ctx)
    found = survey(whole_config(this), this.host_options())
    warn_all(this, found.warnings)
    if json:
        output.say_json(found.to_json())
    else:
        _say_report(this, found)
    if found.problem is not None:
        raise found.problem


def _say_report(this: Session, found: LayersReport) -> None:
    output.say(f"Topology: {found.topology_id}; strategy: {found.strategy_id} {found.strategy_version}")
    for layer in found.layers:
        _say_layer(layer)
    output.say()
    output.say("Adapters:")
    for adapter in found.adapters:
        _say_adapter(adapter)
    _say_whether_they_serve(this)


def _say_layer(layer: LayerReport) -> None:
    output.say()
    state = "enabled" if layer.enabled else "disabled" if layer.descriptor is not None else "not there"
    output.say(f"{layer.id}: {state}" + (f", {layer.participation}" if layer.enabled else ""))
    if layer.descriptor is not None:
        output.say(f"    {layer.descriptor.role}: {layer.descriptor.description}")
        output.say(f"    does: {', '.join(layer.descriptor.capabilities)}")
    if layer.backend is not None:
        output.say(f"    backend: {layer.backend}")
    if layer.topology is not None and layer.topology.adapter_ids:
        output.say(f"    adapters: {', '.join(layer.topology.adapter_ids)}")
    if layer.reason is not None:
        output.say(f"    why not: {layer.reason}")


def _say_adapter(adapter: AdapterReport) -> None:
    bound = f"bound to {', '.join(adapter.bound_to)}" if adapter.bound_to else "not bound"
    state = bound if adapter.reason is None else f"not usable: {adapter.reason}"
    where = f", {adapter.locality}" if adapter.locality else ""
    output.say(f"- {adapter.id}{where}: {state}")


def _say_whether_they_serve(this: Session) -> None:
    from zeroclaw_cli.config.backend_name import parse_backend

    backend = this.config().memory.backend
    if not parse_backend(backend).is_layers:
        this.note(
            f"memory.backend is {backend or 'not set'}, so the layers serve no command; "
            "`zeroclaw config set memory.backend layers` lets them"
        )


@anybody
def enable(
    ctx: typer.Context,
    layer_id: LayerId,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="For agents and hooks too; otherwise for what a person asks.")
    ] = False,
    json: Json = False,
) -> None:
    """Enable a layer.

    Commands of a person then ask it; with --automatic those of agents and hooks do too.
    """
    from zeroclaw_cli.cli.config import rules
    from zeroclaw_cli.operations import layer_admin

    this = session(ctx)
    config = whole_config(this)
    changed = layer_admin.enable(config, layer_id, automatic=automatic, options=this.host_options(), rules=rules(this))
    if json:
        output.say_json({"id": layer_id, "enabled": True, "changed": changed})
    elif changed:
        mode = "automatic" if automatic else "manual"
        output.say(f"Enabled {layer_id}: every channel is {mode}.")
    else:
        this.note(f"{layer_id} is enabled already; its participation stays as it is")


@anybody
def disable(ctx: typer.Context, layer_id: LayerId, json: Json = False) -> None:
    """Disable a layer; its settings and data stay."""
    from zeroclaw_cli.cli.config import rules
    from zeroclaw_cli.operations import layer_admin

    this = session(ctx)
    changed = layer_admin.disable(whole_config(this), layer_id, options=this.host_options(), rules=rules(this))
    if json:
        output.say_json({"id": layer_id, "enabled": False, "changed": changed})
    elif changed:
        output.say(f"Disabled {layer_id}; what it holds stays.")
    else:
        this.note(f"{layer_id} is disabled already")


@anybody
def plan(
    ctx: typer.Context,
    capability: Annotated[str, typer.Argument(metavar="CAPABILITY", help="For instance recall, write or forget.")],
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="Q", help="What would be looked for; - for stdin.", callback=text_or_stdin),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="K", help="Whose entry it would be about.")] = None,
    layer: Annotated[str | None, typer.Option("--layer", metavar="LAYER", help="Ask this layer alone.")] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="As if so many were asked for; as the command by default."),
    ] = None,
    trigger: Annotated[
        str | None,
        typer.Option("--trigger", metavar="WORD", help="manual, automatic or system; as this process by default."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the plan for a request without running it."""
    from zeroclaw_cli.kernel.limits import TRIGGERS
    from zeroclaw_cli.operations import layer_admin

    if trigger is not None and trigger not in TRIGGERS:
        raise UsageError(f"'{trigger}' is not a trigger", hint=f"use one of: {', '.join(TRIGGERS)}")
    this = session(ctx)
    found = layer_admin.plan(
        whole_config(this),
        this.host_options(),
        capability,
        query=query,
        key=key,
        layer=layer,
        trigger=trigger,
        limit=limit,
    )
    if json:
        output.say_json(layer_admin.snake(found.to_json()))
        return
    output.say(f"{found.capability} under the trigger {found.trigger}, by {found.strategy_id} {found.strategy_version}")
    output.say(f"Because: {found.reason}")
    for number, step in enumerate(found.steps, 1):
        adapter = f" (adapter {step.adapter_id})" if step.adapter_id else ""
        output.say(f"{number}. {step.layer_id}{adapter}: {step.capability}, through its channel {step.participation}")


@anybody
def wake(ctx: typer.Context, agent: Owner = None, project: Project = None, json: Json = False) -> None:
    """Print the text that every system prompt would get.

    What was left out is named on stderr.
    """
    from zeroclaw_cli.operations import layer_admin

    this = session(ctx)
    found = layer_admin.wake(whole_config(this), this.host_options(), agent=agent, project=project)
    warn_all(this, found.warnings)
    if json:
        output.say_json(found.to_json())
        return
    if found.wake.text:
        output.say_text(found.wake.text)
    else:
        this.note("there is nothing to say yet")
    for left in found.left_out:
        this.note(f"left out: {left.layer_id}, because {left.reason}")


@anybody
def receipts(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 20,
    json: Json = False,
) -> None:
    """Show what was done through the layers, newest first."""
    from zeroclaw_cli.cli.memory.layer_options import receipt_lines
    from zeroclaw_cli.kernel.receipt_log import ReceiptLog, receipts_path
    from zeroclaw_cli.operations.layer_admin import snake

    this = session(ctx)
    found = ReceiptLog(receipts_path(this.config().location.data_dir)).read(limit)
    if json:
        output.say_json({"receipts": [snake(recorded.receipt) for recorded in found]})
        return
    for recorded in found:
        for line in receipt_lines(recorded.receipt):
            output.say(line)
    if not found:
        this.note("there are no receipts; they are kept where memory.backend is layers")
