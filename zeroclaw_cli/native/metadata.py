"""Metadata of documents: sidecars, and what a folder's ``.config`` adds (specs/native-memory.md §2, §15)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.errors import DocumentArgument

_log: Final = logging.getLogger(__name__)
_MAX_BYTES: Final = 65_536

Sidecar = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decisions:
    """What metadata decides about a document. ``schema`` is a JSON Schema (an object or a truth value) or None."""

    skip_indexing: bool = False
    skip_versioning: bool = False
    schema: Mapping[str, Any] | bool | None = None


def decode(text: str | None) -> dict[str, Any]:
    """The object of a stored sidecar; what is not a JSON object counts as empty and stays where it is."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        _log.warning("a metadata sidecar is not JSON; its document has the defaults")
        return {}
    return value if isinstance(value, dict) else {}


def encode(metadata: Mapping[str, Any]) -> str:
    """The sidecar as it is stored. Raises DocumentInput ``bad_metadata`` for what JSON cannot say or is too large."""
    try:
        text = json.dumps(metadata, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise DocumentArgument(
            "bad_metadata", "the metadata is not a JSON object", hint="give plain JSON values"
        ) from None
    if len(text) > _MAX_BYTES:
        raise DocumentArgument("bad_metadata", f"the metadata is longer than {_MAX_BYTES} bytes", hint="shorten it")
    return text


def overlay(stored: Mapping[str, Any], changes: Mapping[str, Any] | None) -> dict[str, Any]:
    """``stored`` with ``changes`` merged over its first level; null removes a key."""
    merged = {**stored, **(changes or {})}
    return {key: value for key, value in merged.items() if value is not None}


def effective(own: Mapping[str, Any], of_folder: Mapping[str, Any] | None) -> Decisions:
    """What counts for a document: the nearest configured folder's metadata, overridden by the document's own.

    One wrongly typed field takes the effect of the whole object that it stands in.
    """
    return _decisions({**_well_typed(of_folder or {}), **_well_typed(own)})


def wrong_field(metadata: Mapping[str, Any]) -> str | None:
    """What is wrong with the first known field that has a value of the wrong type, or None.

    Such an object is kept and has no effect, so that a person who writes one should be told before.
    """
    for name, (is_right, what) in _FIELDS.items():
        value = metadata.get(name)
        if value is not None and not is_right(value):
            return f"{name} must be {what}"
    return None


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_schema(value: object) -> bool:
    return isinstance(value, dict | bool)


def _decisions(metadata: Mapping[str, Any]) -> Decisions:
    return Decisions(
        skip_indexing=metadata.get("skip_indexing", False),
        skip_versioning=metadata.get("skip_versioning", False),
        schema=metadata.get("schema"),
    )


def _well_typed(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    right = wrong_field(metadata) is None
    if not right:
        _log.warning("metadata with a wrongly typed field has no effect")
    return metadata if right else {}


def _is_hygiene(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("enabled"), bool):
        return False
    days = value.get("retention_days", 30)
    return isinstance(days, int) and not isinstance(days, bool)


_FIELDS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "skip_indexing": (_is_switch, "true or false"),
    "skip_versioning": (_is_switch, "true or false"),
    "schema": (_is_schema, "a JSON Schema"),
    "hygiene": (_is_hygiene, 'an object such as {"enabled": true, "retention_days": 30}'),
}
