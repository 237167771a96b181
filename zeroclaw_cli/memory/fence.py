"""The tags around recalled memory in a prompt, and what reads like one.

Recalled text is what anybody may once have said. It must not be able to close the fence, and nothing that was fenced
may come back as something the user or the model said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

OPEN: Final = "<memory-context>"
CLOSE: Final = "</memory-context>"
# Characters that are not seen, as part of a set: a tag with them between its letters reads like one without.
UNSEEN: Final = (
    r"\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_GAP: Final = rf"[\s{UNSEEN}]*"
_NAME: Final = f"[{UNSEEN}]*".join("memory-context")
# Any tag of the fence; the group `close` is there for a closing one.
TAG: Final = re.compile(rf"<{_GAP}(?P<close>/{_GAP})?{_NAME}(?![\w-])[^<>]*>", re.IGNORECASE)
_UNSEEN_CHARACTER: Final = re.compile(f"[{UNSEEN}]")
# Text is nested deeper than this only on purpose; what is left of it then loses the brackets.
_MAX_ROUNDS: Final = 16
_DEAD: Final = str.maketrans({"<": "‹", "[": "("})


def may_hold_tag(text: str) -> bool:
    """Whether ``text`` needs a closer look, which takes many times as long."""
    return "memory-context" in text.lower() or _UNSEEN_CHARACTER.search(text) is not None


def until_dead(text: str, step: Callable[[str], str]) -> str:
    """``step`` again and again until it changes nothing."""
    for _ in range(_MAX_ROUNDS):
        changed = step(text)
        if changed == text:
            return text
        text = changed
    return text if step(text) == text else text.translate(_DEAD)


def drop_blocks(text: str) -> str:
    """``text`` without complete blocks and what they hold; other tags stay."""
    kept, position = [], 0
    for start, end in _blocks(text):
        kept.append(text[position:start])
        position = end
    return "".join((*kept, text[position:]))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for tag in TAG.finditer(text):
        if tag["close"] is None:
            opened = tag.start() if opened is None else opened
        elif opened is not None:
            yield opened, tag.end()
            opened = None
