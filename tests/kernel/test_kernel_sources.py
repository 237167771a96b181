from __future__ import annotations

import time
from threading import Event
from typing import Any

import pytest

from tests.kernel.viewing import FunctionSource, TextSource, registered
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import SourceContext, SourceSnapshot
from zeroclaw_cli.kernel.json_safe import digest
from zeroclaw_cli.kernel.snapshots import SnapshotTaker
from zeroclaw_cli.kernel.sources import UNAVAILABLE_COVER, DegradingSource, Taken, degraded_snapshot, take

CONTEXT = SourceContext(1, 2, 3)


def taken(result: Any, mode: str = "routed") -> Taken:
    return take(registered(FunctionSource("a", lambda _: result, mode)), CONTEXT, str)


def code_of(result: Any, mode: str = "routed") -> str:
    with pytest.raises(KernelFailure) as caught:
        taken(result, mode)
    return caught.value.code


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_source_is_given_as_a_value_or_in_its_wire_form() -> None:
    value = taken(SourceSnapshot(" 7 ", " what\nit holds ", {"ids": ["x"]}))
    assert value == taken({"revision": "7", "wake": "what it holds", "state": {"ids": ["x"]}})
    assert value.source.revision == "7"
    assert value.source.wake == "what it holds"


def test_the_digest_is_that_of_layer_revision_mode_wake_and_state() -> None:
    body = {"layerId": "a", "revision": "7", "mode": "routed", "wake": "w"}
    assert taken({"revision": "7", "wake": "w"}).source.digest == digest(body)
    assert taken({"revision": "7", "wake": "w", "state": {"n": 1}}).source.digest == digest(body | {"state": {"n": 1}})
    assert taken({"revision": "7", "wake": "w"}, "eager").source.digest == digest(body | {"mode": "eager"})


def test_the_state_is_copied_frozen_and_in_no_wire_form() -> None:
    ids = ["x"]
    found = taken(SourceSnapshot("1", "w", {"ids": ids}))
    ids.append("y")
    assert found.state == {"ids": ("x",)}
    with pytest.raises(TypeError):
        found.state["ids"] = ()
    assert "state" not in found.source.to_json()


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (None, "source-invalid"),
        ("text", "source-invalid"),
        ({"wake": "w"}, "source-invalid"),
        ({"revision": " ", "wake": "w"}, "source-invalid"),
        ({"revision": "r" * 501, "wake": "w"}, "source-invalid"),
        ({"revision": 1, "wake": "w"}, "source-invalid"),
        ({"revision": "1"}, "source-invalid"),
        ({"revision": "1", "wake": b"w"}, "source-invalid"),
        ({"revision": "1", "wake": "\ud800"}, "json-unsafe"),
        ({"revision": "\ud800", "wake": "w"}, "json-unsafe"),
        ({"revision": "1", "wake": "w", "state": {1, 2}}, "json-unsafe"),
        ({"revision": "1", "wake": "w", "state": {"k" * 201: 1}}, "json-unsafe"),
        ({"revision": "1", "wake": "w", "state": nested(33)}, "json-unsafe"),
        ({"revision": "1", "wake": "w", "state": float("nan")}, "json-unsafe"),
    ],
)
def test_what_is_no_snapshot_is_refused(result: Any, code: str) -> None:
    assert code_of(result) == code


def test_the_limits_of_revision_and_state_are_inclusive() -> None:
    state = {"k" * 200: nested(31)}
    assert taken({"revision": "r" * 500, "wake": "w", "state": state}).source.revision == "r" * 500


def test_a_state_may_have_ten_million_characters_and_not_one_more() -> None:
    # Two quotes are counted.
    assert taken({"revision": "1", "wake": "w", "state": "ä" * 9_999_998}).state == "ä" * 9_999_998
    assert code_of({"revision": "1", "wake": "w", "state": "ä" * 9_999_999}) == "json-unsafe"


@pytest.mark.parametrize("error", [ValueError("the store is gone"), SystemExit(3), KernelFailure("x-y", "gone")])
def test_a_source_that_raises_is_an_error_that_names_its_layer(error: BaseException) -> None:
    def raising(_: SourceContext) -> Any:
        raise error

    with pytest.raises(KernelFailure, match="layer a failed") as caught:
        take(registered(FunctionSource("a", raising)), CONTEXT, lambda found: "[redacted]")
    assert caught.value.code == "source-error"
    assert caught.value.__cause__ is error
    assert "gone" not in caught.value.message


def test_registration_checks_the_source_and_captures_its_callable() -> None:
    source = TextSource("a")
    found = registered(source)
    source.snapshot = lambda context: 1  # type: ignore[method-assign]
    assert take(found, CONTEXT, str).source.layer_id == "a"
    for broken, code in (
        (TextSource("A"), "invalid-id"),
        (TextSource("a", "sometimes"), "invalid-descriptor"),
        (object(), "invalid-id"),
    ):
        with pytest.raises(KernelFailure) as caught:
            registered(broken)
        assert caught.value.code == code


def test_a_store_that_cannot_be_read_degrades_to_a_cover_without_the_errors_text() -> None:
    first = degraded_snapshot(OSError("secret-token at /home/x"), "documentIds")
    assert first == degraded_snapshot(OSError("secret-token at /home/x"), "documentIds")
    assert first.wake == UNAVAILABLE_COVER
    assert first.state == {"documentIds": []}
    assert "secret-token" not in f"{first}"
    assert first.revision != degraded_snapshot(OSError("another"), "documentIds").revision
    assert first.revision != degraded_snapshot(ValueError("secret-token at /home/x"), "documentIds").revision
    assert degraded_snapshot(OSError("x")).state is None


def test_an_error_without_a_readable_message_degrades_too() -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert degraded_snapshot(Unreadable()).revision.startswith("unavailable-")
    assert degraded_snapshot(OSError("\ud800")).revision.startswith("unavailable-")


@pytest.mark.parametrize("mode", ["eager", "routed"])
def test_a_degrading_source_answers_for_a_store_that_fails(mode: str) -> None:
    healthy = True

    def read(context: SourceContext) -> SourceSnapshot:
        if not healthy:
            raise OSError("gone")
        return SourceSnapshot("5", "3 documents", {"documentIds": ["a"]})

    source = registered(DegradingSource("documents", mode, read, "documentIds"))
    assert take(source, CONTEXT, str).state == {"documentIds": ("a",)}
    healthy = False
    degraded = take(source, CONTEXT, str)
    assert degraded.source.wake == UNAVAILABLE_COVER
    assert degraded.state == {"documentIds": ()}


def test_a_source_that_cannot_even_degrade_is_a_failure_that_names_its_layer() -> None:
    class Broken:
        layer_id, mode = "documents", "routed"

        def snapshot(self, context: SourceContext) -> SourceSnapshot:
            raise OSError("gone")

        def degraded(self, error: BaseException) -> SourceSnapshot:
            raise ValueError("no cover")

    with pytest.raises(KernelFailure, match="the source of layer documents failed: no cover") as caught:
        take(registered(Broken()), CONTEXT, str)
    assert caught.value.code == "source-error"


def test_sources_are_asked_in_order_and_the_first_failure_ends_it() -> None:
    asked: list[str] = []

    def noting(id_: str, result: Any) -> Any:
        def function(_: SourceContext) -> Any:
            asked.append(id_)
            return result

        return registered(FunctionSource(id_, function))

    good = {"revision": "1", "wake": "w"}
    taker = SnapshotTaker(5_000, str)
    found = taker.take([noting("b", good), noting("a", good)], CONTEXT)
    assert [one.source.layer_id for one in found] == ["b", "a"] == asked
    asked.clear()
    with pytest.raises(KernelFailure) as caught:
        taker.take([noting("b", good), noting("a", None), noting("c", good)], CONTEXT)
    assert caught.value.code == "source-invalid"
    assert asked == ["b", "a"]


def test_a_source_that_hangs_is_given_up_and_not_asked_again_before_it_answered() -> None:
    answer, calls = Event(), 0

    def hanging(_: SourceContext) -> Any:
        nonlocal calls
        calls += 1
        answer.wait()
        return {"revision": "1", "wake": "w"}

    taker = SnapshotTaker(50, str)
    slow, after = registered(FunctionSource("slow", hanging)), TextSource("after")
    started = time.monotonic()
    for _ in range(3):
        with pytest.raises(KernelFailure, match="layer slow") as caught:
            taker.take([slow, registered(after)], CONTEXT)
        assert caught.value.code == "source-timeout"
    assert time.monotonic() - started < 30
    assert calls == 1
    answer.set()
    found: list[Taken] = []
    for _ in range(200):
        try:
            found = taker.take([slow], CONTEXT)
            break
        except KernelFailure as failure:
            assert failure.code == "source-timeout"
            time.sleep(0.02)
    assert [one.source.layer_id for one in found] == ["slow"]
    assert calls >= 2
    assert after.asked == []


def test_a_source_that_hangs_leaves_the_others_their_time_and_degrades() -> None:
    answer = Event()
    asked: list[str] = []

    def hanging(_: SourceContext) -> SourceSnapshot:
        asked.append("slow")
        assert answer.wait(60)
        return SourceSnapshot("1", "awake")

    taker = SnapshotTaker(1_000, str)
    slow = registered(DegradingSource("slow", "routed", hanging))
    slower = registered(DegradingSource("slower", "routed", hanging))
    after = TextSource("after")
    try:
        for _ in range(2):
            found = taker.take([slow, slower, registered(after)], CONTEXT)
            assert [one.source.layer_id for one in found] == ["slow", "slower", "after"]
            assert [one.source.wake for one in found[:2]] == [UNAVAILABLE_COVER] * 2
            assert found[0].problem is not None and found[0].problem.startswith("timeout: the source of layer slow")
            assert found[2].problem is None
    finally:
        answer.set()
    # It is not asked again before it answered.
    assert asked == ["slow", "slow"]
    for _ in range(200):
        found = taker.take([slow], CONTEXT)
        if found[0].problem is None:
            break
        time.sleep(0.02)
    assert found[0].source.wake == "awake"


def test_a_source_that_degrades_says_why_without_secrets() -> None:
    def read(_: SourceContext) -> SourceSnapshot:
        raise OSError("the token hunter2 is gone")

    source = registered(DegradingSource("documents", "routed", read, "documentIds"))
    found = take(source, CONTEXT, lambda error: str(error).replace("hunter2", "[redacted]"))
    assert found.problem == "the token [redacted] is gone"
    assert found.source.wake == UNAVAILABLE_COVER
