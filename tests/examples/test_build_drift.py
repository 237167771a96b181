"""The kept component texts are what the sources give, and the build says clearly what is wrong."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.guests import GUESTS, ROOT
from zeroclaw_cli.errors import ToolMissing, UsageError
from zeroclaw_cli.examples import build_guests

EXAMPLES = ROOT / "zeroclaw_cli" / "examples" / "guests.toml"
TABLES = [EXAMPLES, GUESTS / "guests.toml"]


def tools_are_missing() -> str | None:
    try:
        build_guests.find_tools()
    except ToolMissing as error:
        return error.message
    return None


MISSING = tools_are_missing()
needs_tools = pytest.mark.skipif(MISSING is not None, reason=f"{MISSING} ({build_guests.INSTALL_HINT})")


@needs_tools
def test_the_kept_text_of_the_example_is_what_its_sources_give(capfd: pytest.CaptureFixture[str]) -> None:
    assert build_guests.main(["--check"]) == 0, capfd.readouterr()


@needs_tools
@pytest.mark.slow
def test_the_kept_texts_of_all_guests_are_what_their_sources_give(capfd: pytest.CaptureFixture[str]) -> None:
    assert build_guests.main(["--check", *map(str, TABLES)]) == 0, capfd.readouterr()


@needs_tools
def test_a_changed_source_is_found_by_the_check_and_written_without_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    source = copy / "notes" / "src" / "exports.c"
    source.write_text(source.read_text(encoding="utf-8").replace('"notes"', '"nodes"'), encoding="utf-8")
    table, kept = copy / "guests.toml", copy / "notes" / "notes.wat"
    before = kept.read_bytes()
    assert build_guests.main(["--check", str(table)]) == 1
    assert kept.read_bytes() == before
    assert capfd.readouterr().out == f"stale: {kept}\n"
    assert build_guests.main([str(table)]) == 0
    assert capfd.readouterr().out == f"wrote: {kept}\n"
    assert build_guests.main(["--check", str(table)]) == 0
    assert kept.read_bytes() != before


@needs_tools
def test_a_source_that_does_not_compile_is_told_with_the_compilers_words(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.c").write_text("int f(void) { return nothing; }\n", encoding="utf-8")
    (tmp_path / "w.wit").write_text("package a:b;\nworld w {}\n", encoding="utf-8")
    table = tmp_path / "guests.toml"
    table.write_text('[broken]\nsources = ["broken.c"]\nwit = "w.wit"\nworld = "w"\n', encoding="utf-8")
    assert build_guests.main([str(table)]) == 1
    told = capfd.readouterr().err
    assert told.endswith("error: broken: the C compiler refused its input\n")
    assert "undeclared identifier 'nothing'" in told
    assert not (tmp_path / "broken.wat").exists()


def test_missing_tools_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert build_guests.main(["--check"]) == 3
    assert capfd.readouterr().err == (
        "error: the C compiler is missing: no module ziglang\nhint: pip install 'zeroclaw-cli[c-guests]'\n"
    )


def test_missing_wasm_tools_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_guests.main(["--check"]) == 3
    assert capfd.readouterr().err.startswith("error: wasm-tools is missing\nhint: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not TOML: "),
        ("[g]\n", "a guest lacks a field or has one of another type: 'sources'"),
        ("g = 1\n", "a guest lacks a field or has one of another type: "),
        ('[g]\nsources = ["nowhere.c"]\n', "g: no file matches nowhere.c"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    table = tmp_path / "guests.toml"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        build_guests.read_table(table)
    assert message in refused.value.message
    assert "\n" not in refused.value.message


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"guests\.toml: No such file or directory"):
        build_guests.read_table(tmp_path / "guests.toml")
