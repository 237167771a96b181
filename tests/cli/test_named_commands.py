"""What a message tells a person to run exists: every command that a text of the program names is in the tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import zeroclaw_cli
from zeroclaw_cli.cli.command_tree import TREE, Node

ROOT = Path(zeroclaw_cli.__file__).parent
TOP = ROOT.parent
COMMAND = re.compile(r"(?<![\w./-])zeroclaw((?: +[a-z][a-z-]*| +--?[a-z-]+)+)")
SOURCES = sorted(path for path in ROOT.rglob("*.py") if path.name != "completion_scripts.py")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield node.lineno, "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def unknown(text: str) -> list[str]:
    found = []
    for match in COMMAND.finditer(text):
        words = match[1].split()
        node: Node = TREE
        for word in words:
            if word.startswith("-"):
                if word not in node["options"] and word not in TREE["options"]:
                    found.append(match[0])
                    break
            elif word in node["commands"]:
                node = node["commands"][word]
            elif node is TREE or node["commands"]:
                found.append(match[0])
                break
            else:
                break
    return found


def test_every_named_command_exists() -> None:
    wrong = [
        (f"{path.relative_to(ROOT)}:{line}", name)
        for path in SOURCES
        for line, text in texts(path)
        if "zeroclaw " in text
        for name in unknown(text)
    ]
    assert not [found for found in wrong if found[1].split()[1] not in PROSE]


# Words after the program's name in sentences about it, and commands of the bundled providers.
PROSE = {"is", "knows", "and", "runs", "has", "manages", "itself", "cannot", "in", "to", "that", "with", "notebook"}


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_a_command_that_a_page_names_exists(page: str) -> None:
    text = (TOP / page).read_text("utf-8")
    assert not [name for name in unknown(text) if name.split()[1] not in PROSE]


def test_a_command_that_does_not_exist_would_be_found() -> None:
    assert unknown("run zeroclaw plugin polish NAME") == ["zeroclaw plugin polish"]
    assert unknown("run `zeroclaw memory recall --loud`") == ["zeroclaw memory recall --loud"]
    assert unknown("run `zeroclaw config set plugins.enabled true`") == []
