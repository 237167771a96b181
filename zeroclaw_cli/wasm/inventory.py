"""What is known about a plugin's journal without running the plugin; reads only, creates nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.wasm.journal import Journal, journal_path


def journal_stats(config: Config, package: str) -> Mapping[str, Any]:
    """``records`` (how many), ``bytes`` (on disk) and ``last_replay_ms`` (None before the first) of a package's
    journal; empty when it has none. Raises JournalDamaged."""
    journal = Journal(journal_path(config.location.data_dir, package))
    try:
        return journal_facts(journal)
    finally:
        journal.close()


def journal_facts(journal: Journal) -> Mapping[str, Any]:
    """As :func:`journal_stats`, of a journal that is open."""
    if journal.head() is None:
        return {}
    on_disk = 0
    for suffix in ("", "-wal"):
        path = journal.path.with_name(journal.path.name + suffix)
        try:
            on_disk += path.stat().st_size
        except FileNotFoundError:
            continue
    return {"records": journal.count(), "bytes": on_disk, "last_replay_ms": journal.last_replay_ms()}
