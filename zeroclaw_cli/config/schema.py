"""The one table of config fields (specs/zeroclaw.md §5.2; design.md, Config).

Validation, dotted paths, ``list``, the JSON Schema, the commented template, completion and near misses all come from
here. The module is imported by shell completion, so it imports next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zeroclaw_cli.config.toml_read import is_bare_key

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config

SCHEMA_VERSION: Final = 3

Path = tuple[str, ...]


class Kind(StrEnum):
    """What a field holds; the value is the word that ``config list`` shows."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STRING = "string"
    WORD = "enum"
    STRINGS = "string[]"
    FREE = "any"


class Decides(StrEnum):
    """Who may change a setting, where the process may be an agent's (``config.permissions``).

    Whatever can change which code runs, with which limits, from where, or what agents may reach, is a person's. An
    agent may still narrow it: turn a switch off (LESS), lengthen a list of what is kept out (MORE), or choose a later
    of the words, which go from lax to strict (STRICTER).
    """

    PERSON = "person"
    LESS = "less"
    MORE = "more"
    STRICTER = "stricter"
    ANYBODY = "anybody"


class Field(NamedTuple):
    """One field. A segment ``<…>`` of ``path`` stands for any name; ``default`` None means that there is none.

    ``decides`` says who may change it; there is no default, so that nobody forgets to say. ``minimum`` and
    ``maximum`` are inclusive; ``positive`` asks for more than 0. ``optional``: an empty text clears it. ``stored`` is
    false for what is shown but cannot be set. ``any_case``: a word of ``words`` counts in any case,
    and is kept as written. ``is_path``: the text names a file or folder.
    """

    path: Path
    kind: Kind
    default: Any
    help: str
    decides: Decides
    words: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    positive: bool = False
    secret: bool = False
    optional: bool = False
    stored: bool = True
    any_case: bool = False
    is_path: bool = False

    @property
    def name(self) -> str:
        return ".".join(self.path)


_U32: Final = 2**32 - 1
# As many MiB as still fit into 64 bits when they are counted in bytes.
_MIB: Final = 2**43 - 1
_I64: Final = 2**63 - 1

PERSON, LESS, MORE, ANYBODY = Decides.PERSON, Decides.LESS, Decides.MORE, Decides.ANYBODY

SIGNATURE_MODES: Final = ("disabled", "permissive", "strict")
MODES: Final = ("off", "manual", "automatic")


def _field(name: str, kind: Kind, default: Any, help: str, decides: Decides, **rest: Any) -> Field:
    return Field(tuple(name.split(".")), kind, default, help, decides, **rest)


def _limit(name: str, default: int, help: str, maximum: int) -> Field:
    return _field(f"plugins.limits.{name}", Kind.INT, default, help, PERSON, positive=True, minimum=1, maximum=maximum)


LIMITS: Final = (
    _limit("call_fuel", 1_000_000_000, "Instructions that one call of a guest may use.", _I64),
    _limit("max_memory_mb", 256, "Memory of one instance, all its memories together, in MiB.", _MIB),
    _limit("max_table_elements", 100_000, "Elements of all tables of one instance.", _U32),
    _limit("max_instances", 64, "Core instances inside one component.", _U32),
    _limit("call_timeout_ms", 30_000, "Longest time of one call, in milliseconds.", _U32),
    _limit("max_connections_per_instance", 16, "Open connections of one instance.", _U32),
    _limit("max_data_mb", 64, "Quota of a guest's own files, in MiB.", _MIB),
    _limit("max_result_entries", 200_000, "Most entries of one list or export.", _U32),
)

_ENTRY: Final = "plugins.entries.<name>"

FIELDS: Final[tuple[Field, ...]] = (
    _field(
        "schema_version",
        Kind.INT,
        SCHEMA_VERSION,
        "Version of this file's schema; `zeroclaw config migrate` changes it.",
        PERSON,
        minimum=0,
        stored=False,
    ),
    _field("plugins.enabled", Kind.BOOL, False, "Whether plugins run at all.", LESS),
    _field("plugins.auto_discover", Kind.BOOL, False, "Whether an agent host loads tools and skills by itself.", LESS),
    _field(
        "plugins.plugins_dir",
        Kind.STRING,
        None,
        "Where packages are installed: absolute, or below ~/. Default: plugins/ beside this file.",
        PERSON,
        is_path=True,
    ),
    _field(
        "plugins.max_plugins", Kind.INT, 50, "Read and kept for the agent host; limits nothing here.", PERSON, minimum=0
    ),
    _field("plugins.disabled", Kind.STRINGS, (), "Packages that are switched off one by one.", MORE),
    _field("plugins.allow_precompiled", Kind.BOOL, False, "Whether a package may bring a precompiled component.", LESS),
    _field(
        "plugins.security.signature_mode",
        Kind.WORD,
        "disabled",
        "What an unsigned or untrusted package gets: nothing is checked, a warning, or a refusal.",
        Decides.STRICTER,
        words=SIGNATURE_MODES,
        any_case=True,
    ),
    _field(
        "plugins.security.trusted_publisher_keys",
        Kind.STRINGS,
        (),
        "Publishers whose signatures count: 64 hexadecimal digits each.",
        PERSON,
    ),
    _field(
        "plugins.security.revoked_publisher_keys",
        Kind.STRINGS,
        (),
        "Publishers that are trusted nowhere: 64 hexadecimal digits each.",
        MORE,
    ),
    *LIMITS,
    _field(f"{_ENTRY}.name", Kind.STRING, None, "The instance key that the entry belongs to.", PERSON, stored=False),
    _field(
        f"{_ENTRY}.config.<key>", Kind.STRING, None, "A value for the package; encrypted at rest.", PERSON, secret=True
    ),
    _field(
        f"{_ENTRY}.egress_hosts",
        Kind.STRINGS,
        (),
        "Hosts that this instance may reach: exact names or *.suffix; none means no network.",
        PERSON,
    ),
    _field(
        f"{_ENTRY}.egress_allow_private",
        Kind.STRINGS,
        (),
        "Those of egress_hosts that may resolve to a private address.",
        PERSON,
    ),
    *(
        limit._replace(
            path=("plugins", "entries", "<name>", "limits", limit.path[-1]),
            default=None,
            help=f"This instance: {limit.help}",
        )
        for limit in LIMITS
    ),
    _field("channels.plugin.<alias>.package", Kind.STRING, None, "The package that serves this channel.", PERSON),
    _field("channels.plugin.<alias>.enabled", Kind.BOOL, False, "Whether the channel is active.", PERSON),
    _field("secrets.encrypt", Kind.BOOL, True, "Whether secret values are encrypted when they are written.", PERSON),
    _field(
        "memory.backend",
        Kind.STRING,
        "native",
        "What the memory commands open: native, plugin.<package>, provider.<name>, layers, postgres or none.",
        PERSON,
    ),
    _field("memory.provider", Kind.STRING, "", "The Python provider that runs beside the built-in store.", PERSON),
    _field("memory.providers.<name>.<key>", Kind.FREE, None, "A value of a Python provider.", PERSON),
    _field(
        "memory.providers_host.prefetch_timeout_s",
        Kind.FLOAT,
        8.0,
        "How long a provider may take to prefetch, in seconds.",
        PERSON,
        positive=True,
        maximum=3_600,
    ),
    _field(
        "memory.providers_host.prefetch_max_chars",
        Kind.INT,
        10_000,
        "Most characters that one provider adds to a prompt.",
        PERSON,
        minimum=1,
        maximum=_U32,
    ),
    _field(
        "memory.providers_host.redact",
        Kind.BOOL,
        True,
        "Whether known secrets are removed from what providers get.",
        PERSON,
    ),
    _field(
        "memory.providers_host.hermes_compat",
        Kind.BOOL,
        False,
        "Whether the second set of module names is offered.",
        PERSON,
    ),
    _field(
        "memory.plugin.durability",
        Kind.WORD,
        "journal",
        "Who keeps a plugin's memory between runs: the host's journal, the guest, or nobody.",
        PERSON,
        words=("journal", "guest", "none"),
    ),
    _field("memory.native.project", Kind.STRING, "", "Project of the scope; empty for none.", ANYBODY),
    _field(
        "memory.native.mirror",
        Kind.WORD,
        "export",
        "Markdown copy of the documents: none, written, or written and read back.",
        ANYBODY,
        words=("off", "export", "sync"),
    ),
    _field("memory.native.search_threads", Kind.BOOL, False, "Whether a search sees other threads' transcripts.", LESS),
    _field(
        "memory.native.keep_versions",
        Kind.INT,
        50,
        "Older versions that are kept of each document.",
        ANYBODY,
        minimum=0,
        maximum=_U32,
    ),
    _field(
        "memory.native.protected_paths",
        Kind.STRINGS,
        (),
        "More documents whose writes are scanned for injections.",
        PERSON,
    ),
    _field(
        "memory.native.curation_interval_turns",
        Kind.INT,
        None,
        "Turns between two curation passes; unset: no curation.",
        ANYBODY,
        minimum=1,
        maximum=_U32,
        optional=True,
    ),
    _field(
        "memory.kernel.default_timeout_ms",
        Kind.INT,
        10_000,
        "Time limit of a plan that has no budget, in milliseconds.",
        PERSON,
        minimum=1,
        maximum=3_600_000,
    ),
    _field(
        "memory.kernel.max_cover_characters",
        Kind.INT,
        4096,
        "Characters of the routed cover.",
        PERSON,
        minimum=0,
        maximum=1_000_000,
    ),
    _field(
        "memory.kernel.max_wake_characters",
        Kind.INT,
        65_536,
        "Characters of a whole wake.",
        PERSON,
        minimum=1,
        maximum=10_000_000,
    ),
    _field("memory.kernel.max_views", Kind.INT, 32, "Turn views that are kept.", PERSON, minimum=2, maximum=10_000),
    _field(
        "memory.kernel.automatic_forget", Kind.BOOL, False, "Let agents and hooks forget, and not a person alone.", LESS
    ),
    _field("memory.topology.id", Kind.STRING, "default-three-tier", "Name of the topology.", PERSON),
    _field(
        "memory.topology.strategy_id", Kind.STRING, "default-three-tier", "The strategy that proposes plans.", PERSON
    ),
    _field(
        "memory.topology.layers.<id>.enabled", Kind.BOOL, None, "Whether the layer is used; yes when unset.", PERSON
    ),
    _field("memory.topology.layers.<id>.backend", Kind.STRING, None, "The backend that the layer is bound to.", PERSON),
    _field("memory.topology.layers.<id>.adapter_ids", Kind.STRINGS, None, "Adapters that the layer may use.", PERSON),
    *(
        _field(
            f"memory.topology.layers.<id>.participation.{channel}",
            Kind.WORD,
            None,
            f"How the layer is used for {channel}; automatic when unset.",
            PERSON,
            words=MODES,
        )
        for channel in ("recall", "write", "projection", "maintenance")
    ),
)

# What each table is for; also the order of the template and of `list`.
TABLES: Final[dict[str, str]] = {
    "plugins": "How packages are found and whether they run.",
    "plugins.security": "Who may publish what runs here.",
    "plugins.limits": "Limits of every plugin instance.",
    "plugins.entries": "One [[plugins.entries]] per instance key: its values and permissions.",
    "channels.plugin": "Channels that packages serve.",
    "secrets": "How secret values are kept.",
    "memory": "What the memory commands open.",
    "memory.providers": "Values of Python memory providers, one table each.",
    "memory.providers_host": "How Python memory providers are run.",
    "memory.plugin": "How a memory plugin is run.",
    "memory.native": "The built-in store.",
    "memory.kernel": "Limits of the memory kernel.",
    "memory.topology": "Which layers are used.",
    "memory.topology.layers": "What each layer does, one table each.",
}

# The sections of the file that are ours; all others belong to the other program that shares it.
SECTIONS: Final = ("schema_version", "plugins", "secrets", "memory", "channels")

Trie = dict[str, Any]
WILDCARD: Final = "<>"


def is_wildcard(segment: str) -> bool:
    return segment.startswith("<")


def _build_trie() -> Trie:
    root: Trie = {}
    for field in FIELDS:
        node = root
        for segment in field.path[:-1]:
            node = node.setdefault(WILDCARD if is_wildcard(segment) else segment, {})
        node[WILDCARD if is_wildcard(field.path[-1]) else field.path[-1]] = field
    return root


# Nested dicts whose leaves are fields; the key "<>" stands for any name.
TRIE: Final[Trie] = _build_trie()


def is_ours(path: Path) -> bool:
    """Whether ``path`` lies in a section that our schema knows, though perhaps not as a field."""
    if not path or path[0] not in SECTIONS:
        return False
    return path[0] != "channels" or path[1:2] == ("plugin",)


def find(path: Path) -> Field | Trie | None:
    """The field at the concrete ``path``, the table (a dict) that it names, or None."""
    node: Field | Trie = TRIE
    for segment in path:
        if isinstance(node, Field):
            return None
        below = node.get(segment) if segment != WILDCARD else None
        node = below if below is not None else node.get(WILDCARD)  # type: ignore[assignment]
        if node is None:
            return None
    return node


def table_of(field: Field) -> str:
    """The table that a field is listed under: its path up to its last name before any wildcard."""
    name = ""
    for segment in field.path[:-1]:
        if is_wildcard(segment):
            break
        name = f"{name}.{segment}" if name else segment
    return name


def format_path(path: Path) -> str:
    """``path`` in its dotted form, segments quoted where they must be."""
    return ".".join(_quote(segment) for segment in path)


def _quote(segment: str) -> str:
    if is_bare_key(segment):
        return segment
    return '"' + segment.replace("\\", "\\\\").replace('"', '\\"') + '"'


def known_paths(values: Mapping[Path, Any]) -> Iterator[tuple[Path, Field]]:
    """Every path that exists under ``values`` (path to value): all fixed fields, and those of the aliases in use.

    Below an alias a field without a default is named only when it has a value.
    """
    aliases: dict[Path, dict[str, None]] = {}
    for path in values:
        for length in range(1, len(path)):
            aliases.setdefault(path[:length], {})[path[length]] = None
    for field in FIELDS:
        for path in _expand(field.path, aliases):
            if not any(map(is_wildcard, field.path)) or field.default is not None or path in values:
                yield path, field


def _expand(pattern: Path, aliases: Mapping[Path, Mapping[str, None]]) -> list[Path]:
    found: list[Path] = [()]
    for segment in pattern:
        if is_wildcard(segment):
            found = [(*path, name) for path in found for name in aliases.get(path, ())]
        else:
            found = [(*path, segment) for path in found]
    return found


def complete_paths(prefix: str, config: Config) -> list[str]:
    """Dotted paths that begin with ``prefix``, for a shell; ``-`` may stand for ``_`` in the last segment."""
    head, dot, last = prefix.rpartition(".")
    wanted = head + dot + last.replace("-", "_")
    paths = (format_path(path) for path, field in known_paths(config.values) if field.stored)
    return sorted(path for path in paths if path.startswith((prefix, wanted)))


def near_misses(name: str, candidates: Iterable[str], *, cutoff: float = 0.75) -> list[str]:
    """At most three of ``candidates`` that someone who typed ``name`` may have meant, best first."""
    import difflib

    return difflib.get_close_matches(name, list(candidates), n=3, cutoff=cutoff)


def same_last_name(name: str, candidates: Iterable[str]) -> list[str]:
    """At most three of the dotted ``candidates`` whose last segment is that of ``name``."""
    last = name.rpartition(".")[2].replace("-", "_")
    return [path for path in candidates if path.rpartition(".")[2] == last][:3]
