from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.kernel.graphs import LAYERS, FunctionGuard, asking, layer_descriptor
from tests.kernel.viewing import FunctionSource, TextSource, Viewed
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import Participation, Receipt, Scope, SourceContext, SourceSnapshot, TurnView
from zeroclaw_cli.kernel.json_safe import canonical
from zeroclaw_cli.kernel.sources import DegradingSource
from zeroclaw_cli.kernel.turn_views import TurnViewManager
from zeroclaw_cli.kernel.wake import omitted_layers

HERE = Scope("workspace", workspace_id="/project")
THERE = Scope("workspace", workspace_id="/other")


def code_of(action: Callable[[], Any]) -> str:
    with pytest.raises(KernelFailure) as caught:
        action()
    return caught.value.code


def changed(viewed: Viewed, scope: Scope | None = None) -> TurnView:
    """A new view of the scope, after the store of the runtime layer changed."""
    viewed.runtime.revision += "+"
    return viewed.views.publish(scope)


# Readiness


def test_only_layers_that_project_automatically_need_a_source() -> None:
    graph = Viewed().graph
    views = TurnViewManager(graph.kernel, [TextSource("documents")])
    assert code_of(views.assert_sources_ready) == "source-missing"
    assert code_of(views.publish) == "source-missing"
    graph.topology.configure_layer("runtime", participation={"projection": "manual"})
    graph.topology.configure_layer("memory-spaces", enabled=False)
    views.assert_sources_ready()
    assert [source.layer_id for source in views.publish().sources] == ["documents"]
    graph.topology.configure_layer("documents", participation=Participation.all("off"))
    assert views.publish().sources == ()


def test_a_layer_that_does_not_declare_project_needs_none() -> None:
    viewed = Viewed()
    viewed.graph.catalog.register_layer(layer_descriptor("extra", ("recall",)))
    viewed.graph.topology.configure_layer("extra", enabled=True, participation=Participation.all("automatic"))
    viewed.views.assert_sources_ready()


def test_sources_that_are_not_ready_are_not_asked() -> None:
    viewed = Viewed()
    viewed.graph.topology.configure_layer("runtime", participation={"projection": "manual"})
    viewed.views.publish()
    assert viewed.runtime.asked == []


def test_a_source_has_one_layer_and_a_stale_disposer_is_inert() -> None:
    viewed = Viewed()
    views = TurnViewManager(viewed.graph.kernel)
    first = views.register_source(TextSource("runtime"))
    assert code_of(lambda: views.register_source(TextSource("runtime"))) == "duplicate-id"
    first()
    views.register_source(TextSource("runtime", wake="the second"))
    first()
    viewed.graph.topology.configure_layer("documents", enabled=False)
    viewed.graph.topology.configure_layer("memory-spaces", enabled=False)
    assert views.publish().sources[0].wake == "the second"


# Publishing


def test_the_result_has_the_order_of_the_topology_and_the_context_its_four_fields() -> None:
    viewed = Viewed()
    body: dict[str, Any] = viewed.graph.topology.snapshot().definition.to_json()
    body["layers"] = list(reversed(body["layers"]))
    viewed.graph.topology.replace(body)
    viewed.graph.kernel.register_guard(FunctionGuard("g"))
    view = viewed.views.publish(HERE)
    assert [source.layer_id for source in view.sources] == list(reversed(LAYERS))
    generations = viewed.graph.kernel.generations()
    assert viewed.runtime.asked == [SourceContext(*generations, HERE)]
    assert (view.catalog_generation, view.topology_generation, view.guard_generation) == generations
    assert view.topology_id == "test-topology"
    viewed.views.publish()
    assert "scope" not in viewed.runtime.asked[-1].to_json()


def test_an_unchanged_system_gives_the_same_view_object() -> None:
    viewed = Viewed()
    first = viewed.views.publish(HERE)
    assert viewed.views.publish(HERE) is first
    assert viewed.views.latest(HERE) is first
    assert first.id == f"view-{first.digest[:24]}"


@pytest.mark.parametrize("change", [{"wake": "else"}, {"revision": "2"}, {"state": {"ids": ["x"]}}])
def test_wake_revision_and_state_each_make_another_view(change: dict[str, Any]) -> None:
    viewed = Viewed()
    before = viewed.views.publish()
    for name, value in change.items():
        setattr(viewed.runtime, name, value)
    after = viewed.views.publish()
    assert after.id != before.id and after.digest != before.digest
    assert after.sources[0].digest != before.sources[0].digest
    assert after.sources[1:] == before.sources[1:]


@pytest.mark.parametrize(
    "change",
    [
        lambda viewed: viewed.graph.topology.configure_layer("runtime", enabled=True),
        lambda viewed: viewed.graph.kernel.register_guard(FunctionGuard("g")),
        lambda viewed: viewed.graph.catalog.register_layer(layer_descriptor("more")),
    ],
)
def test_a_changed_system_makes_another_view(change: Callable[[Viewed], Any]) -> None:
    viewed = Viewed()
    before = viewed.views.publish()
    change(viewed)
    assert viewed.views.publish() is not before


@pytest.mark.parametrize("what", ["catalog", "topology", "guard", "source"])
def test_a_change_while_sources_are_read_refuses_the_view(what: str) -> None:
    def change(_: SourceContext) -> Any:
        if what == "catalog":
            viewed.graph.catalog.register_layer(layer_descriptor("more"))
        elif what == "topology":
            viewed.graph.topology.configure_layer("runtime", enabled=True)
        elif what == "guard":
            viewed.graph.kernel.register_guard(FunctionGuard("g"))
        else:
            viewed.views.register_source(TextSource("more"))
        return {"revision": "1", "wake": "w"}

    viewed = Viewed(FunctionSource("runtime", change))
    assert code_of(viewed.views.publish) == "view-inputs-changed"
    assert viewed.views.latest() is None


def test_the_state_stays_on_the_host_and_is_complete_when_the_wake_omits_the_source() -> None:
    state = {"documentIds": ["secret-id-1", "secret-id-2"]}
    viewed = Viewed(TextSource("documents", state=state), max_cover_characters=0)
    view = viewed.views.publish()
    wake = viewed.views.wake(view.id)
    assert omitted_layers(view, wake) == LAYERS
    assert "secret-id" not in canonical(view.to_json()) + canonical(wake.to_json())
    assert viewed.views.source_state(view.id, "documents") == {"documentIds": ("secret-id-1", "secret-id-2")}
    assert viewed.views.source_state(view.id, "runtime") is None
    state["documentIds"].append("later")
    assert len(viewed.views.source_state(view.id, "documents")["documentIds"]) == 2
    assert code_of(lambda: viewed.views.source_state(view.id, "absent")) == "layer-unavailable"
    assert code_of(lambda: viewed.views.source_state("view-0", "runtime")) == "view-unknown"


def test_a_wake_beyond_its_limit_refuses_the_publication() -> None:
    viewed = Viewed(TextSource("runtime", "eager", "x" * 90), max_wake_characters=100)
    assert code_of(viewed.views.publish) == "wake-budget"
    assert viewed.views.latest() is None


def test_a_source_that_publishes_while_it_is_read_is_told_so() -> None:
    def publish(_: SourceContext) -> Any:
        codes.append(code_of(lambda: viewed.views.publish(THERE)))
        codes.append(code_of(lambda: viewed.views.reconcile(HERE)))
        codes.append(code_of(lambda: viewed.views.begin_turn("t", HERE)))
        return {"revision": "1", "wake": "w"}

    codes: list[str] = []
    viewed = Viewed(FunctionSource("runtime", publish))
    viewed.views.publish(HERE)
    assert codes == ["publication-reentrant"] * 3


@pytest.mark.parametrize(
    "options",
    [
        {"max_views": 1},
        {"max_views": 10_001},
        {"max_views": True},
        {"max_wake_characters": 0},
        {"max_wake_characters": 10_000_001},
        {"max_cover_characters": -1},
        {"max_cover_characters": 1_000_001},
        {"snapshot_timeout_ms": 0},
    ],
)
def test_limits_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        Viewed(**options)


# Reconciling


def test_a_failure_gives_the_last_valid_view_of_the_same_scope_and_is_recorded() -> None:
    viewed = Viewed()
    here = viewed.views.reconcile(HERE)
    assert viewed.views.last_failure(HERE) is None
    viewed.runtime.wake = ""
    assert viewed.views.reconcile(HERE) is here
    failure = viewed.views.last_failure(HERE)
    assert failure is not None and failure.code == "wake-empty"
    assert viewed.views.last_failure(THERE) is None
    # Another scope has no view to fall back on.
    assert code_of(lambda: viewed.views.reconcile(THERE)) == "wake-empty"
    viewed.runtime.wake = "mended"
    assert viewed.views.reconcile(HERE) is not here
    assert viewed.views.last_failure(HERE) is None


def test_a_turn_begins_with_the_last_valid_view_when_a_source_hangs() -> None:
    answer = threading.Event()
    slow = False

    def read(_: SourceContext) -> Any:
        if slow:
            answer.wait()
        return {"revision": "1", "wake": "w"}

    viewed = Viewed(FunctionSource("runtime", read), snapshot_timeout_ms=1_500)
    first = viewed.views.begin_turn("one", HERE)
    slow = True
    try:
        assert viewed.views.begin_turn("two", HERE).view_id == first.view_id
        failure = viewed.views.last_failure(HERE)
        assert failure is not None and failure.code == "source-timeout"
    finally:
        answer.set()


def test_a_view_knows_which_of_its_sources_degraded_and_why() -> None:
    broken = True

    def read(_: SourceContext) -> SourceSnapshot:
        if broken:
            raise OSError("out of order")
        return SourceSnapshot("1", "w")

    viewed = Viewed(DegradingSource("runtime", "eager", read))
    view = viewed.views.publish(HERE)
    assert viewed.views.degraded(view.id) == {"runtime": "out of order"}
    broken = False
    assert viewed.views.degraded(viewed.views.publish(HERE).id) == {}
    assert viewed.views.degraded(view.id) == {"runtime": "out of order"}


def test_one_source_is_asked_without_a_view() -> None:
    viewed = Viewed()
    viewed.runtime.wake, viewed.runtime.state = "now", {"secret": 1}
    taken = viewed.views.snapshot("runtime", HERE)
    assert taken is not None
    assert (taken.source.wake, taken.state) == ("now", {"secret": 1})
    assert viewed.views.latest(HERE) is None
    viewed.graph.topology.configure_layer("runtime", participation={"projection": "manual"})
    assert viewed.views.snapshot("runtime", HERE) is None


# Receipts


def run(viewed: Viewed, capability: str) -> Receipt:
    return viewed.graph.kernel.run(asking(capability))


def test_only_a_mutation_that_succeeded_somewhere_is_queued_and_each_once() -> None:
    viewed = Viewed()
    for capability in ("write", "archive", "link", "forget", "maintain", "import"):
        receipt = run(viewed, capability)
        assert viewed.views.apply(receipt)
        assert not viewed.views.apply(receipt)
        assert list(viewed.views.queued) == [receipt.id]
        viewed.views.publish()
        assert list(viewed.views.queued) == []
        assert viewed.views.apply(receipt)
        viewed.views.publish()
    for capability in ("recall", "search", "read", "browse", "status", "export", "project", "graph", "related"):
        assert not viewed.views.apply(run(viewed, capability))

    def fail(*_: object) -> Any:
        raise OSError("full")

    viewed.graph.executors["runtime"] = fail
    partial = run(viewed, "write")
    assert partial.status == "partial" and viewed.views.apply(partial)
    viewed.graph.executors |= dict.fromkeys(LAYERS, fail)
    failed = run(viewed, "write")
    assert failed.status == "failed" and not viewed.views.apply(failed)


def test_a_publication_that_fails_leaves_the_queue() -> None:
    viewed = Viewed()
    receipt = run(viewed, "write")
    viewed.views.apply(receipt)
    viewed.runtime.wake = ""
    assert code_of(viewed.views.publish) == "wake-empty"
    assert viewed.views.queued == (receipt.id,)


class Gate:
    """A source that stops in its snapshot until it is let go on."""

    layer_id = "runtime"
    mode = "routed"

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.asked: list[Scope | None] = []
        self.revision = "1"
        self.fails = False

    def snapshot(self, context: SourceContext) -> Any:
        self.asked.append(context.scope)
        revision = self.revision
        self.entered.release()
        assert self.go_on.acquire(timeout=30)
        if self.fails:
            raise OSError("gone")
        return {"revision": revision, "wake": "w"}


class Calls:
    """Publications in threads of their own."""

    def __init__(self, views: TurnViewManager) -> None:
        self.views = views
        self.results: list[Any] = []
        self.threads: list[threading.Thread] = []

    def publish(self, scope: Scope | None) -> None:
        def call() -> None:
            try:
                self.results.append(self.views.publish(scope))
            except KernelFailure as failure:
                self.results.append(failure)

        self.threads.append(threading.Thread(target=call))
        self.threads[-1].start()

    def join(self) -> list[Any]:
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive()
        return self.results


@pytest.mark.parametrize("fails", [False, True])
def test_publications_of_one_scope_at_the_same_time_share_a_run(fails: bool) -> None:
    gate = Gate()
    gate.fails = fails
    viewed = Viewed(gate)
    calls = Calls(viewed.views)
    calls.publish(HERE)
    assert gate.entered.acquire(timeout=30)
    for _ in range(4):
        calls.publish(HERE)
    wait_until_waiting(viewed.views, HERE, 4)
    gate.go_on.release()
    results = calls.join()
    assert len(gate.asked) == 1
    assert len(results) == 5 and len({id(result) for result in results}) == 1
    assert isinstance(results[0], KernelFailure) is fails


def wait_until_waiting(views: TurnViewManager, scope: Scope, count: int) -> None:
    """Until ``count`` threads wait for the run of ``scope``."""
    run = views._runs[scope]
    for _ in range(3_000):
        if len(run.done._cond._waiters) >= count:  # type: ignore[attr-defined]
            return
        threading.Event().wait(0.01)
    raise AssertionError("nobody waits")


def test_publications_of_different_scopes_share_nothing() -> None:
    gate = Gate()
    viewed = Viewed(gate)
    calls = Calls(viewed.views)
    calls.publish(HERE)
    calls.publish(THERE)
    calls.publish(None)
    for _ in range(3):
        assert gate.entered.acquire(timeout=30)
    for _ in range(3):
        gate.go_on.release()
    calls.join()
    assert len(gate.asked) == 3 and set(gate.asked) == {HERE, THERE, None}


def test_who_knows_of_a_write_does_not_share_a_run_that_began_before_it() -> None:
    gate = Gate()
    viewed = Viewed(gate)
    calls = Calls(viewed.views)
    calls.publish(HERE)
    assert gate.entered.acquire(timeout=30)
    # The first run has read revision 1 already.
    gate.revision = "2"
    early, late = run(viewed, "write"), run(viewed, "write")
    assert viewed.views.apply(early)
    calls.publish(HERE)
    wait_until_waiting(viewed.views, HERE, 1)
    gate.go_on.release()
    assert gate.entered.acquire(timeout=30)
    # The first publication could not take up what came after it began.
    assert viewed.views.queued == (early.id,)
    assert viewed.views.apply(late)
    gate.go_on.release()
    first, second = sorted(calls.join(), key=lambda view: str(view.created_at))
    assert first.sources[0].revision == "1" and second.sources[0].revision == "2"
    assert viewed.views.queued == (late.id,)


# Turns


def test_a_turn_keeps_its_view_whatever_changes_and_the_next_one_sees_the_change() -> None:
    viewed = Viewed()
    context = viewed.views.begin_turn(" turn-1 ", HERE)
    assert context.turn_id == "turn-1" and context.scope == HERE
    newer = changed(viewed, HERE)
    assert viewed.views.begin_turn("turn-1", HERE) is context
    assert context.view_id != newer.id
    assert viewed.views.view(context.view_id).digest == context.view_digest
    assert viewed.views.begin_turn("turn-2", HERE).view_id == newer.id
    assert code_of(lambda: viewed.views.begin_turn("turn-1", THERE)) == "turn-scope-changed"
    assert viewed.views.turn("turn-1") is context
    assert viewed.views.end_turn("turn-1")
    assert not viewed.views.end_turn("turn-1")
    assert viewed.views.turn("turn-1") is None
    assert viewed.views.begin_turn("turn-1", THERE).scope == THERE


@pytest.mark.parametrize("turn_id", ["", " ", "t" * 301, 7, None])
def test_a_turn_id_is_text_of_1_to_300_characters(turn_id: Any) -> None:
    assert code_of(lambda: Viewed().views.begin_turn(turn_id, HERE)) == "invalid-request"


def test_a_scope_is_normalised_and_one_that_is_none_is_refused() -> None:
    views = Viewed().views
    assert views.begin_turn("t" * 300, {"storage": " workspace ", "workspaceId": "/project"}).scope == HERE
    assert code_of(lambda: views.begin_turn("t", {"storage": "nowhere"})) == "invalid-request"
    assert code_of(lambda: views.publish({"storage": "nowhere"})) == "invalid-request"


def test_views_beyond_the_limit_are_dropped_oldest_first_unless_they_are_in_use() -> None:
    viewed = Viewed(max_views=2)
    views = viewed.views
    pinned = views.begin_turn("turn", HERE).view_id
    retained = changed(viewed, HERE).id
    release = views.retain_view(retained)
    current = changed(viewed, THERE).id
    old = changed(viewed, HERE).id
    newest = changed(viewed, HERE).id
    assert code_of(lambda: views.wake(old)) == "view-unknown"
    for id_ in (pinned, retained, current, newest):
        assert views.wake(id_).view_id == id_
    views.end_turn("turn")
    assert code_of(lambda: views.wake(pinned)) == "view-unknown"
    release()
    release()
    assert code_of(lambda: views.wake(retained)) == "view-unknown"
    assert views.wake(current).view_id == current
    views.forget_scope(THERE)
    assert views.latest(THERE) is None
    assert views.wake(current).view_id == current
    changed(viewed, HERE)
    assert code_of(lambda: views.wake(current)) == "view-unknown"


def test_a_view_that_comes_again_is_the_newest() -> None:
    viewed = Viewed(max_views=2)
    first = viewed.views.publish()
    changed(viewed)
    viewed.runtime.revision = "1"
    assert viewed.views.publish() is first
    changed(viewed)
    assert viewed.views.view(first.id) is first


def test_a_turn_can_be_pinned_to_a_view_that_others_pushed_out_meanwhile() -> None:
    viewed = Viewed()
    pushing = False

    def now() -> datetime:
        nonlocal pushing
        if pushing:
            pushing = False
            viewed.runtime.wake = "mended"
            for revision in "abcd":
                viewed.runtime.revision = revision
                views.publish(HERE)
        return viewed.graph.clock()

    views = TurnViewManager(viewed.graph.kernel, list(viewed.sources.values()), max_views=2, now=now)
    first = views.publish(HERE)
    # A publication that fails looks at no clock: the next look is when the turn has its view and no pin yet.
    pushing, viewed.runtime.wake = True, ""
    assert views.begin_turn("turn", HERE).view_id == first.id
    assert not pushing
    assert views.wake(first.id).view_id == first.id
    assert views.end_turn("turn")


def test_many_threads_begin_the_same_turn_once() -> None:
    viewed = Viewed()
    contexts: list[Any] = []
    threads = [
        threading.Thread(target=lambda: contexts.append(viewed.views.begin_turn("turn", HERE))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(contexts) == 8 and len({id(context) for context in contexts}) == 1
    assert viewed.views.end_turn("turn")
    for _ in range(40):
        changed(viewed, HERE)
    assert code_of(lambda: viewed.views.wake(contexts[0].view_id)) == "view-unknown"


def test_turns_of_many_threads_always_find_what_they_are_pinned_to() -> None:
    viewed = Viewed(max_views=2)
    views, errors = viewed.views, []

    def work(number: int) -> None:
        scope = Scope("workspace", workspace_id=f"/{number % 3}")
        try:
            for turn in range(30):
                id_ = f"{number}-{turn}"
                viewed.runtime.revision = id_
                context = views.begin_turn(id_, scope)
                release = views.retain_view(context.view_id)
                child = views.pin_turn(f"{id_}-child", context.view_id, scope)
                assert views.end_turn(id_)
                release()
                views.reconcile(scope)
                assert child.view_id == context.view_id == views.wake(child.view_id).view_id
                assert views.view(child.view_id).digest == child.view_digest
                assert views.end_turn(child.turn_id)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    # Three scopes have a current view each, which may be the same one; the rest was dropped.
    latest = {view.id for number in range(3) if (view := views.latest(Scope("workspace", workspace_id=f"/{number}")))}
    assert latest <= views._kept.keys() and len(views._kept) <= 3
    assert all(kept.pins == kept.retained == 0 for kept in views._kept.values())


def test_a_turn_is_found_and_ended_under_the_id_that_it_was_begun_with() -> None:
    viewed = Viewed()
    context = viewed.views.begin_turn(" t ", HERE)
    assert viewed.views.turn(" t ") is viewed.views.turn("t") is context
    odd: Any = ["t"]
    assert viewed.views.turn(odd) is None
    assert not viewed.views.end_turn(odd)
    assert viewed.views.end_turn("t ")
    assert viewed.views.turn("t") is None
