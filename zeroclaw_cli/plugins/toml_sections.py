"""A manifest cut into its tables, with nothing lost between them (specs/zeroclaw.md §4.3).

A signature is over bytes, and an editor that renders a document anew does not keep them. So each key/value line and
each header owns the blank and comment lines above it and its own line to the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zeroclaw_cli.config.toml_read import BOM, load_toml
from zeroclaw_cli.plugins.toml_scan import Expression, Key, scan


@dataclass(slots=True)
class Section:
    """The root (``header`` None) or a table: its header and the key/value expressions below it."""

    header: Expression | None
    pairs: list[Expression] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sections:
    """A document cut up: ``text`` is the whole, ``tables`` begin with the root, ``tail`` is what follows the last
    expression."""

    text: str
    tables: tuple[Section, ...]
    tail: str

    @property
    def root(self) -> Section:
        return self.tables[0]

    def source(self, expression: Expression) -> str:
        return self.text[expression.above : expression.line_end]


def cut(text: str) -> Sections:
    """``text`` (a BOM is dropped) cut into the sources of its expressions.

    Raises ValueError with one line when it is not a TOML 1.1 document.
    """
    text = text.removeprefix(BOM)
    load_toml(text)
    tables = [Section(None)]
    end = 0
    for expression in scan(text):
        if expression.is_header:
            tables.append(Section(expression))
        else:
            tables[-1].pairs.append(expression)
        end = expression.line_end
    return Sections(text, tuple(tables), text[end:])


def inline_tables(pair: Expression) -> list[list[Key]]:
    """The keys of each inline table in the value of ``pair``."""
    tables: dict[int, list[Key]] = {}
    for value in pair.values[1:]:
        if value.key is not None:
            tables.setdefault(value.parent, []).append(value.key)
    return list(tables.values())
