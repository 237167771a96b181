"""Random histories of a runtime graph, from one thread against a model and from several against the invariants."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from tests.kernel.graphs import (
    TEST_STRATEGY,
    Clock,
    FunctionGuard,
    FunctionStrategy,
    adapter_descriptor,
    asking,
    denying,
    layer_descriptor,
    one_step_each,
)
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import (
    CancelToken,
    Dispose,
    ExecutionContext,
    Layer,
    Participation,
    Plan,
    PlanStep,
    Receipt,
    Request,
    TopologyDefinition,
)
from zeroclaw_cli.kernel.execution import overall
from zeroclaw_cli.kernel.kernel import Generations, MemoryKernel
from zeroclaw_cli.kernel.limits import CHANNEL_OF, CHANNELS, MODES, TRIGGERS
from zeroclaw_cli.kernel.topology import TopologyManager

LAYER_IDS = ("a", "b", "c", "d")
ADAPTER_IDS = ("x", "y")
CAPABILITIES = ("recall", "write", "status")


@dataclass
class Configured:
    enabled: bool = False
    modes: dict[str, str] = field(default_factory=lambda: dict.fromkeys(CHANNELS, "manual"))
    adapters: tuple[str, ...] = ()

    def accepts(self, capability: str, trigger: str) -> bool:
        mode = self.modes[CHANNEL_OF[capability]]
        return self.enabled and (mode == "automatic" or (mode == "manual" and trigger == "manual"))


@dataclass
class Issued:
    plan: Plan
    request: Request
    generations: Generations
    claimed: bool = False


class History(RuleBasedStateMachine):
    """One graph beside a model of it: what is registered, what is enabled, every counter, every plan."""

    layers = Bundle("layers")
    adapters = Bundle("adapters")
    guards = Bundle("guards")
    plans = Bundle("plans")

    def __init__(self) -> None:
        super().__init__()
        self.catalog = MemoryCatalog()
        dispose = self.catalog.register_strategy(FunctionStrategy(one_step_each))
        self.strategy: Dispose | None = dispose
        self.topology = TopologyManager(self.catalog, TopologyDefinition("t", TEST_STRATEGY.id, ()), now=Clock())
        self.receipts: list[Receipt] = []
        self.kernel = MemoryKernel(self.catalog, self.topology, now=Clock(), receipt_sink=self.receipts.append)
        self.generations = Generations(1, 1, 0)
        self.registered: dict[str, object] = {}
        self.bound: dict[str, object] = {}
        self.configured: dict[str, Configured] = {}
        self.asked: dict[str, tuple[object, bool]] = {}
        self.ran: list[str] = []
        self.marks = 0

    def advance(self, *counters: str) -> None:
        self.generations = self.generations._replace(**{name: getattr(self.generations, name) + 1 for name in counters})

    def refused(self, code: str, action: Callable[[], object]) -> None:
        with pytest.raises(KernelFailure) as caught:
            action()
        assert caught.value.code == code

    @rule(target=layers, id_=st.sampled_from(LAYER_IDS))
    def register_layer(self, id_: str) -> Any:
        self.marks += 1
        mark = self.marks

        def execute(step: PlanStep, context: ExecutionContext) -> Any:
            self.ran.append(step.id)
            return {"mark": mark}

        def register() -> Dispose:
            return self.catalog.register_layer(Layer(layer_descriptor(id_, CAPABILITIES), execute))

        if id_ in self.registered:
            self.refused("duplicate-id", register)
            return multiple()
        dispose = register()
        self.registered[id_] = mark
        self.configured[id_] = Configured()
        self.advance("catalog", "topology")
        return (id_, mark, dispose)

    @rule(layer=layers)
    def unload_layer(self, layer: tuple[str, object, Dispose]) -> None:
        id_, mark, dispose = layer
        dispose()
        if self.registered.get(id_) == mark:
            del self.registered[id_], self.configured[id_]
            self.advance("catalog", "topology")

    @rule(target=adapters, id_=st.sampled_from(ADAPTER_IDS))
    def register_adapter(self, id_: str) -> Any:
        def register() -> Dispose:
            return self.catalog.register_adapter(adapter_descriptor(id_))

        if id_ in self.bound:
            self.refused("duplicate-id", register)
            return multiple()
        dispose = register()
        self.marks += 1
        self.bound[id_] = self.marks
        self.advance("catalog", "topology")
        return (id_, self.marks, dispose)

    @rule(adapter=adapters)
    def unload_adapter(self, adapter: tuple[str, object, Dispose]) -> None:
        id_, mark, dispose = adapter
        dispose()
        if self.bound.get(id_) == mark:
            del self.bound[id_]
            for configured in self.configured.values():
                configured.adapters = tuple(other for other in configured.adapters if other != id_)
            self.advance("catalog", "topology")

    @rule()
    def swap_strategy(self) -> None:
        if self.strategy is not None:
            self.strategy()
            self.strategy = None
        else:
            self.strategy = self.catalog.register_strategy(FunctionStrategy(one_step_each))
        self.advance("catalog", "topology")

    @rule(
        id_=st.sampled_from(LAYER_IDS),
        enabled=st.none() | st.booleans(),
        modes=st.dictionaries(st.sampled_from(CHANNELS), st.sampled_from(MODES)),
        adapters=st.none() | st.lists(st.sampled_from(ADAPTER_IDS), unique=True),
    )
    def configure(self, id_: str, enabled: bool | None, modes: dict[str, str], adapters: list[str] | None) -> None:
        def configure() -> object:
            return self.topology.configure_layer(id_, enabled=enabled, participation=modes, adapter_ids=adapters)

        if id_ not in self.configured:
            self.refused("layer-unavailable", configure)
            return
        if not set(self.bound).issuperset(adapters or ()):
            self.refused("adapter-unavailable", configure)
            return
        configure()
        model = self.configured[id_]
        model.enabled = model.enabled if enabled is None else enabled
        model.modes |= modes
        model.adapters = model.adapters if adapters is None else tuple(adapters)
        self.advance("topology")

    @rule(target=guards, id_=st.sampled_from(("g", "h")), denies=st.booleans())
    def register_guard(self, id_: str, denies: bool) -> Any:
        def register() -> Dispose:
            return self.kernel.register_guard(denying(id_) if denies else FunctionGuard(id_))

        if id_ in self.asked:
            self.refused("duplicate-id", register)
            return multiple()
        dispose = register()
        self.marks += 1
        self.asked[id_] = (self.marks, denies)
        self.advance("guard")
        return (id_, self.marks, dispose)

    @rule(guard=guards)
    def unload_guard(self, guard: tuple[str, object, Dispose]) -> None:
        id_, mark, dispose = guard
        dispose()
        if self.asked.get(id_, (None, False))[0] == mark:
            del self.asked[id_]
            self.advance("guard")

    @rule(
        target=plans,
        capability=st.sampled_from(CAPABILITIES),
        trigger=st.sampled_from(TRIGGERS),
        candidates=st.none() | st.lists(st.sampled_from(LAYER_IDS), unique=True),
    )
    def plan(self, capability: str, trigger: str, candidates: list[str] | None) -> Any:
        request = asking(
            capability, trigger=trigger, candidate_layer_ids=None if candidates is None else tuple(candidates)
        )
        expected = [
            id_ for id_, model in self.configured.items() if model.enabled and (candidates is None or id_ in candidates)
        ]
        refusal = None
        if self.strategy is None:
            refusal = "strategy-unavailable"
        elif any(denies for _, denies in self.asked.values()):
            refusal = "guard-denied"
        elif not expected:
            refusal = "no-steps"
        elif not all(self.configured[id_].accepts(capability, trigger) for id_ in expected):
            refusal = "participation-denied"
        if refusal is not None:
            self.refused(refusal, lambda: self.kernel.plan(request))
            return multiple()
        plan = self.kernel.plan(request)
        assert [step.layer_id for step in plan.steps] == expected
        return Issued(plan, request, self.generations)

    @rule(issued=plans, cancelled=st.booleans(), other=st.booleans())
    def execute(self, issued: Issued, cancelled: bool, other: bool) -> None:
        cancel = CancelToken()
        if cancelled:
            cancel.cancel()
        request = asking("read") if other else issued.request
        before, receipts = list(self.ran), len(self.receipts)
        refusal = None
        if issued.claimed:
            refusal = "plan-unknown"
        elif other:
            refusal = "request-mismatch"
        elif issued.generations[:2] != self.generations[:2]:
            refusal = "stale-generation"
        elif issued.generations != self.generations:
            refusal = "stale-guards"
        if refusal is not None:
            self.refused(refusal, lambda: self.kernel.execute(issued.plan, request, cancel))
            assert (self.ran, len(self.receipts)) == (before, receipts)
            return
        receipt = self.kernel.execute(issued.plan, request, cancel)
        issued.claimed = True
        assert self.receipts[receipts:] == [receipt]
        assert receipt.status == ("cancelled" if cancelled else "succeeded")
        assert self.ran[len(before) :] == ([] if cancelled else [step.id for step in issued.plan.steps])
        for step in receipt.steps:
            assert cancelled or step.output == {"mark": self.registered[step.layer_id]}

    @rule(issued=consumes(plans))
    def forget_a_plan(self, issued: Issued) -> None:
        """Plans of long ago make room for others."""

    @invariant()
    def the_counters_are_those_of_the_model(self) -> None:
        assert self.kernel.generations() == self.generations
        snapshot = self.topology.snapshot()
        assert snapshot.catalog_generation == self.generations.catalog
        assert snapshot.generation == self.generations.topology

    @invariant()
    def the_topology_is_that_of_the_model(self) -> None:
        snapshot = self.kernel.descriptor()
        assert {layer.id for layer in snapshot.catalog.layers} == set(self.registered)
        found = {
            layer.id: Configured(layer.enabled, layer.participation.to_json(), layer.adapter_ids)
            for layer in snapshot.topology.layers
        }
        assert found == self.configured
        assert list(found) == list(self.configured)


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


class LongHistory(History):
    pass


TestLongHistory = pytest.mark.reliability(LongHistory.TestCase)
TestLongHistory.settings = settings(max_examples=1_000, stateful_step_count=50, deadline=None)


class Storm:
    """Several threads at one graph. Each action checks what must hold whatever the others do meanwhile."""

    REFUSALS = frozenset(
        {
            "duplicate-id",
            "layer-unavailable",
            "adapter-unavailable",
            "strategy-unavailable",
            "guard-denied",
            "no-steps",
            "participation-denied",
            "capability-unsupported",
            "layer-disabled",
            "inputs-changed",
            "stale-generation",
            "stale-guards",
            "plan-unknown",
        }
    )

    def __init__(self, seed: int, threads: int, actions: int) -> None:
        self.seed = seed
        self.count = threads
        self.actions = actions
        self.catalog = MemoryCatalog()
        self.strategy = self.catalog.register_strategy(FunctionStrategy(one_step_each))
        self.topology = TopologyManager(self.catalog, TopologyDefinition("t", TEST_STRATEGY.id, ()))
        self.lock = threading.Lock()
        self.received: list[Receipt] = []
        self.returned: list[Receipt] = []
        self.ran: list[str] = []
        self.plans: list[Plan] = []
        self.disposers: list[Dispose] = []
        self.problems: list[BaseException] = []
        self.kernel = MemoryKernel(self.catalog, self.topology, receipt_sink=self.keep(self.received))

    def keep(self, into: list[Any]) -> Callable[[Any], None]:
        def add(item: Any) -> None:
            with self.lock:
                into.append(item)

        return add

    def run(self) -> None:
        threads = [threading.Thread(target=self.work, args=(number,)) for number in range(self.count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads), f"seed {self.seed} hangs"
        if self.problems:
            raise AssertionError(f"seed {self.seed}") from self.problems[0]
        self.check_the_end()

    def work(self, number: int) -> None:
        chance = random.Random(self.seed * 1_000 + number)
        last = Generations(0, 0, 0)
        actions = (self.register, self.unload, self.configure, self.plan, self.plan, self.execute, self.execute)
        try:
            for _ in range(self.actions):
                try:
                    chance.choice(actions)(chance)
                except KernelFailure as failure:
                    assert failure.code in self.REFUSALS, failure.code
                now = self.kernel.generations()
                assert all(before <= after for before, after in zip(last, now, strict=True)), "a counter went back"
                last = now
                descriptor = self.kernel.descriptor()
                assert descriptor.topology.catalog_generation == descriptor.catalog.generation
                listed = {layer.id for layer in descriptor.catalog.layers}
                assert [layer.id for layer in descriptor.topology.layers if layer.id not in listed] == []
        except BaseException as problem:  # noqa: BLE001 - shown by the test
            self.problems.append(problem)

    def execute_step(self, step: PlanStep, context: ExecutionContext) -> Any:
        with self.lock:
            self.ran.append(step.id)
        if context.cancel.cancelled:
            raise InterruptedError("cancelled")
        return {"step": step.id}

    def register(self, chance: random.Random) -> None:
        kind = chance.choice(("layer", "layer", "adapter", "guard"))
        if kind == "layer":
            layer = Layer(layer_descriptor(chance.choice(LAYER_IDS), CAPABILITIES), self.execute_step)
            dispose = self.catalog.register_layer(layer)
        elif kind == "adapter":
            dispose = self.catalog.register_adapter(adapter_descriptor(chance.choice(ADAPTER_IDS)))
        else:
            dispose = self.kernel.register_guard(
                FunctionGuard("allowing") if chance.random() < 0.8 else denying("denying")
            )
        self.keep(self.disposers)(dispose)

    def unload(self, chance: random.Random) -> None:
        with self.lock:
            dispose = chance.choice(self.disposers) if self.disposers and chance.random() < 0.4 else None
        if dispose is not None:
            dispose()

    def configure(self, chance: random.Random) -> None:
        self.topology.configure_layer(
            chance.choice(LAYER_IDS),
            enabled=chance.random() < 0.8,
            participation=Participation(*(chance.choice(("automatic", "automatic", "manual")) for _ in CHANNELS)),
        )

    def plan(self, chance: random.Random) -> None:
        plan = self.kernel.plan(asking(chance.choice(CAPABILITIES), trigger=chance.choice(TRIGGERS)))
        self.keep(self.plans)(plan)
        if chance.random() < 0.7:
            self.claim(plan, chance)

    def execute(self, chance: random.Random) -> None:
        with self.lock:
            plan = chance.choice(self.plans[-5:]) if self.plans else None
        if plan is not None:
            self.claim(plan, chance)

    def claim(self, plan: Plan, chance: random.Random) -> None:
        cancel = CancelToken()
        if chance.random() < 0.2:
            cancel.cancel()
        canceller = threading.Thread(target=cancel.cancel) if chance.random() < 0.1 else None
        if canceller is not None:
            canceller.start()
        try:
            receipt = self.kernel.execute(plan, plan.request, cancel)
        finally:
            if canceller is not None:
                canceller.join()
        assert [step.step_id for step in receipt.steps] == [step.id for step in plan.steps]
        assert (receipt.catalog_generation, receipt.topology_generation, receipt.guard_generation) == (
            plan.catalog_generation,
            plan.topology_generation,
            plan.guard_generation,
        )
        assert receipt.status == overall(receipt.steps)
        for step in receipt.steps:
            assert step.status != "failed", step.error
            assert step.status == "cancelled" or step.output == {"step": step.step_id}
        self.keep(self.returned)(receipt)

    def check_the_end(self) -> None:
        """No plan ran twice, no step ran outside a receipt, and every receipt reached the sink once."""
        planned = [receipt.plan_id for receipt in self.returned]
        assert len(planned) == len(set(planned))
        assert sorted(r.id for r in self.received) == sorted(r.id for r in self.returned)
        assert len(self.ran) == len(set(self.ran))
        listed = {step.step_id for receipt in self.returned for step in receipt.steps}
        assert listed.issuperset(self.ran)
        succeeded = {step.step_id for r in self.returned for step in r.steps if step.status == "succeeded"}
        assert set(self.ran) >= succeeded
        # Every change made through a disposer is undone by calling all of them, whatever their order.
        for dispose in self.disposers:
            dispose()
        descriptor = self.kernel.descriptor()
        assert (descriptor.catalog.layers, descriptor.catalog.adapters, descriptor.topology.layers) == ((), (), ())


def test_a_few_histories_from_several_threads_hold_every_invariant() -> None:
    for seed in range(15):
        Storm(seed, threads=4, actions=40).run()


@pytest.mark.reliability
def test_a_thousand_histories_from_several_threads_hold_every_invariant() -> None:
    executed = 0
    for seed in range(1_000):
        storm = Storm(10_000 + seed, threads=4, actions=40)
        storm.run()
        executed += len(storm.returned)
    assert executed > 5_000
