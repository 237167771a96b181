"""Answers that are given beforehand: ``--set``, ``--secret-stdin`` and ``--answers``, as :class:`Given` holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeroclaw_cli.errors import UsageError

_SHAPE = 'write a table of keys and values, for instance `api_url = "http://localhost"` or {"api_url": "…"}'


def set_option(pairs: Sequence[str]) -> dict[str, str]:
    """The answers of ``--set KEY=VALUE``, by key. Raises UsageError for one without ``=`` and for a key twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            # What it holds may be a secret that was meant for another option.
            raise UsageError("--set takes KEY=VALUE", hint="for instance --set region=eu")
        if key.strip() in found:
            raise UsageError(f"--set names {key.strip()} twice", hint="pass each key once")
        found[key.strip()] = value
    return found


def secret_text(data: bytes, key: str) -> str:
    """The secret that stdin gave for ``key``, without the line end that ``echo`` adds. Raises UsageError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("the secret on stdin is not UTF-8", hint="give it as one line of text") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise UsageError(f"stdin gave no secret for {key}", hint=f"for instance `… --secret-stdin {key} < FILE`")
    return text


def read_answers(name: str, data: bytes) -> dict[str, object]:
    """The answers in a file called ``name`` (for messages), TOML or JSON, by key.

    Raises UsageError when it is neither, or no flat table. An error never repeats what the file holds: it may be
    secret.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    table = _json(name, text) if text.lstrip().startswith("{") else _toml(name, text)
    for key, value in table.items():
        if not isinstance(value, str | bool | int | float):
            raise UsageError(f"{name}: {key} must be a text, a number or true or false", hint=_SHAPE)
    return table


def _json(name: str, text: str) -> dict[str, object]:
    import json

    try:
        value = json.loads(text)
    except ValueError as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{name} is not JSON{place}", hint=_SHAPE) from None
    except RecursionError:
        raise UsageError(f"{name} nests too deeply", hint=_SHAPE) from None
    return _table(name, value)


def _toml(name: str, text: str) -> dict[str, object]:
    import tomli

    try:
        return _table(name, tomli.loads(text))
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{name} is not TOML, line {error.lineno}: {error.msg}", hint=_SHAPE) from None


def _table(name: str, value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} holds no table", hint=_SHAPE)
    return {str(key): item for key, item in value.items()}
