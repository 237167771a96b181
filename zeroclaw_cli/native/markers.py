"""Texts that look like orders to a model or like parts of a prompt (specs/native-memory.md §12, step 4)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_PHRASES: Final = (
    r"act as",
    r"assistant messages?",
    r"developer messages?",
    r"disregard (?:previous|prior) instructions",
    r"function calls?",
    r"ignore all previous instructions",
    r"ignore (?:previous|prior) instructions",
    r"system prompt",
    r"tool calls?",
    r"you are chatgpt",
    r"you are now",
)
_TAGS: Final = (r"<system>", r"<\|im_start\|>", r"<\|im_end\|>")


@cache
def _pattern() -> re.Pattern[str]:
    phrases = "|".join(phrase.replace(" ", r"\s+") for phrase in _PHRASES)
    return re.compile(rf"(?<!\w)(?:{phrases})(?!\w)|{'|'.join(_TAGS)}", re.IGNORECASE)


def has_marker(text: str) -> bool:
    """Whether the text holds one of the markers, whole words and without regard to case."""
    return _pattern().search(text) is not None
