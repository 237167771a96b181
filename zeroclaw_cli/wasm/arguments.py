"""Arguments checked before they reach a guest.

The engine's binding wraps numbers out of range silently and fails late on text that is not Unicode
(specs/wasm-host.md §1); a NaN would make equal histories unequal; and a text longer than what is taken back from a
guest could be stored and never read again, nor anything that is listed with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.memory.types import ExportFilter, importance_of
from zeroclaw_cli.wasm.signatures import Function
from zeroclaw_cli.wasm.values import MAX_STRING_BYTES

_U64: Final = 1 << 64


def check(function: Function, arguments: Sequence[Any]) -> None:
    """Raise UsageError when an argument of ``function`` cannot be passed to a guest."""
    for shape, value in zip(function.parameters, arguments, strict=True):
        _CHECKS[shape](function.name, value)


def check_text(function: str, value: Any) -> None:
    """Raise UsageError when ``value`` is not Unicode text, or longer than MAX_STRING_BYTES in UTF-8."""
    size = _size(function, value)
    if size > MAX_STRING_BYTES:
        begins = display(value[:100], 40)
        raise _too_large(function, f"the text that begins with '{begins}' has {size:,} bytes")


def _size(function: str, value: Any) -> int:
    """How many bytes of UTF-8 ``value`` has. Raises UsageError when it is not Unicode text."""
    if not isinstance(value, str):
        raise UsageError(f"{function}: expected text, got {type(value).__name__}")
    if value.isascii():
        return len(value)
    try:
        return len(value.encode())
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{function}: the text holds a lone surrogate at position {error.start}, which is not Unicode text",
            hint="pass valid UTF-8",
        ) from None


def _too_large(function: str, what: str) -> UsageError:
    return UsageError(
        f"{function}: {what}, more than the {MAX_STRING_BYTES // 2**20} MiB that a plugin is given at once",
        hint="divide it",
    )


def _optional_text(function: str, value: Any) -> None:
    if value is not None:
        check_text(function, value)


def _number(function: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _U64:
        raise UsageError(f"{function}: a limit must be a whole number from 0 to 2^64 - 1, not {value!r}")


def _optional_importance(function: str, value: Any) -> None:
    try:
        importance_of(value)
    except ValueError as error:
        raise UsageError(f"{function}: {error}", hint="write a number such as 0.8") from None


def _texts(function: str, value: Sequence[Any]) -> None:
    for text in value:
        check_text(function, text)


def _filter(function: str, value: ExportFilter) -> None:
    for text in (value.namespace, value.session_id, value.category, value.since, value.until):
        _optional_text(function, text)


def _messages(function: str, value: Sequence[Any]) -> None:
    size = 0
    for message in value:
        for text in (message.role, message.content, *(() if message.name is None else (message.name,))):
            size += _size(function, text)
    # A plugin may keep them as one text.
    if size > MAX_STRING_BYTES:
        raise _too_large(function, f"the messages have {size:,} bytes together")


_CHECKS: Final[dict[str, Callable[[str, Any], None]]] = {
    "string": check_text,
    "category": check_text,
    "u64": _number,
    "optional-string": _optional_text,
    "optional-category": _optional_text,
    "optional-f64": _optional_importance,
    "agents": _texts,
    "export-filter": _filter,
    "messages": _messages,
}
