from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import Busy, JournalDamaged, MemoryFailure
from zeroclaw_cli.memory.types import ProceduralMessage
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.journal_repair import repair
from zeroclaw_cli.wasm.journal_rows import LIMITS
from zeroclaw_cli.wasm.records import Record, result_digest
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome

BIRTH = Serving(1_000, 2_000, b"birth seed 16 by")
SERVING = Serving(3_000, 4_000, b"call seed 16 byt")
FORGET = FUNCTIONS["forget"]
TRUE = Outcome(True, True)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "plugins" / "guest" / "journal.db")
    yield made
    made.close()


def append(journal: Journal, *keys: str, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
    for key in keys:
        with journal.writing(1.0) as writer:
            if journal.head() is None:
                writer.begin(BIRTH)
            writer.append(FORGET, (key,), TRUE, SERVING, limits)


def records(journal: Journal, after: int = 0) -> list[Record]:
    return [record for chunk in journal.records_after(after) for record in chunk]


def another(journal: Journal) -> Journal:
    return Journal(journal.path)


def tamper(journal: Journal, statement: str, *values: object) -> None:
    """Change the file of the journal behind its back, and close it."""
    journal.close()
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_reading_an_absent_journal_finds_nothing_and_creates_nothing(journal: Journal, tmp_path: Path) -> None:
    assert journal.head() is None
    assert records(journal) == []
    assert journal.count() == 0
    assert journal.recorded_limits() == []
    assert journal.last_replay_ms() is None
    with journal.snapshot() as head:
        assert head is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_appended_is_read_back(journal: Journal) -> None:
    append(journal, "a", "b")
    head = journal.head()
    assert head is not None
    assert (head.last, head.birth) == (2, BIRTH)
    assert records(journal) == [
        Record(1, FORGET, ("a",), True, result_digest(TRUE), SERVING),
        Record(2, FORGET, ("b",), True, result_digest(TRUE), SERVING),
    ]
    assert records(journal, after=1)[0].arguments == ("b",)
    with closing(another(journal)) as second:
        assert second.head() == head
        assert records(second) == records(journal)


def test_the_folder_and_the_files_are_the_users_alone(journal: Journal) -> None:
    append(journal, "a")
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in journal.path.parent.iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_an_acknowledged_record_is_synced(journal: Journal) -> None:
    append(journal, "a")
    connection = journal._connection
    assert connection is not None
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_limits_of_64_bits_are_kept(journal: Journal) -> None:
    large = Limits(call_fuel=2**64 - 1, call_timeout_ms=2**64 - 1, max_memory_mb=1)
    append(journal, "a", limits=large)
    append(journal, "b", limits=large)
    append(journal, "c")
    assert {(limits.call_fuel, limits.max_memory_mb) for limits in journal.recorded_limits()} == {
        (2**64 - 1, 1),
        (Limits().call_fuel, Limits().max_memory_mb),
    }


# ---------------------------------------------------------------------------------------------- transactions


def test_a_block_that_fails_leaves_the_journal_as_it_was(journal: Journal) -> None:
    append(journal, "a")
    before = journal.head()
    with pytest.raises(KeyboardInterrupt), journal.writing(1.0) as writer:
        writer.append(FORGET, ("b",), TRUE, SERVING, Limits(call_fuel=77))
        raise KeyboardInterrupt
    assert journal.head() == before
    assert len(records(journal)) == 1
    append(journal, "c", limits=Limits(call_fuel=77))
    assert [record.arguments for record in records(journal)] == [("a",), ("c",)]
    assert 77 in {limits.call_fuel for limits in journal.recorded_limits()}


def test_a_first_block_that_fails_leaves_no_history(journal: Journal) -> None:
    with pytest.raises(RuntimeError), journal.writing(1.0) as writer:
        writer.begin(BIRTH)
        raise RuntimeError
    assert journal.head() is None
    append(journal, "a")
    assert journal.count() == 1


def test_what_another_process_wrote_is_seen_at_once(journal: Journal) -> None:
    append(journal, "a")
    with closing(another(journal)) as second:
        assert second.head() == journal.head()
        append(journal, "b")
        head = second.head()
        assert head is not None and head.last == 2
        append(second, "c")
        assert [record.arguments[0] for record in records(journal)] == ["a", "b", "c"]


def test_a_snapshot_does_not_change_under_its_reader(journal: Journal) -> None:
    append(journal, "a")
    with closing(another(journal)) as second:
        with second.snapshot() as head:
            append(journal, "b")
            assert head is not None and head.last == 1
            assert len(records(second)) == 1
        assert len(records(second)) == 2


def test_a_removed_journal_is_an_error_until_it_is_opened_again(journal: Journal) -> None:
    append(journal, "a")
    for path in journal.path.parent.glob("journal.db*"):
        path.unlink()
    for use in (journal.head, lambda: append(journal, "b"), journal.count, lambda: records(journal)):
        with pytest.raises(JournalDamaged, match=r"journal\.db was removed while this memory was open") as caught:
            use()
        assert (caught.value.code, caught.value.exit_code) == ("journal_damaged", 5)
        assert "put it back from a backup" in (caught.value.hint or "")
    assert not journal.path.exists()
    journal.close()
    assert journal.head() is None
    append(journal, "b")
    assert [record.arguments for record in records(journal)] == [("b",)]


def test_a_replaced_journal_is_an_error_until_it_is_opened_again(journal: Journal, tmp_path: Path) -> None:
    append(journal, "a")
    other = Journal(tmp_path / "other" / "journal.db")
    append(other, "x", "y")
    other.close()
    for suffix in ("-wal", "-shm"):
        journal.path.with_name("journal.db" + suffix).unlink(missing_ok=True)
    other.path.replace(journal.path)
    for use in (journal.head, lambda: append(journal, "b")):
        with pytest.raises(JournalDamaged, match="was replaced while"):
            use()
    journal.close()
    head = journal.head()
    assert head is not None and head.last == 2


def test_a_journal_that_another_process_begins_is_no_replacement(journal: Journal) -> None:
    assert journal.head() is None
    with closing(another(journal)) as second:
        append(second, "a")
    assert journal.count() == 1


def forked(action: Callable[[], object]) -> None:
    """Run ``action`` in a forked child, and raise unless it succeeds."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_parent_and_child_of_a_fork_each_have_a_connection_of_their_own(journal: Journal) -> None:
    append(journal, "a")
    parents = journal._connection

    def in_child() -> None:
        assert journal.count() == 1
        for number in range(5):
            append(journal, f"child {number}")
        with closing(another(journal)) as second, journal.writing(1.0), pytest.raises(Busy), second.writing(0.01):
            pass

    forked(in_child)
    assert journal._connection is None, "it was given up before the fork"
    append(journal, "b")
    assert journal._connection is not parents
    assert journal.count() == 7
    # What the child's locks would have prevented.
    forked(lambda: append(journal, "c"))
    assert [record.arguments[0] for record in records(journal)][-2:] == ["b", "c"]


def test_a_child_does_not_share_its_parents_lock(journal: Journal) -> None:
    append(journal, "a")
    with closing(another(journal)) as idle:
        append(idle, "b")

        def in_child() -> None:
            with pytest.raises(Busy, match=f"process {os.getppid()}"), idle.writing(0.05):
                pass

        with journal.writing(1.0):
            forked(in_child)


def test_a_journal_in_use_when_the_process_is_forked_is_the_parents_alone(journal: Journal) -> None:
    append(journal, "a")

    def in_child() -> None:
        with pytest.raises(MemoryFailure, match="when this process was forked"):
            journal.head()

    with journal.writing(1.0) as writer:
        forked(in_child)
        writer.append(FORGET, ("b",), TRUE, SERVING, Limits())
    assert journal.count() == 2


def test_a_child_that_was_forked_while_its_parent_wrote_neither_commits_nor_undoes_it(journal: Journal) -> None:
    append(journal, "a")
    block = journal.writing(1.0)

    def in_child() -> None:
        with pytest.raises(MemoryFailure, match="when this process was forked"):
            block.__exit__(None, None, None)
        journal.close()
        assert journal.count() == 1, "opened anew"

    writer = block.__enter__()
    writer.append(FORGET, ("b",), TRUE, SERVING, Limits())
    forked(in_child)
    with closing(another(journal)) as second:
        assert second.count() == 1
    block.__exit__(None, None, None)
    assert journal.count() == 2


def test_only_one_writes_at_a_time_and_the_other_names_the_holder(journal: Journal) -> None:
    append(journal, "a")
    with closing(another(journal)) as second:
        with journal.writing(1.0), pytest.raises(Busy) as caught, second.writing(0.05):
            raise AssertionError("two writers at once")
        assert f"process {os.getpid()}" in caught.value.message
        assert "guest" in caught.value.message
        append(second, "b")
    assert journal.count() == 2


def test_a_waiting_writer_gets_its_turn(journal: Journal) -> None:
    append(journal, "start")
    entered = threading.Event()

    def hold() -> None:
        with closing(another(journal)) as second, second.writing(1.0) as writer:
            entered.set()
            writer._journal.head()
            writer.append(FORGET, ("held",), TRUE, SERVING, Limits())

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    append(journal, "waited")
    thread.join()
    assert [record.arguments[0] for record in records(journal)] == ["start", "held", "waited"]


def test_readers_do_not_wait_for_a_writer(journal: Journal) -> None:
    append(journal, "a")
    with closing(another(journal)) as second, journal.writing(1.0) as writer:
        writer.append(FORGET, ("b",), TRUE, SERVING, Limits())
        head = second.head()
        assert head is not None and head.last == 1


# --------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look at", b"SQLite format 3\0" + b"\xff" * 500]
)
def test_a_file_that_is_no_database_is_damage(journal: Journal, content: bytes) -> None:
    journal.path.parent.mkdir(parents=True)
    journal.path.write_bytes(content)
    for use in (journal.head, journal.count, lambda: append(journal, "a")):
        with pytest.raises(JournalDamaged) as caught:
            use()
        assert str(journal.path) in caught.value.message
        assert "`zeroclaw doctor --fix` recovers what can be read" in (caught.value.hint or "")
    assert journal.path.read_bytes() == content


def test_a_cut_off_database_is_damage(journal: Journal) -> None:
    append(journal, *map(str, range(100)))
    journal.close()
    data = journal.path.read_bytes()
    journal.path.write_bytes(data[: len(data) // 2])
    with pytest.raises(JournalDamaged):
        records(journal)


def test_another_programs_database_is_not_touched(journal: Journal) -> None:
    journal.path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(journal.path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = journal.path.read_bytes()
    for use in (journal.head, lambda: append(journal, "a")):
        with pytest.raises(JournalDamaged, match="another program"):
            use()
    assert journal.path.read_bytes() == before


def test_a_newer_format_says_to_update(journal: Journal) -> None:
    append(journal, "a")
    journal.close()
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalDamaged, match="format 99") as caught:
        journal.head()
    assert "update zeroclaw" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("function", "recall"),
        ("function", "no-such-function"),
        ("arguments", "not json"),
        ("arguments", "[]"),
        ("arguments", "[null]"),
        ("arguments", "[1]"),
        ("arguments", json.dumps({"key": "a"})),
        ("arguments", '["\\ud800"]'),
        ("arguments", "[" * 200_000),
        ("arguments", b'["a"]'),
        ("function", "store-entry\x1b[2J"),
        ("ok", 2),
        ("digest", 1),
        ("wall_ns", "soon"),
        ("mono_ns", -1),
        ("mono_ns", 2**63 - 1),
        ("seed", 1 << 40),
        ("seed", b"short"),
        ("limits", 99),
    ],
)
def test_a_broken_record_is_named(journal: Journal, column: str, value: str | bytes | int) -> None:
    append(journal, "a", "b")
    journal.close()
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE records SET {column} = ? WHERE number = 2", (value,))
    for use in (lambda: records(journal), journal.examine):
        with pytest.raises(JournalDamaged, match="record 2") as caught:
            use()
        assert caught.value.message.isprintable()


@pytest.mark.parametrize("key", ["generation", "birth_wall_ns", "birth_mono_ns", "birth_seed", "%"])
def test_a_journal_that_has_lost_its_beginning_is_damage_and_never_an_empty_one(journal: Journal, key: str) -> None:
    append(journal, "a")
    tamper(journal, "DELETE FROM meta WHERE key LIKE ?", key)
    for use in (journal.head, journal.examine, lambda: append(journal, "b")):
        with pytest.raises(JournalDamaged, match="its beginning is lost"):
            use()
    assert journal.count() == 1


def test_a_journal_of_limits_alone_is_damage(journal: Journal) -> None:
    append(journal, "a")
    tamper(journal, "DELETE FROM meta")
    tamper(journal, "DELETE FROM records")
    with pytest.raises(JournalDamaged, match="its beginning is lost"):
        journal.head()


def test_records_whose_limits_are_lost_are_damage(journal: Journal) -> None:
    append(journal, "a")
    append(journal, "b", limits=Limits(call_fuel=77))
    tamper(journal, "DELETE FROM limits WHERE call_fuel = '77'")
    for use in (lambda: records(journal), journal.examine):
        with pytest.raises(JournalDamaged, match=r"record 2 \(forget\).* limits that it was made under are lost"):
            use()


@pytest.mark.parametrize("number", [1, 2])
def test_a_record_that_is_missing_before_the_last_is_damage(journal: Journal, number: int) -> None:
    append(journal, "a", "b", "c")
    tamper(journal, "DELETE FROM records WHERE number = ?", number)
    for use in (lambda: records(journal), journal.examine):
        with pytest.raises(JournalDamaged, match=f"records are missing after record {number - 1}"):
            use()


@pytest.mark.parametrize("number", [0, -7])
def test_a_record_before_the_first_is_damage(journal: Journal, number: int) -> None:
    append(journal, "a", "b")
    tamper(journal, "UPDATE records SET number = ? WHERE number = 1", number)
    with pytest.raises(JournalDamaged, match="record"):
        journal.head()


@pytest.mark.parametrize("value", ["abc", "", "-1", "1e9", "\u0663", "9" * 5_000, str(2**64), b"7"])
@pytest.mark.parametrize("name", ["call_fuel", "call_timeout_ms"])
def test_limits_that_are_none_are_damage(journal: Journal, name: str, value: str | bytes) -> None:
    append(journal, "a")
    tamper(journal, f"UPDATE limits SET {name} = ?", value)
    for use in (journal.recorded_limits, journal.examine):
        with pytest.raises(JournalDamaged, match=f"its recorded limit {name} is not readable"):
            use()


def test_what_stands_in_a_damaged_text_does_not_decide_what_the_error_is(journal: Journal) -> None:
    append(journal, "a")
    tamper(journal, "UPDATE records SET arguments = CAST(x'ff' || 'database is locked; the disk is full' AS TEXT)")
    with pytest.raises(JournalDamaged):
        records(journal)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed journal with a record of every kind of argument, under two sets of limits, and with its notes."""
    path = tmp_path_factory.mktemp("sound") / "guest" / "journal.db"
    with closing(Journal(path)) as made:
        append(made, "a", "b")
        with made.writing(1.0) as writer:
            made.head()
            messages = [ProceduralMessage("user", "how?", None)]
            writer.append(FUNCTIONS["store-procedural"], (messages, "s"), TRUE, SERVING, Limits())
            row = ("k", "text", "core", None, "n", 0.5, "a")
            writer.append(FUNCTIONS["store-with-agent"], row, TRUE, SERVING, Limits(call_fuel=7))
            writer.note_replay(5)
            writer.put_off_compaction(9)
    return path


any_value = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=20)
    | st.sampled_from(["[[[1,2,3]],null]", '[["abc"],null]', "[NaN]", "[1e999]", "[" + "1" * 400 + "]", "forget", "7"])
)
COLUMNS = {
    "meta": ["key", "value"],
    "limits": [*LIMITS, "id"],
    "records": ["number", "function", "arguments", "ok", "digest", "wall_ns", "mono_ns", "seed", "limits"],
}


def read_everything(journal: Journal) -> None:
    journal.head()
    with journal.snapshot():
        records(journal)
    journal.recorded_limits()
    journal.last_replay_ms()
    journal.compact_again_at()
    for name in ("forget", "store-procedural", "store-with-agent"):
        journal.successes_of(FUNCTIONS[name])
    journal.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_a_damaged_journal_holds_is_read_or_said_to_be_damage(
    sound: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    path = folder / "journal.db"
    shutil.copy(sound, path)
    table = data.draw(st.sampled_from(sorted(COLUMNS)))
    column = data.draw(st.sampled_from(COLUMNS[table]))
    value = data.draw(any_value)
    written = "CAST(? AS TEXT)" if isinstance(value, bytes) and data.draw(st.booleans()) else "?"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        row = data.draw(st.integers(0, count - 1))
        key = connection.execute(f"SELECT {COLUMNS[table][-1]} FROM {table} LIMIT 1 OFFSET ?", (row,)).fetchone()[0]
        at = {"meta": "value", "limits": "id", "records": "limits"}[table]
        with suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE {table} SET {column} = {written} WHERE {at} IS ?", (value, key))
    with closing(Journal(path)) as journal:
        for use in (read_everything, Journal.examine, lambda journal: append(journal, "c"), read_everything):
            with suppress(JournalDamaged):
                use(journal)
    shutil.rmtree(folder)


def test_an_empty_file_is_a_journal_that_was_lost(journal: Journal) -> None:
    append(journal, "a")
    journal.close()
    journal.path.write_bytes(b"")
    for suffix in ("-wal", "-shm"):
        journal.path.with_name(journal.path.name + suffix).unlink(missing_ok=True)
    with pytest.raises(JournalDamaged, match="it is empty"):
        journal.head()
    with pytest.raises(JournalDamaged, match="it is empty"):
        append(journal, "b")


def test_what_a_killed_creation_left_is_removed_by_the_next(journal: Journal) -> None:
    journal.path.parent.mkdir(parents=True)
    left = journal.path.with_name(".journal.db.12-abcd.tmp")
    left.write_bytes(b"half")
    append(journal, "a")
    assert not left.exists()
    assert journal.count() == 1


@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal"])
@pytest.mark.parametrize(("make", "what"), [(Path.mkdir, "is a folder"), (os.mkfifo, "is not a regular file")])
def test_what_is_no_file_in_the_place_of_one_is_damage_and_never_hangs(
    journal: Journal, name: str, make: Callable[[Path], None], what: str
) -> None:
    append(journal, "a")
    journal.close()
    place = journal.path.with_name(name)
    place.unlink(missing_ok=True)
    make(place)
    for use in (journal.head, lambda: append(journal, "b")):
        with pytest.raises(JournalDamaged, match=f"{name} {what}"):
            use()
    assert repair(journal.path) is not None
    append(journal, "b")
    assert journal.count() == (1 if name == "journal.db" else 2)


def test_a_log_without_its_journal_is_damage_and_its_records_come_back(journal: Journal) -> None:
    append(journal, "a", "b")
    with closing(another(journal)):
        log = journal.path.with_name("journal.db-wal").read_bytes()
    journal.close()
    journal.path.unlink()
    journal.path.with_name("journal.db-wal").write_bytes(log)
    for use in (journal.head, lambda: append(journal, "c")):
        with pytest.raises(JournalDamaged, match="missing beside its log"):
            use()
    done = repair(journal.path)
    assert done is not None and done.records == 2
    assert journal.count() == 2


def test_a_read_only_folder_can_still_be_read(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    append(journal, "a")
    journal.close()
    before = sorted(path.name for path in journal.path.parent.iterdir())
    monkeypatch.setattr("zeroclaw_cli.wasm.journal_file.os.access", lambda *_: False)
    assert len(records(journal)) == 1
    journal.close()
    assert sorted(path.name for path in journal.path.parent.iterdir()) == before
