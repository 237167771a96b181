from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from zeroclaw_cli import fsio


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_or_folder_is_never_replaced(tmp_path: Path, linked: bool) -> None:
    for name, make in (("pipe", os.mkfifo), ("folder", os.mkdir)):
        target = tmp_path / name
        make(target)
        before = target.lstat()
        path = target
        if linked:
            path = tmp_path / f"{name}-link"
            path.symlink_to(target)
        with pytest.raises(OSError, match="not a regular file"):
            fsio.atomic_write(path, b"data")
        assert target.lstat().st_ino == before.st_ino
    assert sorted(child.name for child in tmp_path.iterdir() if child.name.endswith(".tmp")) == []


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    fsio.atomic_write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
