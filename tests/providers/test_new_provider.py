from __future__ import annotations

import ast
import re
import stat
from pathlib import Path

import pytest

from zeroclaw_cli.errors import AlreadyInstalled, UsageError
from zeroclaw_cli.providers import check, discovery
from zeroclaw_cli.providers.new_provider import create, renamed, template_files


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "config"


def make(home: Path, name: str, parent: Path | None = None) -> Path:
    return create(home, name, {}, home.parent, parent).directory


def test_the_new_provider_is_found_under_its_name(home: Path) -> None:
    made = create(home, "mine", {}, home.parent)
    assert made.installed
    assert made.files == ("README.md", "__init__.py", "cli.py", "mirror.py", "plugin.yaml", "store.py")
    plugin = discovery.find(home, "mine", {}, home.parent)
    assert (plugin.directory, plugin.info.name, plugin.problems) == (made.directory, "mine", ())


@pytest.mark.parametrize("name", ["mine", "my-notes", "my_notes", "a", "x2", "a" * 48, "in-", "import"])
def test_checking_a_new_provider_finds_no_error_and_no_warning(home: Path, name: str) -> None:
    report = check.check(make(home, name), home, "now", write_trial=True)
    assert [finding for finding in report.checks if finding.level in ("error", "warning", "skipped")] == []
    assert {finding.id for finding in report.checks} >= {"load", "tools", "schema", "session", "memory-map"}


def test_no_word_of_the_template_is_left(home: Path) -> None:
    for path in make(home, "mine").rglob("*"):
        if path.is_file():
            assert "notebook" not in path.read_text("utf-8").lower(), path


@pytest.mark.parametrize("name", ["my-notes", "a", "import"])
def test_every_renamed_source_is_python(name: str) -> None:
    from zeroclaw_cli.providers.discovery import BUNDLED

    for path in template_files():
        if path.endswith(".py"):
            ast.parse(renamed((BUNDLED / "notebook" / path).read_text("utf-8"), name))


def test_names_in_python_tools_and_classes_follow_their_own_rules() -> None:
    text = "notebook_add Notebook notebook _notebook notebook_command NotebookProvider"
    assert renamed(text, "my-notes") == "my_notes_add MyNotes my-notes _my_notes my_notes_command MyNotesProvider"


def test_what_is_written_may_be_loaded_whatever_the_umask(home: Path) -> None:
    import os

    before = os.umask(0)
    try:
        directory = make(home, "mine")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in [directory, *directory.rglob("*")]}
    assert modes == {0o700, 0o600}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Mine", "is not a provider name"),
        ("", "is not a provider name"),
        ("../x", "is not a provider name"),
        ("builtin", "is a reserved word"),
        ("config", "is a reserved word"),
        ("2mine", "is not a valid Python identifier"),
        ("a" * 49, "is not a valid Python identifier"),
    ],
)
def test_a_name_that_cannot_be_one_is_2_and_makes_nothing(home: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        make(home, name)
    assert not home.exists()


def test_a_name_that_is_taken_is_refused(home: Path) -> None:
    with pytest.raises(AlreadyInstalled, match="a provider notebook is installed already"):
        make(home, "notebook")
    make(home, "mine")
    with pytest.raises(AlreadyInstalled, match="is there already"):
        make(home, "mine")


def test_another_folder_is_made_and_is_not_installed(home: Path, tmp_path: Path) -> None:
    made = create(home, "mine", {}, tmp_path, tmp_path / "work")
    assert made.directory == tmp_path / "work" / "mine"
    assert not made.installed
    assert not home.exists()


def test_a_failure_leaves_no_half(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli import fsio

    real, calls = fsio.write_new, []

    def failing(path: Path, data: bytes, *, mode: int = 0o600) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise OSError(28, "No space left on device", str(path))
        real(path, data, mode=mode)

    monkeypatch.setattr(fsio, "write_new", failing)
    with pytest.raises(OSError, match="No space left"):
        make(home, "mine")
    assert list((home / "plugins" / "memory").iterdir()) == []
