"""What tomlkit 0.15.2 gets wrong, and what a document makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeroclaw_cli.config import toml_values
from zeroclaw_cli.config.document import Document, NotEditable

Edit = Callable[[Document], Any]


def append(document: Document) -> None:
    document.set(("x",), [*document.get(("x",)), "new"])


def drop(index: int) -> Edit:
    def edit(document: Document) -> None:
        members = document.get(("x",))
        document.set(("x",), members[:index] + members[index + 1 :])

    return edit


def put(*address: str | int) -> Edit:
    return lambda document: document.set(address, 2)


CASES = {
    "it refuses a BOM": ("\ufeffx = []\n", append, '\ufeffx = ["new"]\n'),
    "it ends new lines of a table with LF": ("[p]\r\na = 1\r\n", put("p", "b"), "[p]\r\na = 1\r\nb = 2\r\n"),
    "it ends a line behind a comment with LF": (
        "x = [\r\n  1,\r\n  # c\r\n]\r\n",
        append,
        'x = [\r\n  1,\r\n  "new",\r\n  # c\r\n]\r\n',
    ),
    "it changes mixed line ends": (
        'x = [\r\n  "a", # one\n  "b", # two\r\n  # end\n]\r\ny = 1\n',
        append,
        'x = [\r\n  "a", # one\n  "b", # two\r\n  "new",\r\n  # end\n]\r\ny = 1\n',
    ),
    "it loses the comma of a nested array with comments behind its last member": (
        'x = [\n  [\n    "a" # one\n    # end\n  ],\n]\n',
        lambda document: document.set(("x", 0, 1), "new"),
        'x = [\n  [\n    "a", # one\n    # end\n    "new"\n  ],\n]\n',
    ),
    "it ends what becomes one line as its first line": ("x = [\n  1,\n]\r\n", put("x"), "x = 2\r\n"),
    "it puts a key below the comment that introduces the next section": (
        "[p]\na = 1\n\n# on q\n[q]\n",
        put("p", "b"),
        "[p]\na = 1\nb = 2\n\n# on q\n[q]\n",
    ),
    "it moves an array of tables that others interrupt": (
        "[[e]]\nn = 1\n[x]\ny = 1\n[[e]]\nn = 2\n[z]\n",
        put("e", 1, "k"),
        "[[e]]\nn = 1\n[x]\ny = 1\n[[e]]\nn = 2\nk = 2\n[z]\n",
    ),
    "it puts a member behind the comments that follow the last one, and its comma too": (
        'x = [\n  "a" # one\n  # end\n]\n',
        append,
        'x = [\n  "a", # one\n  "new"\n  # end\n]\n',
    ),
    "it deletes a blank line with the member below it": ("x = [\n\n  1,\n  2,\n]\n", drop(0), "x = [\n\n  2,\n]\n"),
    "it drops the blank behind a date-time in an inline table": (
        "p = { a = [\n], b = 1979-05-27 07:32:00, c = [\n  1, # one\n], d = 07:32:00 }\n",
        lambda document: document.set(("p", "c"), [1, 3]),
        "p = { a = [\n], b = 1979-05-27 07:32:00, c = [\n  1, # one\n  3,\n], d = 07:32:00 }\n",
    ),
    "it leaves no blank before the brace": ("p = { a = 1 }\n", put("p", "b"), "p = { a = 1, b = 2 }\n"),
    "it leaves two blanks after a deletion": (
        "p = { a = 1, b = 2 }\n",
        lambda document: document.remove(("p", "a")),
        "p = { b = 2 }\n",
    ),
    "it adds to the line of the brace": ("p = {\n  a = 1,\n}\n", put("p", "b"), "p = {\n  a = 1,\n  b = 2\n}\n"),
    "it adds behind the blank before the brace": (
        "p = { a = [\n  0,\n] }\n",
        put("p", "b"),
        "p = { a = [\n  0,\n],  b = 2 }\n",
    ),
    "it adds a blank inside a dotted key": (
        "p = { a.x = 1, b = 2 }\n",
        put("p", "a", "y"),
        "p = { a.x = 1, a.y = 2, b = 2 }\n",
    ),
    "it gives a table in a dotted key a section": (
        "p.x = 1 # c\n",
        lambda document: document.set(("p", "x"), {"a": [{"b": 1}]}),
        "p.x = { a = [{ b = 1 }] } # c\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_tomlkit_gets_wrong_is_mended(case: str) -> None:
    before, edit, after = CASES[case]
    document = Document(before)
    edit(document)
    assert document.text == after


LINES = 'x = [\n  # first\n  "a", # one\n  "b", # two\n\n  "c" # three\n  # end\n]\n'


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (append, LINES.replace('"c" #', '"c", #').replace("  # end\n", '  "new"\n  # end\n')),
        (drop(0), LINES.replace('  "a", # one\n', "")),
        (drop(1), LINES.replace('  "b", # two\n', "")),
        (drop(2), LINES.replace('  "c" # three\n', "")),
        (lambda document: document.set(("x",), ["a", "z", "c"]), LINES.replace('"b"', '"z"')),
        (lambda document: document.set(("x",), ["z", "a", "b", "c"]), LINES.replace('  "a"', '  "z",\n  "a"')),
    ],
)
def test_the_comments_of_an_array_stay_with_their_members(edit: Edit, after: str) -> None:
    document = Document(LINES)
    edit(document)
    assert document.text == after


@pytest.mark.parametrize(
    "candidate",
    [
        'x = ["a", "b", "c", "new"]\n',
        LINES.replace("# first", "# 1st").replace('"b",', '"b", "c", "new",').replace('"c" #', "#"),
        LINES.replace('"c" #', '"c", # x\n  "new", "newer" #'),
        "x = [\n",
    ],
    ids=["comments lost", "comment changed", "another value", "no TOML"],
)
def test_an_edit_that_does_more_than_was_asked_for_is_refused(monkeypatch: pytest.MonkeyPatch, candidate: str) -> None:
    monkeypatch.setattr(toml_values, "_candidates", lambda *args, **options: iter([candidate]))
    document = Document(LINES)
    with pytest.raises(NotEditable, match="cannot be made in place"):
        append(document)
    assert document.text == LINES
