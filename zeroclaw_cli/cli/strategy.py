"""``zeroclaw strategy``: the way of a strategy from its folder into use, and back (specs/memory-kernel.md §15)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from zeroclaw_cli.cli import output, strategy_consent, strategy_text
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.inputs import output_place, read_text, signing_key
from zeroclaw_cli.cli.session import Json, Session, Yes, session
from zeroclaw_cli.errors import KernelFailure, UsageError

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.components import SystemDescriptor
    from zeroclaw_cli.kernel.operations import Request
    from zeroclaw_cli.kernel.roles import Strategy
    from zeroclaw_cli.kernel.strategies.artefact import Artefact
    from zeroclaw_cli.kernel.strategies.store import StrategyStore

_STRATEGY_PATH: Final = "memory.topology.strategy_id"
_KEY_VARIABLE: Final = "ZEROCLAW_SIGNING_KEY"
_RECEIPTS: Final = 100

Dir = Annotated[str, typer.Argument(metavar="DIR", help="The strategy's folder.")]
Trust = Annotated[
    str | None,
    typer.Option(
        "--trust", metavar="SHA256|now", help="Let its strategy.py run: the digest that you looked at, or now."
    ),
]


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    group = new_typer("Write, try and promote strategies of the memory layers.")
    group.command("new")(new)
    group.command("check")(check)
    group.command("replay")(replay)
    group.command("shadow")(shadow)
    group.command("promote")(promote)
    group.command("rollback")(rollback)
    group.command("list")(list_)
    group.command("sign")(sign)
    app.add_typer(group, name="strategy")


@anybody
def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the new strategy.")],
    dir_: Annotated[
        str | None, typer.Option("--dir", metavar="DIR", help="Where its folder is made; here by default.")
    ] = None,
    python: Annotated[bool, typer.Option("--python", help="Write a strategy.py instead of rules.toml.")] = False,
    json: Json = False,
) -> None:
    """Start a strategy from one that passes check and replay."""
    from shlex import quote

    from zeroclaw_cli.kernel.strategies.template import create
    from zeroclaw_cli.kernel.topology_config import read_topology

    bound = [id_ for layer in read_topology(session(ctx).config().memory.topology).layers for id_ in layer.adapter_ids]
    parent = output_place(session(ctx), Path.cwd() if dir_ is None else path_argument(dir_, "--dir"), "--dir")
    made = create(parent, name, "python" if python else "rules", tuple(dict.fromkeys(bound)))
    if json:
        output.say_json(
            {"created": str(made.directory), "name": made.name, "kind": made.kind, "files": list(made.files)}
        )
    else:
        output.say(f"Created {made.directory}")
        for file in made.files:
            output.say(f"  {file}")
    session(ctx).note(f"next: zeroclaw strategy check {quote(str(made.directory))}")


@anybody
def check(
    ctx: typer.Context,
    directory: Dir,
    strict: Annotated[bool, typer.Option("--strict", help="Let a warning fail it too.")] = False,
    json: Json = False,
) -> None:
    """Check a strategy without running it.

    Checked are the manifest, permissions, rules, cases and signature.

    \b
    A folder holds
      strategy.toml   who it is, and what it may do
      rules.toml      where requests go, or strategy.py, which computes it
      replay.jsonl    cases: a request, a system, and what must come of it
      strategy.sig    optional: a publisher's signature

    \b
    A rule of rules.toml; the first one whose conditions hold is used:
      [[rule]]
      when = { capability = ["recall", "search"], trigger = "manual",
               storage = "workspace", budget = { max_results = 5 } }
      layers = ["documents", "memory-spaces"]
      adapters = ["my-store"]   # a step for each that is bound to a layer;
                                # left out, for each bound one that is granted
      own_store = true          # one for a layer to which none is bound too
      max_steps = 3             # so many steps at most
      reason = "what a plan says of itself"

    All but layers may be left out. budget (max_steps, max_results, max_tokens, timeout_ms) holds for a request that
    allows at most so much.
    """
    from zeroclaw_cli.kernel.strategies import pipeline
    from zeroclaw_cli.kernel.strategies.artefact import read_artefact

    this = session(ctx)
    artefact = read_artefact(path_argument(directory, "DIR"))
    report = pipeline.check(_store(this), artefact, this.config().plugins.security, this.warn)
    if json:
        output.say_json(report.to_json(strict=strict))
    else:
        strategy_text.say_check(report, strict=strict)
    if not report.ok(strict=strict):
        raise typer.Exit(1)


@person("trusting the code of a strategy", only=("trust",))
def replay(
    ctx: typer.Context,
    directory: Dir,
    cases: Annotated[
        str | None,
        typer.Option("--cases", metavar="FILE", help="Cases in the place of its replay.jsonl; leaves no evidence."),
    ] = None,
    trust: Trust = None,
    json: Json = False,
) -> None:
    """Run a strategy's cases and the standard escape attempts.

    No memory is touched.
    """
    from zeroclaw_cli.kernel.strategies import pipeline
    from zeroclaw_cli.kernel.strategies.artefact import read_artefact

    this = session(ctx)
    store = _store(this)
    artefact = read_artefact(path_argument(directory, "DIR"))
    other = None if cases is None else (cases, read_text(cases, "--cases"))
    strategy_consent.trust(store, artefact, trust)
    report = pipeline.replay(store, artefact, this.warn, other)
    if json:
        output.say_json({"digest": artefact.digest, "recorded": other is None} | report.to_json())
    else:
        strategy_text.say_replay(report)
    if not report.ok:
        raise typer.Exit(1)


@person("trusting the code of a strategy", only=("trust",))
def shadow(
    ctx: typer.Context,
    directory: Dir,
    requests: Annotated[
        str | None, typer.Option("--requests", metavar="FILE", help="Requests to plan, one JSON object a line.")
    ] = None,
    receipts: Annotated[
        int | None,
        typer.Option(
            "--receipts",
            metavar="N",
            min=1,
            help=f"Plan the requests of the newest N receipts; {_RECEIPTS} by default, its cases where there are none.",
        ),
    ] = None,
    trust: Trust = None,
    json: Json = False,
) -> None:
    """Compare a strategy's plans with those of the active one.

    Recorded requests are planned; nothing is executed.
    """
    from zeroclaw_cli.kernel.strategies import pipeline
    from zeroclaw_cli.kernel.strategies.artefact import read_artefact

    this = session(ctx)
    store = _store(this)
    if requests is not None and receipts is not None:
        raise UsageError("--requests and --receipts exclude each other", hint="pass one of them")
    artefact = read_artefact(path_argument(directory, "DIR"))
    strategy_consent.trust(store, artefact, trust)
    found, source = _requests(this, artefact, requests, receipts)
    with _system(this) as (descriptor, active):
        report = pipeline.shadowed(store, artefact, found, descriptor, active, this.warn, source=source)
    if json:
        rows = [row.to_json() for row in report.rows]
        output.say_json(
            {"ok": report.ok, "digest": artefact.digest, "from": source, "counts": report.counts, "requests": rows}
        )
    else:
        strategy_text.say_shadow(report, source)
    if not report.ok:
        raise typer.Exit(1)


@person("trusting the code of a strategy", only=("trust",))
def promote(
    ctx: typer.Context,
    directory: Dir,
    yes: Yes = False,
    signature: Annotated[
        str | None,
        typer.Option(
            "--signature", metavar="FILE", help="Approve by this signature of a trusted publisher; strategy.sig else."
        ),
    ] = None,
    canary: Annotated[
        int | None,
        typer.Option(
            "--canary", metavar="PCT", min=1, max=100, help="Only for so many percent of the turns, at first."
        ),
    ] = None,
    trust: Trust = None,
    json: Json = False,
) -> None:
    """Make a strategy the active one.

    It must have passed check, replay and shadow.
    """
    from zeroclaw_cli.config.backend_name import parse_backend
    from zeroclaw_cli.kernel.strategies import promotion
    from zeroclaw_cli.kernel.strategies.artefact import read_artefact

    this = session(ctx)
    store = _store(this)
    artefact = read_artefact(path_argument(directory, "DIR"))
    strategy_consent.trust(store, artefact, trust)
    manifest = promotion.require_ready(store, artefact)
    approved, key = strategy_consent.approval(this, artefact, manifest, signature, canary, yes=yes)
    if not approved:
        this.note("nothing was promoted")
        raise typer.Exit(1)
    result = promotion.promote(
        store,
        artefact,
        publisher_key=key,
        active=lambda: _active_now(this),
        set_strategy=lambda id_: _set_strategy(this, id_),
        canary=canary,
    )
    if json:
        output.say_json(
            {
                "promoted": result.strategy.to_json(),
                "before": result.before.to_json(),
                "canary": result.canary,
                "publisher_key": key,
                "changed": result.changed,
            }
        )
    else:
        strategy_text.say_promoted(result)
    _warn_of_override(this)
    if not parse_backend(this.config().memory.backend).is_layers:
        this.note(
            "memory.backend is not layers, so no command plans with it yet: zeroclaw config set memory.backend layers"
        )


@person("changing the strategy that plans")
def rollback(
    ctx: typer.Context,
    to: Annotated[
        str | None, typer.Option("--to", metavar="ID@VER", help="This promoted strategy; the one before by default.")
    ] = None,
    json: Json = False,
) -> None:
    """Take back the canary, or else the last promotion."""
    from zeroclaw_cli.kernel.strategies import promotion

    this = session(ctx)
    result = promotion.rollback(
        _store(this),
        active=lambda: _active_now(this),
        set_strategy=lambda id_: _set_strategy(this, id_),
        to=None if to is None else _id_and_version(to),
    )
    if json:
        output.say_json(
            {"gave_up": result.gave_up.to_json(), "active": result.active.to_json(), "canary": result.canary}
        )
    else:
        strategy_text.say_rolled_back(result)
    _warn_of_override(this)


@anybody
def list_(ctx: typer.Context, json: Json = False) -> None:
    """List the promoted strategies and what happened last.

    The active one and the canary are marked.
    """
    from zeroclaw_cli.kernel.strategies.promotion import active_ref

    this = session(ctx)
    history = _store(this).history()
    active = active_ref(history, _active_id(this))
    if json:
        output.say_json(
            {
                "active": active.to_json(),
                "canary": None if history.canary is None else history.canary.to_json(),
                "strategies": [
                    found.to_json() | {"state": strategy_text.state_of(history, found.ref, active)}
                    for found in history.published
                ],
                "events": [event.to_json() for event in history.events],
            }
        )
        return
    strategy_text.say_list(history, active)


@anybody
def sign(
    ctx: typer.Context,
    directory: Dir,
    key: Annotated[
        str | None, typer.Option("--key", metavar="FILE", help=f"The private key; - for stdin, else ${_KEY_VARIABLE}.")
    ] = None,
    json: Json = False,
) -> None:
    """Sign a strategy as its publisher.

    The signature covers all files and is written to strategy.sig.
    """
    from zeroclaw_cli.kernel.strategies import signing
    from zeroclaw_cli.kernel.strategies.artefact import SIGNATURE, read_artefact

    folder = path_argument(directory, "DIR")
    public_key = signing.sign(folder, signing_key(key, _KEY_VARIABLE))
    if json:
        digest = read_artefact(folder).digest
        output.say_json({"signed": str(folder / SIGNATURE), "digest": digest, "publisher_key": public_key})
    else:
        output.say(f"Signed {folder} with {public_key}.")
    session(ctx).note(f"operators trust it with: zeroclaw plugin trust add {public_key}")


def _store(this: Session) -> StrategyStore:
    from zeroclaw_cli.kernel.strategies.store import StrategyStore

    return StrategyStore(this.config().location.data_dir)


def _active_id(this: Session) -> str:
    from zeroclaw_cli.kernel.topology_config import read_topology

    return read_topology(this.config().memory.topology).strategy_id


def _active_now(this: Session) -> str:
    """As :func:`_active_id`, with the config as another command may have left it meanwhile."""
    from zeroclaw_cli.kernel.topology_config import read_topology

    return read_topology(this.read_config().memory.topology).strategy_id


def _set_strategy(this: Session, id_: str) -> None:
    from zeroclaw_cli.cli.config import rules
    from zeroclaw_cli.config.edit import set_value

    change = set_value(this.config().location, os.environ, _STRATEGY_PATH, id_, rules=rules(this), approved=True)
    for warning in change.warnings:
        this.warn(warning)


def _warn_of_override(this: Session) -> None:
    variable = this.config().overridden.get(tuple(_STRATEGY_PATH.split(".")))
    if variable is not None:
        this.warn(f"{variable} in the environment overrides {_STRATEGY_PATH} as long as it is set")


def _requests(
    this: Session, artefact: Artefact, file: str | None, receipts: int | None
) -> tuple[tuple[Request, ...], str]:
    """What is to be planned, and where it is from: ``file``, ``receipts`` or ``cases``."""
    from zeroclaw_cli.kernel.receipt_log import ReceiptLog, receipts_path, requests_of
    from zeroclaw_cli.kernel.strategies.artefact import CASES
    from zeroclaw_cli.kernel.strategies.shadow import read_requests

    if file is not None:
        found = read_requests(read_text(file, "--requests"), file)
        if not found:
            raise KernelFailure("no-requests", f"{file} holds no request", hint="write one request per line, as JSON")
        return found, "file"
    log = ReceiptLog(receipts_path(this.config().location.data_dir))
    recorded = tuple(_readable(requests_of(log.read(receipts or _RECEIPTS))))
    if recorded or receipts is not None:
        if not recorded:
            raise KernelFailure(
                "no-requests", "no receipt is recorded yet", hint="pass --requests FILE, or use `zeroclaw memory` first"
            )
        return recorded, "receipts"
    this.note(f"no receipt is recorded yet; the requests of {CASES} are compared")
    return read_requests(artefact.text(CASES), CASES), "cases"


def _readable(recorded: Iterable[Mapping[str, Any]]) -> Iterator[Request]:
    from zeroclaw_cli.kernel.parsing import normalise_request

    for request in recorded:
        # Another version of this program may have recorded what this one refuses.
        with suppress(KernelFailure):
            yield normalise_request(request)


@contextmanager
def _system(this: Session) -> Iterator[tuple[SystemDescriptor, Strategy | None]]:
    """The configured system and its strategy, whatever a canary does beside it; nothing of it is executed."""
    from dataclasses import replace

    from zeroclaw_cli.backends import layer_system
    from zeroclaw_cli.kernel.strategies.selection import active_strategy

    id_ = _active_id(this)
    selection = active_strategy(this.config().location.data_dir, id_)
    layers = layer_system(this.config(), this.host_options())
    try:
        graph = layers.graph()
        found = graph.kernel.descriptor()
        # The host's own strategies are where only the host can put them.
        strategy = selection.strategy or graph.catalog.strategy(id_)
        yield replace(found, topology=replace(found.topology, strategy_id=id_)), strategy
    finally:
        selection.close()
        layers.close()


def _id_and_version(text: str) -> tuple[str, str]:
    id_, at, version = text.strip().partition("@")
    if not (id_ and at and version):
        raise UsageError(f"--to {text} names no strategy", hint="`zeroclaw strategy list` shows them, as ID@VERSION")
    return id_, version
