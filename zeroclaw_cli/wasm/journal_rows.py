"""The rows of a journal as values. Whatever stands in the file is checked here before anything is built on it.

Every function raises :class:`Unreadable` for what this program does not write.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Serving
from zeroclaw_cli.wasm.records import Record, arguments_from_json
from zeroclaw_cli.wasm.signatures import FUNCTIONS

LIMITS: Final = ("call_fuel", "max_memory_mb", "max_table_elements", "max_instances", "call_timeout_ms")
# Unsigned 64-bit values do not fit SQLite's integers, so these two are decimal text.
_AS_TEXT: Final = frozenset({"call_fuel", "call_timeout_ms"})
_I64_MAX: Final = (1 << 63) - 1
_U64_DIGITS: Final = 20
# A monotonic clock goes on from the last recorded one, so there must be room above it.
_LATEST_MONO_NS: Final = 1 << 62
_BEGINNING: Final = ("generation", "birth_wall_ns", "birth_mono_ns", "birth_seed")


class Unreadable(sqlite3.DatabaseError):
    """A row, or the lack of one, that no journal of this program has; the text is one line."""


class Head(NamedTuple):
    """Where a journal stands. ``generation`` changes whenever its past is rewritten; ``last`` is the number of its
    newest record, 0 without records; ``birth`` is what the start of an instance is served."""

    generation: str
    last: int
    birth: Serving


def meta(connection: sqlite3.Connection) -> dict[Any, Any]:
    return dict(connection.execute("SELECT key, value FROM meta").fetchall())


def read_head(connection: sqlite3.Connection) -> Head | None:
    """Where the journal stands; None when nothing was ever recorded in it."""
    known = meta(connection)
    first, last, has_limits = connection.execute(
        "SELECT (SELECT min(number) FROM records), (SELECT max(number) FROM records), EXISTS (SELECT 1 FROM limits)"
    ).fetchone()
    if not known and last is None and not has_limits:
        return None
    lost = [key for key in _BEGINNING if key not in known]
    if lost:
        raise Unreadable(f"its beginning is lost ({', '.join(lost)} of its birth)")
    if not isinstance(known["generation"], str):
        raise Unreadable("its generation is not readable")
    if first not in (None, 1):
        raise missing_after(0)
    noted = noted_last(known)
    if noted is not None and noted > (last or 0):
        raise missing_after(last or 0)
    try:
        birth = _serving(known["birth_wall_ns"], known["birth_mono_ns"], known["birth_seed"])
    except ValueError as error:
        raise Unreadable(f"its birth is not readable: {error}") from None
    return Head(known["generation"], 0 if last is None else last, birth)


def birth(known: Mapping[Any, Any]) -> Serving | None:
    """What the start of an instance is served; None when the notes do not say."""
    try:
        return _serving(known.get("birth_wall_ns"), known.get("birth_mono_ns"), known.get("birth_seed"))
    except ValueError:
        return None


def last_note(generation: str, last: int) -> str:
    """The value of the note ``last``. It names the generation, since earlier versions neither write nor remove it."""
    return f"{generation} {last}"


def noted_last(known: Mapping[Any, Any]) -> int | None:
    """The number of the newest record as it was noted; None when it was not noted for this generation."""
    generation, _, number = str(known.get("last", "")).partition(" ")
    if generation != known.get("generation"):
        return None
    return _decimal(number)


def missing_after(number: int) -> Unreadable:
    """The error of a journal that does not go on with the record after ``number``."""
    return Unreadable(f"records are missing after record {number}")


def note(known: Mapping[Any, Any], key: str) -> int | None:
    """The number that was noted under ``key``; None when none was."""
    value = known.get(key)
    if value is not None and (not isinstance(value, int) or value < 0):
        raise Unreadable(f"its note {key} is not readable")
    return value


def records(rows: Sequence[Sequence[Any]], after: int, limits: Collection[int]) -> Iterator[Record]:
    """The records in ``rows``, which go on after the record ``after``; ``limits`` are the ids that there are."""
    for expected, row in enumerate(rows, start=after + 1):
        if row[0] != expected:
            raise missing_after(expected - 1)
        yield record(row, limits)


def record(row: Sequence[Any], limits: Collection[int]) -> Record:
    """One row of ``records`` as a record."""
    number, name, arguments, ok, digest, wall_ns, mono_ns, seed, limits_id = row
    try:
        function = FUNCTIONS.get(name)
        if function is None or not function.recorded:
            raise ValueError("unknown function")
        values = arguments_from_json(function, arguments)
        if ok not in (0, 1) or not isinstance(digest, bytes):
            raise ValueError("its result is invalid")
        if limits_id not in limits:
            raise ValueError("the limits that it was made under are lost")
        return Record(number, function, values, bool(ok), digest, _serving(wall_ns, mono_ns, seed))
    except ValueError as error:
        what = f"record {number} ({display(str(name), 60)})"
        raise Unreadable(f"{what} is not readable: {error}") from None


def limits_row(limits: Limits) -> list[str | int]:
    """The values of a row of ``limits``, in the order of LIMITS."""
    pairs = [(name, getattr(limits, name)) for name in LIMITS]
    return [str(value) if name in _AS_TEXT else min(value, _I64_MAX) for name, value in pairs]


def limits(row: Sequence[Any]) -> Limits:
    """The limits in a row as :func:`limits_row` makes it; what is not recorded has its default."""
    values: dict[str, Any] = {}
    for name, value in zip(LIMITS, row, strict=True):
        number = _decimal(value) if name in _AS_TEXT else value
        if not isinstance(number, int) or not 0 <= number < 1 << 64:
            raise Unreadable(f"its recorded limit {name} is not readable")
        values[name] = number
    return replace(Limits(), **values)


def _decimal(value: Any) -> int | None:
    if not isinstance(value, str) or not (value.isascii() and value.isdigit()) or len(value) > _U64_DIGITS:
        return None
    return int(value)


def _serving(wall_ns: Any, mono_ns: Any, seed: Any) -> Serving:
    """What was served, of three values. Raises ValueError."""
    clocks = isinstance(wall_ns, int) and isinstance(mono_ns, int) and 0 <= mono_ns < _LATEST_MONO_NS
    if not clocks or not isinstance(seed, bytes) or len(seed) < SEED_BYTES:
        raise ValueError("its clocks or its seed are invalid")
    return Serving(wall_ns, mono_ns, seed)
