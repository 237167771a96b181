from __future__ import annotations

import contextvars
import json
import logging
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.manager_providers import FAILURES, Recorder, raising, tool
from zeroclaw_cli.cli.app import _Terminated
from zeroclaw_cli.providers import manager as manager_module
from zeroclaw_cli.providers.base import RecallStatus
from zeroclaw_cli.providers.home import get_vibeos_home
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.redaction import Redactor

QUERY = "what is tea"
KEY = "sk-" + "a1" * 20
ALWAYS_WARNED = {"sync_turn", "system_prompt_block", "get_tool_schemas", "initialize", "on_session_end", "shutdown"}


def manager_of(*providers: Recorder, **options: Any) -> MemoryManager:
    manager = MemoryManager(**options)
    for provider in providers:
        assert manager.add_provider(provider)
    return manager


def call(manager: MemoryManager, hook: str) -> None:
    """Make the manager call ``hook`` of its providers, and wait for it."""
    calls: dict[str, Callable[[], object]] = {
        "initialize": lambda: manager.initialize_all("s", vibeos_home="/h"),
        "get_tool_schemas": manager.get_all_tool_schemas,
        "handle_tool_call": lambda: manager.handle_tool_call("t", {}),
        "system_prompt_block": manager.build_system_prompt,
        "on_turn_start": lambda: manager.on_turn_start(1, "m"),
        "prefetch": lambda: manager.prefetch_all(QUERY),
        "queue_prefetch": lambda: manager.queue_prefetch_all(QUERY),
        "sync_turn": lambda: manager.sync_all("u", "a"),
        "on_session_end": lambda: manager.on_session_end([]),
        "on_session_switch": lambda: manager.on_session_switch("n"),
        "on_pre_compress": lambda: manager.on_pre_compress([]),
        "on_memory_write": lambda: manager.on_memory_write("add", "memory", "c"),
        "on_delegation": lambda: manager.on_delegation("t", "r"),
        "shutdown": manager.shutdown_all,
    }
    calls[hook]()
    assert manager.flush_pending(10)


HOOKS = [
    "initialize",
    "get_tool_schemas",
    "handle_tool_call",
    "system_prompt_block",
    "on_turn_start",
    "prefetch",
    "queue_prefetch",
    "sync_turn",
    "on_session_end",
    "on_session_switch",
    "on_pre_compress",
    "on_memory_write",
    "on_delegation",
    "shutdown",
]


# Isolation


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("hook", HOOKS)
def test_whatever_a_hook_raises_reaches_neither_the_caller_nor_the_other_provider(
    hook: str, error: BaseException
) -> None:
    good, bad = Recorder("builtin", [tool("g")]), Recorder("ext", [tool("t")])
    manager = manager_of(bad, good)
    bad.behaviour[hook] = raising(error)
    call(manager, hook)
    if hook not in {"handle_tool_call", "on_memory_write", "get_tool_schemas"}:
        assert hook in good.hooks()


@pytest.mark.parametrize("hook", [hook for hook in HOOKS if hook not in {"initialize", "shutdown"}])
def test_a_failure_is_logged_with_name_hook_and_reason_at_its_level(
    hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    provider = Recorder("ext", [tool("t")])
    manager = manager_of(provider)
    provider.behaviour[hook] = raising(ValueError("the reason"))
    caplog.set_level(logging.DEBUG)
    for _ in range(3):
        call(manager, hook)
    failures = [record for record in caplog.records if "failed" in record.message]
    assert {record.message.split("\n")[0] for record in failures} == {
        f"Memory provider 'ext' {hook} failed: the reason"
    }
    if hook == "handle_tool_call":
        expected = [logging.ERROR] * 3
    elif hook in ALWAYS_WARNED:
        expected = [logging.WARNING] * 3
    else:
        expected = [logging.WARNING, logging.DEBUG, logging.DEBUG]
    assert [record.levelno for record in failures] == expected
    assert ("Traceback" in caplog.text) == (hook == "on_session_end")


def test_no_secret_of_an_exception_gets_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    provider = Recorder("ext", [tool("t")], on_session_end=raising(ValueError(f"bad key {KEY} or open-sesame")))
    provider.behaviour["handle_tool_call"] = provider.behaviour["on_session_end"]
    manager = manager_of(provider, redactor=Redactor(["open-sesame"]))
    manager.on_session_end([])
    assert json.loads(manager.handle_tool_call("t", {})) == {
        "error": "Memory tool 't' failed: bad key [redacted] or [redacted]"
    }
    assert "[redacted]" in caplog.text
    assert KEY not in caplog.text
    assert "open-sesame" not in caplog.text


def test_a_failures_text_is_one_bounded_line(caplog: pytest.LogCaptureFixture) -> None:
    manager_of(Recorder("ext", on_delegation=raising(ValueError("a\nb\x1b[2J" + "x" * 10**6)))).on_delegation("t", "r")
    assert "\x1b" not in caplog.text
    assert len(caplog.records[-1].message.split("\n")) == 1
    assert len(caplog.records[-1].message) < 700


@pytest.mark.parametrize("hook", ["on_turn_start", "initialize", "handle_tool_call", "on_session_end"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), _Terminated(15)], ids=["ctrl-c", "sigterm"])
def test_an_interrupt_on_the_callers_thread_passes(hook: str, error: BaseException) -> None:
    provider = Recorder("ext", [tool("t")])
    manager = manager_of(provider)
    provider.behaviour[hook] = raising(error)
    with pytest.raises(type(error)):
        call(manager, hook)


@pytest.mark.parametrize("hook", ["sync_turn", "queue_prefetch", "prefetch", "shutdown"])
def test_an_interrupt_that_is_raised_in_the_background_is_a_failure(
    hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    manager = manager_of(Recorder("ext", None, **{hook: raising(KeyboardInterrupt())}))
    call(manager, hook)
    assert f"'ext' {hook} failed: KeyboardInterrupt" in caplog.text


def test_a_hook_that_is_a_coroutine_is_a_failure_and_leaves_none_unawaited(caplog: pytest.LogCaptureFixture) -> None:
    async def prefetch(*_: Any, **__: Any) -> str:
        return "never"

    assert manager_of(Recorder("ext", prefetch=prefetch)).prefetch_all(QUERY) == ""
    assert "called without an event loop" in caplog.text


# Registration


def test_providers_are_in_the_order_in_which_they_were_added() -> None:
    first, second = Recorder("ext"), Recorder("builtin")
    manager = manager_of(first, second)
    assert manager.providers == [first, second]
    manager.providers.clear()
    assert manager.providers == [first, second]
    assert manager.get_provider("builtin") is second
    assert manager.get_provider("none") is None


def test_a_second_external_provider_is_not_added(caplog: pytest.LogCaptureFixture) -> None:
    manager = manager_of(Recorder("one", [tool("a")]))
    assert manager.add_provider(Recorder("two", [tool("b")])) is False
    assert [provider.name for provider in manager.providers] == ["one"]
    assert manager.get_all_tool_names() == {"a"}
    for word in ("'one'", "'two'", "memory.provider"):
        assert word in caplog.text


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_a_provider_whose_schemas_cannot_be_read_leaves_the_place_free(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    manager = MemoryManager()
    assert manager.add_provider(Recorder("bad", get_tool_schemas=raising(error))) is False
    assert "Memory provider 'bad' get_tool_schemas failed" in caplog.text
    assert manager.providers == []
    assert manager.add_provider(Recorder("good", [tool("a")])) is True


def test_schemas_that_break_off_add_nothing() -> None:
    def broken() -> Any:
        yield tool("a")
        raise RuntimeError("half way")

    manager = MemoryManager()
    assert manager.add_provider(Recorder("bad", get_tool_schemas=broken)) is False
    assert manager.get_all_tool_names() == set()


def test_a_plugin_that_calls_itself_builtin_is_not_added(caplog: pytest.LogCaptureFixture) -> None:
    manager = MemoryManager()
    assert manager.add_provider(Recorder("builtin"), plugin=True) is False
    assert manager.add_provider(Recorder("mine"), plugin=True) is True
    assert "calls itself 'builtin'" in caplog.text


@pytest.mark.parametrize("name", ["", " ", None, 3, "a\nb", b"x"])
def test_a_provider_without_a_usable_name_is_not_added(name: Any) -> None:
    manager = MemoryManager()
    assert manager.add_provider(Recorder(name)) is False
    assert manager.providers == []


def test_a_provider_that_changes_its_name_stays_who_it_was() -> None:
    names = iter(["ext"])

    class Turncoat(Recorder):
        @property
        def name(self) -> str:
            return next(names, "builtin")

    manager = MemoryManager()
    assert manager.add_provider(Turncoat())
    assert not manager.add_provider(Recorder("other"))
    manager.on_memory_write("add", "memory", "c")
    assert len(manager.get_provider("ext").of("on_memory_write")) == 1


# Start


def test_initialize_gets_home_and_platform_and_only_what_is_known(tmp_path: Path) -> None:
    provider = Recorder("ext")
    manager = manager_of(provider, vibeos_home=tmp_path)
    manager.initialize_all("s", user_id=None, user_name="", agent_context="subagent", chat_id="0", platform=None)
    home = str(tmp_path)
    assert provider.calls == [
        (
            "initialize",
            (),
            {
                "session_id": "s",
                "vibeos_home": home,
                "hermes_home": home,
                "platform": "cli",
                "agent_context": "subagent",
                "chat_id": "0",
            },
        )
    ]


def test_the_home_of_the_process_is_used_where_none_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZEROCLAW_CONFIG_DIR", str(tmp_path / "profile"))
    provider = Recorder("ext")
    manager_of(provider).initialize_all("s")
    assert provider.calls[0][2]["vibeos_home"] == str(tmp_path / "profile")


def test_two_managers_with_two_homes_do_not_mix_in_any_thread(tmp_path: Path) -> None:
    seen: dict[str, set[Path]] = {}

    def managed(name: str) -> MemoryManager:
        def look(*_: Any, **__: Any) -> str:
            seen.setdefault(name, set()).add(get_vibeos_home())
            return "{}"

        provider = Recorder(name, [tool("t")], **{hook: look for hook in HOOKS if hook != "get_tool_schemas"})
        return manager_of(provider, vibeos_home=tmp_path / name)

    managers = [managed("one"), managed("two")]
    for manager in managers:
        manager.initialize_all("s")
    for hook in HOOKS[1:]:
        for manager in managers:
            call(manager, hook)
    assert seen == {"one": {tmp_path / "one"}, "two": {tmp_path / "two"}}


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_a_provider_that_does_not_start_is_degraded(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    bad, good = Recorder("ext", [tool("t")], initialize=raising(error)), Recorder("builtin", [tool("g")])
    manager = manager_of(bad, good)
    manager.initialize_all("s", vibeos_home="/h", warning_callback=told.append)
    assert list(manager.degraded) == ["ext"]
    assert len(told) == 1
    assert "'ext'" in told[0]
    assert "\n" not in told[0]
    assert "Memory provider 'ext' initialize failed" in caplog.text
    assert manager.get_all_tool_names() == {"g"}
    assert [schema["name"] for schema in manager.get_all_tool_schemas()] == ["g"]
    assert not manager.has_tool("t")
    assert json.loads(manager.handle_tool_call("t", {})) == {"error": "No memory provider handles tool 't'"}
    for hook in HOOKS:
        if hook not in {"initialize", "get_tool_schemas", "handle_tool_call", "shutdown"}:
            call(manager, hook)
    assert bad.hooks() == ["initialize"]
    # It may have opened something before it failed.
    manager.shutdown_all()
    assert bad.hooks() == ["initialize", "shutdown"]


def test_a_provider_that_starts_at_the_second_attempt_is_whole_again() -> None:
    provider = Recorder("ext", [tool("t")], initialize=raising(OSError("no disk")))
    manager = manager_of(provider)
    manager.initialize_all("s", vibeos_home="/h", warning_callback=raising(ValueError("no terminal")))
    assert manager.degraded == {"ext": "no disk"}
    del provider.behaviour["initialize"]
    manager.initialize_all("s", vibeos_home="/h")
    assert manager.degraded == {}
    assert manager.has_tool("t")


# Prompt


def test_the_system_prompt_is_the_blocks_that_are_not_blank() -> None:
    builtin, external = Recorder("builtin", system_prompt_block=lambda: "own"), Recorder("ext")
    manager = manager_of(builtin, external)
    for value in ("", "  ", None, 3, ["x"]):
        external.behaviour["system_prompt_block"] = lambda value=value: value
        assert manager.build_system_prompt() == "own"
    external.behaviour["system_prompt_block"] = lambda: "theirs"
    assert manager.build_system_prompt() == "own\n\ntheirs"


def test_a_block_for_the_system_prompt_is_capped_and_sanitised() -> None:
    text = "use it</memory-context>\n" + "line\n" * 2_000
    block = manager_of(Recorder("ext", system_prompt_block=lambda: text)).build_system_prompt()
    assert block.startswith("use it\nline\n")
    assert len(block) <= 4_000


def test_what_is_kept_at_a_compression_is_joined_and_sanitised() -> None:
    one = Recorder("builtin", on_pre_compress=lambda _: "own <memory-context>")
    two = Recorder("ext", on_pre_compress=lambda _: "theirs")
    manager = manager_of(one, two)
    messages = [{"role": "user", "content": f"key {KEY}"}]
    assert manager.on_pre_compress(messages) == "own \n\ntheirs"
    assert two.of("on_pre_compress")[0][1] == ([{"role": "user", "content": "key [redacted]"}],)
    assert messages[0]["content"] == f"key {KEY}"


def test_the_status_of_a_recall_is_what_providers_say() -> None:
    provider = Recorder("ext")
    manager = manager_of(provider)
    assert manager.recall_statuses() == []
    provider.recall_status = lambda: RecallStatus("Ext", 2)  # type: ignore[method-assign]
    assert manager.recall_statuses() == [RecallStatus("Ext", 2)]


# Turns in the background


def test_a_turn_is_synced_without_waiting_and_in_order() -> None:
    gate, provider = threading.Event(), Recorder("ext")
    provider.behaviour["sync_turn"] = lambda *_, **__: gate.wait(30)
    manager = manager_of(provider)
    begin = time.monotonic()
    for number in range(50):
        manager.sync_all(f"u{number}", f"a{number}", session_id="s")
    assert time.monotonic() - begin < 5
    assert not manager.flush_pending(0)
    gate.set()
    assert manager.flush_pending(10)
    assert [args for _, args, _ in provider.calls] == [(f"u{number}", f"a{number}") for number in range(50)]
    assert provider.threads["sync_turn"] == "memory-background"


def test_the_transcript_of_a_turn_is_that_of_the_moment_whatever_becomes_of_it() -> None:
    gate, provider = threading.Event(), Recorder("ext")
    provider.behaviour["queue_prefetch"] = lambda *_, **__: gate.wait(30)
    manager = manager_of(provider)
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"text": "then"}]}]
    manager.queue_prefetch_all(QUERY)
    manager.sync_all("u", "a", messages=messages)
    manager.commit_session_boundary_async(messages, new_session_id="n")
    messages[0]["content"][0]["text"] = "now"
    messages.append({"role": "assistant"})
    gate.set()
    assert manager.flush_pending(10)
    then = [{"role": "user", "content": [{"text": "then"}]}]
    assert provider.of("sync_turn")[0][2]["messages"] == then
    assert provider.of("on_session_end")[0][1] == (then,)


def test_nothing_that_was_recalled_or_is_secret_is_synced() -> None:
    provider = Recorder("ext")
    manager = manager_of(provider, redactor=Redactor(["open-sesame"]))
    block = "<memory-context>\nold\n</memory-context>"
    manager.sync_all(f"tea {KEY}\n\n{block}", f"{block}\ngreen open-sesame", messages=[{"content": f"x {block} {KEY}"}])
    assert manager.flush_pending(5)
    assert provider.calls == [
        (
            "sync_turn",
            ("tea [redacted]\n\n", "\ngreen [redacted]"),
            {"session_id": "", "messages": [{"content": "x  [redacted]"}]},
        )
    ]


@pytest.mark.parametrize(
    ("user", "assistant"), [("", "a"), (" ", "a"), ("u", ""), ("u", "\n"), (None, "a"), ("u", None)]
)
def test_a_turn_without_text_on_both_sides_is_not_synced(user: Any, assistant: Any) -> None:
    provider = Recorder("ext")
    manager = manager_of(provider)
    manager.sync_all(user, assistant)
    assert manager.flush_pending(5)
    assert provider.calls == []


def test_without_a_provider_there_is_no_thread() -> None:
    before = set(threading.enumerate())
    manager = MemoryManager()
    manager.initialize_all("s", vibeos_home="/h")
    manager.sync_all("u", "a")
    manager.queue_prefetch_all(QUERY)
    manager.commit_session_boundary_async([], new_session_id="n")
    assert manager.prefetch_all(QUERY) == ""
    assert manager.flush_pending()
    manager.shutdown_all()
    assert set(threading.enumerate()) <= before


# Boundaries


def test_a_boundary_ends_the_session_and_then_switches_even_if_the_end_failed() -> None:
    provider = Recorder("ext", on_session_end=raising(RuntimeError("x")))
    manager = manager_of(provider)
    manager.sync_all("u", "a")
    manager.commit_session_boundary_async([{"a": 1}], new_session_id="n", parent_session_id="p")
    assert manager.flush_pending(5)
    assert provider.hooks() == ["sync_turn", "on_session_end", "on_session_switch"]
    assert provider.calls[-1] == (
        "on_session_switch",
        ("n",),
        {"parent_session_id": "p", "reset": True, "reason": "new_session"},
    )
    assert provider.threads["on_session_switch"] == "memory-background"


def test_a_switch_without_an_id_is_ignored_and_rewound_is_said_only_when_true() -> None:
    provider = Recorder("ext")
    manager = manager_of(provider)
    manager.on_session_switch("")
    manager.on_session_switch("n")
    manager.on_session_switch("n", rewound=True)
    assert [keywords for _, _, keywords in provider.calls] == [
        {"parent_session_id": "", "reset": False},
        {"parent_session_id": "", "reset": False, "rewound": True},
    ]
    assert provider.threads["on_session_switch"] == threading.current_thread().name


def test_every_fan_out_hands_over_copies_without_secrets() -> None:
    one, two = Recorder("builtin"), Recorder("ext")
    one.behaviour["on_session_end"] = lambda messages: messages.clear()
    manager = manager_of(one, two)
    messages = [{"content": KEY}]
    manager.on_session_end(messages)
    manager.on_delegation(KEY, KEY, child_session_id="c", note=KEY)
    manager.on_memory_write("add", "user", KEY, {"old_text": KEY})
    manager.on_turn_start(1, KEY, model="m")
    assert messages == [{"content": KEY}]
    assert two.calls == [
        ("on_session_end", ([{"content": "[redacted]"}],), {}),
        ("on_delegation", ("[redacted]", "[redacted]"), {"child_session_id": "c", "note": "[redacted]"}),
        ("on_memory_write", ("add", "user", "[redacted]", {"old_text": "[redacted]"}), {}),
        ("on_turn_start", (1, "[redacted]"), {"model": "m"}),
    ]


# The end


def test_providers_are_shut_down_in_reverse_once_after_the_queue() -> None:
    order: list[str] = []
    builtin = Recorder("builtin", shutdown=lambda: order.append("builtin"))
    external = Recorder("ext", shutdown=lambda: order.append("ext"), sync_turn=lambda *_, **__: order.append("sync"))
    manager = manager_of(builtin, external)
    assert manager.shutdown_drain_state == {
        "status": "not_started",
        "abandoned_writes": 0,
        "abandoned_prefetches": 0,
        "active_tasks": 0,
    }
    manager.sync_all("u", "a")
    manager.shutdown_all()
    manager.shutdown_all()
    assert order == ["sync", "ext", "builtin"]
    assert manager.shutdown_drain_state["status"] == "drained"


def test_nothing_reaches_a_provider_after_the_end(caplog: pytest.LogCaptureFixture) -> None:
    provider = Recorder("ext", [tool("t")])
    manager = manager_of(provider)
    manager.shutdown_all()
    provider.calls.clear()
    for hook in HOOKS:
        call(manager, hook)
    assert manager.add_provider(Recorder("builtin")) is False
    assert provider.calls == []
    assert json.loads(manager.handle_tool_call("t", {})) == {"error": "No memory provider handles tool 't'"}


def test_work_that_does_not_end_in_time_is_abandoned_counted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    gate, begun = threading.Event(), threading.Event()

    def hang(*_: Any, **__: Any) -> None:
        begun.set()
        gate.wait(30)

    provider = Recorder("ext", sync_turn=hang)
    manager = manager_of(provider)
    for _ in range(3):
        manager.sync_all("u", "a")
        manager.queue_prefetch_all(QUERY)
    assert begun.wait(5)
    manager.shutdown_all(drain_s=0.1)
    assert manager.shutdown_drain_state == {
        "status": "timed_out",
        "abandoned_writes": 2,
        "abandoned_prefetches": 3,
        "active_tasks": 1,
    }
    assert "not begun: 2 turns, 3 prefetches; still running: 1" in caplog.text
    assert provider.hooks() == ["sync_turn", "shutdown"]
    gate.set()


def test_a_shutdown_that_hangs_holds_the_others_up_for_the_limit_only(caplog: pytest.LogCaptureFixture) -> None:
    gate = threading.Event()
    builtin = Recorder("builtin")
    manager = manager_of(builtin, Recorder("ext", shutdown=lambda: gate.wait(30)))
    begin = time.monotonic()
    manager.shutdown_all(each_s=0.1)
    assert time.monotonic() - begin < 10
    assert builtin.hooks() == ["shutdown"]
    assert "Memory provider 'ext' shutdown failed: it took longer than 0.1 s" in caplog.text
    gate.set()


def test_an_interrupted_drain_still_shuts_the_providers_down(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Recorder("ext")
    manager = manager_of(provider)
    monkeypatch.setattr(manager, "_drain", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        manager.shutdown_all()
    assert provider.hooks() == ["shutdown"]


def test_a_worker_follows_the_context_of_its_turn() -> None:
    profile: contextvars.ContextVar[str] = contextvars.ContextVar("profile_of_turn")
    seen: list[str] = []
    manager = manager_of(Recorder("ext", sync_turn=lambda *_, **__: seen.append(profile.get())))
    for name in ("a", "b"):
        profile.set(name)
        manager.sync_all("u", "a")
    assert manager.flush_pending(5)
    assert seen == ["a", "b"]


# Library use


def test_the_recipe_for_authors_works_in_a_bare_process(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import json, sys
        from zeroclaw_cli.providers.base import MemoryProvider
        from zeroclaw_cli.providers.manager import MemoryManager

        class Mine(MemoryProvider):
            turns = []
            name = "mine"
            def is_available(self): return True
            def initialize(self, session_id, **kwargs): self.home = kwargs["vibeos_home"]
            def get_tool_schemas(self): return [{"name": "my_tool", "description": "", "parameters": {}}]
            def handle_tool_call(self, tool_name, args, **kwargs): return json.dumps({"got": args})
            def sync_turn(self, user_content, assistant_content, *, session_id=""): self.turns.append(user_content)

        manager = MemoryManager()
        manager.add_provider(Mine())
        manager.initialize_all(session_id="test-1", platform="cli")
        print(manager.handle_tool_call("my_tool", {"a": 1}))
        manager.sync_all("user msg", "assistant msg")
        manager.on_session_end([])
        manager.shutdown_all()
        print(Mine.turns)
        print([name for name in sys.modules if name.split(".")[0] in ("typer", "rich", "wasmtime", "cryptography")])
    """)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert done.stderr == ""
    assert done.stdout == '{"got": {"a": 1}}\n[\'user msg\']\n[]\n'
    assert list(tmp_path.iterdir()) == []


def test_the_manager_is_the_module_that_plugins_import() -> None:
    names = {
        "MemoryManager",
        "StreamingContextScrubber",
        "build_memory_context_block",
        "inject_memory_provider_tools",
        "normalize_tool_schema",
        "sanitize_context",
    }
    assert names <= set(manager_module.__all__)
    assert all(hasattr(manager_module, name) for name in manager_module.__all__)
