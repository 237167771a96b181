"""Credentials in text: found to be dropped from a lane, or replaced before they are kept or shown.

specs/native-memory.md §12 step 4, §13 step 4, §14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from zeroclaw_cli.native.credential_values import (
    ANNOTATION,
    Joint,
    bare,
    has_letters_and_digits,
    is_placeholder,
    is_value,
    phrase_end,
)

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
_KEY_BEGIN: Final = r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_LONGEST_KEY: Final = 20_000
_SIXTY_FOUR: Final = "[A-Za-z0-9+/=]"
# Between the lines of a key: their breaks, also written as escapes, and marks of the text that quotes them.
_BETWEEN: Final = r"(?>(?:[\s\"'`;,>|#]|\\+[nrt]?)*)"
_KEY_FIELDS: Final = (
    rf"(?:(?:Proc-Type:[ \t]?[\w,]{{1,40}}|DEK-Info:[ \t]?[\w,-]{{1,100}}|(?:Version|Comment):[^\r\n\\]{{0,100}}+)"
    rf"{_BETWEEN}){{0,4}}+"
)
# A line of a key is longer than words are, or has what words have not.
_KEY_LINE: Final = rf"(?:{_SIXTY_FOUR}{{40,}}+|(?=.[a-z/+=]{{0,38}}[A-Z0-9]){_SIXTY_FOUR}{{16,39}}+)"
_LAST_LINE: Final = (
    rf"(?:(?:{_SIXTY_FOUR}{{4}}){{1,3}}|={_SIXTY_FOUR}{{4}})(?!{_SIXTY_FOUR})"
    r"(?=[ \t]*(?:[\r\n;\"'`\\]|\Z|-----END))"
)
_SHORT_LINE: Final = rf"(?![a-z]+(?!{_SIXTY_FOUR})){_SIXTY_FOUR}{{1,64}}+"
_KEY_END: Final = r"-----END[ A-Z0-9]{0,50}-{0,5}"
# What makes a header the beginning of a key. Without it the header is only spoken of.
_KEY_BODY: Final = (
    rf"{_BETWEEN}{_KEY_FIELDS}"
    rf"(?:{_KEY_LINE}(?:{_BETWEEN}{_KEY_LINE})*+(?:{_BETWEEN}{_LAST_LINE})?(?:{_BETWEEN}{_KEY_END})?"
    rf"|(?:{_SHORT_LINE}{_BETWEEN}){{1,8}}{_KEY_END})"
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
_MARK_SIGNS: Final = "\"'`*_~ \t\u00a0"
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
    rf"(?:{_GAP}{{0,4}}:{_GAP}{{0,4}}{ANNOTATION}=(?!=){_GAP}{{0,4}}"
    rf"|{_GAP}{{0,40}}{_EQUALS}{_CLOSING}{_GAP}{{0,40}}"
    rf"|{_GAP}{{1,4}}(?:is|was)(?:{_GAP}{{1,4}}{_FILLERS}){{0,4}}{_GAP}{{0,4}}{_EQUALS}{_CLOSING}{_GAP}{{0,4}}"
    rf"|{_GAP}{{1,4}}(?:is|was){_GAP}{{1,4}}{_STILL}"
    rf"(?:(?:re)?set|changed|updated){_GAP}{{1,4}}to{_GAP}{{1,4}}"
    rf"|{_GAP}{{1,4}}(?:is|was){_GAP}{{1,4}}{_STILL})"
)
# A value is not a label that has its own value after it. A comma, semicolon or quotation mark inside is part of it,
# unless a blank, the end of something, or another name with its value comes next.
_BARE: Final = r"(?:[^\s\"',;]|[\"',;](?![\s\"',;)\]}]|\Z|\w{1,40}[\"']?[^\S\r\n]{0,2}[:=])){3,}"
_VALUE: Final = (
    rf"(?!{_LABEL}{_MARKS}{_GAP}{{0,4}}{_EQUALS})"
    rf"""(?:"(?:[^"\\\n]|\\.){{1,2000}}"|'(?:[^'\\\n]|\\.){{1,2000}}'|`[^`\n]{{1,2000}}`|{_BARE})"""
)
_ASSIGNED: Final = rf"{_LABEL}{_MARKS}{_ASSIGNMENT}(?P<value>{_VALUE})"
# A passphrase may begin with a word that is too short for a value.
_PHRASED: Final = (
    rf"(?<![A-Za-z0-9])pass[ _-]?phrase{_MARKS}{_GAP}{{0,40}}{_EQUALS}{_CLOSING}{_GAP}{{0,40}}"
    rf"(?P<phrase>(?!(?:as|at|by|if|in|is|no|on|to){_GAP})[a-z]{{1,2}}(?:{_GAP}{{1,4}}[a-z]{{1,40}}){{2,20}})"
)
_IS_PHRASE: Final = re.compile(r"pass[ _-]?phrase", re.IGNORECASE)
# In the cell beside its label, or after a dash, only what looks like a password: both letters and digits.
_BESIDE: Final = (
    rf"{_LABEL}{_MARKS}{_GAP}{{1,40}}(?:\||[-–—]){_GAP}{{1,40}}"
    r"(?P<beside>(?=[^\s|]{0,100}[0-9])(?=[^\s|]{0,100}[A-Za-z])[^\s|]{6,})"
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
# How much of what follows a value tells whether a sentence goes on.
_AFTER: Final = 60


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    tokens = rf"(?<![A-Za-z0-9_])(?:{'|'.join(_TOKENS)})"
    return (
        re.compile(_BEARER, re.IGNORECASE),
        re.compile(_URL, re.IGNORECASE),
        re.compile(_ASSIGNED, re.IGNORECASE),
        re.compile(_BESIDE, re.IGNORECASE),
        re.compile(_PHRASED, re.IGNORECASE),
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


def redact_keys(text: str) -> str:
    """``text`` with its private keys replaced: what is left is on one line, or beside its label above."""
    return _without(text, list(_keys(text)))


def is_parted(label: str, value: str) -> bool:
    """Whether the line ``label`` ends in a label and a colon, and the next line, ``value``, begins with its value.

    Only with letters and digits it looks like one there.
    """
    head, tail = label.rstrip()[-_LABEL_TAIL:], value.lstrip()[:_VALUE_HEAD]
    if head.rstrip(_MARK_SIGNS)[-1:] not in (":", "："):
        return False
    joined, seam = f"{head} {tail}", len(head) + 1
    alone = {(start + seam, end + seam) for start, end in _places(tail)}
    parted = (place for place in _places(joined) if place[1] > seam and place not in alone)
    return any(has_letters_and_digits(bare(joined[start:end])) for start, end in parted)


def lines_with_credentials(lines: Sequence[str]) -> Iterator[bool]:
    """For each line whether it holds any of a credential, those that began in a line above included."""
    keys = _keys("\n".join(lines))
    key = next(keys, None)
    above, start = "", 0
    for line in lines:
        end = start + len(line)
        while key is not None and key[1] <= start:
            key = next(keys, None)
        in_key = key is not None and key[0] < end
        yield in_key or has_credential(line) or is_parted(above, line)
        above, start = line, end + 1


def _places(text: str) -> list[tuple[int, int]]:
    """Where the credentials are, in order; those that overlap are one."""
    found = sorted([*_keys(text), *(place for pattern in _patterns() for place in _found(pattern, text))])
    places: list[tuple[int, int]] = []
    for start, end in found:
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    return places


def _keys(text: str) -> Iterator[tuple[int, int]]:
    """Where private keys are, from their header on."""
    begin, body = _key_patterns()
    for header in begin.finditer(text):
        if (rest := body.match(text, header.end(), header.end() + _LONGEST_KEY)) is not None:
            yield header.start(), rest.end()


@cache
def _key_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_KEY_BEGIN), re.compile(_KEY_BODY)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while (match := pattern.search(text, position)) is not None:
        place = _place(match)
        if place is None:
            # What is not a value may have a label and a value of its own in it.
            position = match.start(match.lastgroup or 0)
        else:
            yield place
            position = max(match.end(), place[1])


def _place(match: re.Match[str]) -> tuple[int, int] | None:
    group = match.lastgroup
    if group is None:
        return match.span()
    text, (start, end) = match.string, match.span(group)
    written = match[group]
    if bare(written).startswith(REDACTED):
        return None
    if group == "url":
        return None if is_placeholder(written) else (start, end)
    if group == "phrase":
        return start, phrase_end(text, start, end, phrase=True)
    before = text[match.start() : start]
    joint = "beside" if group == "beside" else "verb" if group == "bearer" else _joint(before)
    phrase = joint == "sign" and _IS_PHRASE.search(before) is not None
    if _whole_label().fullmatch(bare(written)) or not is_value(written, text[end : end + _AFTER], joint, phrase=phrase):
        return None
    return (start, phrase_end(text, start, end, phrase=phrase)) if joint == "sign" else (start, end)


@cache
def _whole_label() -> re.Pattern[str]:
    return re.compile(_LABEL, re.IGNORECASE)


def _joint(before: str) -> Joint:
    """How a label is joined to a value; ``before`` is what stands from the one to the other."""
    sign = before.rstrip(_MARK_SIGNS)
    if sign.endswith("=="):
        return "comparison"
    return "sign" if sign.endswith((":", "=", ">", "：", "＝")) else "verb"


def _without(text: str, places: list[tuple[int, int]]) -> str:
    kept: list[str] = []
    last = 0
    for start, end in places:
        kept += (text[last:start], REDACTED)
        last = end
    return "".join((*kept, text[last:]))
