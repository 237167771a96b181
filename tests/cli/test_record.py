"""``memory record`` without ``--run``: what a stop hook hands over after each turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command import Home


def said(*texts: str) -> list[dict[str, Any]]:
    """Turns of a user and an assistant, alternating."""
    return [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(texts)]


def record(home: Home, messages: list[dict[str, Any]], *words: str) -> Any:
    return home.ok("memory", "record", "-", "--thread", "t", *words, "--json", stdin=json.dumps(messages)).json()


def transcripts(home: Home) -> list[str]:
    rows = [json.loads(line) for line in home.ok("memory", "export", "--all").stdout.splitlines()]
    found = [row for row in rows if str(row.get("document", "")).startswith("threads/t/")]
    return sorted(row["content"] for row in found)


@pytest.mark.parametrize("backend", ["native", "layers"])
def test_a_turn_without_a_run_is_recorded_once(home: Home, backend: str) -> None:
    home.ok("config", "set", "memory.backend", backend)
    first = record(home, said("my dog is Byron", "noted"))
    assert (first["recorded"], first["messages"], first["reason"]) == (True, 2, None)
    assert record(home, said("my dog is Byron", "noted")) == {
        "recorded": False,
        "run": first["run"],
        "messages": 0,
        "reason": "every message is recorded already",
    }
    assert "Byron" in home.ok("memory", "context", "dog", "--thread", "t").stdout


def test_of_a_whole_conversation_what_is_new_is_recorded(home: Home) -> None:
    record(home, said("one", "ok"))
    assert record(home, said("one", "ok", "yes", "ok"))["messages"] == 2
    # The same words again are another turn, though they follow words that look alike.
    assert record(home, said("one", "ok", "yes", "ok", "yes", "ok"))["messages"] == 2
    assert record(home, said("one", "ok", "yes", "ok", "yes", "ok"))["recorded"] is False
    yes = "## user\nyes\n## assistant\nok\n"
    assert transcripts(home) == ["## user\none\n## assistant\nok\n", yes, yes]
    # A host that has shortened its history: a summary stands for the beginning.
    shortened = [{"role": "system", "content": "summary"}, *said("yes", "ok", "new", "indeed")]
    assert record(home, shortened)["messages"] == 2
    # A host that hands over its last turn alone.
    assert record(home, said("thanks", "ok"))["messages"] == 2
    assert home.ok("memory", "curate", "--plan", "--json").json()["turns"] == 5


def test_a_turn_that_was_forgotten_does_not_come_back_with_the_next(home: Home) -> None:
    kept = record(home, said("my pin is a secret word", "ok"))
    home.ok("memory", "doc", "forget", f"threads/t/{kept['run']}.md", "--with-history")
    assert record(home, said("my pin is a secret word", "ok", "hello", "hi"))["messages"] == 2
    assert transcripts(home) == ["## user\nhello\n## assistant\nhi\n"]


def test_turns_with_and_without_a_run_are_one_thread(home: Home) -> None:
    record(home, said("one", "ok"), "--run", "r1")
    assert record(home, said("one", "ok", "two", "ok"))["messages"] == 2
    assert record(home, said("one", "ok"), "--run", "r1")["recorded"] is True
    assert record(home, said("one", "ok", "two", "ok"))["recorded"] is False


def test_the_roles_of_the_usual_chat_formats_are_read(home: Home) -> None:
    turn: list[dict[str, Any]] = [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "input_text", "text": "the weather?"}, {"type": "input_image"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "9 C"}]}]},
        {"type": "function_call", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c3", "output": "wind"},
        {"role": "model", "parts": [{"text": "Rain, 9 C."}]},
    ]
    assert record(home, turn)["recorded"] is True
    assert transcripts(home) == [
        "## system\nbe brief\n## user\nthe weather?\n## assistant\n\n## tool (tool)\nrain\n## tool (tool)\n9 C\n"
        "## tool (tool)\nwind\n## assistant\nRain, 9 C.\n"
    ]
