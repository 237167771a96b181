"""A command that a message names acts on the config folder of the run that says it, in text and in JSON."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import zeroclaw_cli
from tests.cli.test_named_commands import SOURCES, texts
from tests.support.command import Home
from tests.support.packages import write_package
from zeroclaw_cli.cli.command_tree import TREE

ROOT = Path(zeroclaw_cli.__file__).parent
GROUPS = {name: node["commands"] for name, node in TREE["commands"].items() if node["commands"]}
# "memory store" and the like are words of sentences too: of that group only what stands in backquotes counts.
BARE = "|".join(f"{group} (?:{'|'.join(commands)})" for group, commands in GROUPS.items() if group != "memory")
WITHOUT_PROGRAM = re.compile(rf"(?<![\w./-])(?<!zeroclaw )(?:{BARE})\b(?![-_./]| of )|`(?:{'|'.join(GROUPS)}) [a-z]")
# A stream is written in the one door alone; a shell's completion and a document's bytes are not lines for a person.
DOOR = {"cli/output.py", "cli/complete.py", "cli/memory/doc.py"}


def docstrings(tree: ast.AST) -> set[int]:
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, owners) and node.body]
    return {node.lineno for node in bodies if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}


def test_a_named_command_begins_with_the_program() -> None:
    found = []
    for path in SOURCES:
        source = path.read_text("utf-8")
        if not WITHOUT_PROGRAM.search(source):
            continue
        documented = docstrings(ast.parse(source))
        for line, text in texts(path):
            if line not in documented and WITHOUT_PROGRAM.search(text) and "zeroclaw" not in text:
                found.append((str(path.relative_to(ROOT)), line, text))
    assert not found


def test_lines_are_written_in_one_place() -> None:
    written = re.compile(r"\bstd(?:out|err)\.(?:buffer\.)?write\(|\bprint\(|\btyper\.echo\(|\bclick\.echo\(")
    found = {str(path.relative_to(ROOT)) for path in SOURCES if written.search(path.read_text("utf-8"))}
    assert {name for name in found if name.startswith("cli/")} <= DOOR


@pytest.fixture
def there(home: Home) -> Path:
    """A config folder of another name, where much is wrong."""
    made = home.path / "the config"
    (made / "plugins" / "two words").mkdir(parents=True)
    (made / "plugins" / "two words" / "manifest.toml").write_text("name = 1\n")
    (made / "config.toml").write_text('[plugins]\nenabled = false\n[memory]\nprovider = "missing"\n')
    write_package(made / "plugins" / "rs", "rs", capabilities=["tool"])
    for path in ("plugins/rs/journal.db", "memory/native.db"):
        (made / "data" / path).parent.mkdir(parents=True)
        (made / "data" / path).write_bytes(b"damaged" * 1000)
    return made


def carries(home: Home, there: Path, *words: str) -> bool:
    """Whether the command names others; each of them acts on the same folder."""
    done = home.run("--config-dir", there, *words)
    said = done.stdout + done.stderr
    assert not re.findall(rf"zeroclaw (?:{'|'.join(GROUPS)}|doctor)\b", said), f"{words}: {said}"
    return f"zeroclaw --config-dir '{there}' " in said


@pytest.mark.parametrize(
    "words", [("memory", "status", "--json"), ("plugin", "info", "nothing", "--json"), ("doctor",)]
)
def test_a_command_in_a_message_carries_the_options_in_force(home: Home, there: Path, words: tuple[str, ...]) -> None:
    assert carries(home, there, *words)


@pytest.mark.slow
def test_no_command_in_any_message_aims_at_the_default_home(home: Home, there: Path) -> None:
    carried = 0
    for words in (
        ("plugin", "list", "--all"),
        ("plugin", "info", "rs"),
        ("plugin", "info", "nothing"),
        ("plugin", "info", "two words"),
        ("plugin", "verify", "--all"),
        ("memory", "status"),
        ("memory", "layers"),
        ("memory", "get", "x"),
        ("memory", "list", "--backend", "plugin.rs"),
        ("memory", "list", "--backend", "provider.x"),
        ("config", "get", "memory.nothing"),
        ("config", "set", "plugins.enabled", "perhaps"),
        ("doctor",),
        ("missing",),
    ):
        carried += carries(home, there, *words) + carries(home, there, *words, "--json")
    assert carried >= 20


def test_what_is_remembered_is_not_rewritten(home: Home) -> None:
    there = home.path / "there"
    said = "run `zeroclaw plugin list` every day"
    home.ok("--config-dir", there, "memory", "store", "habit", said)
    for words in (("get", "habit", "--json"), ("list",)):
        assert said in home.ok("--config-dir", there, "memory", *words).stdout
