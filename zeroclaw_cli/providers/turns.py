"""What of a conversation goes to providers, and when (specs/memory-providers.md §8, P-31, the switch table)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from zeroclaw_cli.providers.messages import Messages, flatten_content
from zeroclaw_cli.providers.prefetch import typed_text

if TYPE_CHECKING:
    from zeroclaw_cli.providers.manager import MemoryManager

Switch = Literal["new_session", "resume", "branch", "compression", "undo"]


def finish_turn(
    manager: MemoryManager,
    user_content: Any,
    assistant_content: Any,
    *,
    session_id: str = "",
    messages: Messages | None = None,
    interrupted: bool = False,
    prepare: bool = True,
) -> bool:
    """Keep a turn and, with ``prepare``, prepare the next one; whether it was worth that: completed, and with text on
    both sides."""
    asked, answered = flatten_content(user_content), flatten_content(assistant_content)
    if interrupted or not typed_text(asked) or not answered.strip():
        return False
    manager.sync_all(asked, answered, session_id=session_id, messages=messages)
    if prepare:
        manager.queue_prefetch_all(asked, session_id=session_id)
    return True


def switch_session(
    manager: MemoryManager,
    why: Switch,
    session_id: str,
    *,
    parent_session_id: str = "",
    messages: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Tell the providers of another session: what every front end calls for its commands.

    ``new_session`` (``/new``, ``/reset``) ends the one before it, in the background, if it had ``messages``;
    ``resume`` and ``branch`` go to another one; ``compression`` may keep the id; ``undo`` keeps it.
    """
    if why == "new_session" and messages:
        manager.commit_session_boundary_async(
            messages, new_session_id=session_id, parent_session_id=parent_session_id, reason=why
        )
    elif why == "new_session":
        manager.on_session_switch(session_id, parent_session_id=parent_session_id, reset=True, reason=why)
    elif why == "undo":
        manager.on_session_switch(session_id, parent_session_id=parent_session_id, rewound=True)
    else:
        manager.on_session_switch(session_id, parent_session_id=parent_session_id, reason=why)
