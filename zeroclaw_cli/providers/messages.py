"""The messages of a conversation, as hosts hold them, and their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Messages = Sequence[Mapping[str, Any]]


def flatten_content(content: Any) -> str:
    """The content of a message as text: that of its parts, joined by newlines, where it has several.

    Anything that is neither text nor a list of parts has no text.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    return "\n".join(text for part in content if (text := _text_of(part)))


def _text_of(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else part
    return text if isinstance(text, str) else ""
