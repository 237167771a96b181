"""The one place that says which implementation a backend's name means (design.md, floor 5).

``memory.backend`` or ``--backend`` alone decides what is opened. A backend that cannot be opened fails the command;
nothing else is opened in its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from zeroclaw_cli.config.backend_name import KINDS, NATIVE, OF_THE_OTHER_PROGRAM, BackendName, parse_backend
from zeroclaw_cli.config.schema import near_misses
from zeroclaw_cli.errors import (
    BackendDisabled,
    ConfigDamaged,
    DocumentInput,
    MemoryFailure,
    NoBackend,
    NotSupported,
    StoreDamaged,
    UnknownBackend,
    ValidationFailed,
    ZeroclawError,
    explain,
)

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config, Problem
    from zeroclaw_cli.layers.memory import LayeredMemory
    from zeroclaw_cli.layers.system import LayerSystem
    from zeroclaw_cli.memory.documents import Documents
    from zeroclaw_cli.memory.protocol import Memory
    from zeroclaw_cli.native.memory import NativeMemory
    from zeroclaw_cli.native.service import NativeDocuments
    from zeroclaw_cli.native.settings import NativeSettings
    from zeroclaw_cli.plugins.model import ComponentProbe, Package
    from zeroclaw_cli.wasm.host import HostOptions

# Below the data directory while a restore replaces one store after the other (operations.restore).
RESTORING: Final = ".restore"
_SETTING: Final = "memory.backend"
_TO_NATIVE: Final = f"to use the built-in store: `zeroclaw config set {_SETTING} {NATIVE}`"
# A word of the config that no store of this version stands behind.
_NOT_YET: Final = frozenset({"postgres"})


def open_memory(config: Config, name: str | None, options: HostOptions) -> Memory:
    """Open the backend ``name``, or ``memory.backend`` when it is None.

    Raises NoBackend when the config chooses none, UnknownBackend for a word that names none, BackendDisabled for
    ``none``, NotSupported for ``postgres``, ConfigDamaged when the section that chooses cannot be read, StoreDamaged
    when a restore was interrupted, ValidationFailed for a ``memory.native.project`` that makes no scope, and whatever
    says why a plugin cannot be opened: PluginNotFound, the refusals of policy, BackendNotMemory, GateOff, DataOwner,
    ImportNotGranted, ComponentInvalid, JournalDamaged and the failures of starting it; or a provider: ProviderNotFound,
    ProviderUntrusted, ProviderBroken and ProviderUnavailable; at the first use of the layers KernelFailure. The native
    store is opened by its first use.
    """
    chosen = _chosen(config, name)
    with naming_the_setting(config, name):
        if parse_backend(chosen).is_layers:
            return _open_layers(config, options)
        return _open_store(config, chosen, options)


def open_store(config: Config, name: str, options: HostOptions) -> Memory:
    """As :func:`open_memory`, for what is about one store: NotSupported for the layers."""
    return _open_store(config, _chosen(config, name), options)


def _open_store(config: Config, chosen: str, options: HostOptions) -> Memory:
    backend = parse_backend(chosen)
    if backend.is_native:
        return _open_native(config)
    if backend.package is not None:
        return _open_plugin(config, backend.package, options)
    if backend.provider is not None:
        from zeroclaw_cli.providers.session import open_memory as open_provider

        return open_provider(config, backend.provider)
    raise _cannot_open(config, chosen, backend)


def _open_layers(config: Config, options: HostOptions) -> LayeredMemory:
    from zeroclaw_cli.layers.system import open_layers

    return open_layers(config, options, open_store)


def layer_system(
    config: Config, options: HostOptions, environ: Mapping[str, str] | None = None, *, every: bool = False
) -> LayerSystem:
    """The graph of the layers, for commands about the layers themselves; nothing is opened before it is asked."""
    from zeroclaw_cli.layers.system import LayerSystem

    return LayerSystem(config, options, open_store, environ, every=every)


@dataclass(frozen=True, slots=True)
class Usability:
    """Whether a backend can be used: ``problem`` says why not, None when it can. ``warnings`` are what it said while
    it was looked at, each one line; ``entries`` is how many it holds, None where that was not asked or is not told."""

    problem: ZeroclawError | None
    warnings: tuple[str, ...] = ()
    entries: int | None = None


def usability(config: Config, options: HostOptions, name: str | None = None, *, count: bool = False) -> Usability:
    """Open the backend ``name`` as :func:`open_memory` does, and ask it whether it is healthy; with ``count`` also how
    many entries it holds. Raises nothing: status, doctor and a changed config ask this, so that they say what the next
    memory command would."""
    warnings: list[str] = []
    entries = None
    try:
        memory = open_memory(config, name, options)
        try:
            with naming_the_setting(config, name), memory:
                memory.require_usable()
                entries = _entries_of(memory) if count else None
        finally:
            warnings += memory.take_warnings()
    except ZeroclawError as error:
        return Usability(error, tuple(warnings))
    except OSError as error:
        return Usability(MemoryFailure(explain(error)), tuple(warnings))
    return Usability(None, tuple(warnings), entries)


def _entries_of(memory: Memory) -> int | None:
    try:
        return memory.count()
    except NotSupported:
        return None


@contextmanager
def naming_the_setting(config: Config, name: str | None) -> Iterator[None]:
    """Let an error about the backend that the config chose (``name`` is None) name the setting, and the way back to the
    built-in store."""
    try:
        yield
    except ZeroclawError as error:
        chosen = config.memory.backend
        if name is None and not parse_backend(chosen).is_native:
            error.path = error.path or _SETTING
            if _SETTING not in error.message:
                error.message = f"{_SETTING} is {chosen}: {error.message}"
            error.hint = "; ".join(dict.fromkeys(filter(None, (error.hint, _way_back(config)))))
        raise


def _way_back(config: Config) -> str:
    variable = config.overridden.get(("memory", "backend"))
    if variable is not None:
        return f"{variable} in the environment chooses it: unset it to use what config.toml says"
    return _TO_NATIVE


def open_documents(
    config: Config,
    agent: str | None = None,
    project: str | None = None,
    name: str | None = None,
    options: HostOptions | None = None,
) -> Documents:
    """Open the documents of an agent (None: of no agent) and a project (None: that of the config; empty: of none) in
    the backend ``name``, or ``memory.backend`` when it is None.

    Raises as :func:`open_memory`, NotSupported for a backend that keeps no documents, and DocumentInput for an agent or
    a project that makes no scope.
    """
    chosen = _chosen(config, name)
    backend = parse_backend(chosen)
    with naming_the_setting(config, name):
        if backend.is_layers:
            from zeroclaw_cli.wasm.host import HostOptions

            layers = _open_layers(config, options or HostOptions())
            return layers.documents(agent, project, close=layers.close)
        if not backend.is_native:
            _refuse_documents(config, chosen, backend)
    return open_native_documents(config, agent, project)


def open_native_documents(config: Config, agent: str | None = None, project: str | None = None) -> NativeDocuments:
    """As :func:`open_documents`, of the built-in store."""
    from zeroclaw_cli.memory.scope_names import check_segment
    from zeroclaw_cli.native import opening
    from zeroclaw_cli.native.scope import Scope

    if agent is not None:
        # An absent agent is None alone: an empty one would open what every agent shares.
        check_segment("agent", agent)
    of_project = config.memory.native.project if project is None else project
    if project is None:
        _require_project(of_project)
    scope = Scope(agent=agent or "", project=of_project)
    return opening.open_documents(config.location.data_dir, scope, native_settings(config))


def _refuse_documents(config: Config, chosen: str, backend: BackendName) -> NoReturn:
    """Raise NotSupported for a backend without documents, or first what keeps the backend from being opened at all."""
    if backend.package is not None:
        _admitted(config, backend.package)
    elif backend.provider is not None:
        from zeroclaw_cli.providers.status import usable

        usable(config, backend.provider, os.environ, Path.cwd())
    else:
        raise _cannot_open(config, chosen, backend)
    raise NotSupported(
        f"{chosen} keeps entries only: no documents, profile, transcripts or context",
        hint="the built-in store keeps them: pass --backend native",
    )


def native_settings(config: Config) -> NativeSettings:
    """``memory.native`` as the native store takes it."""
    from zeroclaw_cli.native.settings import NativeSettings

    found = config.memory.native
    return NativeSettings(
        project=found.project,
        mirror=found.mirror.value,
        search_threads=found.search_threads,
        keep_versions=found.keep_versions,
        protected_paths=found.protected_paths,
        curation_interval_turns=found.curation_interval_turns,
    )


def config_problems(config: Config) -> list[Problem]:
    """What of ``memory`` no memory could be opened with, or would be without effect: a rule for a changed config."""
    from zeroclaw_cli.config.model import Problem
    from zeroclaw_cli.providers import names

    found = []
    try:
        _require_project(config.memory.native.project)
    except ValidationFailed as error:
        found.append(Problem(str(error.path), error.message, error.hint))
    for path in config.memory.native.protected_paths:
        problem = _document_path_problem(path)
        if problem is not None:
            name = "memory.native.protected_paths"
            found.append(
                Problem(name, f"{name}: {path!r} protects nothing: {problem}", "write paths such as notes/rules.md")
            )
    provider = names.chosen(config.memory.provider)
    problem = None if provider is None else names.name_problem(provider)
    if problem is not None:
        path = "memory.provider"
        hint = "`zeroclaw memory providers` lists the names"
        found.append(Problem(path, f"{path}: {provider!r} {problem}", hint))
    return found


def _document_path_problem(path: str) -> str | None:
    from zeroclaw_cli.native.paths import check_readable

    try:
        check_readable(path)
    except DocumentInput as error:
        return error.message
    return None


def is_half_restored(config: Config) -> bool:
    """Whether a restore of this data directory was interrupted: some stores may be restored and others not."""
    return os.path.lexists(config.location.data_dir / RESTORING)


def component_probe(config: Config, options: HostOptions) -> ComponentProbe:
    """The probe that install and check run on a component (design.md, The probe)."""
    from zeroclaw_cli.wasm.probe import WasmProbe

    return WasmProbe(config, options)


def _chosen(config: Config, name: str | None) -> str:
    if name is None and config.memory.malformed is not None:
        # Its default would open another store than the one that was chosen.
        raise ConfigDamaged(
            f"{config.memory.malformed}; no memory is opened in place of the one that the section chooses",
            hint="correct it with `zeroclaw config edit`, or name the memory with --backend",
        )
    if is_half_restored(config):
        raise StoreDamaged(
            f"a restore of the memory in {config.location.data_dir} was interrupted",
            hint="`zeroclaw doctor --fix` finishes it",
        )
    chosen = config.memory.backend if name is None else name
    if not chosen.strip():
        raise NoBackend(
            "no memory backend is chosen",
            hint="choose one with `zeroclaw config set memory.backend native` (the built-in store) or plugin.NAME, or "
            "pass --backend; `zeroclaw plugin list` shows what is installed",
        )
    return chosen


def _open_native(config: Config) -> NativeMemory:
    from zeroclaw_cli.native import memory

    _require_project(config.memory.native.project)
    return memory.open_memory(config.location.data_dir, native_settings(config))


def _require_project(project: str) -> None:
    if not project:
        return
    from zeroclaw_cli.memory.scope_names import check_segment

    try:
        check_segment("project", project)
    except DocumentInput as error:
        path = "memory.native.project"
        raise ValidationFailed(
            f"{path}: {error.message}", hint=f"`zeroclaw config set {path} NAME` with a plain name", path=path
        ) from None


def _open_plugin(config: Config, package_name: str, options: HostOptions) -> Memory:
    from zeroclaw_cli.plugins import owner
    from zeroclaw_cli.wasm.memory import open_memory as open_wasm

    package, component = _admitted(config, package_name)
    return open_wasm(
        package,
        component,
        config,
        options,
        claim=lambda: owner.claim(config, package),
        access=lambda: owner.require_access(config, package.manifest),
    )


def _admitted(config: Config, package_name: str) -> tuple[Package, bytes]:
    """The memory package, which may run on its data, and its component."""
    from zeroclaw_cli.plugins import owner
    from zeroclaw_cli.plugins.load import load_memory_package

    package, component = load_memory_package(config, package_name)
    owner.require_access(config, package.manifest)
    return package, component


def _cannot_open(config: Config, chosen: str, backend: BackendName) -> BackendDisabled | NotSupported | UnknownBackend:
    if backend.kind == "none":
        return BackendDisabled(
            "memory is disabled: memory.backend is none",
            hint=_TO_NATIVE,
        )
    if backend.kind in OF_THE_OTHER_PROGRAM:
        return UnknownBackend(
            f"the backend {backend.kind} belongs to the other program that shares this config",
            hint=f"use one of: {', '.join(KINDS)}",
        )
    if backend.is_layers:
        return NotSupported(
            "the layers are not a single store",
            hint="name one: --backend native, plugin.NAME or provider.NAME; `zeroclaw memory layers` lists them",
        )
    if backend.kind in _NOT_YET:
        return NotSupported(
            f"the backend {chosen} is not part of this version",
            hint="use the built-in store (--backend native) or an installed memory plugin (--backend plugin.NAME)",
        )
    if (config.plugins.plugins_dir / chosen / "manifest.toml").is_file():
        return UnknownBackend(
            f"'{chosen}' is not a memory backend", hint=f"for the plugin of that name write plugin.{chosen}"
        )
    near = near_misses(backend.kind, (kind for kind in KINDS if kind.isalpha()), cutoff=0.7)
    meant = f"did you mean {near[0]}? " if near else ""
    return UnknownBackend(f"'{chosen}' is not a memory backend", hint=f"{meant}use one of: {', '.join(KINDS)}")
