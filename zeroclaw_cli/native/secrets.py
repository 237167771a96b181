"""Credentials in text: found to be dropped from a lane, or replaced before they are kept or shown.

specs/native-memory.md §12 step 4, §13 step 4, §14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

REDACTED: Final = "[REDACTED_SECRET]"

# Token shapes that nothing else looks like. What stands before a fixed part is bounded so that a scan stays linear.
_TOKENS: Final = (
    r"sk-[A-Za-z0-9_-]{20,}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{32,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}",
    r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
)
_KEY_BEGIN: Final = r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----"
_KEY_END: Final = "-----END"
_LONGEST_KEY: Final = 20_000
_PRIVATE_KEY: Final = (
    rf"{_KEY_BEGIN}(?:(?!{_KEY_END})[\s\S]){{0,{_LONGEST_KEY}}}"
    rf"(?:{_KEY_END} (?:[A-Z]{{2,12}} ){{0,3}}PRIVATE KEY-----)?"
)
# Blanks that stay on their line.
_GAP: Final = r"[^\S\r\n]"
# A label may be the end of a longer name (`DB_PASSWORD`, `dbPassword`), never the beginning of one (`password_hint`).
_LABEL: Final = (
    r"(?:(?<![A-Za-z0-9])|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
    r"(?:pass(?:word|wd|[ _-]?phrase)|api[ _-]?(?:key|token)|access[ _-]?(?:token|key)|auth[ _-]?token"
    r"|refresh[ _-]?token|bearer[ _-]?token|client[ _-]?secret|secret[ _-]?(?:key|token)|private[ _-]?key)"
    r"(?![A-Za-z0-9])"
)
# Quotation marks, code marks and emphasis around a label, a colon or a value.
_MARKS: Final = r"[\"'`*_~]{0,3}"
# Those that end what is before a value; a value may begin with some of its own.
_CLOSING: Final = rf"(?:[\"'`*_~]{{1,3}}(?={_GAP}))?"
_EQUALS: Final = r"(?::=|=>|={1,3}|[:：＝])"
_FILLERS: Final = (
    r"(?:now|still|currently|actually|simply|just|always|again|this|as|the|one|following|follows"
    r"|set|reset|changed|updated|to)"
)
_STILL: Final = rf"(?:(?:now|still|currently|actually|just){_GAP}{{1,4}})?"
# Between label and value: an equals sign, a colon, or "is"/"was", the last with such words before a colon or "to".
_ASSIGNMENT: Final = (
    rf"(?:{_GAP}{{0,40}}{_EQUALS}{_CLOSING}{_GAP}{{0,40}}"
    rf"|{_GAP}{{1,4}}(?:is|was)(?:{_GAP}{{1,4}}{_FILLERS}){{0,4}}{_GAP}{{0,4}}{_EQUALS}{_CLOSING}{_GAP}{{0,4}}"
    rf"|{_GAP}{{1,4}}(?:is|was){_GAP}{{1,4}}{_STILL}"
    rf"(?:(?:re)?set|changed|updated){_GAP}{{1,4}}to{_GAP}{{1,4}}"
    rf"|{_GAP}{{1,4}}(?:is|was){_GAP}{{1,4}}{_STILL})"
)
# A value is no label that has its own value after it. A comma, semicolon or quotation mark inside of it is part of it,
# unless a blank, the end of something, or another name with its value comes next.
_BARE: Final = r"(?:[^\s\"',;]|[\"',;](?![\s\"',;)\]}]|\Z|\w{1,40}[\"']?[^\S\r\n]{0,2}[:=])){3,}"
_VALUE: Final = (
    rf"(?!{_LABEL}{_MARKS}{_GAP}{{0,4}}{_EQUALS})"
    rf"""(?:"(?:[^"\\\n]|\\.){{1,2000}}"|'(?:[^'\\\n]|\\.){{1,2000}}'|`[^`\n]{{1,2000}}`|{_BARE})"""
)
_ASSIGNED: Final = rf"{_LABEL}{_MARKS}{_ASSIGNMENT}(?P<value>{_VALUE})"
# In the cell beside its label, or after a dash, only what looks like a password: both letters and digits.
_BESIDE: Final = (
    rf"{_LABEL}{_MARKS}{_GAP}{{1,40}}(?:\||[-–—]){_GAP}{{1,40}}"
    r"(?P<beside>(?=[^\s|]{0,100}[0-9])(?=[^\s|]{0,100}[A-Za-z])[^\s|]{6,})"
)
# Words that carry on a sentence about a credential ("the password is stored in the safe") and are none themselves.
_PROSE: Final = re.compile(
    r"about|actually|again|almost|already|also|always|and|any|available|because|been|being|both|but|changed|"
    r"compromised|correct|currently|default|different|disabled|either|empty|enabled|encrypted|expired|for|from|"
    r"generated|gone|good|hard|hashed|held|her|here|hers|hidden|his|how|incorrect|inside|invalid|its|just|"
    r"kept|known|listed|long|lost|managed|mandatory|missing|mine|more|most|much|needed|never|new|not|now|"
    r"nothing|obsolete|often|old|one|only|optional|our|ours|outdated|pending|per|probably|private|"
    r"protected|public|read|required|requested|reset|revoked|right|rotated|safe|same|saved|secure|see|"
    r"sent|set|shared|short|something|still|stored|strong|that|the|their|theirs|there|this|too|under|unknown|unset|"
    r"unused|used|useless|usually|valid|weak|what|when|where|which|who|why|with|without|written|wrong|"
    r"your|yours",
    re.IGNORECASE,
)
_BEARER: Final = (
    rf"(?<![A-Za-z0-9])authorization{_MARKS}{_GAP}{{0,40}}{_EQUALS}{_MARKS}{_GAP}{{0,40}}{_MARKS}"
    rf"(?:bearer|basic|token){_GAP}{{1,4}}(?P<bearer>[^\s\"',;]{{4,}})"
)
_URL: Final = r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?P<url>[^\s/@]{3,200})@"
# No credential is looked for farther away than this from where a text was cut.
_REACH: Final = _LONGEST_KEY + 4_000
# How much of a line can be a label, and the value below it.
_LABEL_TAIL: Final = 80
_VALUE_HEAD: Final = 200


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    tokens = rf"(?<![A-Za-z0-9_])(?:{'|'.join(_TOKENS)})"
    return (
        re.compile(_PRIVATE_KEY),
        re.compile(_BEARER, re.IGNORECASE),
        re.compile(_URL, re.IGNORECASE),
        re.compile(_ASSIGNED, re.IGNORECASE),
        re.compile(_BESIDE, re.IGNORECASE),
        re.compile(tokens),
    )


def redact(text: str) -> str:
    """``text`` with every credential replaced by ``[REDACTED_SECRET]``; its label stays, so that the fact remains."""
    return _without(text, _places(text))


def has_credential(text: str) -> bool:
    """Whether :func:`redact` would change the text."""
    return bool(_places(text))


def redact_part(part: str, whole: str) -> str:
    """``part`` of the text ``whole``, cut anywhere, with its share of every credential of the whole replaced.

    What stands beside the part says what it is: a value whose label is outside, the rest of a key. Blanks may differ as
    they do in the parts of a document. A part that is not in the text is redacted by itself.
    """
    for text in (whole, " ".join(whole.split())):
        start = text.find(part)
        if start >= 0:
            break
    else:
        return redact(part)
    first = max(start - _REACH, 0)
    around = text[first : start + len(part) + _REACH]
    begin, end = start - first, start - first + len(part)
    inside = ((max(left, begin) - begin, min(right, end) - begin) for left, right in _places(around))
    return _without(part, [(left, right) for left, right in inside if left < right])


def is_parted(label: str, value: str) -> bool:
    """Whether the line ``label`` ends in a label and a colon, and the next line, ``value``, begins with its value."""
    head, tail = label.rstrip()[-_LABEL_TAIL:], value.lstrip()[:_VALUE_HEAD]
    if head[-1:] not in (":", "："):
        return False
    return len(_places(f"{head} {tail}")) > len(_places(head)) + len(_places(tail))


def lines_with_credentials(lines: Iterable[str]) -> Iterator[bool]:
    """For each line whether it holds any of a credential, those that began in a line above included."""
    begin = re.compile(_KEY_BEGIN)
    above, key_left = "", 0
    for line in lines:
        yield key_left > 0 or has_credential(line) or is_parted(above, line)
        begun = begin.split(line)
        if len(begun) > 1:
            key_left = _LONGEST_KEY
        key_left = 0 if _KEY_END in begun[-1] else key_left - len(line)
        above = line


def _places(text: str) -> list[tuple[int, int]]:
    """Where the credentials are, in order; those that overlap are one."""
    found = sorted(
        place for pattern in _patterns() for match in pattern.finditer(text) if (place := _place(match)) is not None
    )
    places: list[tuple[int, int]] = []
    for start, end in found:
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    return places


def _place(match: re.Match[str]) -> tuple[int, int] | None:
    group = match.lastgroup
    if group is None:
        return match.span()
    bare = match[group].strip("\"'`*_~").rstrip(".!?):")
    if bare.startswith(REDACTED) or (group == "value" and _PROSE.fullmatch(bare)):
        return None
    return match.span(group)


def _without(text: str, places: list[tuple[int, int]]) -> str:
    kept: list[str] = []
    last = 0
    for start, end in places:
        kept += (text[last:start], REDACTED)
        last = end
    return "".join((*kept, text[last:]))
