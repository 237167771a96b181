"""The dialect of regular expressions that a config schema may use (specs/zeroclaw.md §1.7, rule 9).

Other hosts of these packages compile patterns with a linear-time engine under a size limit. Without it the same effect
is approximated: what such an engine cannot do (back-references, look-around, atomic groups) is refused, and so are
repetition bounds that would make it too large, counted through nested groups. What remains is matched by Python's
backtracking engine, against values that the operator typed: it may be slow where theirs is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_REPETITION = 500

_GROUP_REFUSALS = (
    ("(?=", "look-ahead"),
    ("(?!", "look-ahead"),
    ("(?<=", "look-behind"),
    ("(?<!", "look-behind"),
    ("(?>", "an atomic group"),
    ("(?(", "a conditional group"),
    ("(?P=", "a back-reference"),
    ("(?P>", "a recursive group"),
    ("(?#", "an inline comment"),
)
_BACK_REFERENCE = re.compile(r"\\(?:[1-9]|k[<{'])")
_NAMED_GROUP = re.compile(r"\(\?P?<[A-Za-z_][A-Za-z0-9_]*>")
_GROUP_OPEN = re.compile(r"\(\?(?:[aimsux-]*:)|\(\?|\(")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]", re.DOTALL)
_CLASS_MEMBER = re.compile(r"\\.|[\[|]", re.DOTALL)
_LEADING_FLAGS = re.compile(r"\(\?([is]+)\)")
_BOUNDS = re.compile(r"\{(\d+)(,?)(\d*)\}", re.ASCII)
_QUANTIFIER = re.compile(r"[*+?]|\{\d+,?\d*\}", re.ASCII)


def to_python(pattern: str) -> str:
    """``pattern`` for Python's ``re``, with the meaning that JSON Schema gives it: ``$`` is the very end, ``\\d``,
    ``\\w`` and ``\\s`` are ASCII.

    Raises ValueError with a reason when it is outside the dialect or Python cannot read it.
    """
    leading = _LEADING_FLAGS.match(pattern)
    flags, rest = (leading[1], pattern[leading.end() :]) if leading else ("", pattern)
    translated = "".join(_translate(rest))
    try:
        re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"it is not a pattern that this host can read: {error}") from None
    # A group of its own, because a validator joins the patterns of one table by |.
    return f"(?a{flags}:{translated})"


def _translate(pattern: str) -> Iterator[str]:
    """The pieces of ``pattern`` in Python's spelling; raises ValueError for a piece outside the dialect."""
    # For each open group, and for the whole, the largest product of nested bounds inside it.
    sizes = [1]
    atom = 1
    position = 0
    while position < len(pattern):
        piece, spelled = _next_piece(pattern, position)
        position += len(piece)
        if piece.startswith("("):
            sizes.append(1)
            atom = 1
        elif piece == ")" and len(sizes) > 1:
            atom = sizes.pop()
            sizes[-1] = max(sizes[-1], atom)
        elif _QUANTIFIER.fullmatch(piece):
            atom *= _bound(piece)
            if atom > MAX_REPETITION:
                raise ValueError(f"it repeats up to {atom} times, more than {MAX_REPETITION}")
            sizes[-1] = max(sizes[-1], atom)
            if pattern.startswith("+", position):
                raise ValueError("possessive repetition is not supported")
        else:
            atom = 1
        yield spelled


def _next_piece(pattern: str, position: int) -> tuple[str, str]:
    """The piece at ``position`` as written, and as Python spells it."""
    character = pattern[position]
    if character == "\\":
        if _BACK_REFERENCE.match(pattern, position):
            raise ValueError("a back-reference is not supported")
        piece = pattern[position : position + 2]
        return piece, "\\Z" if piece == "\\z" else piece
    if character == "[":
        match = _CLASS.match(pattern, position)
        if match is None:
            raise ValueError("a character class is not closed")
        return match[0], _python_class(match[0])
    if character == "(":
        return _group_piece(pattern, position)
    if character == "$":
        return "$", "\\Z"
    match = _QUANTIFIER.match(pattern, position)
    return (match[0], match[0]) if match else (character, character)


def _python_class(written: str) -> str:
    """A character class without what the two engines read in different ways; raises ValueError."""
    if "[:" in written:
        raise ValueError("a named character class is not supported")
    if any(operator in written for operator in ("&&", "--", "~~")):
        raise ValueError("set operations in a character class are not supported")
    return "[" + _CLASS_MEMBER.sub(lambda found: found[0] if found[0][0] == "\\" else "\\" + found[0], written[1:])


def _group_piece(pattern: str, position: int) -> tuple[str, str]:
    for start, name in _GROUP_REFUSALS:
        if pattern.startswith(start, position):
            raise ValueError(f"{name} is not supported")
    named = _NAMED_GROUP.match(pattern, position)
    if named:
        return named[0], "(?P" + named[0][named[0].index("<") :]
    match = _GROUP_OPEN.match(pattern, position)
    assert match is not None
    return match[0], match[0]


def _bound(quantifier: str) -> int:
    """How often ``quantifier`` repeats at most, counting an unbounded one by its lower bound."""
    bounds = _BOUNDS.fullmatch(quantifier)
    if bounds is None:
        return 1
    lower, _, upper = bounds.groups()
    if len(lower) > 9 or len(upper) > 9:
        raise ValueError(f"it repeats more than {MAX_REPETITION} times")
    return max(int(lower), int(upper or 0), 1)
