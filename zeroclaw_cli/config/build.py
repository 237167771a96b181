"""From a parsed document to the typed config, in steps that also the editor uses.

:func:`read_sections` checks types and gives values by path; :func:`settle` drops values that break a rule and says so;
:func:`typed` makes the frozen model. specs/zeroclaw.md §5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path as FilePath
from shlex import quote
from typing import Any, NamedTuple

from zeroclaw_cli.config.backend_name import BUILT_IN_PROVIDER, NO_MEMORY_PROVIDER
from zeroclaw_cli.config.locations import account_home, expand_user, is_unexpanded
from zeroclaw_cli.config.model import (
    ChannelPlugin,
    Config,
    Durability,
    KernelSettings,
    Limits,
    Location,
    MemoryConfig,
    Mirror,
    NativeSettings,
    PluginEntry,
    PluginsConfig,
    Problem,
    ProvidersHost,
    Security,
    SignatureMode,
)
from zeroclaw_cli.config.permissions import is_agent, needs_approval
from zeroclaw_cli.config.publisher_key import form_problem, key_problem
from zeroclaw_cli.config.schema import FIELDS, TRIE, WILDCARD, Field, Path, Trie, find, format_path
from zeroclaw_cli.config.unknown import policy_slips, unknown_paths
from zeroclaw_cli.config.values import (
    TOO_DEEP,
    has_type,
    nests_too_deep,
    normal,
    out_of_range,
    type_name,
    wrong_type,
)

_ENTRIES = ("plugins", "entries")
_PROVIDER = ("memory", "provider")
_MODE = ("plugins", "security", "signature_mode")
# The lists of publishers' keys, and what is wrong with a member. A key that anybody can sign with may be revoked.
KEY_LISTS: Mapping[Path, Callable[[str], str | None]] = {
    ("plugins", "security", "trusted_publisher_keys"): key_problem,
    ("plugins", "security", "revoked_publisher_keys"): form_problem,
}
_KEY_HINT = "write each publisher's key as 64 hex digits, without a prefix"
_NO_KEY_HINT = "ask the publisher for the key that it really signs with"
# Each section with the names that lead to it; a type error anywhere inside makes the whole of it malformed.
_SECTIONS: dict[str, Path] = {
    "plugins": ("plugins",),
    "secrets": ("secrets",),
    "memory": ("memory",),
    "channels.plugin": ("channels", "plugin"),
}


class Malformed(NamedTuple):
    """A type error: where it stands (names and indexes from the root) and one line that begins with its path."""

    address: tuple[str | int, ...]
    message: str


@dataclass(slots=True)
class Reading:
    """What a document says about our sections. ``values`` is by path and holds only what is set; ``unknown`` are the
    paths of keys that no field has, and ``slips`` those that may have been meant as a rule of ``plugins.security``."""

    values: dict[Path, Any] = field(default_factory=dict)
    malformed: dict[str, Malformed] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    topology: dict[str, Any] = field(default_factory=dict)
    unknown: tuple[Path, ...] = ()
    slips: tuple[Path, ...] = ()


class _TypeError(Exception):
    def __init__(self, address: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.malformed = Malformed(address, message)


def read_sections(data: Mapping[str, Any]) -> Reading:
    """The values of our sections in ``data``, a parsed document. A section with a type error contributes nothing."""
    reading = Reading()
    version = data.get("schema_version")
    if isinstance(version, int) and not isinstance(version, bool):
        reading.values["schema_version",] = version
    for section, path in _SECTIONS.items():
        try:
            found = list(_walk_section(data, path))
            if section == "memory":
                reading.topology = _topology(data)
        except _TypeError as error:
            reading.malformed[section] = error.malformed
            if section == "plugins":
                _keep_policy(reading, data)
            continue
        for place, described, value in found:
            _take(reading, place, described, value)
        if section == "plugins":
            _check_names(reading, data.get("plugins", {}).get("entries", []))
    reading.unknown = tuple(unknown_paths(data))
    reading.slips = tuple(policy_slips(data, reading.unknown))
    return reading


def _topology(data: Mapping[str, Any]) -> dict[str, Any]:
    """The table ``memory.topology`` as it is, with what only the kernel knows in it."""
    topology = data.get("memory", {}).get("topology", {})
    if nests_too_deep(topology):
        raise _TypeError(("memory", "topology"), f"memory.topology {TOO_DEEP}")
    return dict(topology)


def _walk_section(data: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Field, Any]]:
    value: Any = data
    node: Any = TRIE
    for depth, name in enumerate(path):
        if not isinstance(value, Mapping):
            raise _TypeError(path[:depth], f"{format_path(path[:depth])} must be a table, not {type_name(value)}")
        if name not in value:
            return
        value, node = value[name], node[name]
    yield from _walk(node, value, path, path)


def _walk(
    node: Field | Trie, value: Any, path: Path, address: tuple[str | int, ...]
) -> Iterator[tuple[Path, Field, Any]]:
    if isinstance(node, Field):
        problem = None if has_type(node, value) else wrong_type(node, value)
        if problem is None and node.words and path != _MODE:
            problem = out_of_range(node, value)
        if problem is not None:
            raise _TypeError(address, f"{format_path(path)} {problem}")
        yield path, node, normal(node, value)
    elif path == _ENTRIES:
        yield from _walk_entries(node[WILDCARD], value)
    elif not isinstance(value, Mapping):
        raise _TypeError(address, f"{format_path(path)} must be a table, not {type_name(value)}")
    else:
        for name, item in value.items():
            below = node.get(name, node.get(WILDCARD))
            if below is not None:
                yield from _walk(below, item, (*path, name), (*address, name))


def _walk_entries(node: Trie, value: Any) -> Iterator[tuple[Path, Field, Any]]:
    if not isinstance(value, list):
        raise _TypeError(
            _ENTRIES, f"plugins.entries must be an array of tables ([[plugins.entries]]), not {type_name(value)}"
        )
    seen = set()
    for index, entry in enumerate(value):
        address = (*_ENTRIES, index)
        if not isinstance(entry, Mapping):
            raise _TypeError(address, f"plugins.entries[{index}] must be a table, not {type_name(entry)}")
        name = entry.get("name")
        if not isinstance(name, str):
            wrong = "has no name" if name is None else f"has a name that is {type_name(name)}, not a string"
            raise _TypeError(address, f"plugins.entries[{index}] {wrong}")
        found = list(_walk(node, entry, (*_ENTRIES, name), address))
        if name not in seen:
            seen.add(name)
            yield from found


def _keep_policy(reading: Reading, data: Mapping[str, Any]) -> None:
    """Who may publish is read even when the rest of the section cannot be: a slip elsewhere must not lift it."""
    plugins = data["plugins"]
    if not isinstance(plugins, Mapping):
        reading.values[_MODE] = str(SignatureMode.STRICT)
        return
    security = plugins.get("security", {})
    try:
        path = ("plugins", "security")
        for place, described, value in list(_walk(TRIE["plugins"]["security"], security, path, path)):
            _take(reading, place, described, value)
    except _TypeError:
        reading.values[_MODE] = str(SignatureMode.STRICT)


def _take(reading: Reading, path: Path, described: Field, value: Any) -> None:
    problem = out_of_range(described, value)
    if problem is None:
        reading.values[path] = value
        return
    name = format_path(path)
    if path == _MODE:
        reading.values[path] = str(SignatureMode.STRICT)
        problem += "; strict is used"
    elif described.default is not None:
        problem += f"; {described.default} is used"
    reading.problems.append(
        Problem(name, f"{name} {problem}", f"`zeroclaw config unset {quote(name)}` restores the default")
    )


def _check_names(reading: Reading, entries: list[Mapping[str, Any]]) -> None:
    seen = set()
    for entry in entries:
        name = entry["name"]
        if not name or name != name.strip():
            text = f"plugins.entries: the name {name!r} is empty or has blanks around it"
            reading.problems.append(Problem("plugins.entries", text, "correct it with `zeroclaw config edit`"))
        if name in seen:
            text = f"plugins.entries: {name!r} is there more than once; the first is used"
            reading.problems.append(Problem("plugins.entries", text, "merge them with `zeroclaw config edit`"))
        seen.add(name)


def settle(values: dict[Path, Any]) -> list[Problem]:
    """Take out of ``values`` what contradicts the rest of it, and say what; also what is merely worth a warning."""
    problems: list[Problem] = []
    entries = [path for path in values if path[:2] == _ENTRIES and len(path) == 4]
    for path in entries:
        if path[-1] == "egress_hosts":
            _settle_list(values, path, problems, host_problem)
    for path in entries:
        if path[-1] == "egress_allow_private":
            hosts = values.get((*path[:-1], "egress_hosts"), ())
            _settle_list(values, path, problems, partial(_private_problem, hosts))
    for listed, rule in KEY_LISTS.items():
        for item in values.get(listed, ()):
            wrong = rule(item)
            if wrong is not None:
                name = format_path(listed)
                problems.append(
                    Problem(name, f"{name}: {item!r} {wrong}", _KEY_HINT if form_problem(item) else _NO_KEY_HINT)
                )
    for alias in dict.fromkeys(path[:3] for path in values if path[:2] == ("channels", "plugin")):
        if (*alias, "package") not in values:
            name = format_path((*alias, "package"))
            hint = f"`zeroclaw config set {quote(name)} PACKAGE`"
            problems.append(Problem(name, f"{name} is not set, so the channel is not used", hint, refuses=False))
    problems += _problems_of_provider(values)
    return problems


def _problems_of_provider(values: Mapping[Path, Any]) -> Iterator[Problem]:
    name = "memory.provider"
    text = str(values.get(_PROVIDER, ""))
    word = text.strip().lower()
    unset = f"`zeroclaw config unset {quote(name)}` takes it out"
    if word == BUILT_IN_PROVIDER:
        message = f"{name}: {text!r} means the built-in store, which needs no provider; it is read as empty"
        yield Problem(name, message, unset, refuses=False)
    elif word == NO_MEMORY_PROVIDER:
        message = f'{name}: {text!r} is the id of memory.backend = "none" and no provider; it is read as empty'
        yield Problem(name, message, f"`zeroclaw config set memory.backend none` switches memory off, {unset}")


def _provider(values: Mapping[Path, Any]) -> str:
    text = str(_value(values, "memory.provider"))
    return "" if text.strip().lower() in (BUILT_IN_PROVIDER, NO_MEMORY_PROVIDER) else text


def _settle_list(
    values: dict[Path, Any], path: Path, problems: list[Problem], rule: Callable[[str], str | None]
) -> None:
    name = format_path(path)
    kept = []
    for item in values[path]:
        wrong = rule(item)
        if wrong is None:
            kept.append(item)
        else:
            hint = "write exact host names or *.suffix, without a port"
            problems.append(Problem(name, f"{name}: {item!r} {wrong}", hint))
    values[path] = tuple(kept)


def host_problem(text: str) -> str | None:
    """Why ``text`` is no entry of ``egress_hosts``, as the end of a sentence; else None."""
    host = text[2:] if text.startswith("*.") else text
    if "*" in host or not host:
        return "may hold a * only as its first label, as in *.example.org"
    if ":" in host or "/" in host:
        return "is not a host name alone: no scheme, port or path"
    labels = host.split(".")
    for label in labels:
        plain = label.replace("-", "a").replace("_", "a")
        if not (1 <= len(label) <= 63 and plain.isascii() and plain.isalnum()) or "-" in (label[0], label[-1]):
            return "is not a host name"
    return "is too long for a host name" if len(host) > 253 else None


def _private_problem(hosts: tuple[str, ...], text: str) -> str | None:
    wrong = host_problem(text)
    if wrong is not None:
        return wrong
    wanted = text.lower()
    for host in map(str.lower, hosts):
        if wanted == host or (host.startswith("*.") and wanted.removeprefix("*.").endswith(host[1:])):
            return None
    return "is not granted by egress_hosts"


def typed(location: Location, reading: Reading, env: Mapping[str, str]) -> tuple[Config, list[str]]:
    """The typed config of ``reading``, which :func:`settle` has seen, and warnings about its paths."""
    values = reading.values
    plugins_dir, warnings = _plugins_dir(location, values.get(("plugins", "plugins_dir")), env)
    malformed = {section: found.message for section, found in reading.malformed.items()}
    config = Config(
        location=location,
        plugins=PluginsConfig(
            plugins_dir=plugins_dir,
            enabled=_value(values, "plugins.enabled"),
            auto_discover=_value(values, "plugins.auto_discover"),
            max_plugins=_value(values, "plugins.max_plugins"),
            disabled=_value(values, "plugins.disabled"),
            allow_precompiled=_value(values, "plugins.allow_precompiled"),
            security=Security(
                SignatureMode(_value(values, "plugins.security.signature_mode").lower()),
                _value(values, "plugins.security.trusted_publisher_keys"),
                _value(values, "plugins.security.revoked_publisher_keys"),
                tuple(map(format_path, reading.slips)),
            ),
            limits=Limits(**_table(values, "plugins.limits")),
            entries=tuple(_entries(values)),
            malformed=malformed.get("plugins"),
        ),
        memory=_memory(reading, malformed.get("memory")),
        channels=tuple(_channels(values)),
        encrypt_secrets=_value(values, "secrets.encrypt"),
        values=values,
        malformed=malformed,
    )
    return config, warnings


def _memory(reading: Reading, malformed: str | None) -> MemoryConfig:
    values = reading.values
    native = _table(values, "memory.native")
    native["mirror"] = Mirror(native["mirror"])
    providers: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        if path[:2] == ("memory", "providers"):
            providers.setdefault(path[2], {})[path[3]] = value
    return MemoryConfig(
        backend=_value(values, "memory.backend"),
        provider=_provider(values),
        plugin_durability=Durability(_value(values, "memory.plugin.durability")),
        malformed=malformed,
        native=NativeSettings(**native),
        providers_host=ProvidersHost(**_table(values, "memory.providers_host")),
        kernel=KernelSettings(**_table(values, "memory.kernel")),
        providers=providers,
        topology=reading.topology,
    )


def _entries(values: Mapping[Path, Any]) -> Iterator[PluginEntry]:
    grouped: dict[str, dict[Path, Any]] = {}
    for path, value in values.items():
        if path[:2] == _ENTRIES:
            grouped.setdefault(path[2], {})[path[3:]] = value
    for name, entry in grouped.items():
        yield PluginEntry(
            name=name,
            config={path[1]: value for path, value in entry.items() if path[0] == "config"},
            egress_hosts=entry.get(("egress_hosts",), ()),
            egress_allow_private=entry.get(("egress_allow_private",), ()),
            limits={path[1]: value for path, value in entry.items() if path[0] == "limits"},
        )


def _channels(values: Mapping[Path, Any]) -> Iterator[ChannelPlugin]:
    aliases = dict.fromkeys(path[2] for path in values if path[:2] == ("channels", "plugin"))
    for alias in aliases:
        package = values.get(("channels", "plugin", alias, "package"))
        if package is not None:
            yield ChannelPlugin(alias, package, values.get(("channels", "plugin", alias, "enabled"), False))


def _plugins_dir(location: Location, text: str | None, env: Mapping[str, str]) -> tuple[FilePath, list[str]]:
    if text is None:
        return location.config_dir / "plugins", []
    expanded = expand_user(text, env)
    directory = FilePath(expanded)
    if expanded != text and is_agent(env) and not _home_is_own(location, env):
        raise needs_approval(
            f"looking for plugins in {text} of another home",
            besides="HOME chose it",
            path="plugins.plugins_dir",
        )
    if is_unexpanded(expanded):
        return directory.absolute(), [
            f"the home directory is unknown, so plugins.plugins_dir {text} is taken literally"
        ]
    if directory.is_absolute():
        return directory, []
    directory = directory.absolute()
    return directory, [
        f"plugins.plugins_dir {text!r} is relative, so it is {directory} from here;"
        " `zeroclaw config set plugins.plugins_dir` with an absolute path makes it certain"
    ]


def _home_is_own(location: Location, env: Mapping[str, str]) -> bool:
    """Whether ``HOME`` is that of the account, or one that the config is below too."""
    home = env.get("HOME") or account_home() or ""
    return home == account_home() or location.config_dir.is_relative_to(home)


def default_of(described: Field, location: Location) -> Any:
    """What the field is when it is not set; None when it has no value then."""
    if described.name == "plugins.plugins_dir":
        return str(location.config_dir / "plugins")
    return described.default


def _value(values: Mapping[Path, Any], name: str) -> Any:
    path = tuple(name.split("."))
    if path in values:
        return values[path]
    described = find(path)
    assert isinstance(described, Field)
    return described.default


def _table(values: Mapping[Path, Any], name: str) -> dict[str, Any]:
    """Field name to value for every fixed field of the table ``name``."""
    prefix = tuple(name.split("."))
    return {
        described.path[-1]: values.get(described.path, described.default)
        for described in FIELDS
        if described.path[:-1] == prefix
    }
