"""The page for authors: its examples run, and its config is one."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tomli

import zeroclaw_cli.kernel
from zeroclaw_cli.kernel.topology_config import read_topology

PAGE = Path(zeroclaw_cli.kernel.__file__).with_name("README.md")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_run_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("kernel_readme")
    # Dataclasses look their module up.
    monkeypatch.setitem(sys.modules, module.__name__, module)
    programs = [text for language, text in BLOCKS if language == "python"]
    assert len(programs) >= 9
    for number, text in enumerate(programs, 1):
        exec(compile(text, f"{PAGE.name}, example {number}", "exec"), module.__dict__)
    names = {"facts_layer", "FactsSource", "SHELF", "NoSecrets", "FactsFirst", "graph"}
    assert names <= set(module.__dict__)


def test_the_config_of_the_page_is_one() -> None:
    (text,) = [text for language, text in BLOCKS if language == "toml"]
    table: dict[str, Any] = tomli.loads(text)["memory"]["topology"]
    found = read_topology(table)
    assert [layer.id for layer in found.layers] == ["notes", "diary", "memory-spaces"]


def test_every_block_of_the_page_is_tested() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "toml"}
