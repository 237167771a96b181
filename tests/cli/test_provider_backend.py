"""A Python provider as ``memory.backend``, and beside the built-in store as ``memory.provider``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Home
from zeroclaw_cli.config.load import load
from zeroclaw_cli.memory.conformance import run_cases
from zeroclaw_cli.providers.session import open_memory

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

# Writes what it is told to a file of its home; hooks can be made to misbehave by a file of that name.
DIARY = """
import json, os, pathlib, time

from agent.memory_provider import MemoryProvider


class Diary(MemoryProvider):
    name = "diary"

    def is_available(self):
        return not (self._home() / "unavailable").exists()

    def unavailable_reason(self):
        return "the shop is closed"

    def initialize(self, session_id, **kwargs):
        self._note("initialize", session_id, sorted(kwargs), kwargs.get("agent_context"), kwargs.get("agent_identity"))

    def get_tool_schemas(self):
        return []

    def prefetch(self, query, *, session_id=""):
        self._misbehave("prefetch")
        return "diary knows " + query

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        self._misbehave("sync_turn")
        self._note("sync_turn", user_content, assistant_content, session_id, len(messages or []))

    def on_memory_write(self, action, target, content, metadata=None):
        self._misbehave("on_memory_write")
        self._note("wrote", action, target, content, metadata)

    def shutdown(self):
        self._note("shutdown")

    def _home(self):
        from vibeos_constants import get_vibeos_home

        return get_vibeos_home()

    def _misbehave(self, hook):
        print("noise on stdout")
        os.write(1, b"noise on the descriptor\\n")
        what = self._home() / hook
        if what.exists():
            if what.read_text() == "hang":
                time.sleep(60)
            raise RuntimeError("the ink is dry")

    def _note(self, *words):
        with open(self._home() / "diary.jsonl", "a") as file:
            file.write(json.dumps(words) + "\\n")


def register(ctx):
    ctx.register_memory_provider(Diary())
"""


def write_provider(home: Home, name: str, code: str, description: str = "name: diary\nversion: 1.0.0\n") -> Path:
    folder = home.config_dir / "plugins" / "memory" / name
    folder.mkdir(parents=True, mode=0o700)
    for file, text in {"__init__.py": code, "plugin.yaml": description}.items():
        (folder / file).write_text(text)
        (folder / file).chmod(0o600)
    for parent in (folder, folder.parent, folder.parent.parent, home.config_dir):
        parent.chmod(0o700)
    return folder


@pytest.fixture
def home(home: Home) -> Home:
    write_provider(home, "diary", DIARY)
    home.ok("memory", "trust", "diary", "--trust", "now")
    home.ok("config", "set", "memory.provider", "diary")
    return home


def notes(home: Home) -> list[list[object]]:
    path = home.config_dir / "diary.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def told(home: Home, what: str) -> list[list[object]]:
    return [words[1:] for words in notes(home) if words[0] == what]


def misbehave(home: Home, hook: str, how: str = "raise") -> None:
    (home.config_dir / hook).write_text(how)


def test_a_write_of_the_built_in_store_reaches_the_provider_and_stdout_stays_the_commands(home: Home) -> None:
    done = home.ok("memory", "store", "tea", "green", "--session", "s1", "--json")
    assert done.json()["backend"] == "native"
    home.ok("memory", "store", "tea", "black", "--category", "user")
    home.ok("memory", "forget", "tea")
    wrote = told(home, "wrote")
    assert [words[:3] for words in wrote] == [
        ["add", "memory", "green"],
        ["replace", "user", "black"],
        ["remove", "user", "black"],
    ]
    assert wrote[1][3] == {"key": "tea", "category": "user", "session_id": "s1", "old_text": "green"}
    assert told(home, "initialize")[0][0] == "s1"
    assert told(home, "initialize")[1][0] == "cli"
    assert len(told(home, "shutdown")) == 3


def test_a_write_of_a_document_and_of_the_profile_reaches_the_provider(home: Home) -> None:
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "Likes tea.")
    home.ok("memory", "doc", "write", "--target", "memory", "--old", "tea", "--new", "coffee")
    home.ok("memory", "profile", "set", "--timezone", "Europe/Vienna")
    home.ok("memory", "doc", "forget", "MEMORY.md")
    assert [words[:3] for words in told(home, "wrote")] == [
        ["add", "memory", "Likes tea."],
        ["replace", "memory", "coffee"],
        ["replace", "user", "timezone: Europe/Vienna"],
        ["remove", "memory", "Likes coffee.\n"],
    ]


def test_the_context_has_the_providers_part_behind_a_fence(home: Home) -> None:
    home.ok("memory", "store", "tea", "Ada likes green tea")
    found = home.ok("memory", "context", "tea", "--json").json()
    assert "Ada likes green tea" in found["text"]
    assert found["provider"]["name"] == "diary"
    assert found["provider"]["text"].startswith("<memory-context>\n[System note:")
    shown = home.ok("memory", "context", "tea").stdout
    assert "Ada likes green tea" in shown
    assert "diary knows tea" in shown
    assert "noise" not in shown


def test_a_recorded_turn_reaches_the_provider_and_an_interrupted_one_does_not(home: Home) -> None:
    turn = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
    home.ok("memory", "record", "-", "--thread", "t1", "--run", "r1", stdin=json.dumps(turn))
    home.ok("memory", "record", "-", "--thread", "t1", "--run", "r2", stdin=json.dumps(turn[:1]))
    assert told(home, "sync_turn") == [["hello", "good day", "t1", 2]]


@pytest.mark.parametrize("hook", ["on_memory_write"])
def test_a_provider_that_fails_costs_a_warning_and_not_the_store(home: Home, hook: str) -> None:
    misbehave(home, hook)
    done = home.ok("memory", "store", "tea", "green")
    assert "diary" in done.stderr
    assert "the ink is dry" in done.stderr
    assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"


def test_a_provider_that_hangs_in_prefetch_delays_the_context_by_at_most_the_limit(home: Home) -> None:
    home.ok("config", "set", "memory.providers_host.prefetch_timeout_s", "0.5")
    misbehave(home, "prefetch", "hang")
    home.ok("memory", "store", "tea", "Ada likes green tea")
    done = home.run("memory", "context", "tea", timeout=40)
    assert done.code == 0
    assert "Ada likes green tea" in done.stdout
    assert "took longer than 0.5 s" in done.stderr


@pytest.mark.slow
def test_a_turn_that_is_not_taken_in_time_is_not_durable_and_the_built_in_store_has_it(home: Home) -> None:
    misbehave(home, "sync_turn", "hang")
    turn = [{"role": "user", "content": "hello tea"}, {"role": "assistant", "content": "good day"}]
    words = ["memory", "record", "-", "--thread", "t1", "--run", "r1", "--json"]
    done = home.run(*words, stdin=json.dumps(turn), timeout=60)
    assert done.code == 1
    assert done.error()["code"] == "not_durable"
    (home.config_dir / "sync_turn").unlink()
    assert "hello tea" in home.ok("memory", "context", "tea", "--thread", "t1").stdout


def test_a_turn_that_the_provider_refuses_fails_the_command(home: Home) -> None:
    misbehave(home, "sync_turn")
    turn = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
    words = ["memory", "record", "-", "--thread", "t1", "--run", "r1", "--json"]
    done = home.run(*words, stdin=json.dumps(turn))
    assert done.code == 1
    assert done.error()["code"] == "provider_failed"
    assert "the ink is dry" in done.error()["message"]


def spoil_provider(home: Home, how: str) -> None:
    folder = home.config_dir / "plugins" / "memory" / "diary"
    if how == "unavailable":
        (home.config_dir / "unavailable").write_text("")
    elif how == "remove":
        folder.rename(home.path / "gone")
    else:
        (folder / "__init__.py").write_text("def (" if how == "break" else DIARY + "\n")
        if how == "break":
            home.ok("memory", "trust", "diary", "--trust", "now")


COMMANDS = [
    ["memory", "store", "k", "v"],
    ["memory", "recall", "v"],
    ["memory", "list"],
    ["memory", "count"],
    ["memory", "stats"],
    ["memory", "health"],
    ["memory", "export"],
    ["memory", "context", "v"],
    ["memory", "doc", "tree"],
    ["memory", "profile", "get"],
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("change", "changed"),
        ("unavailable", "the shop is closed"),
        ("break", "SyntaxError"),
        ("remove", "diary"),
    ],
)
def test_every_memory_command_names_a_provider_that_is_not_used_and_why(home: Home, spoil: str, says: str) -> None:
    spoil_provider(home, spoil)
    for command in COMMANDS:
        done = home.run(*command)
        assert done.code == 0, done.stderr
        (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
        assert "'diary' is not used" in warning
        assert says in warning


@pytest.mark.parametrize(
    ("spoil", "code", "error"),
    [
        ("change", 4, "provider_untrusted"),
        ("unavailable", 1, "provider_unavailable"),
        ("break", 1, "provider_broken"),
        ("remove", 3, "provider_not_found"),
    ],
)
def test_a_backend_that_is_an_unusable_provider_fails_and_nothing_else_is_opened(
    home: Home, spoil: str, code: int, error: str
) -> None:
    home.ok("config", "set", "memory.backend", "provider.diary")
    spoil_provider(home, spoil)
    done = home.run("memory", "store", "k", "v", "--json")
    assert done.code == code, done.stderr
    assert done.error()["code"] == error
    assert not (home.config_dir / "data" / "memory" / "native.db").exists()


def test_a_provider_as_backend_takes_turns_and_gives_the_context(home: Home) -> None:
    turn = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
    words = ["--backend", "provider.diary"]
    home.ok("memory", "record", "-", "--thread", "t1", "--run", "r1", *words, stdin=json.dumps(turn))
    assert told(home, "sync_turn") == [["hello", "good day", "t1", 2]]
    found = home.ok("memory", "context", "tea", *words, "--agent", "ada", "--json").json()
    assert "diary knows tea" in found["provider"]["text"]
    assert told(home, "initialize")[-1][-1] == "ada"
    assert not (home.config_dir / "data" / "memory" / "native.db").exists()


def test_the_context_of_an_agents_process_says_subagent(home: Home) -> None:
    home.ok("memory", "store", "k", "v")
    home.ok("memory", "store", "k", "v", env={"ZEROCLAW_AGENT": "1"})
    assert [words[2] for words in told(home, "initialize")] == ["primary", "subagent"]


def test_the_bundled_provider_passes_the_conformance_cases_at_its_level(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "ZEROCLAW_CONFIG_DIR": str(tmp_path / "home-0")}
    numbers = iter(range(1_000))

    def fresh() -> object:
        place = tmp_path / f"home-{next(numbers)}"
        return open_memory(load(str(place), environ), "notebook", dict(environ), tmp_path)

    results = list(run_cases(fresh, may_refuse=True))  # type: ignore[arg-type]
    failed = {result.id: result.detail for result in results if result.outcome == "failed"}
    assert failed == {}
    skipped = {result.id for result in results if result.outcome == "skipped"}
    assert skipped <= {
        "get-for-agent-owners",
        "purge-namespace",
        "purge-session",
        "purge-session-for-agent",
        "purge-agent",
        "reindex",
        "store-procedural",
        "store-with-metadata",
    }


def test_a_backup_says_what_of_the_providers_it_does_not_hold(home: Home) -> None:
    assert f"copy {home.config_dir}" in home.ok("memory", "backup", "--out", "plain.zip").stderr
    paths = "    def backup_paths(self):\n        return ['/srv/diary']\n\n"
    outside = DIARY.replace("    def shutdown", f"{paths}    def shutdown")
    (home.config_dir / "plugins" / "memory" / "diary" / "__init__.py").write_text(outside)
    changed = home.ok("memory", "backup", "--out", "changed.zip").stderr
    assert "cannot be determined" in changed
    assert "its code changed" in changed
    home.ok("memory", "trust", "diary", "--trust", "now")
    done = home.ok("memory", "backup", "--out", "outside.zip", "--json")
    assert done.stderr.count("warning: ") == 1
    assert f"copy {home.config_dir} and, outside of it, /srv/diary" in done.stderr
    home.ok("memory", "off")
    assert home.ok("memory", "backup", "--out", "off.zip").stderr == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("forget", "tea"), "cannot forget an entry"),
        (("export",), "cannot export its entries"),
        (("list",), "cannot list its entries"),
        (("get", "tea"), "cannot get an entry by its key"),
        (("count",), "cannot count its entries"),
        (("reindex",), "cannot rebuild an index"),
        (("compact",), "cannot compact a journal"),
        (("purge", "--session", "s", "--yes"), "cannot purge a session"),
        (("copy", "--from", "provider.diary", "--to", "native"), "cannot export its entries"),
    ],
)
def test_what_a_provider_without_a_map_cannot_do_is_said_with_a_hint(
    home: Home, words: tuple[str, ...], message: str
) -> None:
    backend = () if words[0] == "copy" else ("--backend", "provider.diary")
    error = home.fails(1, "memory", *words, *backend, "--json").error()
    assert (error["code"], error["message"]) == ("not_supported", f"provider.diary {message}")
    assert error["hint"]
