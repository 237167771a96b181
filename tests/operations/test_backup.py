"""Backups of every store: what is checked before anything is replaced, and restores that are interrupted anywhere."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import config_in
from zeroclaw_cli import fsio
from zeroclaw_cli.backends import is_half_restored, open_documents, open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import Busy, Damaged, JournalDamaged, MemoryFailure, SourceNotFound, StoreDamaged, UsageError
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.operations import restore as restoring
from zeroclaw_cli.operations.backup import create
from zeroclaw_cli.operations.backup_file import Contents
from zeroclaw_cli.operations.restore import KEEP_REPLACED, Restored, finish_restore, replaced, restore
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.journal import Journal, journal_path

TABLE = "zeroclaw-backup.json"
OWNER = 'publisher = "unsigned"\n'


def remember(config: Config, text: str) -> None:
    """Give the built-in store, and the data of two plugins, a state that says ``text``."""
    with open_memory(config, "native", HostOptions()) as memory:
        memory.store("tea", text, "core", None)
    with open_documents(config) as documents:
        documents.write(WriteRequest("notes/n.md", text, append=False))
    for name in ("notes", "filed"):
        folder = config.location.data_dir / "plugins" / name
        fsio.make_private_dir(folder)
        fsio.atomic_write(folder / "owner.toml", OWNER.encode())
    fsio.make_private_dir(config.location.data_dir / "plugins" / "filed" / "files" / "deep")
    (config.location.data_dir / "plugins" / "filed" / "files" / "deep" / "book").write_text(text)
    journal = Journal(journal_path(config.location.data_dir, "notes"))
    with journal.writing(1.0) as writer:
        if journal.head() is None:
            writer.begin(Serving(len(text), 0, text.encode()[:8].ljust(32, b"\0")))
        writer.note_replay(len(text))
    journal.close()


def recalled(config: Config) -> tuple[str, str, str, int | None]:
    """What the stores say: the entry, the document, the plugin's file, and what its journal notes."""
    with open_memory(config, "native", HostOptions()) as memory:
        entry = memory.get("tea")
    with open_documents(config) as documents:
        document = documents.read("notes/n.md").content
    book = (config.location.data_dir / "plugins" / "filed" / "files" / "deep" / "book").read_text()
    journal = Journal(journal_path(config.location.data_dir, "notes"))
    noted = journal.last_replay_ms()
    journal.close()
    assert entry is not None
    return entry.content, document, book, noted


OLD = ("old", "old", "old", 3)
NEWER = ("newer", "newer", "newer", 5)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


@pytest.fixture
def archive(config: Config, tmp_path: Path) -> Path:
    """A backup of the old state, while the stores hold the newer one."""
    remember(config, "old")
    made = create(config, tmp_path / "backup.zip")
    remember(config, "newer")
    assert recalled(config) == NEWER
    return made.file


def repacked(archive: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]) -> Path:
    """The archive with its members and table changed."""
    with zipfile.ZipFile(archive) as packed:
        members = {name: packed.read(name) for name in packed.namelist() if name != TABLE}
        table = json.loads(packed.read(TABLE))
    change(members, table)
    out = archive.with_name("changed.zip")
    with zipfile.ZipFile(out, "w") as packed:
        for name, data in members.items():
            packed.writestr(name, data)
        packed.writestr(TABLE, json.dumps(table))
    return out


def listed(table: dict[str, Any], name: str, data: bytes) -> None:
    table["members"][name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_everything_comes_back_and_what_it_was_is_kept(config: Config, archive: Path) -> None:
    done = restore(config, archive)
    assert recalled(config) == OLD
    assert (done.contents.entries, done.contents.documents, done.contents.plugins) == (1, 1, ("filed", "notes"))
    names = sorted(path.name.split(".before-restore")[0].split("-")[0] for path in done.kept)
    assert names == ["before", "files", "journal"]
    assert all(path.exists() for path in done.kept)
    assert not is_half_restored(config)


def test_the_mirror_follows(config: Config, archive: Path) -> None:
    restore(config, archive)
    (mirrored,) = (config.location.data_dir / "memory" / "mirror").rglob("n.md")
    assert mirrored.read_text() == "old"


def test_a_process_that_knows_the_later_past_notices_the_other_one(config: Config, archive: Path) -> None:
    journal = Journal(journal_path(config.location.data_dir, "notes"))
    before = journal.head()
    restore(config, archive)
    after = journal.head()
    journal.close()
    assert before is not None and after is not None
    assert before.generation != after.generation


def test_a_plugin_that_the_backup_does_not_hold_stays(config: Config, archive: Path) -> None:
    folder = config.location.data_dir / "plugins" / "later"
    folder.mkdir()
    (folder / "owner.toml").write_text(OWNER)
    restore(config, archive)
    assert (folder / "owner.toml").read_text() == OWNER


def test_a_data_folder_that_remembers_nothing_is_no_part(config: Config, tmp_path: Path) -> None:
    (config.location.data_dir / "plugins" / "empty").mkdir(parents=True)
    (config.location.data_dir / "plugins" / "empty" / "owner.toml").write_text(OWNER)
    assert create(config, tmp_path / "backup.zip").contents == Contents()


def test_links_among_a_plugins_files_are_left_out_with_a_warning(config: Config, tmp_path: Path) -> None:
    remember(config, "old")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (config.location.data_dir / "plugins" / "filed" / "files" / "link").symlink_to(secret)
    made = create(config, tmp_path / "backup.zip")
    assert len(made.warnings) == 1
    with zipfile.ZipFile(made.file) as packed:
        assert not [name for name in packed.namelist() if name.endswith("link")]


def put(name: str, data: bytes = b"x") -> Callable[[dict[str, bytes], dict[str, Any]], None]:
    def change(members: dict[str, bytes], table: dict[str, Any]) -> None:
        members[name] = data
        listed(table, name, data)

    return change


def drop_from_table(members: dict[str, bytes], table: dict[str, Any]) -> None:
    table["members"].pop("native.db")


def wrong_size(members: dict[str, bytes], table: dict[str, Any]) -> None:
    table["members"]["native.db"]["size"] -= 1


def wrong_digest(members: dict[str, bytes], table: dict[str, Any]) -> None:
    table["members"]["native.db"]["sha256"] = "0" * 64


def no_contents(members: dict[str, bytes], table: dict[str, Any]) -> None:
    del table["contents"]


def plugin_outside(members: dict[str, bytes], table: dict[str, Any]) -> None:
    table["contents"]["plugins"].append("../../x")


@pytest.mark.parametrize(
    "change",
    [
        put("../outside"),
        put("/absolute"),
        put("plugins/../../outside"),
        put("plugins/notes/files/../../../outside"),
        put("plugins/notes/other"),
        put("plugins/notes/files/a\\b"),
        put("plugins/notes/journal.db/x"),
        put("config.toml"),
        put("native.db", b"no database"),
        put("plugins/notes/journal.db", b"no journal"),
        put("plugins/notes/owner.toml", b"publisher = 3"),
        put("plugins/notes/owner.toml", b"\xff"),
        drop_from_table,
        wrong_size,
        wrong_digest,
        no_contents,
        plugin_outside,
    ],
)
def test_an_archive_that_is_not_sound_changes_nothing(
    config: Config, archive: Path, tmp_path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]
) -> None:
    changed = repacked(archive, change)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(Damaged):
        restore(config, changed)
    assert recalled(config) == NEWER
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not [path for path in config.location.data_dir.glob(".restore*") if path.is_dir()]


def test_a_backup_of_a_newer_version_says_so(config: Config, archive: Path) -> None:
    def newer(members: dict[str, bytes], table: dict[str, Any]) -> None:
        table["format"] = 99

    with pytest.raises(MemoryFailure, match="newer version"):
        restore(config, repacked(archive, newer))
    assert recalled(config) == NEWER


def test_the_memory_itself_is_neither_a_backup_nor_a_place_for_one(config: Config, archive: Path) -> None:
    store = config.location.data_dir / "memory" / "native.db"
    with pytest.raises(UsageError):
        restore(config, store)
    with pytest.raises(UsageError):
        create(config, store)
    with pytest.raises(UsageError, match="is not a regular file"):
        create(config, Path("/dev/null"))
    assert recalled(config) == NEWER


def test_a_link_to_the_file_stays_a_link(config: Config, archive: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.zip"
    link.symlink_to(archive)
    create(config, link)
    assert link.is_symlink()
    restore(config, link)
    assert recalled(config) == NEWER


def test_a_copy_of_the_store_comes_with_its_log(config: Config, archive: Path, tmp_path: Path) -> None:
    store = config.location.data_dir / "memory" / "native.db"
    with open_memory(config, "native", HostOptions()) as memory:
        memory.store("tea", "only in the log", "core", None)
        assert store.with_name("native.db-wal").stat().st_size
        for suffix in ("", "-wal"):
            (tmp_path / f"copy.db{suffix}").write_bytes(store.with_name(f"native.db{suffix}").read_bytes())
    remember(config, "newer")
    restore(config, tmp_path / "copy.db")
    assert recalled(config)[0] == "only in the log"


def test_a_missing_backup_says_so(config: Config, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound):
        restore(config, tmp_path / "nowhere")


STEPS = ["_apply_native", "_apply_plugin", "atomic_write", "remove_tree"]


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("after", range(1, 9))
@pytest.mark.parametrize("step", STEPS)
def test_a_restore_that_is_killed_at_any_step_is_before_or_is_finished(
    config: Config, archive: Path, monkeypatch: pytest.MonkeyPatch, step: str, after: int
) -> None:
    owner = fsio if hasattr(fsio, step) else restoring
    real, calls = getattr(owner, step), 0

    def killing(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == after:
            raise Killed
        return real(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, step, killing)
        with suppress(Killed):
            restore(config, archive)
    if is_half_restored(config):
        with pytest.raises(StoreDamaged, match="interrupted"):
            open_memory(config, "native", HostOptions())
        finish_restore(config)
        assert recalled(config) == OLD
    else:
        assert recalled(config) in (OLD, NEWER)
    assert not is_half_restored(config)


def test_the_journal_may_be_replaced_twice(config: Config, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.unlink

    def failing(path: Path, missing_ok: bool = False) -> None:
        if path.name == "journal.db":
            raise Killed
        real(path, missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", failing)
        with pytest.raises(Killed):
            restore(config, archive)
    assert is_half_restored(config)
    finish_restore(config)
    assert recalled(config) == OLD


def test_a_store_that_stays_busy_leaves_everything_as_it_was(
    config: Config, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise Busy("another process keeps using it")

    with monkeypatch.context() as patched:
        patched.setattr(restoring, "_apply_native", busy)
        with pytest.raises(Busy):
            restore(config, archive)
    assert not is_half_restored(config)
    assert recalled(config) == NEWER


def test_a_damaged_journal_is_moved_aside_and_replaced(config: Config, archive: Path) -> None:
    path = journal_path(config.location.data_dir, "notes")
    path.write_bytes(b"no journal at all" * 300)
    with pytest.raises(JournalDamaged):
        create(config, archive.with_name("other.zip"))
    done = restore(config, archive)
    assert recalled(config) == OLD
    (kept,) = [file for file in done.kept if file.name.startswith("journal")]
    assert kept.read_bytes().startswith(b"no journal")


def test_finishing_nothing_is_nothing(config: Config) -> None:
    config.location.data_dir.mkdir(parents=True)
    assert finish_restore(config) == Restored(Contents(), finished=False)


def test_of_what_restores_replace_the_newest_three_are_kept(config: Config, archive: Path) -> None:
    seen: list[Path] = []
    removed = 0
    for number in range(KEEP_REPLACED + 2):
        remember(config, f"state {number}")
        there = {path for path in seen if path.exists()}
        done = restore(config, archive)
        assert recalled(config) == OLD
        assert len(done.kept) == 3
        assert not there & set(done.kept)
        seen += done.kept
        removed += done.removed
    assert [len(copies) for copies in replaced(config.location.data_dir) if copies] == [KEEP_REPLACED] * 3
    assert {path for copies in replaced(config.location.data_dir) for path in copies} == set(seen[-9:])
    assert removed == 6
