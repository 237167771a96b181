from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import pytest

from zeroclaw_cli.errors import MemoryFailure, SourceNotFound
from zeroclaw_cli.native import import_zeroclaw
from zeroclaw_cli.native.entries import NativeEntry
from zeroclaw_cli.native.import_zeroclaw import read_zeroclaw
from zeroclaw_cli.native.memory import open_memory

FULL = """
CREATE TABLE agents (id TEXT PRIMARY KEY, alias TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL);
CREATE TABLE memories (
  id TEXT PRIMARY KEY, key TEXT NOT NULL, content TEXT NOT NULL, category TEXT NOT NULL, embedding BLOB,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, session_id TEXT, namespace TEXT, importance REAL,
  superseded_by TEXT, kind TEXT, pinned INTEGER NOT NULL DEFAULT 0, tenant_id TEXT, agent_id TEXT
);
INSERT INTO agents VALUES ('u-0', 'default', ''), ('u-1', 'ada', '');
INSERT INTO memories VALUES
  ('m1', 'tea', 'likes green tea', 'core', NULL, '2026-03-01T12:00:00.123456789+02:00', '2026-03-02T00:00:00+00:00',
   NULL, 'default', 0.5, NULL, NULL, 0, NULL, 'u-0'),
  ('m2', 'dog', 'Byron', 'pets', x'00', '2026-02-01T12:00:00Z', '2026-02-01T12:00:00Z', 's1', 'home', 0.9, 'm1',
   '"semantic"', 1, NULL, 'u-1'),
  ('m3', 'odd', 'no time', 'daily', NULL, 'soon', '', '', NULL, NULL, '', '{"episodic":{}}', 0, NULL, NULL);
"""

OLD = """
CREATE TABLE memories (id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, content TEXT NOT NULL, category TEXT,
  created_at TEXT, updated_at TEXT);
INSERT INTO memories VALUES ('m1', 'tea', 'likes green tea', 'core', '2025-03-01T12:00:00Z', '2025-03-01T12:00:00Z');
"""


def database(file: Path, script: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file)
    connection.executescript(script)
    connection.close()


def snapshot(root: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(root)): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted([root, *root.rglob("*")])
    }


def by_key(directory: Path) -> dict[str, NativeEntry]:
    return {entry.key: entry for entry in read_zeroclaw(directory).entries}


def test_a_database_of_today_is_read_whole(tmp_path: Path) -> None:
    database(tmp_path / "memory" / "brain.db", FULL)
    found = read_zeroclaw(tmp_path)
    rows = {entry.key: entry for entry in found.entries}
    assert rows["tea"] == NativeEntry(
        "m1", "tea", "likes green tea", "core", "2026-03-01T10:00:00.123456789Z", importance=0.5,
        updated_at="2026-03-02T00:00:00Z",
    )  # fmt: skip
    dog = rows["dog"]
    assert (dog.namespace, dog.importance, dog.superseded_by, dog.kind, dog.pinned) == (
        "home",
        0.9,
        "m1",
        "semantic",
        True,
    )
    assert (dog.agent_id, dog.agent_alias, dog.session_id) == ("u-1", "ada", "s1")
    odd = rows["odd"]
    assert (odd.kind, odd.session_id, odd.agent_id, odd.namespace) == ("episodic", None, None, "default")
    assert found.entries[0].key == "dog"
    assert any("no readable time" in line for line in found.warnings)


def test_a_database_of_old_lacks_columns_and_is_read_too(tmp_path: Path) -> None:
    database(tmp_path / "brain.db", OLD)
    assert by_key(tmp_path)["tea"].timestamp == "2025-03-01T12:00:00Z"


@pytest.mark.parametrize("below", ["", "workspace"])
def test_nothing_in_the_folder_is_touched(tmp_path: Path, below: str) -> None:
    root = tmp_path / "their"
    database(root / below / "memory" / "brain.db", FULL)
    (root / below / "MEMORY.md").write_text("- **a**: b\n")
    connection = sqlite3.connect(root / below / "memory" / "brain.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = snapshot(root)
    assert len(read_zeroclaw(root).entries) == 4
    assert snapshot(root) == before


def test_what_is_still_in_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    file = tmp_path / "memory" / "brain.db"
    database(file, FULL)
    theirs = sqlite3.connect(file)
    theirs.execute("PRAGMA journal_mode = WAL")
    theirs.execute("UPDATE memories SET content = 'likes black tea' WHERE key = 'tea'")
    theirs.commit()
    before = snapshot(tmp_path)
    assert by_key(tmp_path)["tea"].content == "likes black tea"
    assert snapshot(tmp_path) == before
    theirs.close()


def test_markdown_files_are_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text(
        "# Long-Term Memory\n\n- **tea**: likes green tea\n  with honey\n* plain fact\n\nA sentence.\n"
        "- **tea**: now black\n- **tea**: now black\n"
    )
    (tmp_path / "memory" / "2026-03-01.md").write_text("# Daily Log — 2026-03-01\n\n- **walk**: to the river\n")
    (tmp_path / "memory" / "notes.txt").write_text("not ours")
    rows = by_key(tmp_path)
    assert {key: (row.content, row.category) for key, row in rows.items()} == {
        "tea": ("likes green tea\nwith honey", "core"),
        "MEMORY:1": ("plain fact", "core"),
        "MEMORY:2": ("A sentence.", "core"),
        "tea (2)": ("now black", "core"),
        "walk": ("to the river", "daily"),
    }
    assert rows["walk"].timestamp[:8] in ("2026-03-", "2026-02-")


def test_text_that_is_not_utf8_is_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"\xef\xbb\xbf- caf\xe9\n")
    found = read_zeroclaw(tmp_path)
    assert found.entries[0].content == "caf\ufffd"
    assert any("not UTF-8" in line for line in found.warnings)


def test_a_folder_without_a_memory_says_what_is_looked_for(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "missing"):
        with pytest.raises(SourceNotFound) as refused:
            read_zeroclaw(directory)
        assert refused.value.exit_code == 3
        assert refused.value.hint


@pytest.mark.parametrize("data", [b"no database at all, but long enough to look like a file", b""])
def test_a_database_that_cannot_be_read_is_named(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "memory" / "brain.db"
    file.parent.mkdir()
    file.write_bytes(data)
    with pytest.raises(MemoryFailure, match=r"brain\.db") as refused:
        read_zeroclaw(tmp_path)
    assert "sound copy" in (refused.value.hint or "")


def test_what_was_read_can_be_imported_and_recalled(tmp_path: Path) -> None:
    database(tmp_path / "their" / "memory" / "brain.db", FULL)
    found = read_zeroclaw(tmp_path / "their")
    with open_memory(tmp_path / "ours") as memory:
        assert memory.import_entries(found.entries) == 3
        assert [entry.key for entry in memory.recall("green tea", 5, None, None, None)] == ["tea"]
        assert memory.ensure_agent_uuid("ada") == "u-1"
        # Twice is once.
        memory.import_entries(found.entries)
        assert memory.count() == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- a\n")
    (tmp_path / "MEMORY.md").chmod(0)
    found = read_zeroclaw(tmp_path)
    assert found.entries == ()
    assert found.warnings


@pytest.mark.parametrize("linked", ["MEMORY.md", "memory/brain.db", "memory/brain.db-wal", "memory", "workspace"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path, linked: str) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (outside / "memory").mkdir(parents=True)
    (outside / "MEMORY.md").write_text("- a secret\n")
    database(outside / "memory" / "brain.db", OLD)
    (outside / "memory" / "brain.db-wal").write_bytes(b"secret")
    (inside / "memory").mkdir(parents=True)
    (inside / "USER.md").write_text("x")
    if linked == "memory":
        (inside / "memory").rmdir()
    if linked == "memory/brain.db-wal":
        database(inside / "memory" / "brain.db", OLD)
    (inside / linked).symlink_to(outside if linked == "workspace" else outside / linked)
    if linked != "MEMORY.md":
        (inside / "MEMORY.md").write_text("- mine\n")
        found = read_zeroclaw(inside)
        assert [entry.content for entry in found.entries] == ["mine"]
        assert any("leads out of the folder" in line for line in found.warnings)
    else:
        with pytest.raises(SourceNotFound, match="leads out of the folder"):
            read_zeroclaw(inside)


def test_a_link_within_the_folder_is_followed_and_the_folder_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "notes.md").write_text("- mine\n")
    (tmp_path / "real" / "MEMORY.md").symlink_to("notes.md")
    (tmp_path / "link").symlink_to("real")
    found = read_zeroclaw(tmp_path / "link")
    assert [entry.content for entry in found.entries] == ["mine"]
    assert found.warnings == ()


def test_a_damaged_database_is_a_warning_and_the_notes_are_read(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "brain.db").write_bytes(b"no database at all, but long enough to look like a file")
    (tmp_path / "MEMORY.md").write_text("- mine\n")
    found = read_zeroclaw(tmp_path)
    assert [entry.content for entry in found.entries] == ["mine"]
    assert [source.name for source in found.sources] == ["MEMORY.md"]
    (warning,) = found.missing
    assert "brain.db cannot be read" in warning


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.123456789", "2026-01-02T03:04:05.123456789Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02 03:04:05.5 UTC", "2026-01-02T03:04:05.5Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        (1767323045, "2026-01-02T03:04:05Z"),
        (1767323045123, "2026-01-02T03:04:05.123Z"),
        ("soon", None),
        (None, None),
    ],
)
def test_a_time_without_an_offset_is_utc(written: object, read: str | None) -> None:
    assert import_zeroclaw._time(written) == read
