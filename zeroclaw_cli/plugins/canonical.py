"""Canonical bytes of a manifest, what a signature is over, and the writing of root keys (specs/zeroclaw.md §4.2–§4.3).

All hosts of these packages must agree on them. The rendering is that of a TOML editor which others use, reached here by
cutting the source text: comments above a removed key go with it, comments below stay, dotted keys with a common prefix
are brought together at its first occurrence.

Two things that editor renders in a way that is not reproduced here: it gives every dotted key and header the
spelling of its prefix's first occurrence, and it brings dotted keys together inside inline tables as well.
:func:`check_signable` refuses such manifests, and those whose dotted keys are interleaved, so that no two hosts
disagree about a signature made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from zeroclaw_cli.config.toml_text import quote
from zeroclaw_cli.errors import InvalidManifest
from zeroclaw_cli.plugins.toml_scan import Expression, Key
from zeroclaw_cli.plugins.toml_sections import Section, Sections, cut, inline_tables

SIGNATURE_KEYS = ("signature", "publisher_key")

# By path: a segment as it was first written, whether a key ended there, and the blanks around it.
_Spellings = dict[tuple[str, ...], tuple[str, bool, tuple[str, ...]]]


def canonical_bytes(text: str) -> bytes:
    """The UTF-8 bytes that a signature of the manifest ``text`` covers. Raises InvalidManifest when it is not TOML."""
    return _render(_cut(text), SIGNATURE_KEYS)


def insert_signature(text: str, signature: str, publisher_key: str) -> str:
    """``text`` with both keys as new lines directly after the last root key/value line, an old pair removed first.

    Every other byte stays, but a BOM is dropped. Raises InvalidManifest for text that is not TOML, and where the two
    lines would change the canonical bytes.
    """
    signed = _append_root_strings(
        _without_root_keys(_cut(text), SIGNATURE_KEYS), {"signature": signature, "publisher_key": publisher_key}
    )
    if canonical_bytes(signed) != canonical_bytes(text):
        raise _unsignable("the lines of the signature would change what is signed", "put name and version first")
    return signed


def set_root_strings(text: str, values: Mapping[str, str]) -> str:
    """``text`` with the root keys ``values`` set to strings: in place where the key is there, otherwise as new lines
    after the last root key/value line. Raises InvalidManifest for text that is not TOML, and where one of the names
    is a table.
    """
    sections = _cut(text)
    present = {pair.key.path[0]: pair for pair in sections.root.pairs if len(pair.key.path) == 1}
    result, position = [], 0
    for pair in sections.root.pairs:
        name = pair.key.path[0]
        if name in values and pair is present.get(name):
            result += [sections.text[position : pair.values[0].start], quote(values[name])]
            position = pair.values[0].end
    result.append(sections.text[position:])
    missing = {name: value for name, value in values.items() if name not in present}
    changed = _append_root_strings("".join(result), missing) if missing else "".join(result)
    _cut(changed)
    return changed


def check_signable(text: str) -> None:
    """Raises InvalidManifest for a manifest that hosts may render in different ways (see the module's docstring)."""
    sections = _cut(text)
    spellings: _Spellings = {}
    for section in sections.tables:
        base: tuple[str, ...] = ()
        if section.header is not None:
            base = section.header.key.path
            _check_spelling(section.header.key, (), spellings)
            if section.header.array:
                # Each element of an array of tables is a table of its own.
                for path in [path for path in spellings if len(path) > len(base) and path[: len(base)] == base]:
                    del spellings[path]
        _check_grouped([pair.key for pair in section.pairs])
        for pair in section.pairs:
            _check_spelling(pair.key, base, spellings)
            for keys in inline_tables(pair):
                _check_grouped(keys)
                inline: _Spellings = {}
                for key in keys:
                    _check_spelling(key, (), inline)


def _cut(text: str) -> Sections:
    try:
        return cut(text)
    except ValueError as error:
        raise InvalidManifest(
            f"invalid manifest: not a TOML document: {error}", hint="correct the syntax of the manifest"
        ) from None


def _render(sections: Sections, removed: Sequence[str]) -> bytes:
    parts = []
    for section in _kept(sections, removed):
        if section.header is not None:
            parts.append(sections.source(section.header))
        parts += [sections.source(section.pairs[index]) for index in _grouped([pair.key for pair in section.pairs])]
    lines = [*_with_line_ends(parts), sections.tail]
    text = "".join(lines).replace("\r", "")
    # Only LF ends a line here: splitlines would also split at U+2028 and others, inside strings.
    kept = text.split("\n")
    while kept and not kept[-1].strip(" \t"):
        kept.pop()
    return "\n".join(kept).encode("utf-8")


def _kept(sections: Sections, removed: Sequence[str]) -> list[Section]:
    """The sections without the root keys ``removed``, be they pairs, dotted keys or tables."""
    kept = [Section(None, [pair for pair in sections.root.pairs if pair.key.path[0] not in removed])]
    for section in sections.tables[1:]:
        assert section.header is not None
        if section.header.key.path[0] not in removed:
            kept.append(section)
    return kept


def _with_line_ends(parts: Iterable[str]) -> list[str]:
    return [part if part.endswith("\n") else part + "\n" for part in parts]


def _grouped(keys: Sequence[Key]) -> list[int]:
    """The indices of ``keys`` with those of one prefix together at its first occurrence, recursively."""
    first: dict[tuple[str, ...], int] = {}
    order: list[tuple[list[int], int]] = []
    for index, key in enumerate(keys):
        prefixes = (key.path[:length] for length in range(1, len(key.path) + 1))
        order.append(([first.setdefault(prefix, index) for prefix in prefixes], index))
    return [index for _, index in sorted(order)]


def _without_root_keys(sections: Sections, removed: Sequence[str]) -> str:
    """The text without the root keys ``removed``, in the order of the source, every other byte kept."""
    parts = []
    for section in _kept(sections, removed):
        expressions: list[Expression] = [*([section.header] if section.header else []), *section.pairs]
        parts += [sections.source(expression) for expression in expressions]
    if not parts:
        return sections.tail
    # The last part may have been the file's last line, or stand before the removed one that was.
    ends = _with_line_ends(parts[:-1])
    last = parts[-1] if not sections.tail else _with_line_ends(parts[-1:])[0]
    return "".join([*ends, last, sections.tail])


def _append_root_strings(text: str, values: Mapping[str, str]) -> str:
    """``text`` with lines ``key = "value"`` after the last root key/value line, in its line ending."""
    sections = _cut(text)
    if not sections.root.pairs:
        raise _unsignable("it has no root key to write after", "write name, version and capabilities at the top")
    end = sections.root.pairs[-1].line_end
    before, after = sections.text[:end], sections.text[end:]
    line_end = "\r\n" if before.endswith("\r\n") else "\n"
    if not before.endswith("\n"):
        line_end = "\r\n" if "\r\n" in before else "\n"
        before += line_end
    lines = "".join(f"{key} = {quote(value)}{line_end}" for key, value in values.items())
    return before + lines + after


def _check_grouped(keys: Sequence[Key]) -> None:
    order = _grouped(keys)
    for index, source_index in enumerate(order):
        if index != source_index:
            moved = ".".join(keys[source_index].spelling)
            raise _unsignable(
                f"the dotted key {moved!r} stands apart from the keys that share its prefix",
                "bring the dotted keys of one prefix together, or write them as a table",
            )


def _check_spelling(key: Key, base: tuple[str, ...], spellings: _Spellings) -> None:
    """Each segment of a shared prefix is written as at its first occurrence, with the same blanks around it.

    That editor keeps one key for all that share it, and in it the blanks of a key that ends there apart from those
    of a prefix; of the two it knows those of the first occurrence alone, so the other must be without.
    """
    last = len(key.path) - 1
    for index, segment in enumerate(key.spelling):
        before, after = key.blanks[index]
        inner = before if index else ""
        ends = index == last
        blanks = (key.blanks[0][0], inner, after) if ends else (inner, after)
        first, first_ends, first_blanks = spellings.setdefault((*base, *key.path[: index + 1]), (segment, ends, blanks))
        if segment != first or (blanks != first_blanks if ends == first_ends else any(blanks)):
            raise _unsignable(
                f"the prefix {segment!r} is written in two ways",
                "write a prefix that several keys or headers share the same way, without blanks around its dots",
            )


def _unsignable(problem: str, hint: str) -> InvalidManifest:
    return InvalidManifest(f"invalid manifest: it cannot be signed: {problem}", hint=hint)
