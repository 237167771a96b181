from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.packages import write_package
from zeroclaw_cli.errors import SourceNotFound, SourceNotSupported
from zeroclaw_cli.plugins.sources import classify


def test_a_directory_and_its_manifest_file_are_the_same_package(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    for text in (str(folder), str(folder / "manifest.toml")):
        source = classify(text)
        assert (source.root, source.manifest_name) == (folder, "manifest.toml")


def test_any_file_is_taken_as_the_manifest(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    (folder / "manifest.toml").rename(folder / "release.txt")
    assert classify(str(folder / "release.txt")).manifest_name == "release.txt"


def test_a_leading_tilde_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert classify("~/p" if write_package(tmp_path / "p", "p") else "").root == tmp_path / "p"
    write_package(tmp_path, "home")
    assert classify("~").root == tmp_path
    with pytest.raises(SourceNotFound):
        classify("~nobody/p")


def test_a_directory_that_is_called_like_a_registry_package_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path / "notes", "notes")
    monkeypatch.chdir(tmp_path)
    assert classify("notes").root == tmp_path / "notes"


def test_a_linked_source_directory_is_followed_because_the_user_named_it(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    (tmp_path / "link").symlink_to(folder)
    assert classify(str(tmp_path / "link")).root == folder


@pytest.mark.parametrize("text", ["./missing", "../missing", "~/missing", "a/b", "a\\b", "", "."])
def test_what_looks_like_a_path_and_leads_to_no_package_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SourceNotFound) as caught:
        classify(text)
    assert caught.value.hint is not None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("https://example.org/p.zip", "unpack"),
        ("file:///p", "unpack"),
        ("notes", "./notes"),
        ("notes@1.2.0", "./notes"),
        ("p.zip", "unzip p.zip"),
        ("p.wasm", "manifest.toml"),
    ],
)
def test_sources_of_other_kinds_say_what_to_do_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.zip").write_bytes(b"PK")
    (tmp_path / "p.wasm").write_bytes(b"\0asm")
    with pytest.raises(SourceNotSupported) as caught:
        classify(text)
    assert hint in (caught.value.hint or "")


def test_an_empty_text_is_not_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_package(tmp_path / "p", "p"))
    with pytest.raises(SourceNotFound, match="the empty path"):
        classify("")


@pytest.mark.parametrize("text", ["./" + "a" * 300, "~/" + "a" * 300, "a/" * 3000])
def test_a_path_that_no_file_system_holds_is_a_source_that_is_not_found(text: str) -> None:
    with pytest.raises(SourceNotFound):
        classify(text)


def test_a_name_that_no_file_system_holds_is_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceNotSupported):
        classify("a" * 300)


def test_another_users_home_is_not_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert classify("~root" if write_package(tmp_path / "~root", "p") else "").root == tmp_path / "~root"
