from __future__ import annotations

from typing import Any

import pytest

from zeroclaw_cli.providers.memory_map import Call, MapError, check_tools, look_up, read_map

# specs/memory-providers.md §15, as its YAML reads.
OF_THE_SPECIFICATION: dict[str, Any] = {
    "store": {
        "tool": "fact_store",
        "args": {"action": "add", "content": "$content", "category": "$category", "tags": "$tags?"},
        "id": "fact_id",
    },
    "recall": {
        "tool": "fact_store",
        "args": {"action": "search", "query": "$query", "limit": "$limit"},
        "items": "results",
    },
    "list": {
        "tool": "fact_store",
        "args": {"action": "list", "category": "$category?", "limit": "$limit"},
        "items": "facts",
    },
    "forget": {"tool": "fact_store", "args": {"action": "remove", "fact_id": "$key:int"}, "ok": "removed"},
    "fields": {
        "key": "fact_id",
        "content": "content",
        "category": "category",
        "timestamp": "created_at",
        "metadata": ["trust_score", "tags", "helpful_count"],
    },
    "categories": {"core": "general", "user": "user_pref", "project": "project", "*": "general"},
}


def changed(path: str, value: object) -> dict[str, Any]:
    import copy

    table = copy.deepcopy(OF_THE_SPECIFICATION)
    *parents, last = path.split(".")
    place: Any = table
    for name in parents:
        place = place[name]
    place[last] = value
    return table


def test_the_map_of_the_specification_is_read() -> None:
    found = read_map(OF_THE_SPECIFICATION)
    assert set(found.calls) == {"store", "recall", "list", "forget"}
    assert found.calls["store"].result == "fact_id"
    assert found.calls["forget"].result == "removed"
    assert found.fields["key"] == "fact_id"
    assert found.metadata == ("trust_score", "tags", "helpful_count")
    check_tools(found, frozenset({"fact_store"}))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("update", {}, "'update' is none of"),
        ("store.tools", "x", "store: 'tools' is none of"),
        ("store.tool", "", "store: tool must be"),
        ("store.args", [], "store.args must be a table"),
        ("store.args.content", "$contents", r"store.args: \$contents is not a field"),
        ("store.args.content", "$content:date", r"'\$content:date' is not \$name"),
        ("recall.items", None, "recall: items must say"),
        ("list.items", "", "list: items must be the path"),
        ("recall.total", "n", "recall: total belongs to list"),
        ("fields.colour", "c", "fields: 'colour' is not a field"),
        ("fields.content", 3, "fields.content must be a name"),
        ("fields.metadata", "tags", "fields.metadata must be a list"),
        ("fields", {"content": "text"}, "fields: key or id is required"),
        ("categories", {"core": 1}, "categories must map words"),
    ],
)
def test_what_a_map_says_wrong_is_named(path: str, value: object, says: str) -> None:
    with pytest.raises(MapError, match=says):
        read_map(changed(path, value))


@pytest.mark.parametrize("raw", [None, [], "x", {}, {1: {}}, {"fields": {"key": "id"}}])
def test_what_is_no_map_is_refused(raw: object) -> None:
    with pytest.raises(MapError):
        read_map(raw)


def test_a_map_that_names_an_unknown_tool_is_refused() -> None:
    with pytest.raises(MapError, match="store: the provider has no tool 'fact_store'"):
        check_tools(read_map(OF_THE_SPECIFICATION), frozenset({"facts"}))


def test_a_template_is_filled_without_what_may_be_dropped() -> None:
    call = Call("t", {"a": "$content", "b": "$tags?", "c": ["$session?", "$key:int"], "d": {"e": "$agent"}, "f": "x"})
    assert call.arguments({"content": "$key", "key": "7"}) == {"a": "$key", "c": [7], "d": {"e": None}, "f": "x"}


def test_a_value_that_is_no_number_is_refused_where_a_number_is_wanted() -> None:
    with pytest.raises(MapError, match="key 'tea' is not the number"):
        Call("t", {"fact_id": "$key:int"}).arguments({"key": "tea"})


@pytest.mark.parametrize(
    ("ours", "theirs", "back"), [("core", "general", "core"), ("user", "user_pref", "user"), ("x", "general", "core")]
)
def test_categories_go_through_the_table(ours: str, theirs: str, back: str) -> None:
    found = read_map(OF_THE_SPECIFICATION)
    assert found.category_there(ours) == theirs
    assert found.category_here(theirs) == back
    assert found.keeps_category(ours) is (ours == back)


def test_a_path_that_leads_nowhere_gives_nothing() -> None:
    assert look_up({"data": {"items": [1]}}, "data.items") == [1]
    assert look_up({"data": [1]}, "data.items") is None
    assert look_up("text", "data") is None
