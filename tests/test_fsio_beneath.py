"""Writing and removing below a directory without ever following a link."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from zeroclaw_cli import fsio


def test_directories_are_made_and_the_file_replaced(tmp_path: Path) -> None:
    fsio.write_beneath(tmp_path, ("a", "b", "c.txt"), b"one")
    fsio.write_beneath(tmp_path, ("a", "b", "c.txt"), b"two")
    file = tmp_path / "a" / "b" / "c.txt"
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["c.txt"]


def test_a_link_on_the_way_is_refused_and_one_at_the_end_replaced(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("untouched")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    attempts: list[Callable[[], None]] = [
        lambda: fsio.write_beneath(root, ("link", "victim"), b"evil"),
        lambda: fsio.remove_beneath(root, ("link", "victim")),
        lambda: fsio.rename_beneath(root, ("link", "victim"), "moved"),
    ]
    for act in attempts:
        with pytest.raises(OSError):
            act()
    (root / "file").symlink_to(outside / "victim")
    fsio.write_beneath(root, ("file",), b"own")
    assert (root / "file").read_bytes() == b"own"
    assert (outside / "victim").read_text() == "untouched"


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    with pytest.raises(OSError):
        fsio.write_beneath(tmp_path, ("dir",), b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["dir"]


def test_removing_takes_the_folders_that_it_empties(tmp_path: Path) -> None:
    fsio.write_beneath(tmp_path, ("a", "b", "c.txt"), b"x")
    fsio.write_beneath(tmp_path, ("a", "d.txt"), b"x")
    fsio.remove_beneath(tmp_path, ("a", "b", "c.txt"))
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["d.txt"]
    fsio.remove_beneath(tmp_path, ("a", "b", "c.txt"))
    fsio.remove_beneath(tmp_path, ("nowhere", "c.txt"))
    fsio.remove_beneath(tmp_path, ("a", "d.txt"))
    assert list(tmp_path.iterdir()) == []


def test_renaming_keeps_the_directory(tmp_path: Path) -> None:
    fsio.write_beneath(tmp_path, ("a", "b.txt"), b"x")
    fsio.rename_beneath(tmp_path, ("a", "b.txt"), "c.txt")
    assert (tmp_path / "a" / "c.txt").read_bytes() == b"x"


def test_the_files_beneath_are_regular_ones_through_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "hidden").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    fsio.write_beneath(root, ("b", "deep", "c.txt"), b"1")
    fsio.write_beneath(root, ("a.txt",), b"2")
    (root / "folder").symlink_to(outside)
    (root / "file").symlink_to(outside / "hidden")
    found = fsio.files_beneath(root)
    assert [parts for parts, _ in found] == [("a.txt",), ("b", "deep", "c.txt")]
    assert found[0][1] == (root / "a.txt").stat().st_mtime
    assert fsio.files_beneath(tmp_path / "missing") == []


def test_a_file_that_goes_away_while_it_is_listed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").touch()
    (tmp_path / "kept").touch()
    listed = os.scandir

    @contextmanager
    def racing(place: int) -> Iterator[list[os.DirEntry[str]]]:
        with listed(place) as entries:
            found = list(entries)
            (tmp_path / "gone").unlink()
            yield found

    monkeypatch.setattr("os.scandir", racing)
    assert [parts for parts, _ in fsio.files_beneath(tmp_path)] == [("kept",)]
