"""JSON-safety: specs/memory-kernel.md §3."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.json_safe import (
    FrozenDict,
    canonical,
    digest,
    freeze,
    freeze_measured,
    printable,
    thaw,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.tuples(inner, inner) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)


def nested(depth: int, leaf: Any = None) -> Any:
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


class Word(StrEnum):
    ONE = "one"


class Number(IntEnum):
    ONE = 1


class Lying(dict[str, Any]):
    def items(self) -> Any:
        return [("safe", 1)]


@dataclass
class Record:
    name: str = "x"


Pair = namedtuple("Pair", "left right")
CYCLE: list[Any] = []
CYCLE.append({"again": CYCLE})

UNSAFE: dict[str, Any] = {
    "class": Record,
    "function": nested,
    "object": object(),
    "set": {1},
    "frozenset": frozenset({1}),
    "bytes": b"x",
    "bytearray": bytearray(b"x"),
    "path": Path("x"),
    "datetime": datetime(2026, 1, 1, tzinfo=UTC),
    "decimal": Decimal("1.5"),
    "complex": 1j,
    "dataclass": Record(),
    "nan": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "cycle": CYCLE,
    "int key": {1: "x"},
    "none key": {None: "x"},
    "tuple key": {("a", "b"): 1},
    "mixed keys": {"a": 1, 2: "b"},
    "long key": {"k" * 1001: 1},
    "lone surrogate": "\ud800",
    "surrogate in a key": {"\udfff": 1},
    "depth 65": nested(65),
    "int without text": 10**4300,
    "str subclass": Word.ONE,
    "int subclass": Number.ONE,
    "str subclass as a key": {Word.ONE: 1},
    "namedtuple": Pair(1, 2),
    "dict subclass": Lying(hidden=object()),
    "ordered dict": OrderedDict(a=1),
    "mapping proxy": MappingProxyType({"a": 1}),
    "generator": (item for item in "ab"),
    "range": range(3),
    "memoryview": memoryview(b"x"),
    "not implemented": NotImplemented,
    "ellipsis": ...,
}


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize(
    "wrap",
    [lambda v: v, lambda v: [v], lambda v: {"a": v}, lambda v: ("é", [1, {"b": v, "c": 2}])],
    ids=["root", "in a list", "in a dict", "deep"],
)
def test_what_is_not_json_is_refused_wherever_it_stands(name: str, wrap: Any) -> None:
    with pytest.raises(KernelFailure) as caught:
        freeze(wrap(UNSAFE[name]))
    assert caught.value.code == "json-unsafe"
    assert "\n" not in caught.value.message
    caught.value.message.encode()
    json.dumps(caught.value.to_json())


def test_an_error_names_the_place() -> None:
    with pytest.raises(KernelFailure) as caught:
        freeze({"steps": [{"input": 1}, {"input": {"when": datetime.now(UTC)}}]}, "plan")
    assert caught.value.details == {"path": "plan.steps[1].input.when"}
    assert caught.value.message == "plan.steps[1].input.when is of type datetime, which JSON does not have"


def test_depth_64_is_accepted_and_65_is_refused_for_scalars_and_containers() -> None:
    freeze(nested(64, "leaf"))
    freeze(nested(64, []))
    leaves: list[Any] = ["leaf", []]
    for leaf in leaves:
        with pytest.raises(KernelFailure):
            freeze(nested(65, leaf))


def test_a_key_of_1000_characters_is_accepted() -> None:
    freeze({"k" * 1000: 1})


def test_other_limits_can_be_given() -> None:
    freeze(nested(32), max_depth=32)
    with pytest.raises(KernelFailure):
        freeze(nested(33), max_depth=32)
    with pytest.raises(KernelFailure):
        freeze({"k" * 201: 1}, max_key=200)


def test_the_longest_integers_that_have_a_text_are_accepted() -> None:
    for value in (10**4300 - 1, -(10**4300 - 1), 2**64, -(2**64)):
        assert json.loads(canonical(freeze([value]))) == [value]


def test_shared_parts_are_fine_and_stay_shared() -> None:
    shared = {"a": [1, 2]}
    frozen = freeze([shared, shared])
    assert frozen[0] is frozen[1]


def test_parts_shared_so_often_that_writing_them_would_never_end_are_refused() -> None:
    value: Any = [1]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(KernelFailure) as caught:
        freeze(value)
    assert caught.value.code == "json-unsafe"


def test_a_shared_part_counts_at_its_deepest_place() -> None:
    shared = nested(40)
    freeze([shared, nested(24, 1)])
    with pytest.raises(KernelFailure):
        freeze([shared, nested(24, shared)])


@given(VALUES)
def test_a_frozen_value_equals_its_source_and_is_read_only_at_every_level(value: Any) -> None:
    frozen = freeze(value)
    assert canonical(frozen) == canonical(value)
    assert thaw(frozen) == json.loads(canonical(value))

    def walk(item: Any) -> None:
        assert type(item) in (type(None), bool, int, float, str, tuple, FrozenDict)
        if type(item) is FrozenDict:
            with pytest.raises(TypeError):
                item["new"] = 1
            list(map(walk, item.values()))
        elif type(item) is tuple:
            list(map(walk, item))

    walk(frozen)


def jumble(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: jumble(value[key]) for key in reversed(value)}
    if isinstance(value, list | tuple):
        return [jumble(item) for item in value]
    return value


@given(VALUES)
def test_the_digest_is_stable_under_key_order_and_kind_of_sequence(value: Any) -> None:
    assert digest(freeze(value)) == digest(freeze(jumble(value))) == digest(value)


@given(VALUES)
def test_freezing_a_frozen_value_changes_nothing(value: Any) -> None:
    once = freeze(value)
    assert freeze(once) == once


@given(VALUES)
def test_the_height_is_how_many_levels_lie_below_the_root(value: Any) -> None:
    def height(item: Any) -> int:
        items = list(item.values()) if isinstance(item, dict) else item if isinstance(item, list | tuple) else []
        return 1 + max(map(height, items)) if items else 0

    assert freeze_measured(value)[1] == height(value)


def spoil(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoilt"] = object()
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append(object())
    elif isinstance(value, tuple):
        for item in value:
            spoil(item)


@given(VALUES)
def test_changing_the_source_afterwards_has_no_effect(value: Any) -> None:
    frozen = freeze(value)
    before = digest(frozen)
    spoil(value)
    assert digest(frozen) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 2),
        lambda d: d.__delitem__("a"),
        lambda d: d.__ior__({"a": 2}),
        lambda d: d.clear(),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("b", 2),
        lambda d: d.update(a=2),
    ],
)
def test_every_way_to_change_a_frozen_mapping_raises(change: Any) -> None:
    frozen = freeze({"a": 1})
    with pytest.raises(TypeError):
        change(frozen)
    assert frozen == {"a": 1}


def test_a_frozen_mapping_can_be_copied_pickled_hashed_and_merged() -> None:
    frozen = freeze({"a": [1, {"b": None}]})
    assert copy.copy(frozen) is frozen
    assert copy.deepcopy(frozen) is frozen
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen and type(again) is FrozenDict
    assert hash(frozen) == hash(again)
    merged = frozen | {"c": 1}
    assert type(merged) is dict
    assert merged == {"a": (1, {"b": None}), "c": 1}


def test_the_canonical_form_sorts_keys_has_no_spaces_and_keeps_what_is_not_ascii() -> None:
    value = {"b": [1, 1.5, True, None], "a": "é ☃", "Z": {}}
    assert canonical(value) == '{"Z":{},"a":"é ☃","b":[1,1.5,true,null]}'
    assert digest(value) == sha256(canonical(value).encode()).hexdigest()


def test_a_list_that_another_thread_changes_is_looked_at_as_it_was_copied() -> None:
    """What is checked is the copy: nothing unsafe can be slipped in between."""
    source = {"a": [1, 2, 3]}
    frozen = freeze(source)
    source["a"].append(object())  # type: ignore[arg-type]
    assert frozen == {"a": (1, 2, 3)}


def test_texts_for_messages_are_one_short_line_that_utf8_can_write() -> None:
    assert printable("a\nb\ud800", 10) == "a\\nb\\ud800"
    assert printable("x" * 20, 10) == "xxxx…xxxx"


def test_a_frozen_mapping_cannot_be_filled_a_second_time() -> None:
    frozen = freeze({"a": 1})
    with pytest.raises(TypeError):
        frozen.__init__({"b": 2})
    assert frozen == {"a": 1}
    assert copy.deepcopy(frozen) is frozen
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen and type(again) is FrozenDict


class Key(str):
    pass


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"a": "\ud800", "b": 1}, "value[1].a is text that UTF-8 cannot write"),
        ({"a": float("inf"), "b": 1}, "value[1].a is inf"),
        ({"a": 10**4300, "b": 1}, "value[1].a is an integer of more than 4300 digits"),
        ({"a": {1}, "b": 1}, "value[1].a is of type set"),
        ({"a": Key("x"), "b": 1}, "value[1].a is of type Key"),
        ({Key("a"): 1, "b": 1}, "value[1] has a key of type Key"),
        ({"a": b"x", "b": 1}, "value[1].a is of type bytes"),
    ],
)
def test_a_row_like_the_one_before_is_looked_at_as_closely(row: Any, words: str) -> None:
    with pytest.raises(KernelFailure) as caught:
        freeze([{"a": 1, "b": 2}, row])
    assert caught.value.message.startswith(words)


def test_rows_alike_are_copied_frozen_and_counted() -> None:
    rows: list[Any] = [{"a": 1, "b": "é"}, {"a": 2.5, "b": "ü"}, {"a": None, "b": True}, {}, {"a": 2**70, "b": ()}]
    frozen, height = freeze_measured(rows)
    assert frozen == ({"a": 1, "b": "é"}, {"a": 2.5, "b": "ü"}, {"a": None, "b": True}, {}, {"a": 2**70, "b": ()})
    assert {type(row) for row in frozen} == {FrozenDict}
    assert height == 2
    rows[1]["a"] = 3
    assert frozen[1]["a"] == 2.5
    deep: Any = [{"a": 1}, {"a": 1}]
    for _ in range(62):
        deep = [deep]
    assert freeze_measured(deep)[1] == 64
    with pytest.raises(KernelFailure):
        freeze([deep])
