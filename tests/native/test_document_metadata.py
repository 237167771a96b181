"""Metadata of documents (specs/native-memory.md §2, §15)."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.support.dict_documents import DictDocuments
from zeroclaw_cli.errors import DocumentFailure, DocumentInput, DocumentOperation
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.native.body_schema import check_schema
from zeroclaw_cli.native.metadata import Decisions, decode, effective, encode, overlay
from zeroclaw_cli.native.scope import DocumentPath, Scope
from zeroclaw_cli.native.write import write

HOME = Scope()


def test_an_overlay_merges_the_first_level_and_null_removes() -> None:
    stored = {"a": {"x": 1}, "b": 2, "c": 3}
    assert overlay(stored, {"a": {"y": 2}, "b": None, "d": 4}) == {"a": {"y": 2}, "c": 3, "d": 4}
    assert overlay(stored, None) == stored


@pytest.mark.parametrize("text", [None, "", "not json", "[]", "3", "null"])
def test_a_sidecar_that_is_no_object_counts_as_empty(text: str | None) -> None:
    assert decode(text) == {}


WRONG: list[dict[str, Any]] = [
    {"skip_indexing": "yes"},
    {"skip_versioning": 1},
    {"schema": "x"},
    {"hygiene": True},
    {"hygiene": {}},
    {"hygiene": {"enabled": 1}},
    {"hygiene": {"enabled": True, "retention_days": "x"}},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_one_wrongly_typed_field_takes_the_effect_of_its_whole_object(wrong: dict[str, Any]) -> None:
    assert effective({"skip_versioning": True, "skip_indexing": True, **wrong}, None) == Decisions()
    assert effective({"skip_indexing": False}, {"skip_versioning": True, **wrong}) == Decisions()
    assert effective({**wrong}, {"skip_versioning": True}) == Decisions(skip_versioning=True)


def test_the_folder_is_overridden_key_by_key() -> None:
    folder = {"skip_indexing": True, "skip_versioning": True, "hygiene": {"enabled": False}}
    assert effective({"skip_indexing": False}, folder) == Decisions(skip_versioning=True)
    assert effective({}, folder) == Decisions(skip_indexing=True, skip_versioning=True)


def test_unknown_keys_are_kept_as_they_are() -> None:
    repository = DictDocuments()
    metadata = {"colour": {"deep": [1, None, "é"]}, "skip_indexing": "odd"}
    write(repository, HOME, WriteRequest("a.md", "x", metadata=metadata))
    stored = repository.read(HOME, DocumentPath(HOME, "a.md"))
    assert stored is not None
    assert stored.metadata == metadata


@pytest.mark.parametrize("metadata", [{"a": float("nan")}, {"a": {1, 2}}, {"a": "x" * 70_000}])
def test_what_json_cannot_hold_is_refused(metadata: dict[str, Any]) -> None:
    with pytest.raises(DocumentInput) as caught:
        encode(metadata)
    assert caught.value.reason == "bad_metadata"


SCHEMA = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize("body", [b'{"name": "Ada"}', b' {"name": "", "x": 1}\n'])
def test_a_body_that_satisfies_its_schema_passes(body: bytes) -> None:
    check_schema(body, SCHEMA)
    check_schema(body, True)
    check_schema(b"no json", None)


@pytest.mark.parametrize(
    ("body", "schema"),
    [
        (b"no json", SCHEMA),
        (b"\xff", SCHEMA),
        (b"{}", SCHEMA),
        (b'{"name": 3}', SCHEMA),
        (b"{}", False),
        (b"{}", {"type": "nonsense"}),
        (b"{}", {"$ref": "https://example.org/schema.json"}),
        (b"{}", {"$ref": "file:///etc/passwd"}),
        (b"{}", {"$ref": "#/$defs/missing"}),
        (b"[" * 100_000, SCHEMA),
        (b"NaN", {}),
        (b'{"name": "x", "n": -Infinity}', SCHEMA),
        (b'{"name": 1, "name": "x"}', SCHEMA),
        (b"1" + b"0" * 400, {"multipleOf": 0.5}),
        (b"1e999", {"multipleOf": 0.5}),
        (b'"a"', {"pattern": "a{99999999999}"}),
    ],
)
def test_anything_else_fails_before_it_is_kept(body: bytes, schema: Any) -> None:
    with pytest.raises(DocumentOperation) as caught:
        check_schema(body, schema)
    assert caught.value.reason == "schema_validation"


def bomb(depth: int) -> dict[str, Any]:
    """A schema that refers to itself twice at each of its levels."""
    levels = {
        f"l{level}": {"allOf": [{"$ref": f"#/$defs/l{level + 1}"}, {"$ref": f"#/$defs/l{level + 1}"}]}
        for level in range(depth)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**levels, f"l{depth}": {"type": "object"}}}


COSTLY: dict[str, tuple[Any, Any]] = {
    "doubling references": ({}, bomb(40)),
    "a reference to itself": ({}, {"$ref": "#"}),
    "a repeated group": ("a" * 40, {"pattern": "^(a+)+$"}),
    "a repeated choice": ("a" * 40, {"pattern": "^(a|aa){1,}$"}),
    "many open repetitions": ("a" * 400, {"pattern": "a*a*a*a*a*b"}),
    "open repetitions over a long text": ("a" * 100_000, {"pattern": "a*a*b"}),
    "a repeated group for names": ({"a" * 40: 1}, {"patternProperties": {"^(a+)+$": False}}),
    "unique objects": ([{} for _ in range(2_000)], {"uniqueItems": True}),
    "very many items": ([0] * 400_000, {"items": {"allOf": [{"type": "integer"}, {"minimum": 0}]}}),
}


@pytest.mark.parametrize(("instance", "schema"), COSTLY.values(), ids=COSTLY.keys())
def test_a_schema_that_costs_too_much_fails_soon(instance: Any, schema: Any) -> None:
    started = time.process_time()
    with pytest.raises(DocumentOperation) as caught:
        check_schema(json.dumps(instance).encode(), schema)
    assert caught.value.reason == "schema_validation"
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("instance", "schema"),
    [
        ("2026-03-01", {"pattern": r"^\d{4}-\d{2}-\d{2}$"}),
        ("ada@example.org", {"pattern": r"^[^@\s]+@[^@\s]+$"}),
        ("a(b)*c", {"pattern": r"^a\(b\)\*c$"}),
        ("x" * 100_000, {"pattern": "^x+$"}),
        ({"x-a": 1, "b": 2}, {"patternProperties": {"^x-": {"type": "integer"}}}),
        ([1, 2, 3], {"uniqueItems": True, "items": {"type": "integer"}}),
        ([0] * 100_000, {"items": {"type": "integer"}}),
        ({"a": {"a": {}}}, {"$defs": {"n": {"properties": {"a": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}),
    ],
)
def test_everyday_schemas_pass(instance: Any, schema: Any) -> None:
    check_schema(json.dumps(instance).encode(), schema)


def test_a_failure_tells_the_place_and_never_the_value() -> None:
    with pytest.raises(DocumentOperation) as caught:
        check_schema(b'{"name": {"secret": "hunter2"}}', SCHEMA)
    assert "$.name" in caught.value.message
    assert "hunter2" not in caught.value.message


def test_a_folders_schema_governs_what_is_written_below_it() -> None:
    repository = DictDocuments()
    write(repository, HOME, WriteRequest("data/.config", '{"name": "x"}', append=False, metadata={"schema": SCHEMA}))
    with pytest.raises(DocumentFailure) as caught:
        write(repository, HOME, WriteRequest("data/a.json", "{}", append=False))
    assert caught.value.reason == "schema_validation"
    write(repository, HOME, WriteRequest("data/a.json", '{"name": "Ada"}', append=False))
    write(repository, HOME, WriteRequest("a.json", "{}", append=False))


def test_the_final_text_is_checked_also_when_appended_or_patched() -> None:
    repository = DictDocuments()
    schema = {"schema": {"type": "array"}}
    write(repository, HOME, WriteRequest("a.json", "[1]", append=False, metadata=schema))
    with pytest.raises(DocumentFailure):
        write(repository, HOME, WriteRequest("a.json", "[2]"))
    with pytest.raises(DocumentFailure):
        write(repository, HOME, WriteRequest("a.json", old_string="[1]", new_string="{}"))
    write(repository, HOME, WriteRequest("a.json", old_string="1", new_string="2"))
