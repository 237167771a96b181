from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import component, package
from tests.support.packages import config_in, tree
from zeroclaw_cli.backends import open_memory
from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.errors import JournalDamaged
from zeroclaw_cli.plugins import discovery
from zeroclaw_cli.plugins.model import Permission, Trial
from zeroclaw_cli.wasm import rehearsal
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.journal import journal_path
from zeroclaw_cli.wasm.replay import LiveInstance


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A home whose plugin notes remembers an entry and the id of an agent."""
    config = config_in(tmp_path, enabled=True)
    package(config.plugins.plugins_dir, "notes")
    with open_memory(config, "plugin.notes", HostOptions()) as memory:
        memory.ensure_agent_uuid("ada")
        memory.store("k", "text", "core", None)
    return config


def rehearse(config: Config, guest: str, *permissions: Permission) -> Trial | None:
    found = discovery.discover(config).find("notes")
    manifest = dataclasses.replace(found.manifest, permissions=permissions)
    return rehearsal.rehearse(config, HostOptions(), dataclasses.replace(found, manifest=manifest), component(guest))


def test_a_component_with_the_same_results_differs_in_nothing_and_nothing_is_written(config: Config) -> None:
    before = tree(config.location.config_dir)
    assert rehearse(config, "notes") == Trial()
    assert tree(config.location.config_dir) == before


def test_what_differs_is_said(config: Config) -> None:
    trial = rehearse(config, "plain")
    assert trial is not None
    assert "for 1 record (first: record 1, ensure-agent-uuid)" in trial.differences[0]
    assert trial.differences[1:] == trial.hidden_agents
    (line,) = trial.hidden_agents
    assert line.startswith("agent 'ada' has another id in this version")


def test_a_component_that_cannot_replay_is_an_error(config: Config) -> None:
    with pytest.raises(JournalDamaged, match="does not replay"):
        rehearse(config, "trap")


def test_without_a_journal_nothing_runs(config: Config) -> None:
    for path in journal_path(config.location.data_dir, "notes").parent.iterdir():
        path.unlink()
    assert rehearse(config, "trap_at_start") == Trial()


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("plugins", {"enabled": False}),
        ("plugins", {"disabled": ("notes",)}),
        ("memory", {"plugin_durability": Durability.NONE}),
    ],
)
def test_what_the_config_keeps_from_running_or_replaying_is_not_run(
    config: Config, section: str, changes: dict[str, Any]
) -> None:
    changed = dataclasses.replace(getattr(config, section), **changes)
    assert rehearse(dataclasses.replace(config, **{section: changed}), "trap") is None


@pytest.mark.parametrize("durability", [Durability.GUEST, Durability.JOURNAL])
def test_a_guest_that_may_use_files_is_tried_on_a_copy_and_one_that_does_not_find_them_has_lost_them(
    config: Config, durability: Durability, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = dataclasses.replace(config, memory=dataclasses.replace(config.memory, plugin_durability=durability))
    folder = config.plugins.plugins_dir / "notes" / "manifest.toml"
    folder.write_text(folder.read_text().replace("permissions = []", 'permissions = ["file_write"]'))
    files = journal_path(config.location.data_dir, "notes").with_name("files")
    files.mkdir(mode=0o700)
    (files / "tea").write_text("green")
    before = tree(config.location.config_dir)

    def shown(live: LiveInstance) -> Counter[str]:
        live.current()
        return Counter([] if live._folder is None else [path.name for path in live._folder.path.iterdir()])

    monkeypatch.setattr(rehearsal, "_shown", shown)
    kept, lost = rehearse(config, "plain", Permission.FILE_WRITE), rehearse(config, "plain")
    assert kept is not None and kept.lost == ()
    assert lost is not None and lost.lost == ("1 of 1 entry is not there (first: 'tea')",)
    assert tree(config.location.config_dir) == before
