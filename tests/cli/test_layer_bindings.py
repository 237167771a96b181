"""Layers that are bound to stores by name: what is not there, what stops being there, and what each one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

BACKEND = "memory.topology.layers.d.backend"


@pytest.fixture
def layers(home: Home) -> Home:
    home.ok("config", "set", "memory.backend", "layers")
    return home


@pytest.fixture
def notes(layers: Home, tmp_path: Path) -> Home:
    """The plugin notes is installed and may run."""
    layers.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    return layers


def layer(home: Home, id_: str) -> dict[str, Any]:
    (found,) = [one for one in home.run("memory", "layers", "--json").json()["layers"] if one["id"] == id_]
    return dict(found)


def warnings(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize(
    ("backend", "what"),
    [("plugin.nope", "memory plugin nope"), ("provider.zzz", "provider zzz"), ("Plugin.nope", "memory plugin nope")],
)
def test_an_enabled_layer_of_a_store_that_is_not_there_is_not_written(layers: Home, backend: str, what: str) -> None:
    before = layers.config_file.read_bytes()
    done = layers.fails(1, "config", "set", BACKEND, backend, "--json")
    assert done.error()["message"] == f"memory.topology.layers.d: {backend} cannot be used: there is no {what}"
    assert "zeroclaw memory layers disable d" in done.error()["hint"]
    assert layers.config_file.read_bytes() == before


def test_an_enabled_layer_of_a_store_that_is_not_there_fails_at_load(layers: Home) -> None:
    with layers.config_file.open("a") as file:
        file.write('[memory.topology.layers.d]\nbackend = "plugin.nope"\n')
    error = layers.fails(1, "memory", "store", "k", "text", "--json").error()
    assert error["code"] == "layer-unavailable"
    assert "there is no memory plugin nope" in error["message"]
    shown = layers.fails(1, "memory", "layers", "--json")
    assert shown.json()["problem"]["code"] == "layer-unavailable"
    assert (layer(layers, "d")["registered"], layer(layers, "d")["enabled"]) == (False, False)
    # Another table may be changed, and the layer be disabled.
    assert layers.ok("config", "set", "memory.native.keep_versions", "3").code == 0
    layers.ok("memory", "layers", "disable", "d")
    stored = layers.ok("memory", "store", "k", "text")
    assert "memory.topology.layers.d is kept and ignored" in stored.stderr


def test_a_disabled_layer_of_a_store_that_is_not_there_may_be_written(layers: Home) -> None:
    layers.ok("config", "set", "memory.topology.layers.d.enabled", "false")
    layers.ok("config", "set", BACKEND, "plugin.nope")
    assert "there is no memory plugin nope" in layers.fails(1, "config", "set", BACKEND[:-7] + "enabled", "true").stderr


def test_a_store_is_found_whatever_the_case_of_its_kind(notes: Home) -> None:
    notes.ok("config", "set", BACKEND, "PLUGIN.notes")
    notes.ok("memory", "store", "k", "text", "--layer", "d")
    assert notes.ok("memory", "count", "--backend", "plugin.notes").stdout == "1\n"
    notes.ok("config", "set", BACKEND, "SQLite")
    assert "counted twice" in notes.ok("memory", "count").stderr


def test_a_package_without_memory_is_no_store(layers: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "sources", "tool", "notes")
    manifest = source / "manifest.toml"
    manifest.write_text(manifest.read_text("utf-8").replace('"memory"', '"tool"'), "utf-8")
    layers.ok("plugin", "install", source)
    assert "there is no memory plugin tool" in layers.fails(1, "config", "set", BACKEND, "plugin.tool").stderr


@pytest.mark.parametrize("id_", ["notes", "d"])
def test_an_enabled_plugin_is_listed_with_all_that_it_does(notes: Home, id_: str) -> None:
    if id_ == "d":
        notes.ok("config", "set", BACKEND, "plugin.notes")
    else:
        notes.ok("memory", "layers", "enable", id_)
    assert {"export", "maintain"} <= set(layer(notes, id_)["capabilities"])
    notes.ok("memory", "export", "--layer", id_)
    notes.ok("memory", "reindex", "--layer", id_)
    notes.ok("memory", "layers", "disable", id_)
    notes.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "notes")
    adapters = notes.ok("memory", "layers", "--json").json()["adapters"]
    (bound,) = [one for one in adapters if one["id"] == "notes"]
    assert {"export", "maintain"} <= set(bound["capabilities"])


def test_disabling_a_package_warns_of_the_layer_that_it_stops(notes: Home) -> None:
    notes.ok("memory", "layers", "enable", "notes")
    (warning,) = warnings(notes.ok("plugin", "disable", "notes").stderr)
    assert "memory.topology.layers.notes" in warning and "zeroclaw memory layers disable notes" in warning
    assert warnings(notes.ok("plugin", "disable", "notes").stderr) == []
    notes.fails(1, "memory", "count")
    assert warnings(notes.ok("plugin", "enable", "notes").stderr) == []
    assert notes.ok("memory", "count").stdout == "0\n"


def test_disabling_a_package_that_no_layer_uses_warns_of_nothing(notes: Home) -> None:
    assert warnings(notes.ok("plugin", "disable", "notes").stderr) == []


def test_disabling_the_package_behind_the_memory_warns(notes: Home) -> None:
    notes.ok("config", "set", "memory.backend", "plugin.notes")
    (warning,) = warnings(notes.ok("plugin", "disable", "notes").stderr)
    assert "memory.backend is plugin.notes" in warning


# A strategy of somebody else over bound stores


@pytest.fixture
def bound(layers: Home, tmp_path: Path) -> Home:
    """The single memories are in two stores: the built-in one and a plugin; each has one of tea."""
    layers.ok("plugin", "install", package(tmp_path / "sources", "wnotes", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    layers.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "native,wnotes")
    layers.ok("memory", "store", "tea", "green tea")
    layers.ok("memory", "store", "black", "black tea", "--backend", "plugin.wnotes")
    return layers


def new_strategy(home: Home, *words: str) -> Path:
    home.ok("strategy", "new", "tmpl", *words)
    return home.path / "tmpl"


@pytest.mark.parametrize("form", ["rules", "python"])
def test_a_new_strategy_reaches_every_bound_store(bound: Home, form: str) -> None:
    directory = new_strategy(bound, *(["--python"] if form == "python" else []))
    assert 'adapterIds = ["native", "wnotes"]' in (directory / "strategy.toml").read_text("utf-8")
    bound.ok("strategy", "check", directory, "--strict")
    bound.ok("strategy", "replay", directory, *(["--trust", "now"] if form == "python" else []))
    bound.ok("strategy", "shadow", directory)
    bound.ok("strategy", "promote", directory, "--yes")
    bound.ok("memory", "store", "white", "white tea")
    found = bound.ok("memory", "recall", "tea", "--json").json()["entries"]
    assert {(entry["key"], entry["adapter"]) for entry in found} == {
        ("tea", "native"),
        ("white", "native"),
        ("black", "wnotes"),
    }
    assert bound.ok("memory", "forget", "black", "--json").json() == {"forgotten": True, "rows": 1}


def test_a_strategy_without_a_grant_of_the_bound_stores_is_not_promoted(bound: Home) -> None:
    directory = new_strategy(bound)
    manifest = directory / "strategy.toml"
    manifest.write_text(manifest.read_text("utf-8").replace('"native", "wnotes"', ""), "utf-8")
    cases = directory / "replay.jsonl"
    kept = [line for line in cases.read_text("utf-8").splitlines() if "a store that is bound" not in line]
    cases.write_text("\n".join(kept) + "\n", "utf-8")
    bound.ok("strategy", "check", directory)
    bound.ok("strategy", "replay", directory)
    shown = bound.fails(1, "strategy", "shadow", directory)
    assert "permission-adapter: strategy tmpl may not use the adapter native" in shown.stdout
    assert "shadow" in bound.fails(1, "strategy", "promote", directory, "--yes").stderr
    bound.ok("memory", "recall", "tea")


def test_a_strategy_in_python_that_names_no_adapter_is_not_promoted(bound: Home) -> None:
    directory = new_strategy(bound, "--python")
    code = directory / "strategy.py"
    code.write_text(code.read_text("utf-8").replace("if bound else [{}]", "if [] else [{}]"), "utf-8")
    shown = bound.fails(1, "strategy", "shadow", directory, "--trust", "now")
    assert "adapter-missing: layer memory-spaces keeps its memories in native, wnotes" in shown.stdout


def test_how_many_are_asked_for_is_in_the_budget_that_rules_see(layers: Home) -> None:
    directory = new_strategy(layers)
    # This request is recorded without a budget, and can be planned again all the same.
    layers.ok("memory", "store", "tea", "green tea")
    for words in (["check"], ["replay"], ["shadow"]):
        layers.ok("strategy", *words, directory)
    layers.ok("strategy", "promote", directory, "--yes")

    def asked(*words: str) -> list[str]:
        body = layers.ok("memory", *words, "--json").json()
        return [step["layer_id"] for step in body.get("receipt", body)["steps"]]

    both = ["documents", "memory-spaces"]
    assert asked("recall", "tea", "--receipt") == asked("plan", "recall", "--query", "tea") == both
    assert asked("recall", "tea", "--limit", "3", "--receipt") == ["memory-spaces"]
    assert asked("plan", "recall", "--query", "tea", "--limit", "3") == ["memory-spaces"]
    assert asked("plan", "recall", "--query", "tea", "--limit", "20000") == both
    assert asked("context", "tea", "--receipt") == both
    assert asked("context", "tea", "--limit", "2", "--receipt") == ["memory-spaces"]
    plan = layers.ok("memory", "plan", "recall", "--query", "tea", "--limit", "20000", "--json").json()
    assert plan["budget"]["max_results"] == 10_000
    assert "max_results" not in layers.ok("memory", "plan", "write", "--key", "k", "--json").json()["budget"]
    assert layers.ok("strategy", "shadow", directory).stdout.splitlines()[-1].startswith("passed: ")


def test_a_store_that_was_heard_as_an_adapter_is_not_told_to_be_left_out(bound: Home) -> None:
    bound.ok("config", "set", "memory.topology.layers.memory-spaces.participation.recall", "manual")
    done = bound.ok("memory", "context", "tea", "--json")
    assert [left["id"] for left in done.json()["left_out"] if "wnotes" in left["id"]] == []
    assert "black tea" in done.json()["text"]
    refused = bound.ok("memory", "context", "tea", env={"ZEROCLAW_AGENT": "1"})
    assert "wnotes, because layer memory-spaces has recall = manual, which refuses the trigger" in refused.stderr
    bound.ok("plugin", "install", package(bound.path / "sources", "other", "notes"))
    bound.ok("config", "set", "memory.topology.layers.other.enabled", "false")
    assert "other, because layer other is not enabled" in bound.ok("memory", "context", "tea").stderr
