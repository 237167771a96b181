"""What a provider is given of turns, and what it gives for one, in commands that live for one operation."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.provider_plugins import PROVIDER, REGISTER, install, write_plugin

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

TURN = '[{"role": "user", "content": "which tea"}, {"role": "assistant", "content": "green"}]'
RECORD = ("memory", "record", "-", "--thread", "t", "--run", "r")
PREPARES = """
    ready = ""
    def queue_prefetch(self, query, *, session_id=""):
        import time
        time.sleep(PAUSE)
        self.ready = "prepared for " + query
    def prefetch(self, query, *, session_id=""):
        return self.ready
"""


def provider(home: Home, body: str, config: str = "") -> None:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    install(home.config_dir, "mem", PROVIDER.replace("NAME", "mem") + body + REGISTER)
    home.config_file.write_text(f'[memory]\nprovider = "mem"\n{config}')
    home.config_file.chmod(0o600)


def test_what_is_only_prepared_after_a_turn_is_prepared_when_it_is_asked_for(home: Home) -> None:
    provider(home, PREPARES.replace("PAUSE", "0.1"))
    assert "prepared for which tea" in home.ok("memory", "context", "which tea").stdout
    found = home.ok("memory", "recall", "which tea", "--backend", "provider.mem", "--json").json()
    assert found["entries"][0]["content"] == "prepared for which tea"


def test_preparing_shares_the_time_of_the_answer(home: Home) -> None:
    provider(home, PREPARES.replace("PAUSE", "30"), "[memory.providers_host]\nprefetch_timeout_s = 0.5\n")
    began = time.monotonic()
    done = home.ok("memory", "context", "which tea")
    assert time.monotonic() - began < 20
    assert "warning: memory provider 'mem': provider.mem did not prefetch in time" in done.stderr


def test_recording_a_turn_waits_for_no_preparation_and_reports_no_loss(home: Home) -> None:
    provider(home, PREPARES.replace("PAUSE", "60"))
    began = time.monotonic()
    done = home.ok(*RECORD, "--json", stdin=TURN)
    assert (done.json()["recorded"], done.stderr) == (True, "")
    assert time.monotonic() - began < 9


def test_what_a_provider_still_writes_when_it_is_shut_down_is_waited_for_and_a_loss_is_told(home: Home) -> None:
    body = """
    def sync_turn(self, user, assistant, *, session_id=""):
        import threading, time
        def late():
            time.sleep(PAUSE)
            open(self.kwargs["vibeos_home"] + "/kept", "w").close()
        self.thread = threading.Thread(target=late, daemon=True)
        self.thread.start()
    def shutdown(self):
        self.thread.join()
"""
    provider(home, body.replace("PAUSE", "7"))
    home.ok(*RECORD, stdin=TURN)
    assert (home.config_dir / "kept").exists()
    provider(home, body.replace("PAUSE", "40"))
    other = TURN.replace("green", "black")
    assert home.fails(1, *RECORD, "--json", stdin=other).error()["code"] == "not_durable"


@pytest.mark.parametrize("json", [("--json",), ()], ids=["json", "text"])
def test_a_sub_agents_turn_is_kept_by_no_provider_and_that_is_said(home: Home, json: tuple[str, ...]) -> None:
    home.ok("memory", "setup", "notebook", "--yes")
    agent = {"ZEROCLAW_AGENT": "1"}
    done = home.ok(*RECORD, "--backend", "provider.notebook", *json, stdin=TURN, env=agent)
    reason = "ZEROCLAW_AGENT is set, and memory provider 'notebook' is given no turns of a sub-agent"
    if json:
        assert (done.json()["recorded"], done.json()["reason"]) == (False, reason)
    else:
        assert done.stderr == f"nothing was recorded: {reason}\n"
    assert home.ok(*RECORD, "--json", stdin=TURN, env=agent).json()["recorded"] is True
    assert home.ok("notebook", "list").stdout == ""


def test_a_provider_of_the_config_that_fails_is_named_when_another_is_the_backend(home: Home) -> None:
    provider(home, "    def is_available(self):\n        return False\n")
    for words in (RECORD, ("memory", "context", "tea")):
        (line,) = home.ok(*words, "--backend", "provider.notebook", stdin=TURN).stderr.splitlines()[-1:]
        assert line.startswith("warning: memory provider 'mem' is not used: ")


def test_a_store_whose_reply_has_no_id_is_no_store(home: Home) -> None:
    tools = "    def get_tool_schemas(self):\n        return [{'name': 'mem_keep'}]\n"
    tools += "    def handle_tool_call(self, name, args, **kwargs):\n        return '{\"saved\": false}'\n"
    provider(home, tools)
    yaml = "name: mem\nversion: 1\nzeroclaw_memory_map:\n  store: {tool: mem_keep, args: {text: $content}, id: fact}\n"
    (home.config_dir / "plugins/memory/mem/plugin.yaml").write_text(yaml)
    home.ok("memory", "trust", "mem", "--trust", "now")
    error = home.fails(1, "memory", "store", "a", "b", "--backend", "provider.mem", "--json").error()
    assert error["code"] == "provider_failed"
    assert "has no 'fact'" in error["message"]


def test_commands_about_the_layers_name_a_provider_that_is_not_used(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("config", "set", "memory.provider", "nothere")
    for words in (["wake"], ["layers"], ["plan", "recall"], ["receipts"], ["providers"]):
        lines = home.ok("memory", *words).stderr.splitlines()
        (line,) = [line for line in lines if line.startswith("warning: ")]
        assert line.startswith("warning: memory provider 'nothere' is not used: ")
    assert home.ok("memory", "wake", "--help").stderr == ""


def test_setup_of_an_empty_name_is_a_wrong_line_and_changes_nothing(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--yes")
    for name in ("", "  "):
        assert home.fails(2, "memory", "setup", name, "--json").error()["code"] == "usage"
    assert home.ok("config", "get", "memory.provider").stdout == "notebook\n"


def test_a_limit_of_prefetch_beyond_an_hour_is_refused(home: Home) -> None:
    home.ok("config", "set", "memory.providers_host.prefetch_timeout_s", "3600")
    home.fails(1, "config", "set", "memory.providers_host.prefetch_timeout_s", "1e10")


def test_check_says_why_the_code_was_not_run(home: Home, tmp_path: Path) -> None:
    write_plugin(tmp_path, "mem", "import sys\nsys.exit(1)\n" + PROVIDER.replace("NAME", "mem") + REGISTER)
    done = home.fails(1, "memory", "check", tmp_path / "mem", "--trust", "now")
    assert "run: its code was not run\n         correct the errors first" in done.stdout


REFUSES = """
    def sync_turn(self, user, assistant, *, session_id=""):
        import os
        home = self.kwargs["vibeos_home"]
        if os.path.exists(home + "/refuses"):
            raise RuntimeError("no space")
        with open(home + "/kept", "a") as file:
            file.write(user + "\\n")
"""


def turn(*users: str) -> str:
    return json.dumps(
        [
            message
            for user in users
            for message in ({"role": "user", "content": user}, {"role": "assistant", "content": f"answer to {user}"})
        ]
    )


@pytest.mark.parametrize("run", [(), ("--run", "r")], ids=["conversation", "run"])
def test_a_turn_that_the_provider_did_not_take_is_given_when_it_is_recorded_again(
    home: Home, run: tuple[str, ...]
) -> None:
    provider(home, REFUSES)
    (home.config_dir / "refuses").touch()
    command = ("memory", "record", "-", "--thread", "t", *run)
    failed = home.fails(1, *command, stdin=turn("tea"))
    assert "the same command again gives it to the provider" in failed.stderr
    (home.config_dir / "refuses").unlink()
    assert "given the turn" in home.ok(*command, stdin=turn("tea")).stderr + "given the turn" * bool(run)
    assert (home.config_dir / "kept").read_text() == "tea\n"
    home.ok(*command, stdin=turn("tea"))
    assert (home.config_dir / "kept").read_text() == "tea\n"


def test_a_later_turn_of_the_conversation_brings_the_missed_one_and_a_forgotten_one_stays_away(home: Home) -> None:
    provider(home, REFUSES)
    (home.config_dir / "refuses").touch()
    command = ("memory", "record", "-", "--thread", "t")
    for users in (("one",), ("one", "two")):
        home.fails(1, *command, stdin=turn(*users))
    (first,) = [path for path in transcripts(home) if "one" in home.ok("memory", "doc", "read", path).stdout]
    home.ok("memory", "doc", "forget", first)
    (home.config_dir / "refuses").unlink()
    home.ok(*command, stdin=turn("one", "two", "three"))
    assert (home.config_dir / "kept").read_text() == "two\nthree\n"


def test_a_turn_that_fails_does_not_have_the_one_before_it_given_twice(home: Home) -> None:
    refuses = 'os.path.exists(home + "/refuses")'
    not_ready = 'user == "two" and not os.path.exists(home + "/ready")'
    fails_on_two = REFUSES.replace(refuses, f"{refuses} or ({not_ready})")
    provider(home, fails_on_two)
    (home.config_dir / "refuses").touch()
    command = ("memory", "record", "-", "--thread", "t")
    home.fails(1, *command, stdin=turn("one"))
    (home.config_dir / "refuses").unlink()
    home.fails(1, *command, stdin=turn("one", "two"))
    (home.config_dir / "ready").touch()
    home.ok(*command, stdin=turn("one", "two"))
    assert (home.config_dir / "kept").read_text() == "one\ntwo\n"


def test_a_provider_that_is_chosen_later_gets_no_older_turns(home: Home) -> None:
    command = ("memory", "record", "-", "--thread", "t")
    home.ok(*command, stdin=turn("one"))
    provider(home, REFUSES)
    home.ok(*command, stdin=turn("one"))
    assert not (home.config_dir / "kept").exists()
    home.ok(*command, stdin=turn("one", "two"))
    assert (home.config_dir / "kept").read_text() == "two\n"


def transcripts(home: Home) -> list[str]:
    shown = home.ok("memory", "doc", "tree", "threads/t", "--json").stdout
    return [f"threads/t/{name}" for name in sorted(set(re.findall(r"auto-\w+\.md", shown)))]
