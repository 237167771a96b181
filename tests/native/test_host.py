"""The host's side of memory providers: B1 to B13 of specs/native-memory.md §20, and the rules of §3, §4, §12, §19."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import tomli

from tests.support.dict_documents import DictDocuments
from tests.support.memory_providers import Facts, facts_bundle, facts_document, invocation, safe_guard
from zeroclaw_cli.errors import (
    DocumentFailure,
    DocumentOperation,
    DocumentUnavailable,
    FilesystemDenied,
    InvalidManifest,
    Refused,
    StoreDamaged,
    UndeclaredCapability,
)
from zeroclaw_cli.memory.documents import Profile, TurnMessage
from zeroclaw_cli.native import tools
from zeroclaw_cli.native.host import FinishedTurn, Host
from zeroclaw_cli.native.manifest import (
    NATIVE_SERVICE,
    AssetTable,
    Bundle,
    _packaged_assets,
    check_ref,
    load_bundle,
    native_bundle,
    parse_manifest,
)
from zeroclaw_cli.native.native_provider import NativeProvider
from zeroclaw_cli.native.provider import BareProvider, LaneRequest, LaneResult, RecordRequest, Snippet
from zeroclaw_cli.native.scope import Invocation, Scope

HERE = invocation()
ALL_HOOKS = {"read_long_term", "read_short_term", "record_interaction", "profile_read"}


def native_document() -> dict[str, Any]:
    document: dict[str, Any] = tomli.loads(_packaged_assets()["manifest.toml"])
    return document


def parse(document: Mapping[str, Any], **more: Any) -> Any:
    return parse_manifest(document, **{"bundled": True, **more})


def native_host() -> Host:
    return Host(native_bundle(), NativeProvider(DictDocuments(guard=safe_guard())))


@dataclass
class Watched(BareProvider):
    """A provider that counts what it is asked and answers what it is told."""

    calls: list[str] = field(default_factory=list)
    long_term: LaneResult | Exception = field(default_factory=LaneResult)
    short_term: LaneResult | Exception = field(default_factory=LaneResult)
    output: Any = None
    served: frozenset[str] = frozenset(tools.TOOL_IDS)

    @property
    def served_tools(self) -> frozenset[str]:
        return self.served

    def _answer(self, name: str, answer: Any) -> Any:
        self.calls.append(name)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def call_tool(self, tool_id: str, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        return self._answer(json.dumps(arguments), self.output)

    def read_long_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        return self._answer("long", self.long_term)  # type: ignore[no-any-return]

    def read_short_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        return self._answer("short", self.short_term)  # type: ignore[no-any-return]

    def record_interaction(self, invocation: Invocation, request: RecordRequest) -> bool:
        return bool(self._answer("record", True))

    def profile_read(self, invocation: Invocation) -> bytes | None:
        return self._answer("profile", b'{"locale": "de"}')  # type: ignore[no-any-return]


def lane(*found: str, path: str = "notes/a.md", standing: bool = False) -> LaneResult:
    return LaneResult(tuple(Snippet(HERE.scope, path, text, standing) for text in found))


def with_lifecycle(*hooks: str) -> Bundle:
    bundle = native_bundle()
    return Bundle(replace(bundle.manifest, lifecycle=frozenset(hooks)), bundle.assets)  # type: ignore[arg-type]


def test_b1_the_native_manifest_parses_and_names_the_service() -> None:
    manifest = parse(native_document())
    assert manifest.id == "ironclaw.memory"
    assert manifest.service == NATIVE_SERVICE == "native_memory_provider"
    assert manifest.version == "0.1.0"


def test_b2_the_five_tools_are_in_order_and_seen_by_the_model() -> None:
    manifest = native_bundle().manifest
    assert [tool.id for tool in manifest.tools] == [
        "ironclaw.memory.read",
        "ironclaw.memory.write",
        "ironclaw.memory.search",
        "ironclaw.memory.tree",
        "ironclaw.memory.profile_set",
    ]
    assert {tool.visibility for tool in manifest.tools} == {"model"}
    assert [tool.function_name for tool in manifest.tools] == [
        *("memory_read", "memory_write", "memory_search", "memory_tree", "memory_profile_set"),
    ]
    assert [tool.writes for tool in manifest.tools] == [False, True, False, False, True]


def test_b3_the_native_lifecycle_is_full() -> None:
    assert native_bundle().manifest.lifecycle == ALL_HOOKS


def without_asset(ref: str, text: str | None = None) -> Callable[[], Bundle]:
    texts = dict(_packaged_assets())
    manifest = parse(tomli.loads(texts.pop("manifest.toml")))
    del texts[ref]
    if text is not None:
        texts[ref] = text
    return lambda: load_bundle(manifest, AssetTable(texts))


@pytest.mark.parametrize(
    "ref", ["prompts/memory-guidance.md", "prompts/memory_write.md", "schemas/memory.read.in.json"]
)
@pytest.mark.parametrize("text", [None, "", " \n"])
def test_b4_a_reference_that_the_assets_do_not_hold_fails_loud(ref: str, text: str | None) -> None:
    with pytest.raises(InvalidManifest) as caught:
        without_asset(ref, text)()
    assert f"'{ref}'" in caught.value.message


def test_b4_the_guidance_resolves() -> None:
    guidance = native_bundle().guidance
    assert guidance is not None
    lines = guidance.strip().splitlines()
    assert lines[0].startswith("# ")
    assert len(lines) <= 18
    for named in ("ironclaw.memory.search", "ironclaw.memory.write", "`append: true`", "`append: false`"):
        assert named in guidance


def test_b4_the_guidance_uses_the_names_that_the_model_sees() -> None:
    host = native_host()
    names = {tool.id: tool.function_name for tool in host.offered_tools}
    guidance = host.guidance(names) or ""
    assert "memory_search" in guidance
    assert "ironclaw" not in guidance


@pytest.mark.parametrize("text", [None, "\n"])
def test_b5_a_pass_prompt_that_the_assets_do_not_hold_fails_loud(text: str | None) -> None:
    with pytest.raises(InvalidManifest) as caught:
        without_asset("prompts/memory_curation.md", text)()
    assert "'prompts/memory_curation.md'" in caught.value.message


def test_b6_a_manifest_without_a_memory_section_fails_loud() -> None:
    document = native_document()
    del document["memory"]
    with pytest.raises(InvalidManifest, match=r"no \[memory\] section"):
        parse(document)


def test_b7_a_provider_without_guidance_and_passes_has_none() -> None:
    bundle = facts_bundle()
    assert bundle.guidance is None
    assert bundle.manifest.scheduled_ops == ()
    assert Host(bundle, Facts()).guidance() is None


def test_b8_a_hook_that_is_not_declared_is_never_called() -> None:
    messages = [TurnMessage("user", "hello"), TurnMessage("assistant", "hi")]
    for declared in (set(), {"read_long_term"}, {"profile_read"}, {"record_interaction", "read_short_term"}):
        provider = Watched()
        with Host(with_lifecycle(*declared), provider) as host:
            host.context(HERE, "tea")
            host.profile(HERE)
            host.record_turn(HERE, FinishedTurn(messages, "r1"))
        names = {"long": "read_long_term", "short": "read_short_term", "record": "record_interaction"}
        called = {names.get(call, "profile_read") for call in provider.calls}
        assert called == declared


def test_b9_a_writing_tool_needs_write_and_delete() -> None:
    read_only = tools.MountGrant(read=True, list=True)
    half = replace(read_only, write=True)
    none = tools.MountGrant()
    write_only = tools.MountGrant(write=True, delete=True)
    arguments = {"target": "memory", "content": "tea", "locale": "de"}
    with native_host() as host:
        for tool in (tools.WRITE, tools.PROFILE_SET):
            for mount in (read_only, half, none, write_only):
                with pytest.raises(FilesystemDenied):
                    host.call_tool(tool, arguments, HERE, mount)
        assert host.call_tool(tools.TREE, {}, HERE, read_only) == []
        for mount in (none, write_only, tools.MountGrant(read=True)):
            with pytest.raises(FilesystemDenied):
                host.call_tool(tools.TREE, {}, HERE, mount)
        assert host.call_tool(tools.WRITE, arguments, HERE, tools.FULL_GRANT)["status"] == "written"


def test_b10_an_id_that_is_not_declared_or_not_served_fails_closed() -> None:
    provider = Watched(served=frozenset({tools.READ}))
    with Host(native_bundle(), provider) as host:
        with pytest.raises(UndeclaredCapability):
            host.call_tool("ironclaw.memory.drop", {}, HERE, tools.FULL_GRANT)
        with pytest.raises(DocumentOperation) as caught:
            host.call_tool(tools.TREE, {}, HERE, tools.FULL_GRANT)
    assert caught.value.reason == "unserved_capability"
    assert provider.calls == []


def test_b10_an_undeclared_id_is_refused_before_its_mounts_are_looked_at() -> None:
    with native_host() as host, pytest.raises(UndeclaredCapability):
        host.call_tool("ironclaw.memory.drop", {}, HERE, tools.MountGrant())


@pytest.mark.parametrize("host", [Host(), Host(native_bundle(), None), Host(None, Watched())])
def test_b11_without_a_binding_there_are_no_tools_and_no_hooks(host: Host) -> None:
    assert host.offered_tools == ()
    assert host.guidance() is None
    assert host.context(HERE, "tea").text == ""
    assert host.profile(HERE) == Profile()
    assert host.record_turn(HERE, FinishedTurn([TurnMessage("user", "hello")], "r1")) == "skipped"
    with pytest.raises(DocumentUnavailable):
        host.call_tool(tools.TREE, {}, HERE, tools.FULL_GRANT)


def test_b12_a_snippet_has_at_most_512_bytes_with_its_prefix() -> None:
    with Host(native_bundle(), Watched(long_term=lane("é" * 600))) as host:
        (snippet,) = host.context(HERE, "tea").snippets
    assert snippet.text == "Untrusted memory content: " + "é" * 243
    assert len(snippet.text.encode()) == 512


def test_b12_at_most_eight_snippets_and_4096_bytes_are_shown() -> None:
    provider = Watched(long_term=lane(*(f"{number} {'x' * 600}" for number in range(12))))
    with Host(native_bundle(), provider) as host:
        block = host.context(HERE, "tea")
        assert len(block.snippets) == 8
        assert sum(len(snippet.text.encode()) for snippet in block.snippets) == 4_096
        assert [item.reason for item in block.left_out] == ["budget"] * 4
        wide = host.context(HERE, "tea", max_snippets=12)
        assert len(wide.snippets) == 8
        assert len(host.context(HERE, "tea", max_snippets=3).snippets) == 3


def test_b12_curated_come_first_then_the_thread_then_the_rest() -> None:
    curated = lane("curated one", "curated two", path="MEMORY.md", standing=True)
    provider = Watched(
        long_term=LaneResult((*curated.snippets, *lane("a hit").snippets)),
        short_term=lane(*(f"said {number}" for number in range(8)), path="threads/t1/r.md"),
    )
    with Host(native_bundle(), provider) as host:
        shown = [
            snippet.text.removeprefix("Untrusted memory content: ") for snippet in host.context(HERE, "tea").snippets
        ]
    assert shown == ["curated one", "curated two", *(f"said {number}" for number in range(6))]


def test_b12_no_snippets_and_a_disabled_profile_call_nobody() -> None:
    provider = Watched()
    with Host(native_bundle(), provider) as host:
        assert host.context(HERE, "tea", max_snippets=0).text == ""
        assert host.context(HERE, "tea", context_profile="memory-disabled").text == ""
    assert provider.calls == []


def test_b13_a_swap_renames_no_tool() -> None:
    native, other = native_host(), Host(facts_bundle(), Facts())
    assert [tool.id for tool in native.offered_tools] == [tool.id for tool in other.offered_tools]
    for host in (native, other):
        host.call_tool(tools.WRITE, {"target": "memory", "content": "tea"}, HERE, tools.FULL_GRANT)
        read = host.call_tool(tools.READ, {"path": "MEMORY.md"}, HERE, tools.FULL_GRANT)
        assert read["content"] == "tea\n"
        host.close()


# Lanes that break


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (DocumentUnavailable("gone", "x"), "unavailable", "gone"),
        (DocumentOperation("search_unsupported", "x"), "unavailable", "search_unsupported"),
        (StoreDamaged("x"), "unavailable", "store_damaged"),
        (RuntimeError("a secret path"), "unavailable", "failed"),
    ],
)
def test_a_broken_lane_is_told_apart_from_an_empty_one(error: Exception, kind: str, reason: str) -> None:
    provider = Watched(long_term=error, short_term=lane("said"))
    with Host(native_bundle(), provider) as host:
        block = host.context(HERE, "tea")
        assert [(item.lane, item.kind, item.reason) for item in block.degradations] == [("long_term", kind, reason)]
        assert [snippet.text for snippet in block.snippets] == ["Untrusted memory content: said"]
        provider.long_term = LaneResult()
        assert host.context(HERE, "tea").degradations == ()


def test_a_lane_and_a_recorder_that_hang_hold_up_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    class Hanging(Watched):
        def read_short_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
            released.wait(30)
            return LaneResult()

        def record_interaction(self, invocation: Invocation, request: RecordRequest) -> bool:
            return released.wait(30)

    monkeypatch.setattr("zeroclaw_cli.native.host.LANE_LIMIT_S", 0.05)
    monkeypatch.setattr("zeroclaw_cli.native.host.RECORD_LIMIT_S", 0.05)
    with Host(native_bundle(), Hanging(long_term=lane("tea"))) as host:
        assert host.record_turn(HERE, FinishedTurn([TurnMessage("user", "hello")], "r1")) == "failed"
        block = host.context(HERE, "tea")
        assert len(block.snippets) == 1
        assert [(item.lane, item.reason) for item in block.degradations] == [("short_term", "timed_out")]
        released.set()


def test_the_calls_of_one_run_share_one_retrieval() -> None:
    provider = Watched(long_term=lane("first"))
    with Host(native_bundle(), provider) as host:
        run = replace(HERE, invocation_id="run 1")
        first = host.context(run, "tea")
        provider.long_term = lane("second")
        assert host.context(run, "tea") is first
        assert "second" in host.context(run, "coffee").text
        assert "second" in host.context(replace(HERE, invocation_id="run 2"), "tea").text
        assert "second" in host.context(HERE, "tea").text


# Turns


@pytest.mark.parametrize(
    ("turn", "outcome"),
    [
        (FinishedTurn([TurnMessage("user", "hello")], "r1"), "recorded"),
        (FinishedTurn([TurnMessage("user", "hello")], "r1", completed=False), "skipped"),
        (FinishedTurn([TurnMessage("user", "hello")], "r1", background=True), "skipped"),
        (FinishedTurn([TurnMessage("user", "hello")], "r1", actor=None), "skipped"),
        (FinishedTurn([TurnMessage("tool", "x"), TurnMessage("system", "y")], "r1"), "skipped"),
        (FinishedTurn([TurnMessage("user", " ")], "r1"), "skipped"),
        (FinishedTurn([], "r1"), "skipped"),
    ],
)
def test_only_finished_turns_of_a_conversation_are_recorded(turn: FinishedTurn, outcome: str) -> None:
    provider = Watched()
    with Host(native_bundle(), provider) as host:
        assert host.record_turn(HERE, turn) == outcome
    assert provider.calls == (["record"] if outcome == "recorded" else [])


def test_a_failing_recorder_fails_no_run() -> None:
    with native_host() as host:
        turn = FinishedTurn([TurnMessage("user", "hello")], "../escape")
        assert host.record_turn(HERE, turn) == "failed"


# Gates (§3, §25)


@pytest.mark.parametrize("origin", ["product", "automation"])
@pytest.mark.parametrize("tool", tools.TOOL_IDS)
def test_only_the_agents_own_run_may_call_a_tool(tool: str, origin: Any) -> None:
    provider = Watched()
    with Host(native_bundle(), provider) as host, pytest.raises(Refused):
        host.call_tool(tool, {}, HERE, tools.FULL_GRANT, origin=origin, granted=True)
    assert provider.calls == []


@pytest.mark.parametrize(
    ("arguments", "free"),
    [
        ({"target": "memory", "content": "x"}, True),
        ({"content": "x"}, True),
        ({"target": "daily_log", "content": "x", "append": False}, True),
        ({"target": "memory", "content": "x", "append": False}, False),
        ({"target": "memory", "old_string": "x", "new_string": "y"}, False),
        ({"target": "memory", "content": "x", "metadata": {"skip_indexing": True}}, False),
        ({"target": "notes/a.md", "content": "x"}, False),
        ({"target": "bootstrap"}, False),
        ({"target": 3}, False),
    ],
)
def test_in_single_user_mode_only_additions_need_no_grant(arguments: dict[str, Any], free: bool) -> None:
    provider = Watched()
    with Host(native_bundle(), provider) as host:

        def call(**how: bool) -> Any:
            return host.call_tool(tools.WRITE, arguments, HERE, tools.FULL_GRANT, origin="loop_run", **how)

        if free:
            call()
        else:
            with pytest.raises(Refused):
                call()
        with pytest.raises(Refused):
            call(single_user=False)
        call(granted=True, single_user=False)
    assert len(provider.calls) == 1 + free


def test_a_missing_gate_matrix_refuses_what_has_an_origin() -> None:
    document = native_document()
    del document["tools"][0]["origin_gate_matrix"]
    bundle = load_bundle(parse(document), native_bundle().assets)
    with Host(bundle, Watched()) as host:
        with pytest.raises(Refused):
            host.call_tool(tools.READ, {"path": "a"}, HERE, tools.FULL_GRANT, origin="loop_run", granted=True)
        host.call_tool(tools.READ, {"path": "a"}, HERE, tools.FULL_GRANT)


def test_ungated_is_kept_for_reviewed_ids_alone() -> None:
    document = native_document()
    document["tools"][1]["origin_gate_matrix"]["loop_run"] = "ungated"
    assert parse(document).tools[1].gate("loop_run") == "gated_unless_granted"
    assert parse(document).tools[0].gate("loop_run") == "ungated"


# Manifests


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    document = native_document()
    change(document)
    return document


def op(document: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = document["memory"]["scheduled_ops"][0]
    return first


BAD_MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "an unknown field in [memory]": lambda d: d["memory"].update(lanes=[]),
    "an unknown lifecycle word": lambda d: d["memory"].update(lifecycle=["read_everything"]),
    "lifecycle is not a list": lambda d: d["memory"].update(lifecycle="profile_read"),
    "another runtime": lambda d: d["runtime"].update(kind="wasm"),
    "a service that nobody registered": lambda d: d["runtime"].update(service="other"),
    "an id that is not bundled": lambda d: d.update(id="ironclaw.other"),
    "another schema": lambda d: d.update(schema_version="v2"),
    "a tool outside of the namespace": lambda d: d["tools"][0].update(id="ironclaw.files.read"),
    "a tool declared twice": lambda d: d["tools"].append(d["tools"][0]),
    "an unknown effect": lambda d: d["tools"][0].update(effects=["network"]),
    "an unknown gate": lambda d: d["tools"][0]["origin_gate_matrix"].update(loop_run="maybe"),
    "an unknown origin": lambda d: d["tools"][0]["origin_gate_matrix"].update(cron="ungated"),
    "a reference out of the assets": lambda d: d["memory"].update(guidance_doc="../guidance.md"),
    "an unknown trigger": lambda d: op(d).update(trigger="hourly"),
    "an unknown key of an operation": lambda d: op(d).update(delay=3),
    "an unknown key of a pass": lambda d: op(d)["pass"].update(model="x"),
    "an interval of nothing": lambda d: op(d).update(interval_turns=0),
    "an interval that is not a number": lambda d: op(d).update(interval_turns=True),
    "no model calls": lambda d: op(d)["pass"].update(max_model_calls=0),
    "more model calls than the host allows": lambda d: op(d)["pass"].update(max_model_calls=21),
    "no tools for the pass": lambda d: op(d)["pass"].update(tools=[]),
    "tools of somebody else": lambda d: op(d)["pass"].update(tools=["ironclaw.memory.drop"]),
    "an operation twice": lambda d: d["memory"]["scheduled_ops"].append(op(d)),
    "a prompt that is not a reference": lambda d: op(d)["pass"].update(prompt="/prompt.md"),
}


@pytest.mark.parametrize("change", BAD_MANIFESTS.values(), ids=BAD_MANIFESTS.keys())
def test_a_manifest_that_breaks_a_rule_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(InvalidManifest):
        parse(changed(change))


def test_a_reserved_id_comes_from_the_bundled_source_alone() -> None:
    with pytest.raises(InvalidManifest):
        parse(native_document(), bundled=False)
    with pytest.raises(InvalidManifest):
        parse(facts_document(), bundled=True)


def test_a_lifecycle_may_be_absent() -> None:
    manifest = parse(changed(lambda document: document["memory"].pop("lifecycle")))
    assert manifest.lifecycle == frozenset()
    provider = Watched()
    with Host(Bundle(manifest, native_bundle().assets), provider) as host:
        assert len(host.offered_tools) == 5
        assert host.context(HERE, "tea").text == ""
    assert provider.calls == []


@pytest.mark.parametrize("ref", ["", "/a", "a//b", "a/./b", "a/../b", "é.md", "a b", "a" * 513, "a\n"])
def test_a_reference_is_relative_and_plain(ref: str) -> None:
    with pytest.raises(InvalidManifest):
        check_ref(ref)
    assert check_ref("prompts/a-b_c.md") == "prompts/a-b_c.md"


# The guard of §4


def test_nulls_are_taken_out_where_a_property_is_optional() -> None:
    provider = Watched(output={})
    with Host(native_bundle(), provider) as host:
        for tool, arguments, seen in (
            (
                tools.WRITE,
                {"target": None, "content": "x", "timezone": "null", "other": None},
                {"content": "x", "other": None},
            ),
            (tools.SEARCH, {"query": None, "q": "null", "limit": "null"}, {"query": None, "q": "null"}),
            (tools.READ, {"path": None}, {"path": None}),
            (tools.PROFILE_SET, {"locale": "null", "timezone": "UTC"}, {"timezone": "UTC"}),
        ):
            host.call_tool(tool, arguments, HERE, tools.FULL_GRANT)
            assert json.loads(provider.calls[-1]) == seen


@pytest.mark.parametrize(("size", "fits"), [(1_048_576 - 2, True), (1_048_576 - 1, False)])
def test_an_answer_has_at_most_a_mebibyte(size: int, fits: bool) -> None:
    with Host(native_bundle(), Watched(output="x" * size)) as host:
        if fits:
            assert host.call_tool(tools.READ, {"path": "a"}, HERE, tools.FULL_GRANT)
            return
        with pytest.raises(DocumentOperation) as caught:
            host.call_tool(tools.READ, {"path": "a"}, HERE, tools.FULL_GRANT)
        assert caught.value.reason == "output_too_large"


def test_a_model_is_told_the_kind_the_fixed_text_and_the_reason() -> None:
    with native_host() as host, pytest.raises(DocumentFailure) as caught:
        host.call_tool(tools.READ, {"path": "secret/name.md"}, HERE, tools.FULL_GRANT)
    payload = {"kind": "not_found", "message": "memory document not found", "reason": "not_found"}
    assert tools.error_payload(caught.value) == payload
    assert tools.error_payload(StoreDamaged("/home/ada/native.db: no such table")) == {
        "kind": "operation",
        "message": "memory operation failed",
        "reason": "store_damaged",
    }


@pytest.mark.parametrize("reason", ["no such TABLE x", "SQLite said", "host=db", "/tmp/x", "C:\\AppData\\x", "Timeout"])
def test_reasons_from_the_inside_are_replaced(reason: str) -> None:
    assert tools.sanitised(reason) == "The memory store could not complete the request."
    assert tools.sanitised("path_conflict") == "path_conflict"


def test_every_schema_is_a_schema_and_accepts_what_the_native_provider_answers() -> None:
    from jsonschema import Draft202012Validator

    bundle = native_bundle()
    calls: dict[str, dict[str, Any]] = {
        tools.WRITE: {"target": "notes/a.md", "content": "tea", "append": True},
        tools.READ: {"path": "notes/a.md"},
        tools.SEARCH: {"query": "tea", "limit": 5},
        tools.TREE: {"path": "", "depth": 2},
        tools.PROFILE_SET: {"locale": "de"},
    }
    with native_host() as host:
        for tool_id, arguments in calls.items():
            spec = bundle.manifest.tool(tool_id)
            assert spec is not None
            given, answered = (
                json.loads(bundle.assets.resolve(ref, "a schema"))
                for ref in (spec.input_schema_ref, spec.output_schema_ref)
            )
            for schema in (given, answered):
                Draft202012Validator.check_schema(schema)
            Draft202012Validator(given).validate(arguments)
            output = host.call_tool(tool_id, arguments, HERE, tools.FULL_GRANT)
            Draft202012Validator(answered).validate(output)
        for path in (" ", "/a", "a/../b", "a\\b"):
            given = json.loads(bundle.assets.resolve("schemas/memory.read.in.json", "a schema"))
            assert not Draft202012Validator(given).is_valid({"path": path})


def test_the_profile_degrades_to_none() -> None:
    with native_host() as host:
        assert host.profile(HERE) == Profile()
        host.call_tool(tools.PROFILE_SET, {"locale": "de"}, HERE, tools.FULL_GRANT)
        assert host.profile(HERE) == Profile(locale="de")
        assert host.profile(Invocation(Scope(user="bob"))) == Profile()

    class Odd(Watched):
        body: bytes | None = None

        def profile_read(self, invocation: Invocation) -> bytes | None:
            if self.body is None:
                raise RuntimeError("no profile today")
            return self.body

    odd = Odd()
    with Host(native_bundle(), odd) as host:
        assert host.profile(HERE) == Profile()
        for body in (b"no json", b"[]", b'{"locale": "de"' + b" " * 65_536 + b"}", b"[" * 100_000):
            odd.body = body
            assert host.profile(HERE) == Profile()
        odd.body = b'{"locale": 3, "timezone": "UTC", "x": [1]}'
        assert host.profile(HERE) == Profile(timezone="UTC", others={"x": [1]})
