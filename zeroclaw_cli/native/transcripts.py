"""Transcripts of finished turns: what is kept of them and how (specs/native-memory.md §14)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from zeroclaw_cli.errors import DocumentArgument
from zeroclaw_cli.memory.documents import TurnMessage
from zeroclaw_cli.memory.measures import byte_length, is_blank, lines_of, prefix_within, suffix_within
from zeroclaw_cli.native.fence import without_blocks
from zeroclaw_cli.native.paths import THREADS
from zeroclaw_cli.native.secrets import redact

MAX_TRANSCRIPT_BYTES: Final = 256 * 1024
# A line that is shorter says too little to call a transcript derived from it.
_LEAST_QUOTED_BYTES: Final = 16
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)
_HEADING_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def check_name(what: str, name: str) -> str:
    """``name`` if it can be the id of a thread or a run; raises DocumentInput ``bad_thread_id`` or ``bad_run_id``."""
    if _NAME.fullmatch(name) is None or name in (".", ".."):
        raise DocumentArgument(
            f"bad_{what}_id",
            f"the {what} id is invalid",
            hint="1 to 128 letters, digits, '.', '_' and '-', not '.' or '..'",
        )
    return name


def transcript_path(thread_id: str, run_id: str) -> str:
    """Where the transcript of a run is kept. Raises DocumentInput for an id that is none."""
    return f"{THREADS}/{check_name('thread', thread_id)}/{check_name('run', run_id)}.md"


def is_worth_keeping(messages: Sequence[TurnMessage]) -> bool:
    """Whether anybody but tools and the system said anything of their own; recalled memory is nobody's words."""
    return any(
        message.role in ("user", "assistant") and not is_blank(without_blocks(message.content)) for message in messages
    )


def why_not_recorded(messages: Sequence[TurnMessage], *, thread_id: str) -> str | None:
    """Why no host records the turn: it belongs to no thread, or nobody says anything in it; None when it does."""
    if is_blank(thread_id):
        return "the turn belongs to no thread"
    if not messages:
        return "there are no messages"
    if not is_worth_keeping(messages):
        return "neither the user nor the assistant says anything in the turn"
    return None


def body_of(messages: Sequence[TurnMessage]) -> str:
    """The transcript: per message a heading ``## role`` or ``## role (name)``, its text, and a newline.

    Credentials are redacted and blocks of recalled memory are taken out. What is longer than 256 KiB keeps its head and
    its tail, and says how much is missing between them.
    """
    return _capped("".join(f"{_heading(message)}\n{_text(message)}\n" for message in messages))


def _heading(message: TurnMessage) -> str:
    name = message.name
    if message.role == "tool":
        # Who said it must survive: what a tool returned is nobody's own words.
        name = f"{name}: tool" if name else "tool"
    if not name:
        return f"## {message.role}"
    return f"## {message.role} ({redact(_HEADING_BREAKS.sub(' ', name))[:200]})"


def _text(message: TurnMessage) -> str:
    text = message.content.encode("utf-8", "replace").decode("utf-8")
    return redact(without_blocks(text))


def quotes_of(text: str) -> list[str]:
    """The lines of ``text``, without marks of lists, headings and quotations, that show a transcript to be derived from
    it when they stand in one (specs/native-memory.md §21)."""
    lines = (line.strip().lstrip(" \t-*#>") for line in lines_of(text))
    return [line for line in lines if byte_length(line) >= _LEAST_QUOTED_BYTES]


def _capped(text: str) -> str:
    size = byte_length(text)
    if size <= MAX_TRANSCRIPT_BYTES:
        return text
    note = f"\n\n[{size - MAX_TRANSCRIPT_BYTES} bytes and more are left out here]\n\n"
    room = MAX_TRANSCRIPT_BYTES - byte_length(note)
    head = prefix_within(text, room // 2)
    return head + note + suffix_within(text, room - byte_length(head))
