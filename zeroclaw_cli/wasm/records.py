"""One recorded call, and its arguments and result as the journal keeps them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.memory.types import ProceduralMessage
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.signatures import Function, Outcome

_TEXT_SHAPES: Final = frozenset({"string", "category"})
# Made once: json.dumps makes an encoder a call when it is told how to write.
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_finite: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

# The digest of most results: a call that gives nothing back and went well.
_DONE: Final = hashlib.sha256(b'["ok",null]').digest()


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded call. ``arguments`` are in the forms of :mod:`zeroclaw_cli.wasm.signatures`."""

    number: int
    function: Function
    arguments: tuple[Any, ...]
    ok: bool
    digest: bytes
    serving: Serving


def result_digest(outcome: Outcome) -> bytes:
    """SHA-256 of a result as compact JSON: ``["ok", value]`` or ``["err", text]``."""
    if outcome.value is None and outcome.ok:
        return _DONE
    body = _encode(["ok" if outcome.ok else "err", outcome.value])
    return hashlib.sha256(body.encode()).digest()


def arguments_to_json(function: Function, arguments: Sequence[Any]) -> str:
    """The arguments as compact JSON text: an array in the order of the parameters, a message as ``[role, content,
    name]``."""
    if "messages" not in function.parameters:
        return _encode_finite(arguments)
    values = [
        [[message.role, message.content, message.name] for message in value] if shape == "messages" else value
        for shape, value in zip(function.parameters, arguments, strict=True)
    ]
    return _encode_finite(values)


def arguments_from_json(function: Function, text: Any) -> tuple[Any, ...]:
    """The arguments in ``text``, which may be anything. Raises ValueError when it is not what
    :func:`arguments_to_json` writes for the function."""
    if not isinstance(text, str):
        raise ValueError("its arguments are not text")
    try:
        values = json.loads(text)
    except RecursionError:
        raise ValueError("its arguments are nested too deeply") from None
    if not isinstance(values, list) or len(values) != len(function.parameters):
        raise _foreign()
    return tuple([_argument(shape, value) for shape, value in zip(function.parameters, values, strict=True)])


def _argument(shape: str, value: Any) -> Any:
    if shape == "messages":
        return _messages(value)
    if value is None and shape not in _TEXT_SHAPES:
        return None
    if shape == "optional-f64":
        return _finite(value)
    return _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _foreign()
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("its arguments are not Unicode text") from None
    return value


def _finite(value: Any) -> float:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise _foreign()


def _messages(value: Any) -> list[ProceduralMessage]:
    if not isinstance(value, list) or not all(isinstance(fields, list) and len(fields) == 3 for fields in value):
        raise _foreign()
    return [
        ProceduralMessage(_text(role), _text(content), None if name is None else _text(name))
        for role, content, name in value
    ]


def _foreign() -> ValueError:
    return ValueError("its arguments are not those of the function")
