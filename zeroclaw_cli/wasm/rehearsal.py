"""Trying another version of a plugin on the journal of the present one, before it takes its place."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.errors import Interrupted, ZeroclawError
from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.plugins import gates, owner, probing
from zeroclaw_cli.plugins.load import load_memory_package
from zeroclaw_cli.plugins.model import Package, Permission, PluginCapability, Trial
from zeroclaw_cli.wasm.component import load_component
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.journal import Journal, journal_path
from zeroclaw_cli.wasm.limits import plugin_limits
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.replay import LiveInstance
from zeroclaw_cli.wasm.signatures import FUNCTIONS

_COPY: Final = ".trial-"
_STALE_S: Final = 3_600.0
# More than this would take a minute to compare; the first tell enough.
_MOST: Final = 200_000


def rehearse(config: Config, options: HostOptions, package: Package, component: bytes) -> Trial | None:
    """Let ``component`` open what ``package`` remembers and give what differs, and what the installed version shows
    and it does not; None when it is not run.

    Nothing that is remembered is written, not even the guest's log: files are tried on a copy. A package that the gates
    keep from running is not run, nor one that keeps nothing. Raises what starting a plugin raises, and JournalDamaged
    for a record that the component does not carry out.
    """
    if not _may_run(config, package):
        return None
    with _data_of(config, package) as data:
        if data is None:
            return Trial()
        warnings: list[str] = []
        with _live(config, options, package, component, data, warnings.append) as live:
            live.current()
            trial = Trial(tuple(warnings), tuple(live.differences.hidden_agents()))
            shown = _shown(live)
    before = _shown_by_installed(config, options, package.name, component)
    return dataclasses.replace(trial, lost=_lost(before, shown))


def of_installed(config: Config, options: HostOptions, name: str) -> Trial | None:
    """How the installed package ``name`` does on what it remembers, tried as :func:`rehearse` does; None when it is not
    run: it is not installed, not admitted or switched off, or its running could write files.

    Raises what opening it raises, DataOwner among it.
    """
    try:
        package, component = load_memory_package(config, name)
    except ZeroclawError:
        return None
    owner.require_access(config, package.manifest)
    if not _may_run(config, package) or _uses_files(package) or not _by_journal(config):
        return None
    return rehearse(config, options, package, component)


def _may_run(config: Config, package: Package) -> bool:
    """Whether the config lets the package run, and it keeps something between runs."""
    return (
        package.manifest.has(PluginCapability.MEMORY)
        and config.memory.plugin_durability is not Durability.NONE
        and gates.not_enabled(config) is None
        and gates.switched_off(config, package.name) is None
    )


def _by_journal(config: Config) -> bool:
    return config.memory.plugin_durability is Durability.JOURNAL


def _uses_files(package: Package) -> bool:
    return package.manifest.granted(Permission.FILE_READ) or package.manifest.granted(Permission.FILE_WRITE)


@dataclass(frozen=True, slots=True)
class _Data:
    """What a package remembers, to be tried: its journal, and a copy of its files where it may use them."""

    journal: Journal | None
    folder: Folder | None


@contextmanager
def _data_of(config: Config, package: Package) -> Iterator[_Data | None]:
    """None when there is nothing to try it on."""
    path = journal_path(config.location.data_dir, package.name)
    files = path.with_name("files")
    with ExitStack() as stack:
        journal = stack.enter_context(closing(Journal(path))) if _by_journal(config) else None
        head = None if journal is None else journal.head()
        folder = None
        if _uses_files(package) and files.is_dir():
            copy = stack.enter_context(_copied(files))
            folder = Folder(copy, package.manifest.granted(Permission.FILE_WRITE))
        # Files that this version may not use are there all the same, and the one before could.
        nothing = not files.is_dir() and (head is None or head.last == 0)
        yield None if nothing else _Data(journal, folder)


@contextmanager
def _copied(files: Path) -> Iterator[Path]:
    copy = files.with_name(f"{_COPY}{os.urandom(4).hex()}")
    for left in files.parent.glob(f"{_COPY}*"):
        if left.lstat().st_mtime < time.time() - _STALE_S:
            fsio.remove_tree(left)
    copy.mkdir(mode=0o700)
    try:
        shutil.copytree(files, copy / "files", symlinks=True)
        yield copy / "files"
    finally:
        fsio.remove_tree(copy)


@contextmanager
def _live(
    config: Config,
    options: HostOptions,
    package: Package,
    component: bytes,
    data: _Data,
    warn: Callable[[str], None],
) -> Iterator[LiveInstance]:
    loaded, _ = load_component(component, package.name, options, allow_precompiled=config.plugins.allow_precompiled)
    probing.accept(loaded.report, package.manifest)
    limits = plugin_limits(config, package.name)
    live = LiveInstance(
        package.name, loaded, limits, data.journal, data.folder, LogQueue(), warn=warn, progress=options.progress
    )
    try:
        yield live
    finally:
        live.close()


def _shown(live: LiveInstance) -> Counter[str] | str:
    """The key of every entry that it lists; its error when it answers with one."""
    outcome = live.read(FUNCTIONS["list-entries"], (None, None), _MOST, cut=True)
    if not outcome.ok:
        return display(outcome.value)
    return Counter(entry.key for entry in outcome.value)


def _shown_by_installed(config: Config, options: HostOptions, name: str, candidate: bytes) -> Counter[str] | None:
    """As :func:`_shown`, of the installed version; None when it is the candidate itself, or shows nothing now."""
    try:
        package, component = load_memory_package(config, name)
        if component == candidate:
            return None
        with _data_of(config, package) as data:
            if data is None:
                return None
            with _live(config, options, package, component, data, lambda _: None) as live:
                shown = _shown(live)
    except Interrupted:
        raise
    except ZeroclawError:
        # Perhaps the candidate is what mends it.
        return None
    return None if isinstance(shown, str) else shown


def _lost(before: Counter[str] | None, shown: Counter[str] | str) -> tuple[str, ...]:
    """What the installed version shows and the other does not, in one line, if there is any."""
    if not before:
        return ()
    total = counted(before.total(), "entry", "entries")
    if isinstance(shown, str):
        return (f"it does not list the {total} that are there: {shown}",)
    missing = before - shown
    if not missing:
        return ()
    key = display(next(iter(missing)), 60)
    verb = "is" if missing.total() == 1 else "are"
    return (f"{missing.total():,} of {total} {verb} not there (first: '{key}')",)
