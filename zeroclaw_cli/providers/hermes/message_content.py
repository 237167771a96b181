"""``agent.message_content``, ``agent.skill_commands`` and ``plugins.memory.query_rewrite``: the text of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["extract_user_instruction_from_skill_message", "flatten_message_text", "rewrite_memory_query"]

_NO_TEXT: Final = frozenset({"audio", "image", "image_url", "input_audio", "input_image"})
_TEXT_KEYS: Final = ("text", "content", "input_text", "output_text", "summary_text")


def flatten_message_text(content: Any, *, sep: str = "\n") -> str:
    """The text of a message's content: a text, a list of parts (joined by ``sep``) or one part; empty for None and for
    pictures and sounds."""
    if isinstance(content, list):
        return sep.join(filter(None, map(_text_of_part, content)))
    return _text_of_part(content) or _shown(content)


def _text_of_part(part: Any) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if str(_field(part, "type") or "").strip().lower() in _NO_TEXT:
        return ""
    return next((text for key in _TEXT_KEYS if isinstance(text := _field(part, key), str)), "")


def _field(part: Any, key: str) -> Any:
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def _shown(content: Any) -> str:
    if content is None or isinstance(content, str):
        return ""
    try:
        return str(content)
    except Exception:  # noqa: BLE001 - an object of anybody's, whose text is only worth a try
        return ""


def extract_user_instruction_from_skill_message(content: Any) -> str | None:
    """What the user typed in a message: a text as it is, since this program puts no skills into messages; None for
    anything else."""
    return content if isinstance(content, str) else None


def rewrite_memory_query(user_message: str) -> str:
    """A better query for ``user_message``; always empty, which means that there is none: this program runs no model."""
    return ""
