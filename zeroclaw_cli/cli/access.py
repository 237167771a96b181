"""Each command's declaration of who may run it: ``@anybody`` or ``@person(…)``, beside its function.

A command without one is found by a test. What each may change in the configuration is decided setting by setting
(``config.permissions``), and what reaches a memory past the layers by ``operations.permissions``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

import typer

from zeroclaw_cli.cli.session import session
from zeroclaw_cli.operations import permissions

_DECLARED: Final = "__permission__"
_Command = TypeVar("_Command", bound=Callable[..., Any])


def anybody(command: _Command) -> _Command:
    """Declare that agents may run ``command``: it reads, or changes what is an agent's own or each setting allows."""
    setattr(command, _DECLARED, "anybody")
    return command


def person(what: str, *, only: Sequence[str] = (), unless: Sequence[str] = ()) -> Callable[[_Command], _Command]:
    """Declare that ``what`` the command does is for a person to decide: an agent is refused before it begins.

    With ``only`` that holds when one of these parameters is given, with ``unless`` when none of those is.
    """

    def refuses(words: dict[str, Any]) -> bool:
        return (not only or any(words.get(name) for name in only)) and not any(words.get(name) for name in unless)

    return _guard("person", lambda _, words: permissions.require_person(what) if refuses(words) else None)


def within_layers(what: str) -> Callable[[_Command], _Command]:
    """Declare that the command goes past the layers: an agent is refused where they are the memory."""
    return _guard("within layers", lambda ctx, _: permissions.require_layers(session(ctx).config(), what))


def declared(command: Callable[..., Any]) -> str | None:
    """Who may run ``command``: ``anybody``, ``person`` or ``within layers``; None when that was not declared."""
    found: str | None = getattr(command, _DECLARED, None)
    return found


def _guard(kind: str, check: Callable[[typer.Context, dict[str, Any]], None]) -> Callable[[_Command], _Command]:
    def declare(command: _Command) -> _Command:
        @wraps(command)
        def call(ctx: typer.Context, **words: Any) -> Any:
            if permissions.is_agent():
                check(ctx, words)
            return command(ctx=ctx, **words)

        setattr(call, _DECLARED, kind)
        return call  # type: ignore[return-value]

    return declare
