"""The text of the world: what tools and authors rely on besides the types themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.guests import ROOT
from zeroclaw_cli.memory.types import Capability

WIT = ROOT / "zeroclaw_cli" / "wasm" / "wit"
GATE = "@unstable(feature = plugins-wit-v0)"
DECLARATION = re.compile(
    r"^ {4}(?:type|enum|record|variant|flags|use|import|export) |^(?:interface|world) |^ {4}[a-z-]+: func"
)
FILES = sorted(WIT.glob("*.wit"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_everything_is_gated(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    declarations = [place for place, line in enumerate(lines) if DECLARATION.match(line)]
    assert declarations
    assert [lines[place] for place in declarations if lines[place - 1].strip() != GATE] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_function_teaches_its_author(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    functions = [place for place, line in enumerate(lines) if re.match(r"^ {4}[a-z-]+: func", line)]
    assert [lines[place] for place in functions if not lines[place - 2].strip().startswith("///")] == []


def test_every_flag_has_a_function_of_its_name() -> None:
    text = (WIT / "memory.wit").read_text(encoding="utf-8")
    functions = set(re.findall(r"^ {4}([a-z-]+): func", text, re.MULTILINE))
    assert len(functions) == 23
    assert functions >= {str(capability) for capability in Capability}


def test_the_world_is_there_with_the_feature_and_not_without_it() -> None:
    program = shutil.which("wasm-tools", path=str(Path(sys.executable).parent)) or shutil.which("wasm-tools")
    if program is None:
        pytest.skip("wasm-tools is not installed (pip install 'zeroclaw-cli[c-guests]')")

    def shown(*options: str) -> str:
        command = [program, "component", "wit", *options, str(WIT)]
        return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout

    assert "world memory-plugin" in shown("--features", "plugins-wit-v0")
    assert "memory-plugin" not in shown()
