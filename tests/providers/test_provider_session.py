from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from tests.support.provider_plugins import PROVIDER, REGISTER, install
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import NotDurable, ProviderBroken, ProviderFailed
from zeroclaw_cli.providers import bounded
from zeroclaw_cli.providers.session import ProviderSession, data_outside, open_session

HANG = "        import threading\n        threading.Event().wait()\n"


def provider(body: str, before: str = "") -> str:
    return before + PROVIDER.replace("NAME", "mem") + body + REGISTER


def opened(home: Path, source: str) -> ProviderSession:
    install(home, "mem", source)
    return open_session(config_of(home), "mem", {}, home)


def config_of(home: Path) -> Config:
    return load(str(home), {})


def test_a_provider_that_does_not_start_is_started_once(tmp_path: Path) -> None:
    body = (
        "    tries = []\n"
        "    def initialize(self, session_id, **kwargs):\n"
        "        self.tries.append(1)\n        raise RuntimeError('no')\n"
    )
    session = opened(tmp_path, provider(body))
    for _ in range(3):
        with pytest.raises(ProviderBroken, match="does not start: no"):
            session.begin("s", None)
    assert session._provider.tries == [1]


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        ("initialize(self, session_id, **kwargs)", "initialize"),
        ("on_memory_write(self, action, target, content)", "on_memory_write"),
        ("handle_tool_call(self, name, args)", "its tool look"),
    ],
)
def test_a_hook_that_hangs_is_one_error_after_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: str, words: str
) -> None:
    monkeypatch.setattr(bounded, "HOOK_WITHIN_S", 0.3)
    tools = "    def get_tool_schemas(self):\n        return [{'name': 'look'}]\n"
    session = opened(tmp_path, provider(f"{tools}    def {hook}:\n{HANG}"))
    began = time.monotonic()
    with pytest.raises(ProviderFailed, match=f"did not come back from {words} within 0.3 seconds"):
        if words == "its tool look":
            session.call_tool("look", {})
        else:
            session.hand_over("add", "memory", "tea", {})
    assert time.monotonic() - began < 10


def test_a_module_that_hangs_while_it_is_imported_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LOAD_WITHIN_S", 0.3)
    gate = tmp_path / "gate"
    waits = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\n"
    with pytest.raises(ProviderBroken, match="did not come back from its import within"):
        opened(tmp_path, provider("", waits))
    gate.touch()


def test_the_hooks_of_one_command_run_on_one_thread_that_is_not_the_commands(tmp_path: Path) -> None:
    body = (
        "    seen = []\n"
        "    def _note(self):\n        import threading\n        self.seen.append(threading.get_ident())\n"
        "    def initialize(self, session_id, **kwargs):\n        self._note()\n"
        "    def is_available(self):\n        self._note()\n        return True\n"
        "    def on_memory_write(self, action, target, content):\n        self._note()\n"
    )
    session = opened(tmp_path, provider(body))
    session.hand_over("add", "memory", "tea", {})
    session.hand_over("add", "memory", "tea", {})
    seen = session._provider.seen
    session.close()
    assert len(seen) == 4
    assert len(set(seen)) == 1
    assert threading.get_ident() not in seen


def test_a_turn_that_was_waited_for_in_vain_is_not_waited_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroclaw_cli.providers.manager.EXIT_FLUSH_S", 0.3)
    session = opened(tmp_path, provider(f"    def sync_turn(self, user, assistant):\n{HANG}"))
    with pytest.raises(NotDurable):
        session.record("what is it", "tea", "s", [])
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < 3


def test_what_is_kept_outside_of_the_home_is_told_without_starting(tmp_path: Path) -> None:
    body = (
        "    def is_available(self):\n        return False\n"
        "    def initialize(self, session_id, **kwargs):\n        raise RuntimeError\n"
        "    def backup_paths(self):\n"
        f"        return ['/srv/x', {str(tmp_path / 'in')!r}, 5, '~nobody-here/y', 'a\\0b']\n"
    )
    install(tmp_path, "mem", provider(body))
    assert data_outside(config_of(tmp_path), "mem", {}, tmp_path) == ("/srv/x", "~nobody-here/y")


def test_a_backup_path_hook_that_fails_is_one_error(tmp_path: Path) -> None:
    install(tmp_path, "mem", provider("    def backup_paths(self):\n        raise SystemExit(3)\n"))
    with pytest.raises(ProviderBroken, match="fails in backup_paths"):
        data_outside(config_of(tmp_path), "mem", {}, tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        "    def is_available(self):\n"
        "        class No:\n            def __bool__(self): raise SystemExit(0)\n        return No()\n",
        "    def is_available(self):\n        return False\n    def unavailable_reason(self):\n"
        "        class No:\n            def __str__(self): raise KeyboardInterrupt\n        return No()\n",
    ],
)
def test_an_answer_that_bites_when_it_is_looked_at_is_one_error(tmp_path: Path, body: str) -> None:
    from zeroclaw_cli.errors import ProviderUnavailable

    with pytest.raises(ProviderUnavailable, match="is not available: provider 'mem' fails in"):
        opened(tmp_path, provider(body))


@pytest.mark.parametrize("name", ["bu\\u200biltin", "m\\x1b[31m", "a\\nb"])
def test_a_name_that_cannot_be_seen_is_refused(tmp_path: Path, name: str) -> None:
    source = provider("").replace('return "mem"', f'return "{name}"')
    with pytest.raises(ProviderBroken, match="its name holds what cannot be seen") as caught:
        opened(tmp_path, source)
    assert caught.value.message.isprintable()


def test_an_exception_whose_text_ends_the_process_is_one_error(tmp_path: Path) -> None:
    source = "class Odd(Exception):\n    def __str__(self): raise SystemExit(0)\nraise Odd\n"
    with pytest.raises(ProviderBroken, match="it cannot be shown"):
        opened(tmp_path, source)
