from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import SKILL_TEXT, config_in, write_package
from zeroclaw_cli.errors import InvalidConfigSchema
from zeroclaw_cli.plugins import digests, skills
from zeroclaw_cli.plugins.digests import CachedDigests, FreshDigests
from zeroclaw_cli.plugins.manifest import read_manifest

SCHEMA = {"type": "object", "additionalProperties": False, "properties": {}}
BROKEN = {"type": "array"}


def test_fresh_digests_are_those_of_the_bytes_that_they_keep(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p", skills={"greet/SKILL.md": SKILL_TEXT}, capabilities=["tool", "skill"])
    read = FreshDigests(keep=True)
    assert read.component(folder, "p.wasm") == hashlib.sha256(read.components[folder]).hexdigest()
    assert read.skills(folder) == skills.skills_sha256(folder)
    assert [file.path for file in read.skill_files[folder]] == ["greet/SKILL.md"]


def test_fresh_digests_hold_no_bytes_unless_asked(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    read = FreshDigests()
    read.component(folder, "p.wasm")
    assert read.components == {}


def test_the_cache_reads_an_unchanged_file_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_package(tmp_path / "p", "p", skills={"greet/SKILL.md": SKILL_TEXT})
    path = tmp_path / "cache" / "digests.json"
    first = CachedDigests(path)
    expected = first.component(folder, "p.wasm"), first.skills(folder)
    first.save(create=True)

    def refuse(*_: object) -> str:
        raise AssertionError("it was read again")

    monkeypatch.setattr(FreshDigests, "component", refuse)
    monkeypatch.setattr(FreshDigests, "skills", refuse)
    second = CachedDigests(path)
    assert (second.component(folder, "p.wasm"), second.skills(folder)) == expected


def test_a_changed_file_is_hashed_anew(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p", skills={"greet/SKILL.md": SKILL_TEXT})
    cache = CachedDigests(tmp_path / "digests.json")
    before = cache.component(folder, "p.wasm"), cache.skills(folder)
    (folder / "p.wasm").write_bytes(b"other bytes")
    (folder / "skills" / "greet" / "more.txt").write_text("more")
    assert cache.component(folder, "p.wasm") == hashlib.sha256(b"other bytes").hexdigest() != before[0]
    assert cache.skills(folder) == skills.skills_sha256(folder) != before[1]


def test_a_file_with_its_old_size_and_times_restored_is_still_noticed(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p", component=b"aaaa")
    cache = CachedDigests(tmp_path / "digests.json")
    before = cache.component(folder, "p.wasm")
    times = (folder / "p.wasm").stat()
    (folder / "p.wasm").unlink()
    (folder / "p.wasm").write_bytes(b"bbbb")
    os.utime(folder / "p.wasm", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cache.component(folder, "p.wasm") != before


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"version": 1, "files": {"x": 3}}', b"[" * 100_000])
def test_a_damaged_cache_counts_as_empty_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    folder = write_package(tmp_path / "p", "p")
    path = tmp_path / "digests.json"
    path.write_bytes(content)
    cache = CachedDigests(path)
    expected = cache.component(folder, "p.wasm")
    cache.save(create=False)
    assert CachedDigests(path)._files[str(folder / "p.wasm")]["sha256"] == expected


def test_nothing_is_created_unless_asked(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    location = config_in(tmp_path / "home").location
    cache = digests.cached(location)
    cache.component(folder, "p.wasm")
    cache.save(create=False)
    assert not (tmp_path / "home").exists()
    cache.save(create=True)
    assert (location.data_dir / "plugins" / "digests.json").stat().st_mode & 0o777 == 0o600


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    (tmp_path / "file").write_text("in the way")
    cache = CachedDigests(tmp_path / "file" / "digests.json")
    cache.component(folder, "p.wasm")
    cache.save(create=True)


def test_entries_of_files_that_are_gone_are_dropped(tmp_path: Path) -> None:
    old, new = write_package(tmp_path / "old", "old"), write_package(tmp_path / "new", "new")
    path = tmp_path / "digests.json"
    cache = CachedDigests(path)
    cache.component(old, "old.wasm")
    cache.save(create=True)
    (old / "old.wasm").unlink()
    cache.component(new, "new.wasm")
    cache.save(create=True)
    assert list(CachedDigests(path)._files) == [str(new / "new.wasm")]


def test_the_verdict_on_a_schema_is_remembered_and_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fields: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"]}
    good = read_manifest(write_package(tmp_path / "g", "g", config_schema=SCHEMA, **fields) / "manifest.toml")
    bad = read_manifest(write_package(tmp_path / "b", "b", config_schema=BROKEN, **fields) / "manifest.toml")
    path = tmp_path / "digests.json"
    cache = CachedDigests(path)
    hints = cache.contract(good)
    with pytest.raises(InvalidConfigSchema) as first:
        cache.contract(bad)
    cache.save(create=True)

    def refuse(*_: object) -> tuple[str, ...]:
        raise AssertionError("it was judged again")

    monkeypatch.setattr(FreshDigests, "contract", refuse)
    again = CachedDigests(path)
    assert again.contract(good) == hints
    with pytest.raises(InvalidConfigSchema) as second:
        again.contract(bad)
    assert (second.value.message, second.value.hint) == (first.value.message, first.value.hint)


def test_verdicts_of_other_rules_are_not_trusted(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"]}
    manifest = read_manifest(write_package(tmp_path / "g", "g", config_schema=SCHEMA, **fields) / "manifest.toml")
    path = tmp_path / "digests.json"
    cache = CachedDigests(path)
    cache.contract(manifest)
    cache.save(create=True)
    path.write_text(path.read_text().replace('"rules": "', '"rules": "older '))
    assert CachedDigests(path)._verdicts == {}


def test_a_cache_that_is_a_link_is_replaced_and_not_the_file_behind_it(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "p", "p")
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "digests.json").symlink_to(tmp_path / "mine.txt")
    cache = CachedDigests(tmp_path / "digests.json")
    cache.component(folder, "p.wasm")
    cache.save(create=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert not (tmp_path / "digests.json").is_symlink()
