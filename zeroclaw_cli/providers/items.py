"""A provider's items as entries, and what of an entry its tags carry (specs/memory-providers.md §15)."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, unquote

from zeroclaw_cli.memory.times import Instant, instant, rfc3339
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry
from zeroclaw_cli.providers.memory_map import MemoryMap

_PREFIX: Final = "zc-"
_SPECIAL: Final = re.compile(r"[%,\s]")
# What a tag may carry for a provider that has no field for it.
TAGGED: Final = ("key", "category", "namespace", "session")


@dataclass(frozen=True, slots=True)
class Row:
    """One item: what the provider itself calls it, and the entry that it stands for."""

    id: str
    entry: Entry


def row_of(item: Mapping[str, Any], found: MemoryMap) -> Row:
    """The row of one item. A field that is not there, or of a type that cannot be, is left out."""
    own_key = _text(_field(item, found, "key"))
    own_id = _text(_field(item, found, "id")) or own_key or ""
    tags = read_tags(_field(item, found, "tags"))
    category = tags.get("category") or found.category_here(_text(_field(item, found, "category")) or "core")
    return Row(
        own_key or own_id,
        Entry(
            id=own_id,
            key=tags.get("key") or own_key or own_id,
            content=_text(_field(item, found, "content")) or "",
            category=category,
            timestamp=timestamp_of(_field(item, found, "timestamp")),
            session_id=_text(_field(item, found, "session")) or tags.get("session"),
            score=_number(_field(item, found, "score")),
            namespace=_text(_field(item, found, "namespace")) or tags.get("namespace") or DEFAULT_NAMESPACE,
            importance=_importance(_number(_field(item, found, "importance"))),
            agent_id=_text(_field(item, found, "agent")),
            agent_alias=_text(_field(item, found, "agent")),
        ),
    )


def write_tags(values: Mapping[str, str | None]) -> str | None:
    """The tags that carry ``values`` (names of :data:`TAGGED`), joined by commas; None when there is nothing."""
    return ",".join(f"{_PREFIX}{name}:{_quote(value)}" for name, value in values.items() if value is not None) or None


def read_tags(tags: object) -> dict[str, str]:
    """What the tags of an item carry: a text of tags joined by commas, or a list of tags; tags of others are left."""
    words = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else []
    carried: dict[str, str] = {}
    for word in words:
        name, colon, value = str(word).strip().removeprefix(_PREFIX).partition(":")
        if colon and name in TAGGED and str(word).strip().startswith(_PREFIX):
            carried.setdefault(name, _unquote(value))
    return carried


def timestamp_of(value: object) -> str:
    """A time of a provider as RFC 3339 text: seconds since the epoch, or ISO 8601 (UTC where it names no zone); the
    empty text for what is none."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            whole = math.floor(value)
            return rfc3339(whole, int((value - whole) * 1_000_000) * 1_000)
        if not isinstance(value, str):
            return ""
        try:
            return rfc3339(*instant(value))
        except ValueError:
            moment = datetime.fromisoformat(value)
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return rfc3339(*instant(aware.isoformat()))
    except (ValueError, OverflowError):
        return ""


def moment_of(entry: Entry) -> Instant:
    """The instant of an entry's timestamp; the epoch where it has none."""
    try:
        return instant(entry.timestamp)
    except ValueError:
        return (0, 0)


def now() -> str:
    """The present as RFC 3339 text, in seconds."""
    return rfc3339(int(time.time()))


def _field(item: Mapping[str, Any], found: MemoryMap, name: str) -> object:
    theirs = found.fields.get(name)
    if theirs is not None:
        return item.get(theirs)
    # Tags that a map lists as metadata are as good as a field.
    return item.get(name) if name == "tags" and "tags" in found.metadata else None


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)


def _importance(number: float | None) -> float | None:
    """None for what another scale means."""
    return number if number is not None and 0.0 <= number <= 1.0 else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _quote(value: str) -> str:
    """A value without what would end or trim a tag; everything else stays readable."""
    return _SPECIAL.sub(lambda found: quote(found[0], safe="", errors="surrogatepass"), value)


def _unquote(value: str) -> str:
    return unquote(value, errors="surrogatepass")
