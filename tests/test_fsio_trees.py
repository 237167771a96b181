from __future__ import annotations

import os
from pathlib import Path

import pytest

from zeroclaw_cli import fsio


def test_exchange_swaps_two_directories_in_one_step(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "of-a").touch()
    if not fsio.exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot swap names")
    assert (tmp_path / "b" / "of-a").exists()
    assert not any((tmp_path / "a").iterdir())


def test_exchange_with_a_missing_name_is_an_error_that_names_both(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="No such file") as caught:
        fsio.exchange(tmp_path / "a", tmp_path / "missing")
    assert caught.value.filename2 == str(tmp_path / "missing")


def test_remove_tree_deletes_read_only_folders_and_leaves_what_links_point_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    tree = tmp_path / "tree"
    (tree / "locked").mkdir(parents=True)
    (tree / "locked" / "file").touch()
    (tree / "link").symlink_to(outside)
    (tree / "locked").chmod(0o500)
    fsio.remove_tree(tree)
    assert not tree.exists()
    assert (outside / "kept").exists()


def test_read_beneath_reads_no_fifo_and_leaks_no_descriptor(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(OSError, match="not a regular file"):
        fsio.read_beneath(tmp_path, ("fifo",))
    with pytest.raises(FileNotFoundError):
        fsio.read_beneath(tmp_path, ("missing", "file"))
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_published_folder_holds_its_files_and_is_private(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder"
    fsio.publish_dir(target, {"a": b"1", "b/c": b"2"})
    assert (target / "a").read_bytes() + (target / "b" / "c").read_bytes() == b"12"
    assert target.stat().st_mode & 0o777 == 0o700
    assert (target / "b" / "c").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["folder"]


def test_a_folder_that_cannot_be_published_whole_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        fsio.publish_dir(tmp_path / "folder", {"a": b"1", "./a": b"2"})
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").touch()
    with pytest.raises(OSError, match="not empty"):
        fsio.publish_dir(tmp_path / "taken", {"a": b"1"})
    assert [path.name for path in tmp_path.rglob("*")] == ["taken", "mine"]
