"""Guests of four languages keep one contract, through the same code and through the installed command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.slow.conftest import Built
from tests.support.command import Done, Home
from tests.support.languages import LANGUAGES, Language, Toolchain, language
from tests.support.packages import config_in, write_package
from zeroclaw_cli.backends import component_probe, open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import ToolMissing
from zeroclaw_cli.memory.conformance import CASES, run_cases
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.types import Capability, Entry
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.wasm.host import HostOptions

pytestmark = pytest.mark.slow

EVERYTHING = frozenset(Capability)
CAPABILITIES = {
    "c": EVERYTHING,
    "c-plain": frozenset[Capability](),
    "python": EVERYTHING,
    "javascript": EVERYTHING,
    "rust": EVERYTHING
    - {
        Capability.REINDEX,
        Capability.STORE_PROCEDURAL,
        Capability.RECALL_NAMESPACED,
        Capability.STORE_WITH_METADATA,
    },
}
# The guests of tests/guests/ that rank by the words of the query and nothing else.
ALIKE = ("python", "rust", "javascript")
ANSWERS = (
    ("one", "Tea is green"),
    ("two", "Grass is green"),
    ("three", "Ada drinks TEA from green cups"),
    ("four", "Byron is a dog"),
)
# One who compiles a guest for the first time on a busy machine waits.
PATIENCE_S = 300


@pytest.fixture(params=LANGUAGES, ids=lambda one: one.name)
def spoken(request: pytest.FixtureRequest) -> Language:
    chosen = request.param
    assert isinstance(chosen, Language)
    return chosen


@pytest.fixture
def source(spoken: Language, built: Built, tmp_path: Path) -> Path:
    """A package with the guest of the language."""
    return write_package(tmp_path / "source", spoken.name, component=built(spoken).read_bytes())


@pytest.fixture
def config(spoken: Language, source: Path, tmp_path: Path) -> Config:
    """A config in which the guest of the language is installed."""
    made = config_in(tmp_path, enabled=True)
    install(made, str(source), probe=component_probe(made, HostOptions()), replace=False, dry_run=False)
    return made


def rows(memory: Memory) -> list[Entry]:
    return sorted(memory.list_entries(None, None), key=lambda row: (row.key, row.agent_id or ""))


def test_a_guest_passes_every_case_and_is_the_same_after_a_replay(spoken: Language, config: Config) -> None:
    backend = f"plugin.{spoken.name}"
    capabilities: set[frozenset[Capability]] = set()
    warnings: list[str] = []
    opened = 0

    @contextmanager
    def fresh() -> Iterator[Memory]:
        nonlocal opened
        opened += 1
        data_dir = config.location.data_dir / str(opened)
        own = replace(config, location=replace(config.location, data_dir=data_dir))
        with open_memory(own, backend, HostOptions()) as memory:
            capabilities.add(memory.capabilities)
            yield memory
            left = rows(memory)
        with open_memory(own, backend, HostOptions()) as memory:
            assert rows(memory) == left
            warnings.extend(memory.take_warnings())

    results = list(run_cases(fresh))
    assert {result.id: result.detail for result in results if result.outcome == "failed"} == {}
    assert capabilities == {CAPABILITIES[spoken.name]}
    lacking = {case.id for case in CASES if case.needs is not None and case.needs not in CAPABILITIES[spoken.name]}
    assert {result.id for result in results if result.outcome == "skipped"} == lacking
    assert len(results) == opened == len(CASES)
    assert warnings == []


def entries(home: Home, *words: str) -> list[dict[str, Any]]:
    found = home.ok("memory", *words, "--json").json()["entries"]
    assert isinstance(found, list)
    return found


def installed(home: Home, spoken: Language, source: Path) -> Done:
    done = home.run("plugin", "install", source, timeout=PATIENCE_S)
    assert done.code == 0, done.stderr
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", f"plugin.{spoken.name}")
    return done


def test_a_guest_remembers_from_one_process_to_the_next(home: Home, spoken: Language, source: Path) -> None:
    checked = home.run("plugin", "check", source, "--json", timeout=PATIENCE_S)
    assert checked.json()["ok"], checked.stdout
    installed(home, spoken, source)
    home.ok("memory", "store", "tea", "Ada drinks green tea.", "--importance", "0.5", "--agent", "ada")
    home.ok("memory", "store", "dog", "The dog is called Byron.", "--category", "pets")
    found = entries(home, "recall", "green tea")
    assert [(row["key"], row["importance"]) for row in found] == [("tea", 0.5)]
    stats = home.ok("memory", "stats", "--json").json()
    assert (stats["total"], stats["healthy"]) == (2, True)
    assert set(stats["capabilities"]) == {str(capability) for capability in CAPABILITIES[spoken.name]}


def test_ids_and_times_are_the_same_after_every_replay(home: Home, spoken: Language, source: Path) -> None:
    installed(home, spoken, source)
    home.ok("memory", "store", "a", "first", "--agent", "ada")
    first = entries(home, "list")
    assert [row["key"] for row in first] == ["a"]
    home.ok("memory", "store", "b", "second")
    later = home.ok("memory", "list", "--json")
    assert [row for row in later.json()["entries"] if row["key"] == "a"] == first
    assert later.stderr == ""


def test_a_limit_of_its_own_lets_a_guest_have_what_it_needs(home: Home, spoken: Language, source: Path) -> None:
    installed(home, spoken, source)
    own = f"plugins.entries.{instance_key(spoken.name, 'memory', spoken.name)}.limits"
    home.ok("config", "set", "plugins.limits.max_memory_mb", "1")
    if spoken.memory_mb > 1:
        refused = home.fails(1, "memory", "store", "a", "first", "--json").error()
        assert "plugins.limits.max_memory_mb" in refused["hint"]
        home.ok("config", "set", f"{own}.max_memory_mb", str(spoken.memory_mb))
    home.ok("memory", "store", "a", "first")

    home.ok("config", "set", "plugins.limits.call_fuel", "100")
    refused = home.fails(1, "memory", "recall", "first", "--json").error()
    assert "plugins.limits.call_fuel" in refused["hint"]
    home.ok("config", "set", f"{own}.call_fuel", "1000000000")
    home.ok("config", "set", f"{own}.call_timeout_ms", "60000")
    assert [row["key"] for row in entries(home, "recall", "first")] == ["a"]


@pytest.mark.parametrize("spoken", [language(name) for name in ALIKE], ids=ALIKE)
def test_the_three_guests_by_words_give_the_same_answer(spoken: Language, config: Config) -> None:
    with open_memory(config, f"plugin.{spoken.name}", HostOptions()) as memory:
        for key, content in ANSWERS:
            memory.store(key, content, "core", None)
        found = memory.recall(" GREEN tea ", 10, None, None, None)
        assert [(entry.key, entry.score) for entry in found] == [("three", 1.0), ("one", 1.0), ("two", 0.5)]


@pytest.mark.parametrize("bound", ["since", "until"])
def test_a_bound_finer_than_a_row_is_still_an_instant(spoken: Language, config: Config, bound: str) -> None:
    with open_memory(config, f"plugin.{spoken.name}", HostOptions()) as memory:
        memory.store("tea", "green tea", "core", None)
        entry = memory.get("tea")
        assert entry is not None
        seconds, _, rest = entry.timestamp.partition(".")
        fraction = rest.rstrip("Z").partition("+")[0].partition("-")[0].ljust(9, "0")
        # The tenth digit is less than any row can tell apart, and still it is later.
        later = f"{seconds.removesuffix('Z')}.{fraction}1Z"
        bounds = (later, None) if bound == "since" else (None, later)
        found = memory.recall("tea", 10, None, *bounds)
        assert [row.key for row in found] == ([] if bound == "since" else ["tea"])


def test_texts_of_no_length_and_of_odd_characters_come_back_whole(spoken: Language, config: Config) -> None:
    texts = ["", "\0", "a\0b", "\ufeff", "\U0010ffff", "İß", "\u2028", '"\\']
    with open_memory(config, f"plugin.{spoken.name}", HostOptions()) as memory:
        for text in texts:
            memory.store_with_agent(text, text, text or "custom", text, text, 0.0, text)
        kept = {(row.key, row.content, row.session_id, row.namespace, row.agent_id) for row in rows(memory)}
        assert kept == {(text,) * 5 for text in texts}
        assert {row.importance for row in rows(memory)} == {0.0}


def test_a_limit_beyond_every_number_of_rows_gives_them_all(spoken: Language, config: Config) -> None:
    with open_memory(config, f"plugin.{spoken.name}", HostOptions()) as memory:
        for key in ("a", "b", "c"):
            memory.store(key, "green", "core", None)
        for limit in (2**63 - 1, 2**63, 2**64 - 1):
            for query in ("green", ""):
                assert len(memory.recall(query, limit, None, None, None)) == 3
        assert memory.recall("green", 0, None, None, None) == []


def test_a_call_gives_back_the_memory_it_took(spoken: Language, config: Config) -> None:
    limits = replace(config.plugins.limits, max_memory_mb=spoken.memory_mb)
    bounded = replace(config, plugins=replace(config.plugins, limits=limits))
    content, count = "green " * 300, 100
    # All answers together are several times what an instance may have.
    rounds = 3 * spoken.memory_mb * 2**20 // (len(content) * count)
    with open_memory(bounded, f"plugin.{spoken.name}", HostOptions()) as memory:
        for number in range(count):
            memory.store(f"k{number}", content, "core", None)
        for _ in range(rounds):
            assert len(memory.recall("green", count, None, None, None)) == count


def test_a_missing_toolchain_says_which_commands_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JCO", str(tmp_path / "jco"))
    with pytest.raises(ToolMissing) as caught:
        language("javascript").find()
    told = language("javascript").missing(caught.value)
    assert told.startswith(f"{tmp_path}/jco is missing; to install the toolchain of javascript: npm install ")


def without_toolchain() -> Toolchain:
    raise ToolMissing("the compiler is missing")


def test_a_missing_toolchain_skips_but_in_ci_fails_for_c_and_python(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = [replace(one, find=without_toolchain) for one in LANGUAGES]
    monkeypatch.delenv("CI", raising=False)
    for one in lacking:
        with pytest.raises(pytest.skip.Exception, match="the compiler is missing; to install"):
            built(one)
    monkeypatch.setenv("CI", "1")
    for one in lacking:
        must_be_there = one.name in ("c", "c-plain", "python")
        with pytest.raises(pytest.fail.Exception if must_be_there else pytest.skip.Exception):
            built(one)
