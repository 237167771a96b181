from __future__ import annotations

from pathlib import Path

import pytest

from zeroclaw_cli.providers.initialization import agent_context, initialize_kwargs


@pytest.mark.parametrize(
    ("environ", "context"),
    [({}, "primary"), ({"ZEROCLAW_AGENT": " "}, "primary"), ({"ZEROCLAW_AGENT": "bob"}, "subagent")],
)
def test_p15_the_agent_context_tells_the_truth(environ: dict[str, str], context: str, tmp_path: Path) -> None:
    assert agent_context(environ) == context
    assert initialize_kwargs(tmp_path, environ)["agent_context"] == context
    assert initialize_kwargs(tmp_path, environ, agent_context="cron")["agent_context"] == "cron"


def test_p15_what_is_unknown_is_absent_and_never_none(tmp_path: Path) -> None:
    found = initialize_kwargs(tmp_path, {}, user_id=None, session_title="", chat_id="7", agent_identity="default")
    assert found == {
        "vibeos_home": str(tmp_path),
        "hermes_home": str(tmp_path),
        "platform": "cli",
        "agent_context": "primary",
        "chat_id": "7",
        "agent_identity": "default",
    }


def test_callbacks_are_for_the_command_line_alone(tmp_path: Path) -> None:
    assert initialize_kwargs(tmp_path, {}, warning_callback=print)["warning_callback"] is print
    assert "warning_callback" not in initialize_kwargs(tmp_path, {}, platform="web", warning_callback=print)
    assert "status_callback" not in initialize_kwargs(tmp_path, {}, status_callback="text")


def test_a_word_of_nobodys_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="user_idd"):
        initialize_kwargs(tmp_path, {}, user_idd="x")
