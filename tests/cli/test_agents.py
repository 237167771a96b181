"""What an agent may do with memory, and what it leaves to a person: the installed command, a process each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pexpect
import pytest
import typer

from tests.support.command import PROGRAM, Home
from tests.support.guests import package
from tests.support.packages import PUBLIC, SIGNING_KEY
from tests.support.provider_plugins import nested, write_plugin
from zeroclaw_cli.cli.memory import add

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

AGENT = {"ZEROCLAW_AGENT": "helper", "EDITOR": "true"}
TURN = '[{"role": "user", "content": "hi"}]'
ROW = '{"key": "i", "content": "imported", "category": "core"}\n'

# Every command of the group as an agent's under the layers: its words, its stdin, and the code of its refusal.
COMMANDS: list[tuple[str, str | None, str | None]] = [
    ("store k text", None, None),
    ("recall text", None, None),
    ("get kept", None, None),
    ("list", None, None),
    ("count", None, None),
    ("stats", None, None),
    ("health", None, None),
    ("export", None, None),
    ("export --all", None, None),
    ("import -", ROW, None),
    ("reindex", None, None),
    ("compact", None, "not_supported"),
    ("forget kept", None, "guard-denied"),
    ("purge --session s --yes", None, "guard-denied"),
    ("clear --yes", None, "guard-denied"),
    ("copy --from layers --to native", None, "refused"),
    ("backup", None, "refused"),
    ("restore a.zip", None, "refused"),
    ("context text", None, None),
    ("record - --thread t --run r", TURN, None),
    ("curate --plan", None, None),
    ("doc read kept.md", None, None),
    ("doc write --target notes/a.md --content x", None, None),
    ("doc write --target native --content x", None, None),
    ("doc search text", None, None),
    ("doc tree", None, None),
    ("doc versions kept.md", None, None),
    ("doc edit kept.md", None, None),
    ("doc archive old.md", None, None),
    ("doc forget kept.md", None, "not_supported"),
    ("profile get", None, None),
    ("profile set --locale de-DE", None, None),
    ("layers", None, None),
    ("layers enable notebook --automatic", None, "refused"),
    ("layers disable documents", None, "refused"),
    ("plan recall", None, None),
    ("wake", None, None),
    ("receipts", None, None),
    ("providers", None, None),
    ("setup notebook --as-backend", None, "refused"),
    ("setup notebook --trust now", None, "refused"),
    ("setup notebook --install-deps", None, "refused"),
    ("setup notebook", None, "refused"),
    ("trust notebook", None, None),
    ("trust notebook --trust now", None, "refused"),
    ("off", None, None),
    ("status", None, None),
    ("check mine --trust now", None, "refused"),
    ("new-provider mine", None, None),
]


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose memory is the layers; no row of the table takes from another what it needs."""
    folder = tmp_path_factory.mktemp("agents")
    folder.chmod(0o700)
    home = Home(folder)
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "store", "kept", "a text", "--session", "s")
    for path in ("kept.md", "old.md"):
        home.ok("memory", "doc", "write", "--target", path, "--content", "a text")
    return home


def commands_of(group: typer.Typer, path: str = "") -> Iterator[tuple[str, list[str]]]:
    for command in group.registered_commands:
        assert command.callback is not None
        yield f"{path}{command.name}", list(signature(command.callback).parameters)
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        if inner.typer_instance.registered_callback is not None:
            yield f"{path}{inner.name}", []
        yield from commands_of(inner.typer_instance, f"{path}{inner.name} ")


def memory_commands() -> dict[str, list[str]]:
    app = typer.Typer()
    add(app)
    group = app.registered_groups[0].typer_instance
    assert group is not None
    return dict(commands_of(group))


def command_of(words: str) -> str:
    two = " ".join(words.split()[:2])
    return two if two in memory_commands() else words.split()[0]


def test_the_table_has_every_command_of_the_group() -> None:
    assert {command_of(words) for words, _, _ in COMMANDS} == set(memory_commands())


@pytest.mark.parametrize(("words", "stdin", "refusal"), COMMANDS, ids=[row[0] for row in COMMANDS])
def test_an_agent_uses_the_layers_and_nothing_past_them(
    layers: Home, words: str, stdin: str | None, refusal: str | None
) -> None:
    before = layers.config_file.read_bytes()
    done = layers.run("memory", *words.split(), "--json", stdin=stdin, env=AGENT)
    if refusal is None:
        assert done.code == 0, done.stderr
        return
    assert done.error()["code"] == refusal
    assert done.code == (4 if refusal == "refused" else 1)
    assert layers.config_file.read_bytes() == before
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (words, stdin)
        for words, stdin, refusal in COMMANDS
        if "backend" in memory_commands()[command_of(words)] and refusal in (None, "not_supported", "guard-denied")
    ],
)
@pytest.mark.parametrize("backend", ["native", "plugin.none"])
def test_no_command_takes_an_agent_to_a_backend_past_the_layers(
    layers: Home, words: str, stdin: str | None, backend: str
) -> None:
    done = layers.run("memory", *words.split(), "--backend", backend, "--json", stdin=stdin, env=AGENT)
    assert (done.code, done.error()["code"]) == (4, "refused")
    assert f"{backend} would go past them" in done.error()["message"]


def test_a_person_does_what_an_agent_may_not(home: Home, tmp_path: Path) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "store", "k", "text")
    home.ok("memory", "backup", "--out", tmp_path / "all.zip")
    home.ok("memory", "forget", "k")
    home.ok("memory", "restore", tmp_path / "all.zip")
    assert home.ok("memory", "get", "k", "--backend", "native", "--json").json()["content"] == "text"


def test_where_the_layers_are_not_the_backend_an_agent_is_not_held_to_them(home: Home, tmp_path: Path) -> None:
    home.ok("memory", "store", "k", "text", env=AGENT)
    home.ok("memory", "backup", "--out", tmp_path / "all.zip", env=AGENT)
    home.fails(4, "memory", "layers", "disable", "documents", env=AGENT)
    home.fails(4, "config", "set", "memory.backend", "layers", env=AGENT)


def test_the_commands_of_a_provider_are_past_the_layers(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--yes")
    home.ok("notebook", "search", "hello", env=AGENT)
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "layers", "enable", "notebook")
    home.ok("memory", "store", "k", "hello", "--layer", "notebook")
    assert "hello" in home.ok("notebook", "search", "hello").stdout
    for words in (["search", "hello"], ["--help"], []):
        done = home.run("notebook", *words, env=AGENT)
        assert (done.code, done.stdout) == (4, "")
        assert "reaches no memory past them" in done.stderr


def test_what_a_plugin_remembers_is_not_purged_past_the_guards(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "k", "text", "--backend", "plugin.notes")
    home.ok("config", "set", "memory.backend", "layers")
    done = home.run("plugin", "remove", "notes", "--purge-data", "--yes", "--json", env=AGENT)
    assert (done.code, done.error()["code"]) == (4, "refused")
    assert home.ok("memory", "count", "--backend", "plugin.notes").stdout == "1\n"
    home.ok("plugin", "remove", "notes", "--purge-data", "--yes")


# The config


@pytest.mark.parametrize(
    "words",
    [
        ["set", "memory.backend", "native"],
        ["unset", "memory.backend"],
        ["set", "memory.kernel.automatic_forget", "true"],
        ["set", "memory.kernel.default_timeout_ms", "50"],
        ["set", "memory.native.project", "hidden"],
        ["set", "memory.plugin.durability", "none"],
        ["set", "plugins.enabled", "true"],
        ["set", "plugins.security.signature_mode", "permissive"],
        ["set", "memory.topology.layers.notebook.enabled", "true"],
        ["set", "memory.topology.layers.memory-spaces.participation.recall", "automatic"],
        ["set", "memory.topology.id", "home"],
        ["unset", "memory.topology.layers.documents"],
        ["set", "plugins.security.trusted_publisher_keys", PUBLIC],
        ["patch"],
        ["edit"],
    ],
    ids=" ".join,
)
def test_what_agents_may_reach_is_changed_by_a_person(home: Home, words: list[str]) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("config", "set", "memory.topology.layers.memory-spaces.participation.recall", "manual")
    home.ok("memory", "layers", "disable", "documents")
    before = home.config_file.read_bytes()
    editor = home.path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/manual/automatic/ "$1"\n', "utf-8")
    editor.chmod(0o755)
    patch = json.dumps([{"op": "remove", "path": "/memory/backend"}])
    stdin = patch if words == ["patch"] else None
    done = home.run("config", *words, stdin=stdin, env=AGENT | {"EDITOR": str(editor)})
    assert done.code == 4, done.stderr
    assert "requires human approval" in done.stderr
    assert home.config_file.read_bytes() == before


def test_an_agent_takes_no_plugin_from_the_layer_that_has_it(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("plugin", "disable", "notes", env=AGENT)
    home.ok("plugin", "enable", "notes")
    home.ok("memory", "layers", "enable", "notes")
    for words in (["disable", "notes"], ["remove", "notes", "--yes"]):
        done = home.fails(4, "plugin", *words, env=AGENT)
        assert "ask a person" in done.stderr
        assert home.ok("memory", "count").stdout == "0\n"
    home.ok("plugin", "disable", "notes")
    home.ok("plugin", "remove", "notes", "--yes")


# Consent


def made(home: Home, *words: str) -> Path:
    home.ok("strategy", "new", "mine", *words)
    return home.path / "mine"


def test_an_agent_does_not_trust_the_code_of_a_strategy(home: Home) -> None:
    directory = made(home, "--python")
    home.ok("strategy", "check", directory, env=AGENT)
    for command in ("replay", "shadow", "promote"):
        done = home.run("strategy", command, directory, "--trust", "now", "--json", env=AGENT)
        assert (done.code, done.error()["code"]) == (4, "refused")
        done = home.run("strategy", command, directory, "--json", env=AGENT)
        assert (done.code, done.error()["code"]) == (4, "strategy_untrusted")
        assert "ask a person" in done.error()["hint"]
    home.ok("strategy", "replay", directory, "--trust", "now")
    home.ok("strategy", "replay", directory, env=AGENT)


def ready(home: Home, *words: str) -> Path:
    directory = made(home, *words)
    for command in ("check", "replay", "shadow"):
        home.ok("strategy", command, directory, env=AGENT)
    return directory


def test_an_agent_neither_approves_its_strategy_nor_takes_one_back(home: Home) -> None:
    directory = ready(home)
    for words in (["--yes"], ["--yes", "--canary", "100"], []):
        done = home.run("strategy", "promote", directory, *words, "--json", env=AGENT)
        assert (done.code, done.error()["code"]) == (4, "refused")
    assert home.ok("strategy", "list", "--json").json()["strategies"] == []
    home.ok("strategy", "promote", directory, "--yes")
    assert home.run("strategy", "rollback", env=AGENT).code == 4
    home.ok("strategy", "rollback")


def test_an_agent_on_a_terminal_is_not_asked(home: Home) -> None:
    directory = ready(home)
    child = pexpect.spawn(str(PROGRAM), ["strategy", "promote", str(directory)], env=home.env(AGENT), timeout=60)
    child.expect("requires human approval")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4


def test_a_trusted_publisher_approves_what_an_agent_promotes(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    directory = ready(home)
    home.ok("strategy", "sign", directory, "--key", "-", stdin=SIGNING_KEY, env=AGENT)
    assert home.run("plugin", "trust", "add", PUBLIC, env=AGENT).code == 4
    assert home.run("strategy", "promote", directory, "--yes", env=AGENT).code == 4
    home.ok("plugin", "trust", "add", PUBLIC)
    promoted = home.ok("strategy", "promote", directory, "--json", env=AGENT).json()
    assert promoted["publisher_key"] == PUBLIC
    assert home.run("config", "unset", "memory.topology.strategy_id", env=AGENT).code == 4
    assert home.ok("config", "get", "memory.topology.strategy_id").stdout == "mine\n"


def provider(home: Home) -> None:
    home.config_dir.mkdir(mode=0o700)
    write_plugin(nested(home.config_dir), "mem")


@pytest.mark.parametrize("command", ["trust", "setup"])
def test_an_agent_does_not_trust_a_provider(home: Home, command: str) -> None:
    provider(home)
    for words in (["--trust", "now"], []):
        done = home.run("memory", command, "mem", *words, "--json", env=AGENT)
        assert done.code == (4 if words or command == "setup" else 2)
    assert not (home.config_dir / "plugins" / "trust.json").exists()
    home.ok("memory", "trust", "mem", "--trust", "now")
    assert home.run("memory", command, "mem", env=AGENT).code == (4 if command == "setup" else 0)


def test_nobody_is_told_of_consent_who_cannot_give_it(home: Home) -> None:
    provider(home)
    done = home.run("memory", "trust", "mem", "--json")
    assert (done.code, len(done.stderr.splitlines())) == (2, 1)
    assert str(done.error()["hint"]).startswith("look at ")


def error_alone(home: Home, *words: str | Path) -> Any:
    done = home.run(*words, "--json")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.error()


def test_a_promotion_that_nobody_can_be_asked_about_is_one_error(home: Home) -> None:
    error = error_alone(home, "strategy", "promote", ready(home))
    assert (error["code"], error["hint"]) == ("usage", "pass --yes to answer yes")
