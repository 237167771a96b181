"""What is known about journals and compiled components without running a plugin; reads only, creates nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.wasm.cache import ComponentCache, default_directory
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.journal import Journal, journal_path


def journal_stats(config: Config, package: str, *, examine: bool = False) -> Mapping[str, Any]:
    """``records`` (how many), ``bytes`` (on disk) and ``last_replay_ms`` (None before the first) of a package's
    journal; empty when it has none, or one without a record yet. Raises JournalDamaged.

    ``examine``: look at every record, as a replay would, instead of counting them only.
    """
    journal = Journal(journal_path(config.location.data_dir, package))
    try:
        if examine:
            journal.examine()
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


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """The cache of compiled components: where, how many, how large in bytes; ``problem`` says why it is not used."""

    directory: Path
    components: int
    bytes: int
    problem: str | None


def cache_facts(options: HostOptions) -> CacheFacts:
    """What the cache holds. Reads only; a cache that does not exist yet holds nothing and has no problem."""
    directory = options.cache_dir or default_directory()
    problem = ComponentCache(directory).problem()
    if problem is not None or not directory.is_dir():
        return CacheFacts(directory, 0, 0, problem)
    sizes = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                # Another process may evict it meanwhile.
                with suppress(FileNotFoundError):
                    sizes[entry.name] = entry.stat(follow_symlinks=False).st_size
    except OSError as error:
        problem = f"the cache of compiled plugins {directory} cannot be read ({error.strerror or error})"
    return CacheFacts(directory, sum(name.endswith(".cwasm") for name in sizes), sum(sizes.values()), problem)
