"""What the example plugin promises, function by function, on the raw engine."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.support.guests import component
from tests.support.raw_guest import INFO, START, GuestErr, RawGuest, keys
from zeroclaw_cli.memory.types import Capability

# The name space of the plugin's agent ids: zeroclaw_cli/examples/notes/src/uuid.c.
AGENTS = uuid.UUID("7d1c40f3-5be4-4d52-9d0e-9a4f6f1c2b68")


@pytest.fixture
def guest() -> RawGuest:
    return RawGuest(component("notes"))


def stamp(seconds: int, nanoseconds: int = 0) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{nanoseconds:09d}Z"


def test_it_has_all_eleven_capabilities(guest: RawGuest) -> None:
    assert guest.raw("get-memory-capabilities") == {str(capability) for capability in Capability}


def test_it_says_who_it_is_and_is_healthy(guest: RawGuest) -> None:
    assert guest.raw("plugin-name", interface=INFO) == "notes"
    assert guest.raw("plugin-version", interface=INFO) == "0.1.0"
    assert guest.raw("name") == "notes"
    assert guest.raw("health-check") is True


def test_of_wasi_it_imports_the_wall_clock_alone(guest: RawGuest) -> None:
    assert guest.imports() == [
        "wasi:clocks/wall-clock@0.2.0",
        "zeroclaw:plugin/logging@0.1.0",
        "zeroclaw:plugin/types@0.1.0",
    ]


def test_store_entry_writes_a_row_without_agent_in_the_default_namespace(guest: RawGuest) -> None:
    guest.clock.nanoseconds = 123_456_789
    guest.store_entry("wifi", "hunter2", "secrets", "s1")
    assert guest.call("get", "wifi") == {
        "id": "note-1",
        "key": "wifi",
        "content": "hunter2",
        "category": "secrets",
        "timestamp": "2026-01-31T12:00:00.123456789Z",
        "session-id": "s1",
        "score": None,
        "namespace": "default",
        "importance": None,
        "superseded-by": None,
        "agent-alias": None,
        "agent-id": None,
    }


def test_store_with_agent_keeps_all_that_it_is_given(guest: RawGuest) -> None:
    guest.store_with_agent("k", "c", "daily", "s", "work", 0.25, "a1")
    row = guest.call("get-for-agent", "k", "a1")
    assert (row["category"], row["session-id"], row["namespace"], row["importance"], row["agent-id"]) == (
        "daily",
        "s",
        "work",
        0.25,
        "a1",
    )


def test_store_with_metadata_writes_a_row_without_agent(guest: RawGuest) -> None:
    guest.call("store-with-metadata", "k", "c", _core(), None, "work", 0.5)
    guest.call("store-with-metadata", "l", "c", _core(), None, None, None)
    rows = {row["key"]: row for row in guest.list_entries()}
    assert (rows["k"]["namespace"], rows["k"]["importance"], rows["k"]["agent-id"]) == ("work", 0.5, None)
    assert (rows["l"]["namespace"], rows["l"]["importance"]) == ("default", None)


def _core() -> object:
    from wasmtime import component as cm

    return cm.Variant("core")


def test_rows_are_identified_by_key_and_agent_together(guest: RawGuest) -> None:
    guest.store_entry("k", "nobody's")
    guest.store_with_agent("k", "first's", agent_id="a1")
    guest.store_with_agent("k", "empty's", agent_id="")
    guest.store_with_agent("k", "first's again", agent_id="a1")
    assert guest.call("count") == 3
    assert guest.call("get", "k")["content"] == "nobody's"
    assert guest.call("get-for-agent", "k", "a1")["content"] == "first's again"
    assert guest.call("get-for-agent", "k", "")["content"] == "empty's"
    assert guest.call("get-for-agent", "k", "a2") is None


def test_replacing_a_row_keeps_its_id_and_renews_everything_else(guest: RawGuest) -> None:
    guest.store_with_agent("k", "old", "daily", "s", "work", 1.0)
    guest.store_entry("other", "between")
    guest.clock.seconds += 60
    guest.store_entry("k", "new")
    row = guest.call("get", "k")
    assert (row["id"], row["content"], row["category"], row["session-id"]) == ("note-1", "new", "core", None)
    assert (row["namespace"], row["importance"], row["timestamp"]) == ("default", None, stamp(START + 60))
    assert keys(guest.recall("")) == ["k", "other"]


def test_ids_are_never_used_twice(guest: RawGuest) -> None:
    guest.store_entry("a", "x")
    guest.call("forget", "a")
    guest.store_entry("a", "y")
    assert guest.call("get", "a")["id"] == "note-2"


def test_get_without_a_row_of_nobody_gives_the_one_written_last(guest: RawGuest) -> None:
    guest.store_with_agent("k", "one", agent_id="a1")
    guest.store_with_agent("k", "two", agent_id="a2")
    guest.store_with_agent("k", "one again", agent_id="a1")
    assert guest.call("get", "k")["content"] == "one again"
    assert guest.call("get", "nothing") is None


def test_texts_of_any_kind_come_back_as_they_were(guest: RawGuest) -> None:
    for text in ("", "\0", "a\nb\r\n", "ÄÖÜ ẞ", "東京タワー", "👩‍👩‍👧 \U0010ffff", "\x1b[31m", "x" * 300_000):
        guest.store_with_agent(text, text, "c" + text, text, text, None, text)
        row = guest.call("get-for-agent", text, text)
        assert {row["key"], row["content"], row["session-id"], row["namespace"], row["agent-id"]} == {text}
        assert row["category"] == "c" + text


def test_forget_removes_every_row_of_the_key(guest: RawGuest) -> None:
    guest.store_entry("k", "x")
    guest.store_with_agent("k", "y", agent_id="a1")
    guest.store_entry("l", "z")
    assert guest.call("forget", "k") is True
    assert guest.call("forget", "k") is False
    assert keys(guest.list_entries()) == ["l"]


def test_forget_for_agent_removes_exactly_one_row(guest: RawGuest) -> None:
    for agent in (None, "a1", "a2"):
        guest.store_with_agent("k", "x", agent_id=agent)
    assert guest.call("forget-for-agent", "k", "a1") is True
    assert guest.call("forget-for-agent", "k", "a1") is False
    assert {row["agent-id"] for row in guest.list_entries()} == {None, "a2"}


def test_purges_say_how_many_rows_they_removed(guest: RawGuest) -> None:
    for place, (session, namespace, agent) in enumerate(
        [("s", "n", None), ("s", "n", "a1"), ("s", "m", "a1"), ("t", "n", "a1"), (None, "m", "a2"), ("s", "m", "a2")]
    ):
        guest.store_with_agent(f"k{place}", "x", "core", session, namespace, None, agent)
    assert guest.call("purge-session-for-agent", "s", "a1") == 2
    assert guest.call("purge-session-for-agent", "s", "nobody") == 0
    assert guest.call("purge-namespace", "n") == 2
    assert guest.call("purge-namespace", "n") == 0
    assert guest.call("purge-session", "s") == 1
    assert keys(guest.list_entries()) == ["k4"]


def test_the_id_of_an_alias_is_its_version_5_uuid_in_any_instance(guest: RawGuest) -> None:
    for alias in ("coder", "", "Ünï", "x" * 1000):
        expected = str(uuid.uuid5(AGENTS, alias))
        assert guest.call("ensure-agent-uuid", alias) == expected
        assert guest.call("ensure-agent-uuid", alias) == expected
    assert RawGuest(component("notes")).call("ensure-agent-uuid", "coder") == str(uuid.uuid5(AGENTS, "coder"))


def test_rows_of_a_registered_agent_show_its_alias_and_others_do_not(guest: RawGuest) -> None:
    coder = guest.call("ensure-agent-uuid", "coder")
    guest.store_with_agent("k", "x", agent_id=coder)
    guest.store_with_agent("l", "x", agent_id="somebody")
    assert {row["key"]: row["agent-alias"] for row in guest.list_entries()} == {"k": "coder", "l": None}


def test_an_alias_that_is_registered_later_shows_on_rows_that_are_there(guest: RawGuest) -> None:
    guest.store_with_agent("k", "x", agent_id=str(uuid.uuid5(AGENTS, "coder")))
    assert guest.call("get", "k")["agent-alias"] is None
    guest.call("ensure-agent-uuid", "coder")
    assert guest.call("get", "k")["agent-alias"] == "coder"


def test_purge_agent_takes_an_alias_and_no_id(guest: RawGuest) -> None:
    coder = guest.call("ensure-agent-uuid", "coder")
    guest.store_with_agent("k", "x", agent_id=coder)
    guest.store_with_agent("k", "x", agent_id="coder")
    assert guest.call("purge-agent", coder) == 0
    assert guest.call("purge-agent", "coder") == 1
    assert guest.call("purge-agent", "coder") == 0
    assert [row["agent-id"] for row in guest.list_entries()] == ["coder"]


def test_list_entries_filters_and_gives_the_newest_first(guest: RawGuest) -> None:
    for place, (category, session) in enumerate([("core", "s"), ("todo", "s"), ("todo", None), ("other", "s")]):
        guest.store_entry(f"k{place}", "x", category, session)
    assert keys(guest.list_entries()) == ["k3", "k2", "k1", "k0"]
    assert keys(guest.list_entries(category="todo")) == ["k2", "k1"]
    assert keys(guest.list_entries(session_id="s")) == ["k3", "k1", "k0"]
    assert keys(guest.list_entries("todo", "s")) == ["k1"]
    assert guest.list_entries(category="daily") == []


def test_a_custom_category_is_not_the_built_in_one_of_the_same_name(guest: RawGuest) -> None:
    from wasmtime import component as cm

    guest.store_entry("k", "x", "core")
    assert guest.call("list-entries", cm.Variant("custom", "core"), None) == []


def test_export_gives_the_oldest_first_and_meets_every_condition(guest: RawGuest) -> None:
    for place in range(4):
        guest.clock.seconds = START + place
        guest.store_with_agent(
            f"k{place}", "x", "todo" if place % 2 else "core", "s" if place < 3 else None, "n" if place else None
        )
    assert keys(guest.export_entries()) == ["k0", "k1", "k2", "k3"]
    assert keys(guest.export_entries(namespace="n")) == ["k1", "k2", "k3"]
    assert keys(guest.export_entries(session_id="s", category="core")) == ["k0", "k2"]
    assert keys(guest.export_entries(since=stamp(START + 1), until=stamp(START + 2))) == ["k1", "k2"]
    assert keys(guest.export_entries(namespace="n", session_id="s", category="todo", since=stamp(START))) == ["k1"]


def test_rows_are_ordered_by_their_time_even_when_the_clock_was_set_back(guest: RawGuest) -> None:
    for seconds in (50, 10, 30, 20, 40, 30):
        guest.clock.seconds = START + seconds
        guest.store_entry(f"at {seconds} as row {guest.call('count')}", "x")
    oldest_first = ["at 10 as row 1", "at 20 as row 3", "at 30 as row 2", "at 30 as row 5", "at 40 as row 4"]
    assert keys(guest.export_entries()) == [*oldest_first, "at 50 as row 0"]
    assert keys(guest.recall("", 2)) == ["at 50 as row 0", "at 40 as row 4"]


def test_procedural_messages_are_kept_in_their_order(guest: RawGuest) -> None:
    guest.store_entry("procedural-000002", "a person's own")
    guest.store_procedural(
        [("user", "list the files", None), ("tool", "a b c", "ls"), ("assistant", "done", None)], "s"
    )
    rows = guest.export_entries(category="procedural")
    assert [row["content"] for row in rows] == ["user: list the files", "tool (ls): a b c", "assistant: done"]
    assert {row["session-id"] for row in rows} == {"s"}
    assert guest.call("get", "procedural-000002")["content"] == "a person's own"
    assert guest.call("count") == 4


def test_no_procedural_messages_are_nothing_to_do(guest: RawGuest) -> None:
    guest.store_procedural([])
    assert guest.call("count") == 0


def test_reindex_says_how_many_rows_there_are_and_loses_none(guest: RawGuest) -> None:
    assert guest.call("reindex") == 0
    for place in range(500):
        guest.store_entry(f"k{place}", "x")
    assert guest.call("reindex") == 500
    assert all(guest.call("get", f"k{place}") for place in range(500))
    assert guest.raw("health-check") is True


def test_an_importance_that_is_no_number_is_refused(guest: RawGuest) -> None:
    with pytest.raises(GuestErr, match=r"^importance is not a number$"):
        guest.store_with_agent("k", "c", importance=float("nan"))
    assert guest.call("count") == 0


def test_the_log_names_neither_key_nor_content(guest: RawGuest) -> None:
    guest.store_with_agent("the key", "the content", importance=7.0)
    assert [(level, event["message"]) for level, event in guest.logs] == [
        ("warn", "importance is not between 0 and 1"),
        ("debug", "stored one row"),
    ]
    assert guest.logs[1][1]["action"] == "write"
    assert guest.logs[1][1]["outcome"] == "success"


def test_reading_logs_nothing(guest: RawGuest) -> None:
    guest.store_entry("k", "c")
    guest.logs.clear()
    guest.recall("c")
    guest.list_entries()
    guest.export_entries()
    guest.call("get", "k")
    assert guest.logs == []


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (stamp(START), None, ["b", "a"]),
        (None, stamp(START), ["a"]),
        (stamp(START, 1), None, ["b"]),
        (stamp(START + 1), stamp(START + 1), ["b"]),
        ("2026-01-31T13:00:01+01:00", None, ["b"]),
        ("2026-01-31T06:30:01.000-05:30", None, ["b"]),
        ("2026-01-31t12:00:01z", None, ["b"]),
        ("2026-01-31 12:00:00Z", "2026-01-31 12:00:00.5Z", ["a"]),
        # What is finer than a nanosecond still counts: this lies after the first row.
        ("2026-01-31T12:00:00.0000000001Z", None, ["b"]),
        (None, "2026-01-31T12:00:00.9999999999Z", ["a"]),
        ("0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z", ["b", "a"]),
        ("2026-02-01T11:59:00+23:59", None, ["b", "a"]),
    ],
)
def test_bounds_are_inclusive_instants(
    guest: RawGuest, since: str | None, until: str | None, expected: list[str]
) -> None:
    guest.store_entry("a", "word")
    guest.clock.seconds += 1
    guest.store_entry("b", "word")
    assert sorted(keys(guest.recall("word", since=since, until=until))) == sorted(expected)
    assert keys(guest.recall("", since=since, until=until)) == expected
    assert keys(guest.export_entries(since=since, until=until)) == expected[::-1]


@pytest.mark.parametrize(
    "malformed",
    [
        "",
        "yesterday",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-01-31T12:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:61Z",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:00+1:00",
        "2026-01-31T12:00:00+24:00",
        "2026-01-31T12:00:00ZZ",
        "2026-01-31T12:00:00Z ",
        "+026-01-31T12:00:00Z",
        "٢٠٢٦-01-31T12:00:00Z",
    ],
)
def test_a_malformed_bound_is_an_err_that_names_it(guest: RawGuest, malformed: str) -> None:
    problem = f"is not an RFC 3339 time such as 2026-01-31T12:00:00Z: {malformed}"
    for name in ("since", "until"):
        with pytest.raises(GuestErr) as refused:
            guest.recall("", since=malformed if name == "since" else None, until=malformed if name == "until" else None)
        assert str(refused.value) == f"{name} {problem}"
        with pytest.raises(GuestErr):
            guest.export_entries(**{name: malformed})


def test_a_long_malformed_bound_is_cut_at_a_character(guest: RawGuest) -> None:
    with pytest.raises(GuestErr, match=r": x(ä){31}$"):
        guest.recall("", since="x" + "ä" * 100)


@pytest.mark.parametrize("seconds", [0, 1, 68_169_600, 951_782_400, 4_107_542_399, 253_402_300_799])
def test_timestamps_are_the_gregorian_calendar(guest: RawGuest, seconds: int) -> None:
    guest.clock.seconds = seconds
    guest.store_entry("k", "x")
    assert guest.call("get", "k")["timestamp"] == stamp(seconds)


def test_any_offset_names_the_same_instant(guest: RawGuest) -> None:
    guest.store_entry("k", "x")
    for minutes in range(-1439, 1440, 97):
        zone = timezone(timedelta(minutes=minutes))
        bound = datetime.fromtimestamp(START, zone).isoformat()
        assert keys(guest.recall("", since=bound, until=bound)) == ["k"], bound


def overwrite(turns: int) -> None:
    """Overwrites a row of 8 KiB, now a little longer and now a little shorter, in a guest that may have 3 MiB."""
    guest = RawGuest(component("notes"), memory_bytes=3 << 20)
    guest.store_entry("stays", "x" * 1000)
    for turn in range(turns):
        guest.store_entry("k", "x" * (4000 + turn * 37 % 200))
    assert guest.call("count") == 2


def test_overwriting_a_row_does_not_grow_the_memory() -> None:
    overwrite(2000)


@pytest.mark.reliability
def test_a_hundred_thousand_overwrites_do_not_grow_the_memory() -> None:
    overwrite(100_000)


def test_when_memory_runs_out_a_store_is_an_err_and_changes_nothing() -> None:
    guest = RawGuest(component("notes"), memory_bytes=3 << 20)
    stored = 0
    with pytest.raises(GuestErr, match=r"^the plugin's memory is full$"):
        for _turn in range(200):
            guest.store_entry(f"k{stored}", "x" * 30_000)
            stored += 1
    assert stored > 10
    assert guest.call("count") == stored
    assert guest.raw("health-check") is True
    assert guest.call("purge-namespace", "default") == stored
    guest.store_entry("again", "x" * 30_000)
    assert keys(guest.list_entries()) == ["again"]


def test_procedural_messages_are_stored_all_or_none() -> None:
    guest = RawGuest(component("notes"), memory_bytes=3 << 20)
    guest.store_entry("before", "x")
    with pytest.raises(GuestErr, match=r"^the plugin's memory is full$"):
        guest.store_procedural([("user", "x" * 20_000, None)] * 60)
    assert keys(guest.list_entries()) == ["before"]
