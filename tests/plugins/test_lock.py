from __future__ import annotations

import os
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import LockDamaged
from zeroclaw_cli.plugins import lock
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import Digests, LockEntry


def entry(name: str = "notes", manifest: str = "aa", **fields: str | None) -> LockEntry:
    values: dict[str, str | None] = {
        "name": name,
        "version": "1.0.0",
        "directory": name,
        "source": "/src/notes",
        "installed_at": "2026-01-02T03:04:05Z",
        "manifest_sha256": manifest,
        "component_sha256": "bb",
        "skills_sha256": None,
        "publisher_key": None,
        "signature": "unsigned",
    }
    return LockEntry(**(values | fields))  # type: ignore[arg-type]


def test_a_missing_lock_is_empty_and_reading_it_creates_nothing(tmp_path: Path) -> None:
    assert lock.read(tmp_path / "plugins.lock") == LockFile()
    assert not any(tmp_path.iterdir())


def test_entries_are_written_sorted_by_name_with_the_version(tmp_path: Path) -> None:
    path = tmp_path / "plugins.lock"
    lock.put(path, LockFile(), [entry("zeta"), entry("alpha")])
    text = path.read_text()
    assert "\nversion = 1\n" in text
    assert text.index('"alpha"') < text.index('"zeta"')
    assert "skills_sha256" not in text
    assert path.stat().st_mode & 0o777 == 0o600


_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.dictionaries(st.text(string.ascii_lowercase, min_size=1), st.tuples(_TEXT, _TEXT, st.none() | _TEXT)))
def test_what_is_rendered_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, tuple[str, str, str | None]]
) -> None:
    path = tmp_path_factory.mktemp("lock") / "plugins.lock"
    entries = {
        name: entry(name, version=version, source=source, publisher_key=key)
        for name, (version, source, key) in found.items()
    }
    lock.write(path, LockFile(entries, entries))
    assert lock.read(path) == LockFile(entries, entries)


def test_a_source_that_is_not_unicode_is_still_recorded(tmp_path: Path) -> None:
    path = tmp_path / "plugins.lock"
    lock.put(path, LockFile(), [entry(source="/src/\udcff")])
    assert lock.read(path).entries["notes"].source == "/src/\\udcff"


@pytest.mark.parametrize(
    "text",
    [
        "version = ",
        "",
        "version = 2\n",
        'version = 1\npackage = "x"\n',
        "version = 1\n[[package]]\nname = 3\n",
        'version = 1\n[[package]]\nname = "x"\n',
        b"version = 1 # \xff\n",
    ],
)
def test_a_damaged_lock_names_the_file_and_how_to_repair_it(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "plugins.lock"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(LockDamaged) as caught:
        lock.read(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    assert "zeroclaw plugin verify --all --accept" in (caught.value.hint or "")


def test_two_entries_of_one_name_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "plugins.lock"
    text = lock.render(LockFile({"notes": entry()}))
    path.write_text(text + text.partition("version = 1\n")[2])
    with pytest.raises(LockDamaged, match="two"):
        lock.read(path)


def test_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "plugins.lock"
    path.write_text(lock.render(LockFile({"notes": entry()})) + 'later = "x"\n[other]\nkey = 1\n')
    assert lock.read(path).entries == {"notes": entry()}


def test_the_pending_entry_speaks_only_for_the_bytes_that_it_records() -> None:
    old, new = entry(manifest="old"), entry(manifest="new")
    both = LockFile({"notes": old}, {"notes": new})
    assert both.entry("notes", Digests("old", "bb", None)) is old
    assert both.entry("notes", Digests("new", "bb", None)) is new
    assert both.entry("notes", Digests("third", "bb", None)) is old


def test_dropping_what_is_not_there_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plugins.lock"
    lock.drop(path, LockFile(), "notes")
    assert not path.exists()


@pytest.mark.parametrize("version", ["true", "1.0", '"1"', "2"])
def test_a_version_is_the_integer_and_nothing_like_it(tmp_path: Path, version: str) -> None:
    (tmp_path / "plugins.lock").write_text(f"version = {version}\n")
    with pytest.raises(LockDamaged, match="version is"):
        lock.read(tmp_path / "plugins.lock")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_lock_that_is_no_file_is_damage_and_is_not_waited_for(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "plugins.lock")
    with pytest.raises(LockDamaged, match="not a regular file"):
        lock.read(tmp_path / "plugins.lock")
