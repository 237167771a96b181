"""``plugin.yaml``, the description of a provider (specs/memory-providers.md §4). Reading it runs no plugin's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio

FILE: Final = "plugin.yaml"
KINDS: Final = frozenset({"memory", "exclusive"})
_MOST_BYTES: Final = 64 * 1024
_MOST_NODES: Final = 20_000
_MOST_LEVELS: Final = 32


@dataclass(frozen=True, slots=True)
class ExternalDependency:
    """A program that a provider needs. ``check`` is a command line that exits with 0 where it is present, ``install``
    a text for the person, which is never run; either may be empty."""

    name: str
    check: str = ""
    install: str = ""


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What a ``plugin.yaml`` says. ``name`` is for display and may be empty. ``hooks`` is what the author claims and
    decides nothing. ``network`` is None where the author says nothing. ``memory_map`` is the raw mapping under
    ``zeroclaw_memory_map``. ``problems`` are lines for a person."""

    name: str = ""
    version: str = ""
    description: str = ""
    hooks: tuple[str, ...] = ()
    kind: str = ""
    pip_dependencies: tuple[str, ...] = ()
    external_dependencies: tuple[ExternalDependency, ...] = ()
    requires_env: tuple[str, ...] = ()
    network: bool | None = None
    memory_map: Mapping[str, Any] | None = None
    problems: tuple[str, ...] = ()


def read_plugin_yaml(directory: Path) -> PluginInfo:
    """The ``plugin.yaml`` of ``directory``; one that is missing or unreadable is an info with a problem."""
    try:
        data = fsio.read_beneath(directory, (FILE,))
    except FileNotFoundError:
        return PluginInfo(problems=(f"there is no {FILE}",))
    except OSError as error:
        return PluginInfo(problems=(f"{FILE} cannot be read: {error.strerror or error}",))
    return parse_plugin_yaml(data)


def parse_plugin_yaml(data: bytes) -> PluginInfo:
    """The info in the bytes of a ``plugin.yaml``. Never raises: what is wrong is among the problems."""
    if len(data) > _MOST_BYTES:
        return PluginInfo(problems=(f"{FILE} is larger than {_MOST_BYTES // 1024} KiB",))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return PluginInfo(problems=(f"{FILE} is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}",))
    value, problem = load_yaml(text, FILE)
    if problem is not None:
        return PluginInfo(problems=(problem,))
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return PluginInfo(problems=(f"{FILE} holds {_kind_of(value)}, not a mapping",))
    return _Fields(value).info()


def load_yaml(text: str, name: str) -> tuple[Any, str | None]:
    """The value of a small YAML text without code, or what is wrong with it, for a person; ``name`` is its file's."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)  # noqa: S506 - one of the two safe loaders
    except yaml.MarkedYAMLError as error:
        where = f" line {error.problem_mark.line + 1}:" if error.problem_mark is not None else ""
        return None, f"{name}:{where} {' '.join(str(error.problem or error.context or 'it is not YAML').split())}"
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        return None, f"{name} is not YAML: {' '.join(str(error).split())}"
    # An alias lets a short text stand for an endless or enormous value.
    if not _is_small(value):
        return None, f"{name} nests too deep or unfolds to too much"
    return value, None


def _is_small(value: Any) -> bool:
    level, count = [value], 0
    for _ in range(_MOST_LEVELS):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, list | tuple | set):
                inner += item
            if count + len(inner) > _MOST_NODES:
                return False
        if not inner:
            return True
        count += len(inner)
        level = inner
    return False


class _Fields:
    """Takes the fields out of a mapping and keeps what is wrong with them."""

    def __init__(self, value: Mapping[Any, Any]) -> None:
        self._value = value
        self._problems: list[str] = []

    def info(self) -> PluginInfo:
        return PluginInfo(
            name=self._text("name"),
            version=self._text("version"),
            description=" ".join(self._text("description").split()),
            hooks=self._texts("hooks"),
            kind=self._text("kind").strip().lower(),
            pip_dependencies=self._texts("pip_dependencies"),
            external_dependencies=self._programs("external_dependencies"),
            requires_env=self._texts("requires_env"),
            network=self._truth("network"),
            memory_map=self._mapping("zeroclaw_memory_map"),
            problems=tuple(self._problems),
        )

    def _text(self, key: str) -> str:
        value = self._value.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, dict | list | set):
            self._wrong(key, f"{_kind_of(value)}, not text, and is ignored")
            return ""
        if isinstance(value, float):
            # YAML has read 1.10 as 1.1 by now.
            self._wrong(key, "a number; write it in quotes")
        return str(value)

    def _texts(self, key: str) -> tuple[str, ...]:
        found = []
        for item in self._list(key):
            if isinstance(item, str):
                found.append(item)
            else:
                self._problems.append(f"{FILE}: an item of {key} is {_kind_of(item)}, not text, and is ignored")
        return tuple(found)

    def _list(self, key: str) -> list[Any]:
        value = self._value.get(key)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self._wrong(key, f"{_kind_of(value)}, not a list, and is ignored")
        return []

    def _programs(self, key: str) -> tuple[ExternalDependency, ...]:
        found = []
        for item in self._list(key):
            if isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"].strip():
                texts = {
                    part: item[part] if isinstance(item.get(part), str) else "" for part in ("name", "check", "install")
                }
                found.append(ExternalDependency(**texts))
            else:
                self._problems.append(f"{FILE}: an item of {key} is not a mapping with a name, and is ignored")
        return tuple(found)

    def _truth(self, key: str) -> bool | None:
        value = self._value.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._wrong(key, f"{_kind_of(value)}, not true or false, and is ignored")
        return None

    def _mapping(self, key: str) -> Mapping[str, Any] | None:
        value = self._value.get(key)
        if value is None or isinstance(value, dict):
            return value
        self._wrong(key, f"{_kind_of(value)}, not a mapping, and is ignored")
        return None

    def _wrong(self, key: str, what: str) -> None:
        self._problems.append(f"{FILE}: {key} is {what}")


def _kind_of(value: Any) -> str:
    names = {
        type(None): "empty",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), "a date, a set or bytes")
