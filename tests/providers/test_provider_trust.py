"""Approval of one exact tree (specs/memory-providers.md §12)."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.provider_plugins import approve, find, install, nested, write_plugin
from zeroclaw_cli.errors import ProviderUntrusted, TrustDamaged
from zeroclaw_cli.providers import discovery, trust
from zeroclaw_cli.providers.tree import UnsafeTree, read_tree


def test_p40_the_digest_is_over_sorted_paths_and_hashes_without_caches(tmp_path: Path) -> None:
    files = {"b.py": b"2", "a/c.py": b"1", "a.py": b"3", "data.bin": b"\0", "lib.so": b"\x7fELF"}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "b.cpython-311.pyc").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    lines = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    assert trust.tree_digest(tmp_path) == hashlib.sha256(lines.encode()).hexdigest()


def _no_change(directory: Path) -> None:
    (directory / "__pycache__").mkdir()
    (directory / "__pycache__" / "x.pyc").write_bytes(b"x")


def _change(directory: Path) -> None:
    (directory / "store.py").write_text("x = 2\n")


def _add(directory: Path) -> None:
    (directory / "native.so").write_bytes(b"\x7fELF")


def _remove(directory: Path) -> None:
    (directory / "store.py").unlink()


def _bytecode(directory: Path) -> None:
    (directory / "store.pyc").write_bytes(b"x")


@pytest.mark.parametrize(
    ("act", "changed"),
    [
        (_no_change, ()),
        (_change, ("changed store.py",)),
        (_add, ("added native.so",)),
        (_remove, ("removed store.py",)),
        (_bytecode, ("added store.pyc",)),
    ],
)
def test_p40_what_changed_since_the_approval_is_named(
    tmp_path: Path, act: Callable[[Path], None], changed: tuple[str, ...]
) -> None:
    plugin = install(tmp_path, "mem", files={"store.py": "x = 1\n"})
    assert trust.verdict(tmp_path, plugin).state == "trusted"
    act(plugin.directory)
    found = trust.verdict(tmp_path, plugin)
    assert found.changed == changed
    assert found.state == ("changed" if changed else "trusted")
    if changed:
        with pytest.raises(ProviderUntrusted, match=changed[0]) as caught:
            trust.require(tmp_path, plugin)
        assert "zeroclaw memory trust mem" in (caught.value.hint or "")
        assert caught.value.exit_code == 4


def test_p40_without_an_approval_nothing_is_loadable_and_nothing_is_written(tmp_path: Path) -> None:
    write_plugin(nested(tmp_path), "mem")
    plugin = find(tmp_path, "mem")
    found = trust.verdict(tmp_path, plugin)
    assert (found.state, found.loadable, len(found.digest)) == ("untrusted", False, 64)
    assert not trust.trust_file(tmp_path).exists()
    with pytest.raises(ProviderUntrusted, match="its code has not been approved"):
        trust.require(tmp_path, plugin)


def test_p40_the_record_holds_name_path_digest_and_time_for_the_user_alone(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem")
    file = trust.trust_file(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (record,) = json.loads(file.read_text())["providers"]
    assert record["name"] == "mem"
    assert record["path"] == str(plugin.directory.resolve())
    assert record["digest"] == trust.tree_digest(plugin.directory)
    assert record["time"].endswith("Z")
    assert set(record["files"]) == {"__init__.py", "plugin.yaml"}


def test_only_the_digest_that_the_tree_has_is_recorded(tmp_path: Path) -> None:
    write_plugin(nested(tmp_path), "mem")
    plugin = find(tmp_path, "mem")
    with pytest.raises(ProviderUntrusted, match="its digest is"):
        trust.record(tmp_path, plugin, "0" * 64)
    assert not trust.trust_file(tmp_path).exists()
    trust.record(tmp_path, plugin, f" sha256:{trust.tree_digest(plugin.directory).upper()}")
    assert trust.verdict(tmp_path, plugin).state == "trusted"


def test_an_approval_is_for_one_place_and_one_home(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    install(one, "mem")
    write_plugin(nested(two), "mem")
    assert trust.verdict(two, find(two, "mem")).state == "untrusted"
    (nested(one) / "mem").rename(one / "plugins" / "mem")
    moved = trust.verdict(one, find(one, "mem"))
    assert moved.state == "untrusted"
    assert "it was approved at" in moved.reason


def test_a_second_approval_replaces_the_first(tmp_path: Path) -> None:
    install(tmp_path, "other")
    plugin = install(tmp_path, "mem")
    _change(plugin.directory)
    approve(tmp_path, "mem")
    records = json.loads(trust.trust_file(tmp_path).read_text())["providers"]
    assert [record["name"] for record in records] == ["mem", "other"]
    assert trust.verdict(tmp_path, plugin).state == "trusted"
    assert trust.verdict(tmp_path, find(tmp_path, "other")).state == "trusted"


def test_a_bundled_provider_needs_no_approval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "BUNDLED", tmp_path / "bundled")
    directory = write_plugin(tmp_path / "bundled", "mem")
    directory.chmod(0o777)
    assert trust.verdict(tmp_path, find(tmp_path, "mem")).state == "bundled"
    assert trust.require(tmp_path, find(tmp_path, "mem")) == read_tree(directory, keep=False, ours=True).digest


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_p41_a_file_that_others_may_write_is_unsafe_whatever_was_approved(tmp_path: Path, mode: int) -> None:
    plugin = install(tmp_path, "mem", files={"data/notes.txt": "x"})
    (plugin.directory / "data" / "notes.txt").chmod(mode)
    found = trust.verdict(tmp_path, plugin)
    assert found.state == "unsafe"
    assert "notes.txt may be written by other users" in found.reason
    assert "chmod -R go-w" in found.hint
    with pytest.raises(ProviderUntrusted):
        trust.record(tmp_path, plugin, "0" * 64)


@pytest.mark.parametrize("below", ["", "data"])
def test_p41_a_folder_that_others_may_write_is_unsafe(tmp_path: Path, below: str) -> None:
    plugin = install(tmp_path, "mem", files={"data/notes.txt": "x"})
    (plugin.directory / below).chmod(0o775)
    assert trust.verdict(tmp_path, plugin).state == "unsafe"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_p41_a_file_of_another_user_is_unsafe(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem")
    os.chown(plugin.directory / "__init__.py", 12345, -1)
    found = trust.verdict(tmp_path, plugin)
    assert (found.state, "belongs to another user (uid 12345)" in found.reason) == ("unsafe", True)


@pytest.mark.parametrize("target", ["__init__.py", "/etc/hostname", "nowhere", "sub"])
def test_a_link_inside_the_tree_is_unsafe(tmp_path: Path, target: str) -> None:
    plugin = install(tmp_path, "mem", files={"sub/x.py": ""})
    (plugin.directory / "link.py").symlink_to(target)
    found = trust.verdict(tmp_path, plugin)
    assert (found.state, "link.py is a symbolic link" in found.reason) == ("unsafe", True)


def test_a_pipe_an_odd_name_and_a_tree_without_end_are_unsafe(tmp_path: Path) -> None:
    for name, make in (
        ("pipe", lambda folder: os.mkfifo(folder / "pipe")),
        ("line", lambda folder: (folder / "a\n0000  b").touch()),
        ("deep", lambda folder: (folder / "/".join("d" * 40)).mkdir(parents=True)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        make(folder)
        with pytest.raises(UnsafeTree):
            read_tree(folder, keep=False)
    with pytest.raises(ProviderUntrusted):
        trust.tree_digest(tmp_path / "missing")


def test_names_that_are_no_text_are_part_of_the_digest(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.py")).touch()
    one = trust.tree_digest(tmp_path)
    (tmp_path / os.fsdecode(b"\xff.py")).rename(tmp_path / os.fsdecode(b"\xfe.py"))
    assert len({one, trust.tree_digest(tmp_path)}) == 2


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 2, "providers": []}', b'{"version": 1, "providers": [{}]}',
     b'{"version": 1, "providers": [{"name": "mem", "path": 1, "digest": "", "time": "", "files": {}}]}'],
)  # fmt: skip
def test_a_damaged_record_approves_nothing_and_is_never_replaced(tmp_path: Path, content: bytes) -> None:
    plugin = install(tmp_path, "mem")
    file = trust.trust_file(tmp_path)
    file.write_bytes(content)
    assert trust.verdict(tmp_path, plugin).state == "unsafe"
    for act in (
        lambda: trust.require(tmp_path, plugin),
        lambda: trust.record(tmp_path, plugin, trust.tree_digest(plugin.directory)),
    ):
        with pytest.raises(TrustDamaged, match=r"trust\.json") as caught:
            act()
        assert caught.value.exit_code == 5
    assert file.read_bytes() == content


def test_a_record_that_others_may_write_or_that_is_a_link_approves_nothing(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem")
    file = trust.trust_file(tmp_path)
    file.chmod(0o666)
    assert trust.verdict(tmp_path, plugin).state == "unsafe"
    file.chmod(0o600)
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    assert trust.verdict(tmp_path, plugin).state == "unsafe"
