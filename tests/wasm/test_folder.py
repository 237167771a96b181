from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.wasm.helpers import config, manifest, opened
from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import GuestError, MemoryFailure
from zeroclaw_cli.wasm.folder import Quota, guest_folder
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.limits import plugin_limits


def files(home: Path) -> Path:
    return home / "config" / "data" / "plugins" / "guest" / "files"


def test_without_a_permission_there_is_no_folder(tmp_path: Path) -> None:
    assert guest_folder(manifest(), tmp_path) is None
    with opened("fs", tmp_path) as memory, pytest.raises(GuestError, match="no folder"):
        memory.store("k", "v", "core", None)
    assert not files(tmp_path).exists()


def test_a_plugin_that_may_write_gets_a_private_folder(tmp_path: Path) -> None:
    folder = guest_folder(manifest(permissions=["file_write"]), tmp_path)
    assert folder == Folder(tmp_path / "plugins" / "guest" / "files", writable=True)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_a_plugin_that_may_only_read_creates_nothing(tmp_path: Path) -> None:
    reading = manifest(permissions=["file_read"])
    assert guest_folder(reading, tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    guest_folder(manifest(permissions=["file_write"]), tmp_path)
    assert guest_folder(reading, tmp_path) == Folder(tmp_path / "plugins" / "guest" / "files", writable=False)


@pytest.mark.parametrize("permission", ["file_write", "file_read"])
@pytest.mark.parametrize("kind", ["link", "dangling", "file"])
def test_what_is_no_folder_of_its_own_is_not_shown_to_a_guest(tmp_path: Path, permission: str, kind: str) -> None:
    place = tmp_path / "plugins" / "guest" / "files"
    place.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    if kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(elsewhere)
    if kind == "link":
        elsewhere.mkdir(mode=0o755)
    with pytest.raises(MemoryFailure, match="cannot be used: it is ") as caught:
        guest_folder(manifest(permissions=[permission]), tmp_path)
    assert str(place) in caught.value.message
    assert elsewhere.exists() is (kind == "link")


@pytest.mark.parametrize("permission", ["file_write", "file_read"])
def test_a_folder_that_others_can_see_is_made_private(tmp_path: Path, permission: str) -> None:
    place = tmp_path / "plugins" / "guest" / "files"
    place.mkdir(parents=True)
    place.chmod(0o777)
    folder = guest_folder(manifest(permissions=[permission]), tmp_path)
    assert folder is not None
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_the_quota_counts_every_file_and_names_its_key(tmp_path: Path) -> None:
    quota = Quota(Folder(tmp_path, writable=True), plugin_limits(config(tmp_path, max_data_mb=1), "guest"))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "half").write_bytes(bytes(600_000))
    quota.check_before(writing=True)
    (tmp_path / "other").write_bytes(bytes(600_000))
    with pytest.raises(MemoryFailure) as caught:
        quota.check_before(writing=True)
    assert caught.value.path == "plugins.limits.max_data_mb"
    assert "zeroclaw config set plugins.limits.max_data_mb 2" in (caught.value.hint or "")


def test_a_link_counts_as_itself(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "large").write_bytes(bytes(2_000_000))
    (tmp_path / "files" / "link").symlink_to(tmp_path)
    folder = Folder(tmp_path / "files", writable=True)
    Quota(folder, plugin_limits(config(tmp_path, max_data_mb=1), "guest")).check_before(writing=True)


def test_empty_files_do_not_come_for_nothing(tmp_path: Path) -> None:
    quota = Quota(Folder(tmp_path, writable=True), plugin_limits(config(tmp_path, max_data_mb=1), "guest"))
    for number in range(257):
        (tmp_path / str(number)).touch()
    with pytest.raises(MemoryFailure, match="more than the 1 MiB"):
        quota.check_before(writing=True)


def nest(folder: Path, depth: int) -> None:
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 100, dir_fd=at)
        at, above = os.open("d" * 100, os.O_RDONLY, dir_fd=at), at
        os.close(above)
    with os.fdopen(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at), "wb") as file:
        file.write(bytes(2_000_000))
    os.close(at)


def test_a_tree_deeper_than_any_path_is_measured_and_removed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    nest(tree, 1_500)
    quota = Quota(Folder(tree, writable=True), plugin_limits(config(tmp_path, max_data_mb=7), "guest"))
    with pytest.raises(MemoryFailure, match=r"take 7\.8 MiB"):
        quota.check_before(writing=True)
    fsio.remove_tree(tree)
    assert not tree.exists()


def test_folders_that_vanish_meanwhile_do_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(1_000_000))
    real = os.open

    def vanishing(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        if path == "b":
            raise FileNotFoundError(path)
        return real(path, flags, dir_fd=dir_fd)

    quota = Quota(Folder(tmp_path, writable=True), plugin_limits(config(tmp_path, max_data_mb=1), "guest"))
    monkeypatch.setattr("zeroclaw_cli.wasm.folder.os.open", vanishing)
    with pytest.raises(MemoryFailure, match=r"take 1\.9 MiB"):
        quota.check_before(writing=True)


def test_a_call_whose_files_outgrow_everything_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Quota, "outgrown", lambda self: self._exceeded("the call was ended", tmp_path))
    with opened("spin", tmp_path, permissions=["file_write"]) as memory:
        started = time.monotonic()
        with pytest.raises(MemoryFailure, match="the call was ended"):
            memory.recall("x", 1, None, None, None)
    assert time.monotonic() - started < 5


GUEST = Durability.GUEST


def descriptors(home: Path) -> int:
    """How many of this process lead into the guest's folder, when it has had a moment to close them."""
    place = Path("/proc/self/fd")
    for _ in range(100):
        found = 0
        for entry in place.iterdir():
            with suppress(OSError):
                found += str(entry.readlink()).startswith(str(files(home)))
        if found <= 1:
            break
        time.sleep(0.02)
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
def test_a_guest_that_keeps_too_many_files_open_is_told_on_and_starts_anew(tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"], durability=GUEST) as memory:
        memory.store("hold", "x" * 60, "core", None)
        with pytest.raises(MemoryFailure, match="succeeded; the plugin is restarted") as caught:
            memory.store("hold", "x" * 60, "core", None)
        assert "has 121 files of its folder" in caught.value.message
        assert "does not close" in (caught.value.hint or "")
        assert descriptors(tmp_path) == 0
        memory.store("book", "v", "core", None)
        assert (files(tmp_path) / "book").read_text() == "v"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
def test_a_guest_that_takes_every_descriptor_of_the_process_loses_them(tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"]) as memory:
        memory.store("book", "v", "core", None)
        with pytest.raises(MemoryFailure, match=r"(was ended|is restarted)$"):
            memory.store("hold", "x" * 1_000_000, "core", None)
        assert descriptors(tmp_path) <= 1
        with (tmp_path / "other").open("wb"):
            pass


def test_a_guest_that_keeps_its_own_books_finds_them_again(tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"], durability=GUEST) as memory:
        memory.store("book", "kept in a file", "core", None)
        assert (files(tmp_path) / "book").read_text() == "kept in a file"
        assert memory.take_warnings() == []
    with opened("fs", tmp_path, permissions=["file_read"], durability=GUEST) as memory:
        found = memory.get("book")
        assert found is not None and found.content == "kept in a file"
        with pytest.raises(GuestError, match="opened for writing"):
            memory.store("book", "changed", "core", None)
    assert (files(tmp_path) / "book").read_text() == "kept in a file"


@pytest.mark.parametrize("path", ["../outside", "/etc/zeroclaw-test", "link/outside", "/data/../../outside"])
def test_a_guest_cannot_leave_its_folder(path: str, tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"], durability=GUEST) as memory:
        (files(tmp_path) / "link").symlink_to(tmp_path)
        with pytest.raises(GuestError, match="cannot be opened"):
            memory.store(path, "v", "core", None)
    assert not list(tmp_path.rglob("outside"))
    assert not Path("/etc/zeroclaw-test").exists()


def test_a_guest_that_writes_files_and_is_replayed_is_a_warning(tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"]) as memory:
        memory.store("book", "v", "core", None)
        assert memory.take_warnings() == []
    with opened("fs", tmp_path, permissions=["file_write"]) as memory:
        (warning,) = memory.take_warnings()
        assert "zeroclaw config set memory.plugin.durability guest" in warning


def test_a_guest_that_is_to_keep_its_books_and_has_no_folder_is_a_warning(tmp_path: Path) -> None:
    with opened("notes", tmp_path, durability=GUEST) as memory:
        (warning,) = memory.take_warnings()
    assert "no permission file_write" in warning
    assert warning.endswith("zeroclaw config set memory.plugin.durability journal")


def test_a_folder_that_is_none_is_a_clear_error(tmp_path: Path) -> None:
    files(tmp_path).parent.mkdir(parents=True)
    files(tmp_path).write_text("a file")
    with pytest.raises(MemoryFailure):
        opened("fs", tmp_path, permissions=["file_write"])


def test_a_full_folder_stops_writing_calls_only(tmp_path: Path) -> None:
    with opened("notes", tmp_path, permissions=["file_write"], max_data_mb=1) as memory:
        memory.store("k", "v", "core", None)
        (files(tmp_path) / "large").write_bytes(bytes(1_100_000))
        with pytest.raises(MemoryFailure, match="more than the 1 MiB"):
            memory.store("l", "v", "core", None)
        assert memory.count() == 1


def test_a_call_that_fills_the_folder_is_kept_and_reported(tmp_path: Path) -> None:
    with opened("fs", tmp_path, permissions=["file_write"], max_data_mb=1) as memory:
        with pytest.raises(MemoryFailure) as caught:
            memory.store("large", "x" * 1_100_000, "core", None)
        assert "memory.store-entry was carried out and made them grow" in caught.value.message
        assert caught.value.path == "plugins.limits.max_data_mb"
        assert (files(tmp_path) / "large").stat().st_size == 1_100_000
        assert memory.stats().journal["records"] == 1, "a file cannot be undone, so neither is the call"
        with pytest.raises(MemoryFailure, match="no call that writes is made"):
            memory.store("next", "v", "core", None)
        assert memory.get("large") is not None, "reading goes on"
        (files(tmp_path) / "another").write_bytes(bytes(1_100_000))
        with pytest.raises(MemoryFailure, match="nothing is called"):
            memory.get("large")
        for file in files(tmp_path).iterdir():
            file.unlink()
        memory.store("next", "v", "core", None)
