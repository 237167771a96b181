"""Whether everything that the program stands on is sound: engine, config, plugins, the store, providers, layers,
journals, cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.backends import is_half_restored
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.config.model import Config, Location
from zeroclaw_cli.errors import Damaged, JournalDamaged, Refused, StoreDamaged, ZeroclawError
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.operations import references
from zeroclaw_cli.operations.findings import Fault, Finding, State, failed
from zeroclaw_cli.wasm.host import HostOptions

if TYPE_CHECKING:
    from zeroclaw_cli.native.bad_rows import BadRow
    from zeroclaw_cli.plugins.discovery import Inventory

# From here on a person waits for it.
_SLOW_REPLAY_MS: Final = 2_000
# A journal whose replay took no noted time is not tried when it is longer.
_MANY_RECORDS: Final = 10_000
_LOOK_INTO: Final = "examine it, since its contents may be in no backup; delete it if nothing in it is missing"


def examine(
    location: Location, load_config: Callable[[], Config], options: HostOptions, *, fix: bool
) -> Iterator[Finding]:
    """Every finding, engine first. With ``fix`` what can be mended without losing anything is mended and said so.

    ``load_config`` is called once; a config that cannot be read is a finding, and ends the examination of what
    depends on it.
    """
    yield _engine()
    yield from references.packaged_files()
    for fault in references.private_files(location):
        yield _mended(fault, fix=fix)
    try:
        config = load_config()
    except ZeroclawError as error:
        yield failed("config", error)
        return
    yield from _config(config)
    yield from references.secrets(config)
    yield from references.links(location, config.plugins.plugins_dir)
    said: list[Finding] = []
    for item in _stores(config, options):
        said.append(_mended(item, fix=fix) if isinstance(item, Fault) else item)
        yield said[-1]
    yield from _backend(config, options, said)
    yield _cache(options)


def _stores(config: Config, options: HostOptions) -> Iterator[Finding | Fault]:
    yield from _told("plugins", _plugins(config))
    yield from _told("restore", _half_restored(config))
    yield from _told("native", _native(config))
    yield from _told("provider", _providers(config))
    yield from _told("layers", _topology(config, options))
    yield from _told("restored", _replaced(config))
    yield from _told("journals", _journals(config, options))


def _told(what: str, findings: Iterator[Finding | Fault]) -> Iterator[Finding | Fault]:
    """The findings about ``what``; that the system refuses to look at it is one, and not the end of the others."""
    from zeroclaw_cli.os_errors import failure

    try:
        yield from findings
    except OSError as error:
        yield failed(what, failure(error))


def _backend(config: Config, options: HostOptions, said: list[Finding]) -> Iterator[Finding]:
    """Whether the memory commands can use ``memory.backend``, unless ``said`` has an error of what stands behind it:
    opening that anew would say it again, or mend it unasked."""
    from zeroclaw_cli.backends import usability
    from zeroclaw_cli.providers.streams import own_stdout

    backend = parse_backend(config.memory.backend)
    parts = {"restore", "provider" if backend.provider else "native", f"journal.{backend.package}"}
    if any(finding.state is State.ERROR and finding.id in parts for finding in said) or is_half_restored(config):
        return
    with own_stdout():
        found = usability(config, options)
    if found.problem is not None:
        yield failed("backend", found.problem)
    else:
        yield Finding("backend", State.OK, f"{config.memory.backend} can be used")
    for warning in found.warnings:
        yield Finding("backend", State.WARNING, warning)


def exit_code(findings: list[Finding]) -> int:
    """5 when something is damaged, 1 for another error, 0 otherwise."""
    if any(finding.damage for finding in findings):
        return Damaged.exit_code
    return 1 if any(finding.state is State.ERROR for finding in findings) else 0


def _mended(fault: Fault, *, fix: bool) -> Finding:
    if not fix:
        return fault.finding
    try:
        said = fault.mend()
    except (ZeroclawError, OSError) as error:
        damaged = fault.finding.damage or isinstance(error, Damaged)
        detail = f"{fault.finding.detail}; mending it failed: {error}"
        return Finding(fault.finding.id, State.ERROR, detail, getattr(error, "hint", None), damage=damaged)
    return Finding(fault.finding.id, State.OK, f"{fault.finding.detail}; mended" + (f": {said}" if said else ""))


def _engine() -> Finding:
    from zeroclaw_cli.wasm.engine import engine, engine_version

    try:
        engine()
    except (ImportError, OSError) as error:
        return Finding(
            "engine", State.ERROR, f"wasmtime does not start: {error}", "reinstall zeroclaw-cli for this machine"
        )
    return Finding("engine", State.OK, f"wasmtime {engine_version()}")


def _config(config: Config) -> Iterator[Finding]:
    file = config.location.config_file
    yield Finding("config", State.OK, f"{file}" if file.exists() else f"{file} does not exist; the defaults hold")
    for warning in config.warnings:
        yield Finding("config", State.WARNING, warning, "`zeroclaw config edit` opens the file")
    for problem in config.unknown:
        state = State.ERROR if problem.path in config.plugins.security.slips else State.WARNING
        yield Finding("config.unknown", state, problem.message, problem.hint)


def _plugins(config: Config) -> Iterator[Finding | Fault]:
    from zeroclaw_cli.plugins import discovery, history, staging

    try:
        inventory = discovery.discover(config)
    except ZeroclawError as error:
        yield failed("plugins", error)
        return
    count = len(inventory.packages)
    yield Finding("plugins", State.OK, f"{count} admitted in {config.plugins.plugins_dir}")
    for warning in (warning for package in inventory.packages for warning in package.policy):
        yield Finding("plugins", State.WARNING, warning, "`zeroclaw plugin verify` checks every package")
    for skipped in inventory.skipped:
        yield Finding("plugins", State.WARNING, f"{skipped.directory}: {skipped.reason}", skipped.hint)
    folder = config.plugins.plugins_dir
    left = (
        sorted(child.name for child in folder.iterdir() if staging.is_leftover(child.name)) if folder.is_dir() else []
    )
    if left:
        finding = Finding(
            "plugins.leftovers",
            State.WARNING,
            f"an interrupted change left {', '.join(left)} in {folder}",
            "the next install heals it, or `zeroclaw doctor --fix`",
        )
        yield Fault(finding, lambda: _heal(config))
    yield from _previous_versions(config, inventory)
    yield from references.packages(config, inventory)
    try:
        history.check(config)
    except ZeroclawError as error:
        yield failed("plugins.history", error)


def _previous_versions(config: Config, inventory: Inventory) -> Iterator[Finding | Fault]:
    """What is kept for ``plugin rollback``: that it can be used, and what is nobody's."""
    from zeroclaw_cli.plugins import previous, update

    names: list[str] = []
    for package in inventory.packages:
        try:
            kept = update.previous_of(config, package)
        except Refused as error:
            yield Finding("plugins.previous", State.WARNING, error.message, error.hint)
        except ZeroclawError as error:
            yield failed("plugins.previous", error)
        else:
            names += [] if kept is None else [f"{package.name} v{kept.package.manifest.version}"]
    if names:
        yield Finding("plugins.previous", State.OK, f"kept for `zeroclaw plugin rollback`: {', '.join(names)}")
    if left := previous.of_nobody(config, inventory):
        finding = Finding(
            "plugins.previous",
            State.WARNING,
            f"an interrupted change left {', '.join(path.name for path in left)} in {left[0].parent}",
            "`zeroclaw doctor --fix` deletes it",
        )
        yield Fault(finding, lambda: "; ".join(previous.clear(config)) or None)


def _heal(config: Config) -> None:
    from zeroclaw_cli.plugins import staging

    with staging.exclusive(config):
        staging.heal(config.plugins.plugins_dir)


def _half_restored(config: Config) -> Iterator[Fault]:
    from zeroclaw_cli.operations.restore import leftovers

    if left := leftovers(config.location.data_dir):
        detail = f"an interrupted restore left {', '.join(path.name for path in left)} in {config.location.data_dir}"
        finding = Finding("restore", State.WARNING, detail, "`zeroclaw doctor --fix` deletes it")
        yield Fault(finding, lambda: _finish_restore(config))
    if is_half_restored(config):
        finding = Finding(
            "restore",
            State.WARNING,
            f"a restore of the memory in {config.location.data_dir} was interrupted",
            "the next memory command finishes it, or `zeroclaw doctor --fix`",
        )
        yield Fault(finding, lambda: _finish_restore(config))


def _finish_restore(config: Config) -> str | None:
    from zeroclaw_cli.operations.restore import finish_restore

    return "; ".join(finish_restore(config).warnings) or None


def _native(config: Config) -> Iterator[Finding | Fault]:
    from zeroclaw_cli.backends import native_settings
    from zeroclaw_cli.native import copies, examination, integrity, place
    from zeroclaw_cli.native.db import database_path
    from zeroclaw_cli.native.opening import open_file

    path = database_path(config.location.data_dir)
    for left in integrity.set_aside(path):
        yield Finding("native.damaged", State.WARNING, f"{left} was set aside as damaged", _LOOK_INTO)
    kept = _kept_copies(copies.daily(path))
    try:
        place.require_plain_file(path)
        if not place.is_there(path) and not integrity.is_lost(path):
            return
        found = examination.examine(path) if place.is_there(path) else examination.Examination(("it is gone",))
        if found.problems:
            yield _damaged_store(config, path, f"{found.problems[0]}; {kept}")
            return
        yield from (_bad_row(config, path, bad) for bad in found.bad_rows)
        with open_file(path, native_settings(config)) as store:
            sql = "SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM documents)"
            ((entries, documents),) = store.query(sql)
            said = store.take_warnings()
    except ZeroclawError as error:
        yield failed("native", error)
        return
    for warning in said:
        yield Finding("native.restored", State.WARNING, warning, _LOOK_INTO)
    held = f"{counted(entries, 'entry', 'entries')}, {counted(documents, 'document')}"
    yield Finding("native", State.OK, f"{held}, {_size(path):,} bytes, {kept}")


def _kept_copies(copies: list[Path]) -> str:
    return f"{counted(len(copies), 'daily backup')}, the newest {copies[0].name}" if copies else "no daily backup yet"


def _bad_row(config: Config, path: Path, bad: BadRow) -> Fault:
    command = "memory forget" if bad.table == "entries" else "memory doc forget"
    hint = f"`zeroclaw doctor --fix` looks for it in the backups; `zeroclaw {command} {bad.name}` deletes it"
    detail = f"{bad} in {path} cannot be read and is left out of every answer"

    def mend() -> str:
        from zeroclaw_cli.native.examination import examine

        said = _mend_store(config, path)
        if bad in examine(path).bad_rows:
            raise StoreDamaged("no backup has it", hint=f"`zeroclaw {command} {bad.name}` deletes it")
        return said

    return Fault(Finding("native.row", State.ERROR, detail, hint, damage=True), mend)


def _damaged_store(config: Config, path: Path, about: str) -> Finding | Fault:
    from zeroclaw_cli.native.integrity import describe_loss

    detail = f"the memory store {path} {describe_loss(path)} ({about})"
    hint = (
        "`zeroclaw doctor --fix` rebuilds its search index, or keeps every entry that can be read and takes the rest "
        "from the newest sound backup; a file that it replaces stays beside it. `zeroclaw memory restore FILE` puts a "
        "backup in its place"
    )
    return Fault(Finding("native", State.ERROR, detail, hint, damage=True), lambda: _mend_store(config, path))


def _mend_store(config: Config, path: Path) -> str:
    from zeroclaw_cli.backends import native_settings
    from zeroclaw_cli.native import examination, integrity
    from zeroclaw_cli.native.opening import open_file

    # The next opening then checks all of the file and repairs it.
    integrity.suspect(path)
    with open_file(path, native_settings(config)) as store:
        store.query("SELECT count(*) FROM entries")
        said = store.take_warnings()
    found = examination.examine(path)
    if found.problems:
        raise StoreDamaged(
            f"{path} is still damaged: {found.problems[0]}",
            hint="make its folder writable and try again, or bring a backup back with `zeroclaw memory restore FILE`",
        )
    return "; ".join(said)


def _size(path: Path) -> int:
    total = 0
    for suffix in ("", "-wal"):
        with suppress(OSError):
            total += path.with_name(path.name + suffix).stat().st_size
    return total


def _providers(config: Config) -> Iterator[Finding]:
    """Those that are in use, which are loaded for it when they are trusted."""
    from zeroclaw_cli.providers import names

    if names.chosen(config.memory.provider) is None and parse_backend(config.memory.backend).provider is None:
        return
    from zeroclaw_cli.providers.status import status
    from zeroclaw_cli.providers.streams import own_stdout

    with own_stdout():
        found = status(config)
    reports = [found.behind] if found.provider is found.behind else [found.behind, found.provider]
    for report in reports:
        if report is None:
            continue
        if report.problem is not None:
            yield failed("provider", report.problem)
            continue
        assert report.plugin is not None
        version = f" {report.plugin.info.version}" if report.plugin.info.version else ""
        yield Finding("provider", State.OK, f"{report.name}{version}, {report.plugin.directory}")


def _topology(config: Config, options: HostOptions) -> Iterator[Finding]:
    serves = parse_backend(config.memory.backend).is_layers
    if not serves and not config.memory.topology:
        return
    from zeroclaw_cli.operations.layer_admin import report

    try:
        found = report(config, options)
    except ZeroclawError as error:
        if serves or isinstance(error, Damaged):
            yield failed("layers", error)
        else:
            yield Finding("layers", State.WARNING, error.message, error.hint)
        return
    enabled = [
        layer.id
        + (f" ({', '.join(layer.topology.adapter_ids)})" if layer.topology and layer.topology.adapter_ids else "")
        for layer in found.layers
        if layer.enabled
    ]
    serving = "" if serves else "; memory.backend is not layers, so they serve no command"
    detail = f"{', '.join(enabled) or 'none enabled'}; strategy {found.strategy_id} {found.strategy_version}{serving}"
    yield Finding("layers", State.OK, detail)
    for warning in found.warnings:
        yield Finding("layers", State.WARNING, warning, "`zeroclaw memory layers` lists the layers")


def _replaced(config: Config) -> Iterator[Finding]:
    from zeroclaw_cli.operations.restore import replaced

    copies = [copy for group in replaced(config.location.data_dir) for copy in group]
    if copies:
        size = sum(file.lstat().st_size for copy in copies for file in (copy, *copy.rglob("*")) if file.is_file())
        number = "1 copy" if len(copies) == 1 else f"{len(copies)} copies"
        newest = max(copies, key=lambda copy: copy.lstat().st_ctime_ns)
        detail = f"{number} of what restores replaced, {size:,} bytes, the newest {newest}; delete what you do not need"
        yield Finding("restored", State.OK, detail)


def _journals(config: Config, options: HostOptions) -> Iterator[Finding | Fault]:
    from zeroclaw_cli.wasm.inventory import journal_stats
    from zeroclaw_cli.wasm.rehearsal import of_installed

    for name in _with_journal(config.location.data_dir / "plugins"):
        yield from _after_repair(config, name)
        try:
            facts = journal_stats(config, name, examine=True)
        except JournalDamaged as error:
            yield _damaged_journal(config, name, error)
            continue
        except ZeroclawError as error:
            yield failed(f"journal.{name}", error)
            continue
        if not facts:
            yield Finding(f"journal.{name}", State.OK, "no record yet")
            continue
        replay = facts["last_replay_ms"]
        took = "no replay noted" if replay is None else f"last replay {replay:,} ms"
        detail = f"{counted(facts['records'], 'record')}, {facts['bytes']:,} bytes, {took}"
        slow = replay is not None and replay > _SLOW_REPLAY_MS
        if slow or (replay is None and facts["records"] > _MANY_RECORDS):
            trial = None
        else:
            try:
                trial = of_installed(config, options, name)
            except ZeroclawError as error:
                yield _does_not_open(config, name, error)
                continue
        if trial is None:
            detail += "; its records were read and not replayed"
        elif trial.differences:
            yield Finding(f"journal.{name}", State.WARNING, "; ".join(trial.differences), _way_back(config, name))
            continue
        yield Finding(
            f"journal.{name}",
            State.WARNING if slow else State.OK,
            detail,
            f"`zeroclaw memory compact --backend plugin.{name}` shortens it" if slow else None,
        )


def _with_journal(folder: Path) -> list[str]:
    """The packages with a journal, or with the log of one that is gone."""
    return sorted(
        {path.parent.name for pattern in ("journal.db", "journal.db-wal") for path in folder.glob(f"*/{pattern}")}
    )


def _damaged_journal(config: Config, name: str, error: JournalDamaged) -> Finding | Fault:
    from zeroclaw_cli.wasm.journal import journal_path
    from zeroclaw_cli.wasm.journal_file import NewerFormat
    from zeroclaw_cli.wasm.journal_repair import repair

    finding = failed(f"journal.{name}", error)
    if isinstance(error, NewerFormat):
        return finding

    def mend() -> str | None:
        done = repair(journal_path(config.location.data_dir, name))
        return None if done is None else done.describe(name)

    return Fault(finding, mend)


def _after_repair(config: Config, name: str) -> Iterator[Finding | Fault]:
    """What repairs of a journal keep, and what one that was interrupted left."""
    from zeroclaw_cli.wasm.journal import journal_path
    from zeroclaw_cli.wasm.journal_repair import kept, leftovers, sweep

    folder = journal_path(config.location.data_dir, name).parent
    for file in kept(folder):
        yield Finding(f"journal.{name}", State.WARNING, f"{file} was kept by a repair", _LOOK_INTO)
    if left := leftovers(folder):
        finding = Finding(
            f"journal.{name}",
            State.WARNING,
            f"an interrupted repair left {', '.join(path.name for path in left)} in {folder}",
            "`zeroclaw doctor --fix` deletes it",
        )
        yield Fault(finding, lambda: sweep(folder))


def _does_not_open(config: Config, name: str, error: ZeroclawError) -> Finding:
    """The finding about a plugin that cannot be opened, though its journal can be read."""
    if isinstance(error, Refused):
        return Finding(f"journal.{name}", State.WARNING, error.message, error.hint)
    from zeroclaw_cli.wasm.replay import RecordFailed

    hint = error.hint
    if not isinstance(error, RecordFailed):
        # That one names the way back itself.
        hint = "; or ".join(filter(None, (hint, _way_back(config, name))))
    return Finding(f"journal.{name}", State.ERROR, error.message, hint, damage=isinstance(error, Damaged))


def _way_back(config: Config, name: str) -> str:
    """How the version that wrote the journal of an installed plugin comes back."""
    from zeroclaw_cli.plugins import discovery, previous

    with suppress(ZeroclawError):
        if previous.find(config, discovery.find_named(config, name)) is not None:
            return f"`zeroclaw plugin rollback {name}` brings the version back that was there before"
    return "put the version back that wrote it: `zeroclaw plugin install DIR --replace`"


def _cache(options: HostOptions) -> Finding:
    from zeroclaw_cli.wasm.inventory import cache_facts

    facts = cache_facts(options)
    if facts.problem is not None:
        return Finding("cache", State.WARNING, facts.problem, f"remove {facts.directory} or give it mode 0700")
    number = counted(facts.components, "compiled component")
    detail = f"{number}, {facts.bytes / 2**20:.1f} MiB in {facts.directory}"
    return Finding("cache", State.OK, detail if options.use_cache else f"{detail}; not used in this run")
