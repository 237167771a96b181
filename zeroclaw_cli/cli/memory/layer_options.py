"""``--layer`` and ``--receipt``, which every command that opens a memory has (cli.md, memory)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.memory.layer_choice import LayerOptions
from zeroclaw_cli.cli.session import Session, session
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.operations import permissions

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.operations import Receipt

Layer = Annotated[
    str | None, typer.Option("--layer", metavar="LAYER", help="Ask this layer alone (memory.backend layers).")
]
ShowReceipt = Annotated[bool, typer.Option("--receipt", help="Show which layer did what (memory.backend layers).")]

# They open no memory through the kernel.
_WITHOUT: Final = frozenset({"status", "compact"})
# The parameters that name a backend, where --backend does not.
_BACKENDS_OF: Final = {"copy": ("source", "target")}


def add_layer_options(group: typer.Typer, path: str = "") -> None:
    """Give every command of ``group``, and of the groups in it, that opens a memory the two options.

    ``path`` is what goes before the name of a command: ``doc `` for those of ``memory doc``.
    """
    for command in group.registered_commands:
        assert command.callback is not None, "a command has a function"
        name = f"{path}{command.name}"
        code = inspect.unwrap(command.callback).__code__
        words = code.co_varnames[: code.co_argcount]
        backends = _BACKENDS_OF.get(name, ("backend",) if "backend" in words else ())
        if backends:
            command.callback = _within_the_layers(command.callback, backends)
        if backends and name not in _WITHOUT:
            command.callback = _with_options(command.callback, backends)
    for inner in group.registered_groups:
        assert inner.typer_instance is not None, "a group has commands"
        add_layer_options(inner.typer_instance, f"{path}{inner.name} ")


def _within_the_layers(function: Callable[..., Any], backends: Sequence[str]) -> Callable[..., Any]:
    """``function``, which an agent may use on the layers alone where they are the memory. ``backends`` are the
    parameters that name one."""

    @wraps(function)
    def call(ctx: typer.Context, **words: Any) -> Any:
        if permissions.is_agent():
            named = [words[name] for name in backends if words.get(name) is not None]
            past = [name for name in named if not parse_backend(name).is_layers]
            if past:
                permissions.require_layers(session(ctx).config(), ", ".join(past))
        return function(ctx=ctx, **words)

    return call


def _with_options(function: Callable[..., Any], backends: Sequence[str]) -> Callable[..., Any]:
    @wraps(function)
    def call(ctx: typer.Context, layer: str | None = None, receipt: bool = False, **words: Any) -> Any:
        this = session(ctx)
        # One of the two backends of a copy may be the layers.
        elsewhere = len(backends) > 1 and any(parse_backend(words[name]).is_layers for name in backends)
        this.layers = options = LayerOptions(layer, receipt, elsewhere=elsewhere)
        with _receipts_in_json(this, options):
            result = function(ctx=ctx, **words)
        if options.receipt and (not this.json or _prints_lines(function)):
            _say_receipts(options.receipts, to_stderr=_prints_lines(function))
        if options.incomplete:
            raise typer.Exit(1)
        return result

    signature = inspect.signature(function, eval_str=True)
    parameters = list(signature.parameters.values())
    at = next((place for place, found in enumerate(parameters) if found.name == "json"), len(parameters))
    parameters[at:at] = [
        inspect.Parameter("layer", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Layer),
        inspect.Parameter("receipt", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=ShowReceipt),
    ]
    ordered = [found.replace(kind=inspect.Parameter.KEYWORD_ONLY) for found in parameters]
    call.__signature__ = signature.replace(parameters=ordered)  # type: ignore[attr-defined]
    return call


def _prints_lines(function: Callable[..., Any]) -> bool:
    """Whether a command's stdout is JSON Lines, which another document would break."""
    return function.__name__ == "export"


@contextmanager
def _receipts_in_json(this: Session, options: LayerOptions) -> Iterator[None]:
    if not (options.receipt and this.json):
        yield
        return
    with output.beside_json(lambda: receipts_json(options.receipts)):
        yield


def receipts_json(receipts: list[Receipt]) -> dict[str, Any]:
    """The keys that ``--receipt`` adds: the last receipt, and all of them where there are several."""
    from zeroclaw_cli.kernel.receipt_log import summary
    from zeroclaw_cli.operations.layer_admin import snake

    shown = [snake(summary(receipt)) for receipt in receipts]
    return {"receipt": shown[-1] if shown else None, **({"receipts": shown} if len(shown) > 1 else {})}


def _say_receipts(receipts: list[Receipt], *, to_stderr: bool) -> None:
    from zeroclaw_cli.kernel.receipt_log import summary

    say = output.talk if to_stderr else output.say
    for receipt in receipts:
        for line in receipt_lines(summary(receipt)):
            say(line)


def receipt_lines(receipt: Any) -> Iterator[str]:
    """A receipt in its wire form, for a person: one line, and one for each step."""
    yield (
        f"Receipt {receipt['id']}: {receipt['operation']} {receipt['status']} "
        f"({receipt['finishedAt']}, {receipt['strategyId']} {receipt['strategyVersion']})"
    )
    for step in receipt["steps"]:
        adapter = f" ({step['adapterId']})" if step.get("adapterId") else ""
        what = step.get("error") or _numbers(step.get("output"))
        yield f"  {step['layerId']}{adapter}: {step['status']}" + (f", {what}" if what else "")


def _numbers(found: Any) -> str:
    if not isinstance(found, dict):
        return ""
    parts = []
    for name, value in found.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()
        parts.append(f"{name} {shown}")
    return "; ".join(parts)
