from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.kernel.artefacts import folder
from zeroclaw_cli.errors import KernelFailure, StrategyNotFound
from zeroclaw_cli.kernel.strategies.artefact import digest_of, read_artefact


def code_of(directory: Path) -> str:
    with pytest.raises(KernelFailure) as caught:
        read_artefact(directory).kind  # noqa: B018 - reading it is the test
    return caught.value.code


def test_the_digest_is_over_one_line_per_file_sorted_by_path() -> None:
    files = {"b.txt": b"two", "a/c.txt": b"one"}
    text = f"{sha256(b'one').hexdigest()}  a/c.txt\n{sha256(b'two').hexdigest()}  b.txt\n"
    assert digest_of(files) == sha256(text.encode()).hexdigest()


def test_the_digest_covers_every_file_but_the_signature(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    before = read_artefact(directory)
    (directory / "strategy.sig").write_text("anything")
    signed = read_artefact(directory)
    assert signed.digest == before.digest
    assert signed.signature == b"anything"
    assert "strategy.sig" not in signed.files
    (directory / "docs").mkdir()
    (directory / "docs" / "why.md").write_text("because")
    assert read_artefact(directory).digest != before.digest
    for name in ("strategy.toml", "rules.toml", "replay.jsonl"):
        data = (directory / name).read_bytes()
        (directory / name).write_bytes(data + b"\n")
        assert read_artefact(directory).digest != before.digest
        (directory / name).write_bytes(data)


def test_hidden_files_and_caches_are_no_part_of_it(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    before = read_artefact(directory)
    (directory / ".git").mkdir()
    (directory / ".git" / "HEAD").write_text("x")
    (directory / "__pycache__").mkdir()
    (directory / "__pycache__" / "strategy.pyc").write_bytes(b"x")
    assert read_artefact(directory) == before


def test_a_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(StrategyNotFound) as caught:
        read_artefact(tmp_path / "nowhere")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("what", ["link", "folder-link", "pipe", "name", "large", "many", "deep"])
def test_what_is_no_plain_file_or_too_much_is_refused(tmp_path: Path, what: str) -> None:
    directory = folder(tmp_path)
    if what == "link":
        (directory / "other.txt").symlink_to(directory / "rules.toml")
    elif what == "folder-link":
        (directory / "other").symlink_to(tmp_path)
    elif what == "pipe":
        os.mkfifo(directory / "pipe")
    elif what == "name":
        (directory / "a\x1bb").write_text("x")
    elif what == "large":
        with (directory / "large").open("wb") as file:
            file.truncate(17 * 1024 * 1024)
    elif what == "many":
        for number in range(257):
            (directory / f"{number}.txt").touch()
    else:
        directory.joinpath(*"abcdefghi").mkdir(parents=True)
    assert code_of(directory) == "invalid-artefact"


def test_it_holds_exactly_one_of_the_two_forms(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    assert read_artefact(directory).kind == "rules"
    (directory / "strategy.py").write_text("")
    assert code_of(directory) == "invalid-artefact"
    (directory / "rules.toml").unlink()
    assert read_artefact(directory).kind == "python"
    (directory / "strategy.py").unlink()
    assert code_of(directory) == "invalid-artefact"


def test_a_bom_is_dropped_and_other_encodings_are_refused(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    (directory / "rules.toml").write_bytes(b"\xef\xbb\xbfx = 1")
    assert read_artefact(directory).text("rules.toml") == "x = 1"
    (directory / "rules.toml").write_bytes(b"\xff")
    with pytest.raises(KernelFailure, match="not UTF-8"):
        read_artefact(directory).text("rules.toml")
