"""``memory.backend = "layers"`` as a person and an agent use it: the installed command, real stores, a process each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.support.command import Done, Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

SECRET = "the content of a diary"
AGENT = {"ZEROCLAW_AGENT": "helper"}


@pytest.fixture
def layers(home: Home) -> Home:
    home.ok("config", "set", "memory.backend", "layers")
    return home


@pytest.fixture
def notes(layers: Home, tmp_path: Path) -> Home:
    """The plugin notes is a layer of its own."""
    layers.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    layers.ok("memory", "layers", "enable", "notes")
    return layers


def receipts(home: Home) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = home.ok("memory", "receipts", "--limit", "1000", "--json").json()["receipts"]
    return found


def table_of(home: Home, *names: str) -> Any:
    found: Any = tomli.loads(home.config_file.read_text("utf-8"))
    for name in ("memory", "topology", "layers", *names):
        found = found[name]
    return found


def steps(done: Done) -> list[tuple[str, str]]:
    return [(step["layer_id"], step["status"]) for step in done.json()["receipt"]["steps"]]


# One line per command: what is asked of the kernel, and whom.
COMMANDS = [
    (["store", "k", "text"], None, "write", ["memory-spaces"]),
    (["recall", "text"], None, "recall", ["documents", "memory-spaces"]),
    (["recall"], None, "recall", ["memory-spaces"]),
    (["recall", "text", "--explain"], None, "recall", ["memory-spaces"]),
    (["get", "old"], None, "read", ["memory-spaces"]),
    (["list"], None, "browse", ["memory-spaces"]),
    (["count"], None, "status", ["memory-spaces"]),
    (["stats"], None, "status", ["memory-spaces"]),
    (["health"], None, "status", ["runtime", "documents", "memory-spaces"]),
    (["export"], None, "export", ["memory-spaces"]),
    (["import", "-"], '{"key": "i", "content": "imported", "category": "core"}\n', "import", ["memory-spaces"]),
    (["reindex"], None, "maintain", ["memory-spaces"]),
    (["forget", "old"], None, "forget", ["memory-spaces"]),
    (["purge", "--session", "s", "--yes"], None, "forget", ["memory-spaces"]),
    (["clear", "--yes"], None, "forget", ["memory-spaces"]),
    (["context", "text"], None, "recall", ["documents", "memory-spaces"]),
    (["record", "-", "--thread", "t", "--run", "r"], '[{"role": "user", "content": "hi"}]', "write", ["documents"]),
    (["curate", "--plan"], None, "status", ["documents"]),
    (["doc", "read", "a.md"], None, "read", ["documents"]),
    (["doc", "write", "--target", "b.md", "--content", "x"], None, "write", ["documents"]),
    (["doc", "search", "text"], None, "search", ["documents"]),
    (["doc", "tree"], None, "browse", ["documents"]),
    (["doc", "versions", "a.md"], None, "browse", ["documents"]),
    (["doc", "archive", "a.md"], None, "archive", ["documents"]),
    (["profile", "get"], None, "read", ["documents"]),
    (["profile", "set", "--locale", "de-DE"], None, "write", ["documents"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "stdin", "capability", "asked"), COMMANDS, ids=[" ".join(row[0]) for row in COMMANDS]
)
def test_every_command_goes_through_the_kernel_with_a_receipt(
    layers: Home, words: list[str], stdin: str | None, capability: str, asked: list[str]
) -> None:
    layers.ok("memory", "store", "old", "old text", "--session", "s")
    layers.ok("memory", "doc", "write", "--target", "a.md", "--content", "a text")
    before = len(receipts(layers))
    done = layers.ok("memory", *words, "--receipt", stdin=stdin)
    fresh = receipts(layers)[: len(receipts(layers)) - before]
    assert fresh[0]["capability"] == capability
    assert [step["layer_id"] for step in fresh[0]["steps"]] == asked
    assert all(receipt["status"] == "succeeded" for receipt in fresh)
    # An export's stdout is JSON Lines, which a receipt would break.
    shown = done.stderr if words == ["export"] else done.stdout
    assert f"Receipt {fresh[0]['id']}: " in shown


def test_the_receipt_is_a_key_of_the_json(layers: Home) -> None:
    done = layers.ok("memory", "store", "k", SECRET, "--receipt", "--json")
    body = done.json()
    assert {"stored", "backend", "warnings", "receipt"} == set(body)
    assert (body["stored"], body["backend"]) == ("k", "layers")
    assert body["receipt"]["status"] == "succeeded"
    assert steps(done) == [("memory-spaces", "succeeded")]
    assert "receipt" not in layers.ok("memory", "store", "k", SECRET, "--json").json()


def test_a_list_is_under_result_beside_a_receipt(layers: Home) -> None:
    layers.ok("memory", "doc", "write", "--target", "a.md", "--content", "x")
    body = layers.ok("memory", "doc", "tree", "--json", "--receipt").json()
    assert body["result"] == ["a.md"]
    assert body["receipt"]["capability"] == "browse"


@pytest.mark.parametrize("option", [["--receipt"], ["--layer", "documents"]])
def test_the_options_of_the_layers_need_the_layers(home: Home, option: list[str]) -> None:
    done = home.fails(2, "memory", "count", *option)
    assert f"{option[0]} goes with the layers" in done.stderr
    home.ok("memory", "count", *([] if option[0] == "--layer" else option), "--backend", "layers")


def test_what_the_layers_store_the_built_in_store_has(layers: Home) -> None:
    layers.ok(
        "memory", "store", "k", "text", "--category", "daily", "--importance", "0.4", "--kind", "fact", "--pinned"
    )
    layers.ok("memory", "store", "k", "newer")
    native = layers.ok("memory", "get", "k", "--backend", "native", "--json").json()
    assert (native["content"], native["category"], native["importance"]) == ("newer", "daily", 0.4)
    assert (native["kind"], native["pinned"]) == ("fact", True)
    routed = layers.ok("memory", "get", "k", "--json").json()
    assert routed.pop("layer") == "memory-spaces"
    assert routed == native


def test_documents_and_entries_come_from_their_layers(layers: Home) -> None:
    layers.ok("memory", "store", "k", "green tea in the morning")
    layers.ok("memory", "doc", "write", "--target", "tea.md", "--content", "green tea in the evening")
    found = layers.ok("memory", "recall", "green tea", "--json").json()["entries"]
    assert sorted((entry["layer"], entry["key"]) for entry in found) == [
        ("documents", "tea.md"),
        ("memory-spaces", "k"),
    ]
    alone = layers.ok("memory", "recall", "green tea", "--layer", "memory-spaces", "--json").json()["entries"]
    assert [entry["key"] for entry in alone] == ["k"]


@pytest.mark.slow
def test_a_document_has_its_times_and_answers_for_them(layers: Home) -> None:
    layers.ok("memory", "doc", "write", "--target", "tea.md", "--content", "green tea")
    (native,) = layers.ok("memory", "recall", "tea", "--json", "--backend", "native").json()["entries"]
    for words in ([], ["--since", "1h"], ["--until", "2100-01-01"]):
        (found,) = layers.ok("memory", "recall", "tea", *words, "--json").json()["entries"]
        assert {name: found[name] for name in ("timestamp", "updated_at", "key")} == {
            name: native[name] for name in ("timestamp", "updated_at", "key")
        }
    for words in (["--until", "1h"], ["--since", "2100-01-01"], ["--namespace", "n"], ["--session", "s"]):
        assert layers.ok("memory", "recall", "tea", *words, "--json").json() == {"entries": []}


def test_many_documents_do_not_crowd_the_entries_out(layers: Home) -> None:
    layers.ok("memory", "store", "k", "tea at some length and with many other words that say little about it")
    for number in range(6):
        layers.ok("memory", "doc", "write", "--target", f"{number}.md", "--content", "tea")
    found = layers.ok("memory", "recall", "tea", "--limit", "2", "--layer", "memory-spaces", "--json").json()["entries"]
    assert [entry["key"] for entry in found] == ["k"]


def test_the_runtime_layer_has_the_standing_memories(layers: Home) -> None:
    layers.ok("memory", "store", "k", "pinned", "--layer", "runtime")
    layers.ok("memory", "store", "other", "not pinned")
    layers.ok("memory", "doc", "write", "--content", "stands", "--target", "memory", "--layer", "runtime")
    assert layers.ok("memory", "get", "k", "--json").json()["pinned"] is True
    assert layers.ok("memory", "count", "--layer", "runtime").stdout == "1\n"
    assert layers.ok("memory", "get", "k", "--layer", "runtime", "--json").json()["layer"] == "runtime"
    layers.fails(3, "memory", "get", "other", "--layer", "runtime")
    assert layers.ok("memory", "doc", "read", "MEMORY.md").stdout == "stands\n"
    layers.fails(1, "memory", "doc", "write", "--target", "a.md", "--content", "x", "--layer", "runtime")


@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (3, ["recall", "x", "--layer", "document"], "did you mean documents?"),
        (1, ["recall", "x", "--layer", "runtime"], "does not do recall"),
        (1, ["store", "k", "x", "--layer", "documents"], "does not have the call store"),
        (1, ["doc", "forget", "a.md"], "doc forget a.md --backend native`"),
        (1, ["compact"], "compacts that of a plugin"),
        (3, ["get", "nothing"], "layers has no entry 'nothing'"),
        (3, ["forget", "nothing"], "layers has no entry 'nothing'"),
        (3, ["doc", "read", "nothing.md"], "there is no document 'nothing.md'"),
        (2, ["doc", "read", "/etc/passwd"], "may not start with"),
        (2, ["purge"], "nothing to purge is named"),
    ],
)
def test_what_cannot_be_done_says_so_with_its_own_exit_code(
    layers: Home, code: int, words: list[str], told: str
) -> None:
    assert told in layers.fails(code, "memory", *words).stderr


def test_an_error_of_a_layer_has_the_receipt_in_its_details(layers: Home) -> None:
    layers.ok("memory", "store", "k", "text")
    done = layers.fails(3, "memory", "doc", "archive", "nothing.md", "--json")
    error = done.error()
    assert error["code"] == "document_not_found"
    assert error["details"]["status"] == "failed"
    assert error["details"]["receiptId"] == receipts(layers)[0]["id"]


def test_a_reading_command_creates_nothing(layers: Home) -> None:
    layers.ok("memory", "recall", "x")
    layers.ok("memory", "wake")
    assert sorted(path.name for path in layers.config_dir.iterdir()) == [".config.toml.lock", "config.toml"]


def test_export_and_import_of_everything_lose_nothing(layers: Home, tmp_path: Path) -> None:
    layers.ok("memory", "store", "k", "text", "--agent", "ada", "--pinned")
    layers.ok("memory", "doc", "write", "--target", "a.md", "--content", "one")
    layers.ok("memory", "doc", "write", "--target", "a.md", "--content", "two", "--replace")
    whole = layers.ok("memory", "export", "--all").stdout
    (tmp_path / "second").mkdir(mode=0o700)
    second = Home(tmp_path / "second")
    second.ok("config", "set", "memory.backend", "layers")
    second.ok("memory", "import", "-", "--on-conflict", "error", stdin=whole)
    assert second.ok("memory", "get", "k", "--agent", "ada", "--json").json()["pinned"] is True
    assert second.ok("memory", "doc", "read", "a.md", "--version", "1").stdout == "one\n"
    again = second.fails(1, "memory", "import", "-", "--on-conflict", "error", stdin=whole)
    assert "nothing was imported" in again.stderr
    kept = second.ok("memory", "import", "-", "--on-conflict", "keep", "--json", stdin=whole).json()
    assert kept == {"imported": 0, "skipped": 2}


def test_a_copy_goes_through_the_kernel(notes: Home) -> None:
    notes.ok("memory", "store", "k", "text")
    done = notes.ok("memory", "copy", "--from", "layers", "--to", "plugin.notes", "--receipt")
    assert "Copied 1 from layers to plugin.notes" in done.stdout
    assert "memory.export" in done.stdout
    assert receipts(notes)[-1]["operation"] == "memory.store"


# Layers of their own, and adapters


def test_enabling_writes_a_table_that_says_everything(notes: Home) -> None:
    manual = dict.fromkeys(("recall", "write", "projection", "maintenance"), "manual")
    assert table_of(notes, "notes") == {"enabled": True, "participation": manual}
    notes.ok("memory", "layers", "disable", "notes")
    assert table_of(notes, "notes") == {"enabled": False, "participation": manual}
    notes.ok("memory", "layers", "enable", "notes", "--automatic")
    assert set(table_of(notes, "notes", "participation").values()) == {"automatic"}
    again = notes.ok("memory", "layers", "enable", "notes", "--json").json()
    assert again == {"id": "notes", "enabled": True, "changed": False}
    assert set(table_of(notes, "notes", "participation").values()) == {"automatic"}


@pytest.mark.slow
def test_a_plugin_is_a_layer_of_its_own(notes: Home) -> None:
    notes.ok("memory", "store", "a", "in the built-in store")
    notes.ok("memory", "store", "b", "in the plugin", "--layer", "notes")
    found = notes.ok("memory", "list", "--json").json()
    assert [(entry["key"], entry["layer"]) for entry in found["entries"]] == [("a", "memory-spaces"), ("b", "notes")]
    assert found["total"] == 2
    page = notes.ok("memory", "list", "--limit", "1", "--offset", "1", "--json").json()
    assert [entry["key"] for entry in page["entries"]] == ["b"]
    assert notes.ok("memory", "count").stdout == "2\n"
    assert notes.ok("memory", "get", "b", "--backend", "plugin.notes", "--json").json()["content"] == "in the plugin"
    exported = [json.loads(line)["key"] for line in notes.ok("memory", "export").stdout.splitlines()]
    assert exported == ["a", "b"]
    cleared = notes.ok("memory", "clear", "--key", "b", "--yes", "--json").json()
    assert cleared == {"deleted": 1, "selected": 1}
    assert notes.ok("memory", "count").stdout == "1\n"


def test_a_plugin_is_active_as_an_enabled_layer_alone(notes: Home) -> None:
    assert notes.ok("plugin", "info", "notes", "--json").json()["active"] is True
    notes.ok("memory", "layers", "disable", "notes")
    body = notes.ok("plugin", "info", "notes", "--json").json()
    assert body["active"] is False
    assert "zeroclaw memory layers enable notes" in body["inactive_reason"]
    notes.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "native,notes")
    assert notes.ok("plugin", "info", "notes", "--json").json()["active"] is True


def test_an_adapter_is_a_store_of_memory_spaces(notes: Home) -> None:
    notes.ok("memory", "layers", "disable", "notes")
    notes.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "notes,native")
    done = notes.ok("memory", "store", "k", "text", "--receipt", "--json")
    # What is written goes to one place: the first adapter.
    assert [step["adapter_id"] for step in done.json()["receipt"]["steps"]] == ["notes"]
    assert notes.ok("memory", "count", "--backend", "plugin.notes").stdout == "1\n"
    found = notes.ok("memory", "recall", "text", "--json").json()["entries"]
    assert [(entry["layer"], entry["adapter"]) for entry in found] == [("memory-spaces", "notes")]
    plan = notes.ok("memory", "plan", "forget", "--key", "k", "--json").json()
    assert [step.get("adapter_id") for step in plan["steps"]] == ["notes", "native"]
    assert notes.ok("memory", "forget", "k", "--json").json() == {"forgotten": True, "rows": 1}


def test_a_package_under_another_name_is_bound_by_backend(layers: Home, tmp_path: Path) -> None:
    layers.ok("plugin", "install", package(tmp_path / "sources", "my.notes", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    shown = layers.ok("memory", "layers", "--json").json()
    assert "is not a layer id" in next(found["reason"] for found in shown["adapters"] if found["id"] == "my.notes")
    layers.ok("config", "set", "memory.topology.layers.diary.backend", "plugin.my.notes")
    layers.ok("memory", "store", "k", "text", "--layer", "diary")
    assert layers.ok("memory", "count", "--backend", "plugin.my.notes").stdout == "1\n"
    assert layers.ok("plugin", "info", "my.notes", "--json").json()["active"] is True


def test_a_package_with_a_name_of_the_system_is_bound_by_backend(layers: Home, tmp_path: Path) -> None:
    layers.ok("plugin", "install", package(tmp_path / "sources", "runtime", "notes"))
    layers.ok("config", "set", "plugins.enabled", "true")
    shown = layers.ok("memory", "layers", "--json").json()
    reason = next(found["reason"] for found in shown["adapters"] if found["id"] == "runtime")
    assert "memory.topology.layers.ID.backend plugin.runtime" in reason
    layers.ok("config", "set", "memory.topology.layers.diary.backend", "plugin.runtime")
    layers.ok("memory", "store", "k", "text", "--layer", "diary")
    listed = {found["id"]: found for found in layers.ok("memory", "layers", "--json").json()["layers"]}
    assert (listed["diary"]["enabled"], listed["runtime"]["backend"]) == (True, None)
    # The gates come before the catalog, whatever name it is bound under.
    layers.ok("plugin", "disable", "runtime")
    done = layers.fails(1, "memory", "count")
    assert "memory.topology.layers.diary: plugin.runtime cannot be used: runtime is disabled" in done.stderr


def test_a_store_that_takes_part_twice_is_told(notes: Home) -> None:
    notes.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "native,notes")
    assert "found and counted twice: notes and memory-spaces" in notes.ok("memory", "count").stderr
    notes.ok("memory", "layers", "disable", "notes")
    assert "twice" not in notes.ok("memory", "count").stderr


def test_a_topology_that_cannot_serve_is_listed_with_what_is_wrong(notes: Home) -> None:
    notes.ok("config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "native,notes")
    notes.ok("plugin", "remove", "notes", "--yes")
    text = notes.config_file.read_text("utf-8")
    extra = '[memory.topology.layers.ghost]\n[memory.topology.layers.odd]\nbackend = "postgres"\n'
    notes.config_file.write_text(f"{text}\n{extra}", "utf-8")
    done = notes.fails(1, "memory", "layers", "--json")
    body = done.json()
    assert body["problem"]["message"] == done.error()["message"]
    reasons = {found["id"]: found["reason"] for found in body["layers"] if not found["registered"]}
    assert set(reasons) == {"notes", "ghost", "odd"}
    assert "there is no layer ghost" in reasons["ghost"]
    assert "postgres cannot be a layer" in reasons["odd"]
    spaces = next(found for found in body["layers"] if found["id"] == "memory-spaces")
    assert (spaces["enabled"], spaces["adapters"]) == (True, ["native"])
    shown = notes.fails(1, "memory", "layers")
    assert "ghost: not there" in shown.stdout
    for id_ in ("notes", "ghost", "odd"):
        assert "cannot be enabled" in notes.fails(1, "memory", "layers", "enable", id_).stderr
        notes.ok("memory", "layers", "disable", id_)
    left = notes.fails(1, "memory", "count")
    assert "config unset memory.topology.layers.memory-spaces.adapter_ids" in left.stderr
    notes.ok("config", "unset", "memory.topology.layers.memory-spaces.adapter_ids")
    notes.ok("memory", "count")


def test_only_memory_spaces_is_bound_to_further_stores(layers: Home) -> None:
    path = "memory.topology.layers.documents.adapter_ids"
    done = layers.fails(1, "config", "set", path, "native")
    assert "the layer documents has one store" in done.stderr
    layers.ok("memory", "doc", "tree")


def test_a_layer_that_does_not_answer_is_named_and_the_command_has_failed(notes: Home) -> None:
    notes.ok("memory", "store", "a", "text here")
    notes.ok("memory", "store", "b", "text there", "--layer", "notes")
    journal = notes.config_dir / "data" / "plugins" / "notes" / "journal.db"
    journal.write_bytes(b"not a journal" * 1_000)
    done = notes.run("memory", "recall", "text", "--json", "--receipt")
    assert done.code == 1
    assert [entry["key"] for entry in done.json()["entries"]] == ["a"]
    assert done.json()["receipt"]["status"] == "partial"
    assert "warning: layer notes failed: " in done.stderr
    assert "not reached: the test guest notes" in done.stderr
    whole = notes.fails(5, "memory", "recall", "text", "--layer", "notes", "--json")
    assert whole.error()["details"]["status"] == "failed"


def test_a_package_that_is_gone_is_named_with_the_way_out(notes: Home) -> None:
    removed = notes.ok("plugin", "remove", "notes", "--yes")
    assert "zeroclaw memory layers disable notes" in removed.stderr
    done = notes.fails(1, "memory", "count")
    assert "memory.topology.layers.notes: there is no layer notes" in done.stderr
    assert "zeroclaw memory layers disable notes" in done.stderr
    notes.ok("memory", "layers", "disable", "notes")
    counted = notes.ok("memory", "count")
    assert "memory.topology.layers.notes is kept and ignored" in counted.stderr
    assert table_of(notes, "notes")["enabled"] is False


def test_a_plugin_that_the_gates_refuse_is_no_layer(notes: Home) -> None:
    notes.ok("plugin", "disable", "notes")
    done = notes.fails(1, "memory", "count")
    assert "notes is disabled: zeroclaw plugin enable notes" in done.stderr


# Config


@pytest.mark.parametrize(
    ("path", "value"), [("plugins.security.signature_mode", "strict"), ("plugins.enabled", "false")]
)
def test_a_stricter_policy_is_written_with_a_warning_of_the_layer_that_it_stops(
    notes: Home, path: str, value: str
) -> None:
    done = notes.ok("config", "set", path, value)
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert "notes" in warning
    assert notes.ok("config", "get", path).stdout.strip() == value
    assert "notes" in notes.fails(1, "memory", "count").stderr


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("memory.topology.strategy_id", "clever", "there is no strategy clever"),
        ("memory.topology.layers.episodic.enabled", "true", "there is no layer episodic"),
        ("memory.topology.layers.memory-spaces.adapter_ids", "nix", "there is no adapter nix"),
        ("memory.topology.layers.runtime.backend", "native", "bound to nothing else"),
        ("memory.topology.layers.diary.backend", "postgres", "cannot be a layer"),
    ],
)
def test_a_topology_that_cannot_be_built_is_not_written(layers: Home, path: str, value: str, told: str) -> None:
    before = layers.config_file.read_bytes()
    done = layers.fails(1, "config", "set", path, value, "--json")
    assert told in done.error()["message"]
    assert layers.config_file.read_bytes() == before
    patch = json.dumps([{"op": "add", "path": "/" + path.replace(".", "/"), "value": _json(value)}])
    layers.fails(1, "config", "patch", stdin=patch)
    assert layers.config_file.read_bytes() == before


def test_an_adapter_that_is_not_there_is_answered_with_where_those_that_are_there_are_listed(layers: Home) -> None:
    done = layers.fails(1, "config", "set", "memory.topology.layers.memory-spaces.adapter_ids", "nix", "--json")
    assert "`zeroclaw memory layers` lists the adapters" in str(done.error()["hint"])


def _json(value: str) -> Any:
    return True if value == "true" else [value] if value == "nix" else value


def test_a_disabled_layer_that_is_not_there_may_be_written(layers: Home) -> None:
    layers.ok("config", "set", "memory.topology.layers.episodic.enabled", "false")
    shown = layers.ok("memory", "layers", "--json").json()
    (episodic,) = [layer for layer in shown["layers"] if layer["id"] == "episodic"]
    assert (episodic["registered"], episodic["enabled"]) == (False, False)


def test_a_change_keeps_comments(layers: Home) -> None:
    text = layers.config_file.read_text("utf-8") + '\n# mine\n[memory.topology]\nid = "home"  # the house\n'
    layers.config_file.write_text(text, "utf-8")
    layers.ok("memory", "layers", "disable", "documents")
    assert "# mine" in layers.config_file.read_text("utf-8")
    assert 'id = "home"  # the house' in layers.config_file.read_text("utf-8")


def test_the_layers_are_listed_with_what_they_are(layers: Home) -> None:
    shown = layers.ok("memory", "layers").stdout
    assert "runtime: enabled, automatic (default)" in shown
    assert "working-context: What every prompt should have in front of it" in shown
    layers.ok("memory", "layers", "disable", "runtime")
    assert "runtime: disabled" in layers.ok("memory", "layers").stdout
    layers.fails(3, "memory", "layers", "disable", "nothing")
    native = layers.ok("config", "set", "memory.backend", "native")
    assert native.code == 0
    assert "memory.backend is native" in layers.ok("memory", "layers").stderr


def test_a_disabled_layer_refuses(layers: Home) -> None:
    layers.ok("memory", "layers", "disable", "documents")
    done = layers.fails(1, "memory", "doc", "tree", "--json")
    assert done.error()["code"] == "layer-disabled"
    assert layers.ok("memory", "recall", "x", "--json").json() == {"entries": []}


# Agents


def test_an_agent_does_not_forget(layers: Home) -> None:
    layers.ok("memory", "store", "k", "text")
    for words in (["forget", "k"], ["purge", "--namespace", "n", "--yes"], ["clear", "--yes"]):
        done = layers.run("memory", *words, "--json", env=AGENT)
        assert (done.code, done.error()["code"]) == (1, "guard-denied")
    layers.ok("config", "set", "memory.kernel.automatic_forget", "true")
    every = layers.run("memory", "forget", "k", env=AGENT)
    assert every.code == 1
    assert "the rows of every agent" in every.stderr
    layers.ok("memory", "store", "k", "of one agent", "--agent", "ada")
    layers.ok("memory", "forget", "k", "--agent", "ada", env=AGENT)
    assert layers.ok("memory", "count").stdout == "1\n"


def test_an_agent_reaches_what_is_automatic(notes: Home) -> None:
    notes.ok("memory", "store", "k", "text", env=AGENT)
    notes.ok("memory", "store", "k", "text", "--layer", "notes")
    refused = notes.run("memory", "store", "k", "x", "--layer", "notes", "--json", env=AGENT)
    assert (refused.code, refused.error()["code"]) == (1, "participation-denied")
    found = notes.ok("memory", "recall", "text", "--json", env=AGENT).json()["entries"]
    assert [entry["layer"] for entry in found] == ["memory-spaces"]
    plan = notes.ok("memory", "plan", "recall", "--query", "x", "--trigger", "system", "--json").json()
    assert [step["layer_id"] for step in plan["steps"]] == ["documents", "memory-spaces"]


@pytest.mark.parametrize(
    "words",
    [
        ["forget", "k", "--backend", "native"],
        ["store", "k", "x", "--backend", "native"],
        ["doc", "forget", "a.md", "--backend", "native"],
        ["copy", "--from", "native", "--to", "layers"],
        ["compact", "--backend", "plugin.notes"],
        ["restore", "a.zip"],
    ],
)
def test_an_agent_does_not_go_past_the_layers(layers: Home, words: list[str]) -> None:
    layers.ok("memory", "store", "k", "text")
    done = layers.run("memory", *words, "--json", env=AGENT)
    assert (done.code, done.error()["code"]) == (4, "refused")
    assert "--automatic" in done.error()["hint"]
    assert layers.ok("memory", "get", "k", "--backend", "native", "--json").json()["content"] == "text"


def test_an_agent_names_any_backend_where_the_layers_are_none(home: Home) -> None:
    home.ok("memory", "store", "k", "text", "--backend", "native", env=AGENT)
    home.ok("memory", "recall", "text", "--backend", "layers", env=AGENT)


# Plan, wake, receipts, doctor


def test_a_plan_runs_nothing(layers: Home) -> None:
    plan = layers.ok("memory", "plan", "write", "--key", "k", "--json").json()
    assert [step["layer_id"] for step in plan["steps"]] == ["memory-spaces"]
    assert plan["request"]["input"] == {"key": "k"}
    assert receipts(layers) == []
    assert layers.ok("memory", "count").stdout == "0\n"
    assert "did you mean recall or read?" in layers.fails(2, "memory", "plan", "recal").stderr
    assert layers.run("memory", "plan", "archive", "--layer", "runtime").code == 1
    layers.ok("memory", "layers", "disable", "documents")
    done = layers.fails(1, "memory", "plan", "archive", "--json")
    assert done.error()["code"] == "layer-disabled"


def test_the_wake_has_the_standing_memories_and_says_what_is_left_out(layers: Home) -> None:
    layers.ok("memory", "doc", "write", "--target", "memory", "--content", "Ada drinks tea.")
    layers.ok("memory", "store", "k", "pinned text", "--pinned")
    layers.ok("memory", "doc", "write", "--target", "notes/a.md", "--content", SECRET)
    body = layers.ok("memory", "wake", "--json").json()
    assert body["text"].startswith("Ada drinks tea.\n\n- k: pinned text\n\nMEMORY ROUTES [quoted data")
    assert SECRET not in body["text"]
    assert body["left_out"] == []
    layers.ok("config", "set", "memory.kernel.max_cover_characters", "100")
    left = layers.ok("memory", "wake", "--json").json()["left_out"]
    assert left and "max_cover_characters" in left[0]["reason"]
    layers.ok("memory", "layers", "disable", "documents")
    assert "left out: documents, because it is not enabled" in layers.ok("memory", "wake").stderr


def test_a_credential_in_the_standing_document_does_not_reach_the_prompt(layers: Home) -> None:
    key = "sk-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    layers.ok("memory", "doc", "write", "--target", "memory", "--content", "fine")
    # Written past the guard of prompts, as an older program may have left it.
    layers.ok("memory", "store", "k", f"the key is {key}", "--pinned")
    done = layers.ok("memory", "wake")
    assert key not in done.stdout
    assert "left out: runtime, because 1 line holds a credential" in done.stderr


def test_receipts_hold_no_content(layers: Home) -> None:
    layers.ok("memory", "store", "k", SECRET)
    layers.ok("memory", "recall", SECRET, "--receipt", "--json")
    layers.ok("memory", "doc", "write", "--target", "a.md", "--content", SECRET)
    kept = (layers.config_dir / "data" / "memory" / "receipts.jsonl").read_text("utf-8")
    assert SECRET not in kept
    assert len(receipts(layers)) == 3
    assert [found["operation"] for found in receipts(layers)] == ["memory.doc-write", "memory.recall", "memory.store"]
    assert len(layers.ok("memory", "receipts", "--limit", "2", "--json").json()["receipts"]) == 2
    assert "memory.store succeeded" in layers.ok("memory", "receipts").stdout


def test_receipts_that_are_damaged_stop_nothing(layers: Home) -> None:
    layers.ok("memory", "store", "k", "text")
    file = layers.config_dir / "data" / "memory" / "receipts.jsonl"
    with file.open("ab") as log:
        log.write(b'{"receipt": {"id": 1, "steps": [3]}}\n\xff\n{"half')
    assert layers.ok("memory", "receipts").stdout.count("Receipt ") == 1
    layers.ok("memory", "store", "k", "text")
    assert len(receipts(layers)) == 2
    file.unlink()
    file.mkdir()
    assert "not a regular file" in layers.fails(5, "memory", "receipts").stderr
    stored = layers.ok("memory", "store", "k", "newer")
    assert "warning: the receipt was not kept: " in stored.stderr
    assert layers.ok("memory", "get", "k", "--json").json()["content"] == "newer"


def test_no_secret_of_the_config_is_shown(notes: Home) -> None:
    notes.ok("memory", "layers", "enable", "notebook", "--automatic")
    token, sealed = "a-token-of-the-environment-file-4711", "a-sealed-value-of-the-plugin-0815"
    (notes.config_dir / ".env").write_text(f"NOTEBOOK_TOKEN={token}\n", "utf-8")
    (notes.config_dir / ".env").chmod(0o600)
    text = notes.config_file.read_text("utf-8")
    entry = f'[[plugins.entries]]\nname = "notes"\n[plugins.entries.config]\napi_key = "{sealed}"\n'
    notes.config_file.write_text(f"{text}\n{entry}", "utf-8")
    notes.ok("memory", "store", "k", "text", "--layer", "notes")
    shown = [
        notes.run("memory", *words, "--json")
        for words in (["layers"], ["plan", "recall"], ["wake"], ["recall", "text", "--receipt"], ["receipts"])
    ]
    for done in shown:
        assert done.code == 0
        assert token not in done.stdout + done.stderr
        assert sealed not in done.stdout + done.stderr
    kept = (notes.config_dir / "data" / "memory" / "receipts.jsonl").read_text("utf-8")
    assert token not in kept
    assert sealed not in kept


def test_the_doctor_shows_the_topology(layers: Home) -> None:
    shown = layers.ok("doctor").stdout
    assert "layers: runtime, documents, memory-spaces; strategy default-three-tier 1" in shown
    text = layers.config_file.read_text("utf-8")
    layers.config_file.write_text(text + "\n[memory.topology.layers.gone]\nenabled = true\n", "utf-8")
    done = layers.run("doctor")
    assert done.code == 1
    assert "there is no layer gone" in done.stdout


def test_a_provider_is_a_layer_of_its_own(layers: Home) -> None:
    layers.ok("memory", "layers", "enable", "notebook", "--automatic")
    done = layers.ok("memory", "store", "k", "tea", "--layer", "notebook", "--json", "--receipt")
    assert steps(done) == [("notebook", "succeeded")]
    found = layers.ok("memory", "recall", "tea", "--json").json()["entries"]
    assert [entry["layer"] for entry in found] == ["notebook"]
    assert "notebook" in layers.ok("memory", "wake").stdout
    assert layers.ok("memory", "count", "--backend", "provider.notebook").stdout == "1\n"
