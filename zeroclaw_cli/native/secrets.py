"""Credentials in text: found to be dropped from a lane, or replaced before they are kept or shown.

specs/native-memory.md §12 step 4, §13 step 4, §14.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

REDACTED: Final = "[REDACTED_SECRET]"

# Token shapes that nothing else looks like; each is bounded so that a scan stays linear.
_TOKENS: Final = (
    r"sk-[A-Za-z0-9_-]{20,200}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}",
    r"gh[pousr]_[A-Za-z0-9]{36,255}",
    r"github_pat_[A-Za-z0-9_]{22,255}",
    r"glpat-[A-Za-z0-9_-]{20,200}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,200}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,400}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{32,400}",
    r"hf_[A-Za-z0-9]{30,100}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",
    r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
)
_PRIVATE_KEY: Final = (
    r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----"
    r"(?:(?!-----END)[\s\S]){0,20000}(?:-----END (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----)?"
)
_LABEL: Final = (
    r"\b(?:pass(?:word|wd|phrase)|api[ _-]?(?:key|token)|access[ _-]?(?:token|key)|auth[ _-]?token|refresh[ _-]?token"
    r"|bearer[ _-]?token|client[ _-]?secret|secret[ _-]?(?:key|token)|private[ _-]?key)\b"
)
# Between label and value: an equals sign, a colon, or "is"/"was".
_ASSIGNED: Final = (
    _LABEL
    + r"""["']?(?:[ \t]{0,4}(?::=|[=:])[ \t]{0,4}|[ \t]{1,4}(?:is|was)[ \t]{1,4}(?:now[ \t]{1,4})?)"""
    + r"""(?P<value>"[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s"',;]{3,400})"""
)
# Words that carry on a sentence about a credential ("the password is stored in the safe") and are none themselves.
_PROSE: Final = re.compile(
    r"about|again|almost|already|also|always|and|any|available|because|been|being|both|but|changed|"
    r"compromised|correct|default|different|disabled|either|empty|enabled|encrypted|expired|for|from|"
    r"generated|gone|good|hard|hashed|held|her|here|hers|hidden|his|how|incorrect|inside|invalid|its|just|"
    r"kept|known|listed|long|lost|managed|mandatory|missing|mine|more|most|much|needed|never|new|not|"
    r"nothing|obsolete|often|old|one|only|optional|our|ours|outdated|pending|per|probably|private|"
    r"protected|public|read|required|requested|reset|revoked|right|rotated|safe|same|saved|secure|see|"
    r"sent|set|shared|short|still|stored|strong|that|the|their|theirs|there|this|too|under|unknown|unset|"
    r"unused|used|useless|usually|valid|weak|what|when|where|which|who|why|with|without|written|wrong|"
    r"your|yours",
    re.IGNORECASE,
)
_BEARER: Final = (
    r"\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:bearer|basic|token)[ \t]{1,4}(?P<bearer>[^\s\"',;]{4,2000})"
)
_URL: Final = r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?P<url>[^\s/@]{3,200})@"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    tokens = rf"(?<![A-Za-z0-9_])(?:{'|'.join(_TOKENS)})"
    return (
        re.compile(_PRIVATE_KEY),
        re.compile(_BEARER, re.IGNORECASE),
        re.compile(_URL, re.IGNORECASE),
        re.compile(_ASSIGNED, re.IGNORECASE),
        re.compile(tokens),
    )


def redact(text: str) -> str:
    """``text`` with every credential replaced by ``[REDACTED_SECRET]``; its label stays, so that the fact remains."""
    for pattern in _patterns():
        text = pattern.sub(_replacement, text)
    return text


def has_credential(text: str) -> bool:
    """Whether :func:`redact` would change the text."""
    return redact(text) != text


def _replacement(match: re.Match[str]) -> str:
    group = match.lastgroup
    if group is None:
        return REDACTED
    value = match[group]
    bare = value.strip("\"'").rstrip(".!?)")
    if bare.startswith(REDACTED) or (group == "value" and _PROSE.fullmatch(bare)):
        return match[0]
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + REDACTED + match[0][end:]
