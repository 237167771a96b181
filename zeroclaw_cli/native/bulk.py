"""Many rows at once: what SQLite and Python do around each single one is paid once for all of them."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import Any, Final

# SQLite may be built to take no more than 999 parameters, and beyond some dozens of rows nothing is won.
_MOST_PARAMETERS: Final = 900


def insert_rows(transaction: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert the rows, all of one width, by ``statement``: one that ends with the ``VALUES (?, …)`` of a single row."""
    if len(rows) > 1:
        many = _MOST_PARAMETERS // len(rows[0])
        whole = len(rows) - len(rows) % many
        if whole:
            of_many = _of_many(statement, many)
            for start in range(0, whole, many):
                transaction.execute(of_many, tuple(chain.from_iterable(rows[start : start + many])))
            rows = rows[whole:]
    transaction.executemany(statement, rows)


def select_among(
    transaction: sqlite3.Connection, statement: str, place: Sequence[Any], values: Sequence[Any]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement that ends with ``IN (%s)``, for many values; ``place`` are the parameters before it."""
    most = _MOST_PARAMETERS - len(place)
    for start in range(0, len(values), most):
        chosen = values[start : start + most]
        yield from transaction.execute(statement % ", ".join("?" * len(chosen)), (*place, *chosen))


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage is looked for in the block: rows are no part of cycles, and many are alive at a time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@cache
def _of_many(statement: str, count: int) -> str:
    head, values = statement.rsplit(" VALUES ", 1)
    return f"{head} VALUES {', '.join([values] * count)}"
