"""A memory plugin as a :class:`~zeroclaw_cli.memory.protocol.Memory` (specs/zeroclaw.md §7.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.errors import Busy, CallTimeout, GuestError, MemoryFailure, NotSupported, ResultTooLarge, Trap
from zeroclaw_cli.memory.base import MemoryBase
from zeroclaw_cli.memory.protocol import count_by_category
from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage, Stats
from zeroclaw_cli.plugins import probing
from zeroclaw_cli.plugins.model import Package, Permission
from zeroclaw_cli.wasm import arguments as checked
from zeroclaw_cli.wasm import compaction, fallbacks
from zeroclaw_cli.wasm.agents import named
from zeroclaw_cli.wasm.clocks import clock_of
from zeroclaw_cli.wasm.component import LoadedComponent, interface, load_component
from zeroclaw_cli.wasm.folder import Quota, guest_folder
from zeroclaw_cli.wasm.host import HostOptions, LogRecord
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.inventory import journal_facts
from zeroclaw_cli.wasm.journal import Journal, journal_path
from zeroclaw_cli.wasm.limits import PluginLimits, plugin_limits
from zeroclaw_cli.wasm.logfile import LogFile, log_path
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.open_files import OpenFiles
from zeroclaw_cli.wasm.replay import LiveInstance
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome
from zeroclaw_cli.wasm.turns import Turns

_WALL_CLOCK: Final = "wasi:clocks/wall-clock"
_ENTRIES: Final = ("entry", "entries")


def open_memory(
    package: Package,
    component: bytes,
    config: Config,
    options: HostOptions,
    *,
    claim: Callable[[], object] | None = None,
    access: Callable[[], object] | None = None,
) -> WasmMemory:
    """Open the memory plugin ``package`` whose component is ``component``: the very bytes whose digest was checked.

    Compiles or loads from the cache, checks imports and types, starts an instance and replays its journal. ``claim``
    is called once before anything is written for the plugin: at once when it may write files, else by its first writing
    call, which fails with what ``claim`` raises. ``access`` is called whenever records are about to be shown to the
    plugin for the first time, which fails with what ``access`` raises.

    Raises ComponentInvalid, PrecompiledRefused, ImportNotGranted before anything of the plugin runs;
    InstantiationFailed, Trap or CallTimeout when it does not start; JournalDamaged and Busy.
    """
    manifest = package.manifest
    limits = plugin_limits(config, manifest.name)
    loaded, warnings = load_component(
        component, manifest.name, options, allow_precompiled=config.plugins.allow_precompiled
    )
    probing.accept(loaded.report, manifest)
    warnings = [*package.policy, *warnings]
    data_dir = config.location.data_dir
    durability = config.memory.plugin_durability
    if claim is not None and manifest.granted(Permission.FILE_WRITE):
        claim()
        claim = None
    folder = guest_folder(manifest, data_dir)
    if durability is Durability.GUEST and (folder is None or not folder.writable):
        warnings.append(
            f"memory.plugin.durability is guest, but the plugin {manifest.name} has no permission file_write, so what "
            f"it stores is gone when it is closed; the host keeps it with: "
            f"zeroclaw config set memory.plugin.durability journal"
        )
    journal = Journal(journal_path(data_dir, manifest.name)) if durability is Durability.JOURNAL else None
    return WasmMemory(
        manifest.name,
        loaded,
        limits,
        journal,
        folder,
        LogFile(log_path(data_dir, manifest.name)),
        options,
        claim=claim,
        access=access,
        warnings=warnings,
    )


class WasmMemory(MemoryBase):
    """One opened memory plugin. A context manager; after :meth:`close` every use raises MemoryFailure.

    Calls are serialised. Not to be called from its own log callback.
    """

    def __init__(
        self,
        package: str,
        loaded: LoadedComponent,
        limits: PluginLimits,
        journal: Journal | None,
        folder: Folder | None,
        log_file: LogFile,
        options: HostOptions,
        *,
        claim: Callable[[], object] | None = None,
        access: Callable[[], object] | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self._package = package
        self._limits = limits
        self._quota = Quota(folder, limits)
        self._open_files = OpenFiles(folder)
        if folder is not None:
            folder = replace(folder, outgrown=self._outgrown)
        self._wrote = False
        self._log_file = log_file
        self._options = options
        self._reads_clock = any(interface(name) == _WALL_CLOCK for name in loaded.imports)
        self._warnings = list(warnings)
        self._said: set[str] = set()
        self._logs = LogQueue()
        self._turns = Turns(self.name)
        self._why_ended = "is closed"
        self._live: LiveInstance | None = LiveInstance(
            package,
            loaded,
            limits,
            journal,
            folder,
            self._logs,
            warn=self._warnings.append,
            progress=options.progress,
            claim=claim,
            access=access,
        )
        try:
            with self._entered() as live:
                self._capabilities = live.current().capabilities
        except BaseException:
            self._close()
            raise

    # -------------------------------------------------------------------------------------------------- life

    @property
    def name(self) -> str:
        return f"plugin.{self._package}"

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self._capabilities

    def close(self) -> None:
        """End the memory; when it was written to and its journal is mostly dead, the journal is compacted first.

        Warnings about that are there for :meth:`take_warnings` afterwards.
        """
        try:
            self._tidy_up()
        finally:
            self._close()

    def _close(self) -> None:
        self._look_for_fork()
        with self._turns.taken():
            live, self._live = self._live, None
            if live is not None:
                live.close()
            self._log_file.close()

    def _tidy_up(self) -> None:
        if self._live is None or self._live.journal is None:
            return
        if not self._wrote:
            with suppress(MemoryFailure), self._entered() as live:
                live.note_slow_replay()
            return
        self._wrote = False
        with suppress(Busy), self._entered() as live:
            compaction.compact_if_mostly_dead(
                live,
                self._limits.limits.max_result_entries,
                reads_clock=self._reads_clock,
                warn=self._warnings.append,
            )

    def __enter__(self) -> WasmMemory:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            # Whoever failed or was interrupted is not kept waiting.
            self._close()

    def take_warnings(self) -> list[str]:
        taken = list(self._warnings)
        self._warnings.clear()
        return taken

    # ----------------------------------------------------------------------------------------------- storing

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self._write("store-entry", key, content, category, session_id)

    def store_with_agent(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
        agent_id: str | None,
    ) -> None:
        self._write("store-with-agent", key, content, category, session_id, namespace, importance, agent_id)

    def store_with_metadata(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
    ) -> None:
        if Capability.STORE_WITH_METADATA in self._capabilities:
            self._write("store-with-metadata", key, content, category, session_id, namespace, importance)
        else:
            self._write("store-with-agent", key, content, category, session_id, namespace, importance, None)

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        if Capability.STORE_PROCEDURAL in self._capabilities:
            self._write("store-procedural", list(messages), session_id)
        elif messages:
            self._once(f"the plugin {self._package} keeps no procedures; the messages were not stored")

    def import_entry(self, entry: Entry) -> None:
        wall_ns = clock_of(entry.timestamp)
        self._write(
            "store-with-agent",
            entry.key,
            entry.content,
            entry.category,
            entry.session_id,
            entry.namespace,
            entry.importance,
            entry.agent_id,
            wall_ns=wall_ns,
        )
        self._once(f"the plugin {self._package} assigns new ids to imported entries; superseded_by is not kept")
        if wall_ns is None:
            self._once("entries without a usable RFC 3339 timestamp were imported under the present time")

    # --------------------------------------------------------------------------------------------- recalling

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self._limited("recall", limit, query, limit, session_id, since, until)

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        return self._limited("recall-for-agents", limit, tuple(agents), query, limit, session_id, since, until)

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        if Capability.RECALL_NAMESPACED in self._capabilities:
            return self._limited("recall-namespaced", limit, namespace, query, limit, session_id, since, until)
        checked.check_text("recall-namespaced", namespace)
        found = self._limited("recall", limit, query, limit, session_id, since, until)
        kept = fallbacks.in_namespace(found, namespace, limit)
        if len(kept) < len(found) and len(found) >= limit:
            self._once(
                f"the plugin {self._package} cannot recall by namespace; only its first {limit:,} entries were looked "
                f"through, so there may be more in the namespace"
            )
        return kept

    def get(self, key: str) -> Entry | None:
        found: Entry | None = self._read("get", key).value
        return found

    def get_for_agent(self, key: str, agent_id: str) -> Entry | None:
        if Capability.GET_FOR_AGENT in self._capabilities:
            found: Entry | None = self._read("get-for-agent", key, agent_id).value
            return found
        checked.check_text("get-for-agent", agent_id)
        return fallbacks.of_agent(self.get(key), agent_id)

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        found: list[Entry] = self._read("list-entries", category, session_id).value
        return found

    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        if Capability.EXPORT_ENTRIES in self._capabilities:
            found: list[Entry] = self._read("export-entries", filter).value
            return found
        checked.check(FUNCTIONS["export-entries"], (filter,))
        return fallbacks.exported(self.list_entries(filter.category, filter.session_id), filter)

    # -------------------------------------------------------------------------------------------- forgetting

    def forget(self, key: str) -> bool:
        return bool(self._write("forget", key))

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return bool(self._write("forget-for-agent", key, agent_id))

    def purge_namespace(self, namespace: str) -> int:
        return self._purge(Capability.PURGE_NAMESPACE, namespace)

    def purge_session(self, session_id: str) -> int:
        return self._purge(Capability.PURGE_SESSION, session_id)

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self._purge(Capability.PURGE_SESSION_FOR_AGENT, session_id, agent_id)

    def purge_agent(self, agent_alias: str) -> int:
        return self._purge(Capability.PURGE_AGENT, agent_alias)

    def _purge(self, capability: Capability, *arguments: str) -> int:
        if capability not in self._capabilities:
            method = capability.value.replace("-", "_")
            raise NotSupported(
                f"{method} not supported by this memory backend",
                hint=f"the plugin {self._package} does not have it; `zeroclaw memory clear` forgets key by key",
            )
        return int(self._write(capability.value, *arguments))

    # ------------------------------------------------------------------------------------------------- about

    def count(self) -> int:
        return int(self._read("count").value)

    def health_check(self) -> bool:
        try:
            return bool(self._read("health-check").value)
        except (Trap, CallTimeout):
            return False

    def reindex(self) -> int:
        return int(self._write("reindex")) if Capability.REINDEX in self._capabilities else 0

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        if self._live is not None and self._live.journal is None:
            raise NotSupported(
                f"{self.name} keeps no journal that could be compacted",
                hint="memory.plugin.durability is not journal, so the plugin keeps its own memory, or none",
            )
        with self._entered() as live:
            done = compaction.compact(
                live,
                self._limits.timeout_s + compaction.EXTRA_WAIT_S,
                self._limits.limits.max_result_entries,
                reads_clock=self._reads_clock,
                allow_loss=allow_loss,
            )
        compaction.warn_of_new_ids(self._package, done, self._warnings.append)
        return done.before, done.after

    def agent_id_of(self, alias: str) -> str:
        if Capability.ENSURE_AGENT_UUID not in self._capabilities:
            checked.check_text("ensure-agent-uuid", alias)
            return alias
        return str(self._read("ensure-agent-uuid", alias).value)

    def ensure_agent_uuid(self, alias: str) -> str:
        if Capability.ENSURE_AGENT_UUID not in self._capabilities:
            checked.check_text("ensure-agent-uuid", alias)
            return alias
        return str(self._write("ensure-agent-uuid", alias))

    def stats(self) -> Stats:
        healthy = self.health_check()
        total = self.count()
        categories: Mapping[str, int] = {}
        try:
            categories = count_by_category(self.list_entries(None, None))
        except ResultTooLarge as error:
            self._once(f"the entries were not counted by category: {error.message}; {error.hint}")
        return Stats(
            self.name,
            healthy,
            total,
            categories,
            tuple(capability for capability in Capability if capability in self._capabilities),
            self._journal_facts(total),
        )

    def _journal_facts(self, live_entries: int) -> Mapping[str, Any]:
        live = self._live
        if live is None or live.journal is None:
            return {}
        facts = journal_facts(live.journal)
        if not facts:
            return {}
        replay_ms = facts["last_replay_ms"] if live.last_replay_ms is None else live.last_replay_ms
        return {**facts, "last_replay_ms": replay_ms, "live": live_entries}

    # ------------------------------------------------------------------------------------------------- calls

    def _limited(self, name: str, limit: int, *arguments: Any) -> list[Entry]:
        """The first ``limit`` entries of a recall; a plugin that returns more is told on."""
        allowed = self._limits.limits.max_result_entries
        outcome = self._read(name, *arguments, most=min(limit, allowed), cut=limit <= allowed)
        found: list[Entry] = outcome.value
        if outcome.total > limit:
            self._warnings.append(
                f"over_limit: the plugin {self._package} returned {outcome.total:,} entries for a limit of {limit:,}; "
                f"the first {limit:,} were taken"
            )
        return found

    def _read(self, name: str, *arguments: Any, most: int | None = None, cut: bool = False) -> Outcome:
        function = FUNCTIONS[name]
        checked.check(function, arguments)
        taken = self._limits.limits.max_result_entries if most is None else most
        with self._entered() as live:
            self._quota.check_before(writing=False)
            outcome = live.read(function, arguments, taken, cut=cut)
            self._check_files(name, live)
            if outcome.ok and function.result in _ENTRIES:
                aliases = live.agents if Capability.ENSURE_AGENT_UUID in self._capabilities else None
                outcome = named(outcome, aliases)
        return self._answered(outcome)

    def _write(self, name: str, *arguments: Any, wall_ns: int | None = None) -> Any:
        function = FUNCTIONS[name]
        checked.check(function, arguments)
        with self._entered() as live:
            self._quota.check_before(writing=True)
            outcome = live.write(function, arguments, wall_ns)
            self._wrote = True
            self._check_files(name, live)
        return self._answered(outcome).value

    def _outgrown(self) -> MemoryFailure | None:
        return self._open_files.exceeded("the call was ended") or self._quota.outgrown()

    def _check_files(self, name: str, live: LiveInstance) -> None:
        error = self._open_files.exceeded(f"memory.{name} succeeded; the plugin is restarted")
        if error is not None:
            live.discard()
            raise error
        self._quota.check_after(name)

    def _answered(self, outcome: Outcome) -> Outcome:
        if not outcome.ok:
            raise GuestError(display(outcome.value) or "the plugin gave an error without a text")
        return outcome

    @contextmanager
    def _entered(self) -> Iterator[LiveInstance]:
        """One use of the instance at a time; afterwards the guest's log records go to the caller."""
        self._look_for_fork()
        records: list[LogRecord] = []
        dropped = 0
        try:
            with self._turns.taken():
                if self._live is None:
                    raise MemoryFailure(f"{self.name} {self._why_ended}", hint="open the memory again")
                try:
                    yield self._live
                finally:
                    records, dropped = self._logs.drain()
        finally:
            self._hand_on(records, dropped)

    def _look_for_fork(self) -> None:
        """In a child process, give up what a thread was using that stayed in the parent: it would never come back."""
        if self._turns.left_behind():
            self._live = None
            self._why_ended = "was in use by another thread when this process was forked"

    def _hand_on(self, records: Sequence[LogRecord], dropped: int) -> None:
        self._log_file.append(records)
        if self._options.log is not None:
            for record in records:
                # What was stored is stored, whether or not anybody can read the log.
                with suppress(Exception):
                    self._options.log(record)
        if dropped:
            self._warnings.append(
                f"{counted(dropped, 'log record')} of the plugin {self._package} exceeded the limits of logging and "
                f"were dropped"
            )

    def _once(self, warning: str) -> None:
        if warning not in self._said:
            self._said.add(warning)
            self._warnings.append(warning)
