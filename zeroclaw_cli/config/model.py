"""The typed config: what every other floor reads. Built by ``config.load``; valid by construction.

Paths and defaults: specs/zeroclaw.md §5.2 and design.md, Config. Every command pays for the making of these classes,
and a named tuple costs a quarter of a dataclass: what no one copies with a change is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple


class SignatureMode(StrEnum):
    DISABLED = "disabled"
    PERMISSIVE = "permissive"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Location:
    """Where this run's files are (specs/zeroclaw.md §5.1). ``source`` says which rule chose it, for messages."""

    config_dir: Path
    data_dir: Path
    source: str

    @property
    def config_file(self) -> Path:
        return self.config_dir / "config.toml"


@dataclass(frozen=True, slots=True)
class Limits:
    """``plugins.limits``: limits of one plugin instance. Memory and data in MiB, times in milliseconds."""

    call_fuel: int = 1_000_000_000
    max_memory_mb: int = 256
    max_table_elements: int = 100_000
    max_instances: int = 64
    call_timeout_ms: int = 30_000
    max_connections_per_instance: int = 16
    max_data_mb: int = 64
    max_result_entries: int = 200_000


@dataclass(frozen=True, slots=True)
class Security:
    """``plugins.security``. Keys are as written in the file; compare them trimmed and in lower case. ``slips`` are
    unknown paths of the file that may have been meant as a rule here: while there is one, no package is admitted."""

    signature_mode: SignatureMode = SignatureMode.DISABLED
    trusted_publisher_keys: tuple[str, ...] = ()
    revoked_publisher_keys: tuple[str, ...] = ()
    slips: tuple[str, ...] = ()


class PluginEntry(NamedTuple):
    """One table of ``plugins.entries``. ``config`` holds the values as they are at rest (``enc2:…``, ``op://…``,
    plain); ``config.secrets`` opens them. ``limits`` overrides single fields of :class:`Limits`, by name."""

    name: str
    config: Mapping[str, str] = MappingProxyType({})
    egress_hosts: tuple[str, ...] = ()
    egress_allow_private: tuple[str, ...] = ()
    limits: Mapping[str, int] = MappingProxyType({})

    def __repr__(self) -> str:
        # Without the values, which may be secrets in plain text.
        return f"PluginEntry(name={self.name!r})"


@dataclass(frozen=True, slots=True)
class PluginsConfig:
    """``plugins``. ``plugins_dir`` is absolute. ``malformed`` is the parse error of the section, in which case every
    field has its default, except a security policy that can still be read, and the section is never rewritten."""

    plugins_dir: Path
    enabled: bool = False
    auto_discover: bool = False
    max_plugins: int = 50
    disabled: tuple[str, ...] = ()
    allow_precompiled: bool = False
    security: Security = Security()
    limits: Limits = Limits()
    entries: tuple[PluginEntry, ...] = ()
    malformed: str | None = None


class Durability(StrEnum):
    JOURNAL = "journal"
    GUEST = "guest"
    NONE = "none"


class Mirror(StrEnum):
    OFF = "off"
    EXPORT = "export"
    SYNC = "sync"


class NativeSettings(NamedTuple):
    """``memory.native`` (specs/native-memory.md). ``curation_interval_turns`` None: curation is off."""

    project: str = ""
    mirror: Mirror = Mirror.EXPORT
    search_threads: bool = False
    keep_versions: int = 50
    protected_paths: tuple[str, ...] = ()
    curation_interval_turns: int | None = None


class ProvidersHost(NamedTuple):
    """``memory.providers_host`` (specs/memory-providers.md §8, §10). The time-out is in seconds."""

    prefetch_timeout_s: float = 8.0
    prefetch_max_chars: int = 10_000
    redact: bool = True
    hermes_compat: bool = False


class KernelSettings(NamedTuple):
    """``memory.kernel`` (specs/memory-kernel.md §2). ``automatic_forget``: agents and hooks may forget (§20)."""

    default_timeout_ms: int = 10_000
    max_cover_characters: int = 4096
    max_wake_characters: int = 65_536
    max_views: int = 32
    automatic_forget: bool = False


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """``memory``. ``backend`` is as typed (``""`` means that none is chosen); ``backends.py`` interprets it.
    ``provider`` is as typed, empty where it names what is built in.

    ``providers`` holds the values of each provider by its name. ``topology`` is the table ``memory.topology`` as it is
    in the file, with every override in it; its layers are in the order of the file.
    """

    backend: str = "native"
    provider: str = ""
    plugin_durability: Durability = Durability.JOURNAL
    malformed: str | None = None
    native: NativeSettings = field(default_factory=NativeSettings)
    providers_host: ProvidersHost = field(default_factory=ProvidersHost)
    kernel: KernelSettings = field(default_factory=KernelSettings)
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    topology: Mapping[str, Any] = field(default_factory=dict)


class ChannelPlugin(NamedTuple):
    """One ``channels.plugin.<alias>`` table."""

    alias: str
    package: str
    enabled: bool


class Problem(NamedTuple):
    """Something in the config that is not as it should be: the dotted ``path``, one line, and what to do.

    ``refuses`` false: it is worth a warning and no change of the config is refused because of it.
    """

    path: str
    message: str
    hint: str | None = None
    refuses: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """One run's config. ``warnings`` are lines for stderr, found while loading.

    ``values`` holds what is set, by path (a tuple of names), as it is at rest and with the overrides in it; a path
    that is absent has its default. ``overridden`` maps a path to the environment variable that sets it.
    ``malformed`` maps the name of a section to its parse error. ``unknown`` are the keys of our sections that this
    program does not know, and what may have been meant as one.
    """

    location: Location
    plugins: PluginsConfig
    memory: MemoryConfig = MemoryConfig()
    channels: tuple[ChannelPlugin, ...] = ()
    encrypt_secrets: bool = True
    warnings: tuple[str, ...] = ()
    ignored_overrides: tuple[str, ...] = ()
    values: Mapping[tuple[str, ...], Any] = field(default_factory=dict, repr=False)
    overridden: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    malformed: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[Problem, ...] = ()
