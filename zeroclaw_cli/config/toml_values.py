"""A key/value pair of a TOML document that gets another value (tomlkit), its comments and its other lines kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from zeroclaw_cli.config.toml_read import load_toml
from zeroclaw_cli.config.toml_statements import TOKEN
from zeroclaw_cli.config.toml_text import render
from zeroclaw_cli.config.tree_path import lookup, same


def rewritten(text: str, names: tuple[str, ...], span: tuple[int, int], value: Any) -> str | None:
    """``text``, a pair whose key is ``names`` and whose value stands at ``span``, with ``value``.

    None when no way is found that keeps the blank and comment lines between the members that stay.
    """
    start, end = span
    old = lookup(load_toml(text), names)
    before, after = render(old), render(value)
    shrinks = len(after) < len(before) or sum(map(after.count, "[{")) < sum(map(before.count, "[{"))
    spare = None
    for candidate in _candidates(text, names, span, old, value, shrinks=shrinks):
        try:
            read = lookup(load_toml(candidate), names)
        except ValueError:
            continue
        if same(read, value) and candidate.startswith(text[:start]) and candidate.endswith(text[end:]):
            if type(old) is not type(value) or not isinstance(old, list | dict) or _keeps_trivia(text, candidate):
                return candidate
            spare = spare or candidate
    # A member that is removed may take the comments inside it along.
    return spare if shrinks else None


def _keeps_trivia(before: str, after: str) -> bool:
    left = iter(after.split("\n"))
    return all(line in left for line in before.split("\n") if not line.strip() or line.lstrip().startswith("#"))


def _candidates(
    text: str, names: tuple[str, ...], span: tuple[int, int], old: Any, value: Any, *, shrinks: bool
) -> Iterator[str]:
    from tomlkit import parse
    from tomlkit.exceptions import TOMLKitError

    start, end = span
    if shrinks and isinstance(old, dict):
        yield from _without_lines(text)
    if isinstance(old, list) and isinstance(value, list) and len(value) == len(old) + 1:
        yield from _with_line(text, end, render(value[-1]))
    for source in (text, *_with_commas(text)):
        try:
            document = parse(source)
            holder: Any = document
            for name in names[:-1]:
                holder = holder[name]
            if _bare(document.as_string()) == _bare(source):
                _assign(holder, names[-1], old, value)
                yield _restored(document.as_string(), text)
        except (TOMLKitError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            continue
    if "\n" not in text[start:end] or type(old) is not type(value) or isinstance(old, str):
        yield text[:start] + render(value) + text[end:]
    if shrinks:
        yield from _without_lines(text)


def _with_line(text: str, end: int, member: str) -> Iterator[str]:
    """``text`` with ``member`` on a line behind the last one; tomlkit puts it behind the comments that follow."""
    *_, last = (part for part in TOKEN.finditer(text, 0, end - 1) if not part[0].isspace() and part[0][0] != "#")
    place = last.start() + len(last[0].rstrip())
    comma = "," if text[place - 1] == "," else ""
    line = text[text.rfind("\n", 0, place) + 1 :]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    rest, _, below = text[place:].partition("\n")
    if "\n" in text[:place] and place + len(rest) < end:
        cr = "\r" * rest.endswith("\r")
        yield f"{text[:place]}{'' if comma else ','}{rest}\n{indent}{member}{comma}{cr}\n{below}"


def _without_lines(text: str) -> Iterator[str]:
    """``text`` without one to four of its lines: a member that has lines of its own goes with them."""
    lines = text.split("\n")
    for size in range(1, 5):
        for number in range(1, len(lines) - size):
            yield "\n".join(lines[:number] + lines[number + size :])


def _with_commas(text: str) -> Iterator[str]:
    """``text`` with a comma behind the last member of each array in turn: without one, tomlkit puts the comma of a
    member that is appended behind the comments that follow."""
    end = 0
    for found in TOKEN.finditer(text):
        if found[0] == "]" and text[end - 1] not in "[,":
            yield f"{text[:end]},{text[end:]}"
        if not found[0].isspace() and found[0][0] != "#":
            end = found.start() + len(found[0].rstrip())


def _bare(text: str) -> list[str]:
    """The lines of ``text`` without what tomlkit mixes up: line ends, and the blanks behind a date in brackets."""
    return re.sub(r"\r(?=\n)|(?<=[-:]\d\d) +(?=[,}\]])", "", text).split("\n")


def _restored(text: str, before: str) -> str:
    """``text`` with those lines that ``before`` has too as they are there, and the line ends of ``before``."""
    old, bare = before.split("\n"), _bare(text)
    ends = ["\r" * line.endswith("\r") for line in old[:-1] or old]
    lines = [line + ends[min(number, len(ends) - 1)] for number, line in enumerate(bare)]
    for block in SequenceMatcher(None, _bare(before), bare, autojunk=False).get_matching_blocks():
        lines[block.b : block.b + block.size] = old[block.a : block.a + block.size]
    if not bare[-1]:
        lines[-2:] = [lines[-2].removesuffix("\r") + ends[-1], ""]
    return "\n".join(lines).removesuffix("\r")


def _assign(holder: Any, key: str | int, present: Any, value: Any) -> None:
    """Make ``holder[key]``, which is ``present``, equal to ``value``, member by member where both are alike."""
    import tomlkit

    old = holder[key]
    if isinstance(present, dict) and isinstance(value, dict) and (present or "\n" in old.as_string()):
        end = re.search(r"(\s*)\}$", old.as_string())
        closing = end[1] if end else ""
        indent = re.search(r"\n([ \t]*)", old.as_string()) if "\n" in closing else None
        for name in [name for name in present if name not in value]:
            del old[name]
        for name, member in value.items():
            if name not in present:
                item = tomlkit.value(render(member))
                item.trivia.indent = indent[1] if indent else " " * bool(end)
                old.append(name, item)
                old.append(None, tomlkit.ws(closing))
            elif not same(present[name], member):
                _assign(old, name, present[name], member)
        _tidy(holder, key)
    elif isinstance(present, list) and isinstance(value, list):
        before, after = ([render(member) for member in members] for members in (present, value))
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        matcher = SequenceMatcher(None, before[: len(before) - tail], after[: len(after) - tail], autojunk=False)
        for kind, i, k, m, n in reversed(matcher.get_opcodes()):
            if kind == "equal":
                continue
            common = min(k - i, n - m)
            for place in reversed(range(i + common, k)):
                del old[place]
            for place in range(common, n - m):
                old.insert(i + place, tomlkit.value(after[m + place]))
            for place in range(common):
                _assign(old, i + place, present[i + place], value[m + place])
    else:
        holder[key] = tomlkit.value(render(value))


def _tidy(holder: Any, key: str | int) -> None:
    """Put right the blanks that tomlkit leaves where it adds and deletes members of an inline table on one line."""
    import tomlkit

    text = holder[key].as_string()
    if text.startswith("{ ") and "\n" not in text:
        tidy = tomlkit.value(re.sub(r"(?<=[{,]) +(?= )| *\}$", "", text) + " }")
        if same(tidy.unwrap(), holder[key].unwrap()):
            holder[key] = tidy


def _common(one: list[str], other: list[str]) -> int:
    """How many members both begin with."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
