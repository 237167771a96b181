"""``memory backup`` where the store, or the file to write, is a link that leads to itself."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Home


def test_a_store_that_is_a_link_to_itself_is_no_unexpected_error(home: Home, tmp_path: Path) -> None:
    home.ok("memory", "store", "tea", "green")
    store = home.config_dir / "data" / "memory" / "native.db"
    store.unlink()
    store.symlink_to(store.name)
    done = home.run("memory", "backup", "--out", str(tmp_path / "copy.zip"), "--json")
    assert done.code != 0
    assert done.error()["code"] != "unexpected", done.stderr
    assert "unexpected" not in done.stderr
    assert str(store) in done.error()["message"]
    assert not (tmp_path / "copy.zip").exists()


def test_a_backup_into_a_link_to_itself_is_no_unexpected_error(home: Home, tmp_path: Path) -> None:
    home.ok("memory", "store", "tea", "green")
    out = tmp_path / "copy.zip"
    out.symlink_to(out.name)
    done = home.run("memory", "backup", "--out", str(out), "--json")
    assert "unexpected" not in done.stderr
    if done.code:
        assert str(out) in done.error()["message"]
    else:
        assert out.is_file()
