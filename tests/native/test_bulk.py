from __future__ import annotations

import gc
import sqlite3
from contextlib import closing

import pytest

from zeroclaw_cli.native.bulk import collection_paused, insert_rows, select_among


@pytest.mark.parametrize("count", [0, 1, 2, 299, 300, 301, 1_000])
def test_every_row_is_inserted_once_and_found_again(count: int) -> None:
    rows = [(number, f"text {number}", None) for number in range(count)]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a, b, c)")
        insert_rows(connection, "INSERT INTO t (a, b, c) VALUES (?, ?, ?)", rows)
        assert connection.execute("SELECT * FROM t ORDER BY a").fetchall() == rows
        found = select_among(connection, "SELECT a FROM t WHERE b >= ? AND a IN (%s)", ("",), range(-5, count + 5))
        assert sorted(found) == [(number,) for number in range(count)]


def test_collection_goes_on_after_a_pause_even_when_it_fails_and_stays_off_where_it_was() -> None:
    was = gc.isenabled()
    try:
        gc.enable()
        with pytest.raises(ZeroDivisionError), collection_paused():
            assert not gc.isenabled()
            raise ZeroDivisionError
        assert gc.isenabled()
        gc.disable()
        with collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        (gc.enable if was else gc.disable)()
