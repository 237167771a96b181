"""What agents get of the layers in their prompts, and what is told: the installed command, a process each."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package
from tests.support.provider_plugins import PROVIDER, REGISTER, install

pytestmark = pytest.mark.slow

AGENT = {"ZEROCLAW_AGENT": "1"}
LAYERS = "memory.topology.layers"


@pytest.fixture
def layers(home: Home) -> Home:
    home.ok("config", "set", "memory.backend", "layers")
    return home


def test_a_wake_shows_the_memories_of_no_other_agent(layers: Home) -> None:
    layers.ok("memory", "store", "b", "bob only", "--agent", "bob", "--pinned")
    layers.ok("memory", "store", "a", "ada only", "--agent", "ada", "--pinned")
    text = layers.ok("memory", "wake", "--agent", "ada").stdout
    assert "- a: ada only" in text and "native: 1 memory" in text
    assert "bob" not in text
    for words in ([], ["--project", "p1"], ["--agent", "carol"]):
        assert "only" not in layers.ok("memory", "wake", *words).stdout


def test_a_context_says_which_layers_have_no_part_in_it(layers: Home) -> None:
    layers.ok("memory", "doc", "write", "--target", "memory", "--content", "standing fact")
    layers.ok("memory", "store", "k", "zebra")
    for layer in ("memory-spaces", "runtime"):
        layers.ok("memory", "layers", "disable", layer)
    done = layers.ok("memory", "context", "zebra fact")
    assert done.stdout == ""
    for layer in ("memory-spaces", "runtime"):
        assert f"left out (long_term): {layer}, because layer {layer} is not enabled" in done.stderr
    body = layers.ok("memory", "context", "zebra", "--receipt", "--json").json()
    assert [step["layer_id"] for step in body["receipt"]["steps"]] == ["documents"]


@pytest.mark.parametrize("count", [1_200, 11_500])
def test_a_document_is_found_whatever_ranks_higher_in_a_layer_without_part(layers: Home, count: int) -> None:
    rows = [json.dumps({"key": f"k{number}", "content": "tea", "category": "core"}) for number in range(count)]
    layers.ok("memory", "import", "-", stdin="\n".join(rows))
    content = "The tea supplier moved to Graz in March. " + " ".join(map(str, range(200)))
    layers.ok("memory", "doc", "write", "--target", "notes/tea.md", "--content", content)
    layers.ok("config", "set", f"{LAYERS}.memory-spaces.participation.recall", "manual")
    body = layers.run("memory", "context", "tea", "--json", env=AGENT).json()
    assert [item["path"] for item in body["snippets"]] == ["notes/tea.md"]
    layers.ok("config", "set", f"{LAYERS}.memory-spaces.enabled", "false")
    body = layers.ok("memory", "context", "tea", "--json").json()
    assert [item["path"] for item in body["snippets"]] == ["notes/tea.md"]


def test_a_context_has_what_an_enabled_plugin_recalls(layers: Home, tmp_path: Path) -> None:
    layers.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    layers.ok("memory", "layers", "enable", "notes", "--automatic")
    layers.ok("memory", "store", "zeb", "zebra crossing", "--layer", "notes")
    body = layers.run("memory", "context", "zebra", "--json", env=AGENT).json()
    assert [(item["path"], item["lane"]) for item in body["snippets"]] == [("notes/zeb", "long_term")]
    assert "- Untrusted memory content: zebra crossing [memory-snippet:" in body["text"]


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["doc", "write", "--target", "MEMORY.md", "--content", "x"], None),
        (["store", "p", "x", "--pinned"], None),
        (["import", "-"], '{"key": "i", "content": "imported", "category": "core", "pinned": true}\n'),
    ],
)
def test_what_every_prompt_gets_is_written_where_the_runtime_layer_accepts_it(
    layers: Home, words: list[str], stdin: str | None
) -> None:
    layers.ok("config", "set", f"{LAYERS}.runtime.participation.write", "manual")
    done = layers.run("memory", *words, "--json", stdin=stdin, env=AGENT)
    assert done.code == 1
    assert done.error()["code"] == "participation-denied"
    (step,) = layers.ok("memory", "receipts", "--json").json()["receipts"][0]["steps"]
    assert step["status"] == "failed" and "what every prompt gets" in step["error"]
    assert layers.ok("memory", "wake").stdout.startswith("MEMORY ROUTES")
    layers.ok("memory", *words, stdin=stdin)
    assert not layers.ok("memory", "wake").stdout.startswith("MEMORY ROUTES")


def damaged(home: Home, *, backups: bool) -> None:
    file = home.config_dir / "data" / "memory" / "native.db"
    file.write_bytes(b"no database" * 100)
    if not backups:
        for kept in (file.parent / "backups").iterdir():
            kept.unlink()


@pytest.mark.parametrize("words", [["wake"], ["context", "text"], ["doc", "read", "MEMORY.md"], ["list"]])
def test_a_loss_is_told_by_the_first_command_that_meets_it(layers: Home, words: list[str]) -> None:
    layers.ok("memory", "store", "k", "text")
    damaged(layers, backups=True)
    done = layers.run("memory", *words)
    assert done.code == (3 if "read" in words else 0)
    assert "native.db" in done.stderr and "damaged" in done.stderr


def test_a_store_that_cannot_be_read_is_no_empty_one(layers: Home) -> None:
    layers.ok("memory", "store", "k", "text", "--pinned")
    damaged(layers, backups=False)
    done = layers.run("memory", "wake")
    assert "0 memories" not in done.stdout
    assert done.stdout.count("temporarily unavailable") == 3
    for layer in ("runtime", "documents", "memory-spaces"):
        assert f"left out: {layer}, because it is temporarily unavailable: " in done.stderr


def test_a_provider_that_hangs_takes_no_other_memory_from_the_prompt(layers: Home) -> None:
    hanging = PROVIDER.replace("NAME", "sleepy") + (
        "\n    def system_prompt_block(self):\n        import time\n        time.sleep(40)\n        return 'late'\n"
    )
    install(layers.config_dir, "sleepy", hanging + REGISTER)
    layers.ok("memory", "store", "k", "tea", "--pinned")
    layers.ok("memory", "layers", "enable", "sleepy", "--automatic")
    started = time.monotonic()
    done = layers.ok("memory", "wake")
    assert time.monotonic() - started < 20
    assert done.stdout.startswith("- k: tea\n")
    assert '"sleepy": "This memory is temporarily unavailable."' in done.stdout
    assert "left out: sleepy, because it is temporarily unavailable: timeout: the source of layer sleepy" in done.stderr


def test_a_canary_answers_for_its_own_plans_alone(layers: Home) -> None:
    layers.ok("strategy", "new", "self")
    directory = layers.path / "self"
    for stage in ("check", "replay", "shadow"):
        layers.ok("strategy", stage, directory)
    layers.ok("strategy", "promote", directory, "--yes", "--canary", "100")
    for number in range(21):
        assert layers.run("memory", "forget", f"k{number}", env=AGENT).code == 1
    assert layers.run("memory", "doc", "read", "missing.md").code == 3
    assert layers.run("memory", "get", "missing").code == 3
    found = layers.ok("strategy", "list", "--json").json()
    assert found["canary"] is not None and found["canary"]["failed"] == 0
    statuses = [receipt["status"] for receipt in layers.ok("memory", "receipts", "--json").json()["receipts"]]
    assert statuses[:2] == ["succeeded", "succeeded"]


def test_one_store_that_does_less_stops_no_command(layers: Home) -> None:
    layers.ok("config", "set", f"{LAYERS}.memory-spaces.adapter_ids", "native,notebook")
    layers.ok("memory", "reindex")
    done = layers.ok("memory", "reindex")
    assert "(adapter notebook) does not do maintain, so it was not asked" in done.stderr
    layers.ok("config", "set", f"{LAYERS}.memory-spaces.adapter_ids", "notebook")
    failed = layers.fails(1, "memory", "reindex").stderr
    assert "error: adapter notebook does not do maintain\n" in failed
    assert "hint: none of those bound to memory-spaces does (notebook)" in failed


def test_a_plan_is_that_of_the_command(layers: Home) -> None:
    layers.ok("memory", "store", "k", "text")
    for words, capability in ((["get", "k"], "read"), (["export"], "export"), (["reindex"], "maintain")):
        layers.run("memory", *words)
        done = layers.ok("memory", "receipts", "--limit", "1", "--json").json()["receipts"][0]
        planned = layers.ok("memory", "plan", capability, "--key", "k", "--json").json()
        assert [step["layer_id"] for step in planned["steps"]] == [step["layer_id"] for step in done["steps"]]


def test_the_layer_that_was_asked_is_named(layers: Home) -> None:
    layers.ok("memory", "store", "k1", "text")
    done = layers.fails(3, "memory", "get", "k1", "--layer", "runtime")
    assert done.stderr == (
        "error: the layer runtime has no entry 'k1'\nhint: leave out --layer, and every layer is asked\n"
    )
