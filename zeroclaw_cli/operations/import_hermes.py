"""What hermes-agent remembers in its home: its notes as entries, and the settings of the provider that it uses.

Its home is read, never written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import ConfigDamaged, SourceNotFound
from zeroclaw_cli.native.entries import NativeEntry

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config

_NOTES: Final = (("MEMORY.md", "core"), ("USER.md", "user"))
_BETWEEN: Final = "\n§\n"
_CONFIG: Final = "config.yaml"
_MOST_BYTES: Final = 4 * 1024 * 1024
# A provider whose settings that host keeps under another name, in the section `plugins` of its config.
_SECTIONS: Final[Mapping[str, str]] = {"holographic": "hermes-memory-store"}


@dataclass(frozen=True, slots=True)
class HermesHome:
    """What was found: the entries of the notes and the files they came from; the provider that is in use, empty for
    none, with its settings: ``values`` of the config, ``variables`` of the ``.env``, ``files`` of its own by the path
    below the home."""

    entries: tuple[NativeEntry, ...]
    sources: tuple[Path, ...]
    provider: str = ""
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()


def read_hermes(directory: Path) -> HermesHome:
    """Everything of the home ``directory`` that can be taken over.

    Raises SourceNotFound when it is not a home of hermes-agent, ConfigDamaged when its config cannot be read, OSError.
    """
    if not directory.is_dir():
        raise SourceNotFound(f"{directory} is not a directory", hint="name the home of hermes-agent, such as ~/.hermes")
    entries: list[NativeEntry] = []
    sources: list[Path] = []
    for name, category in _NOTES:
        for file in (directory / "memories" / name, directory / name):
            if file.is_file():
                entries += _notes(file, category)
                sources.append(file)
                break
    config = _config(directory / _CONFIG)
    if not sources and not config:
        raise SourceNotFound(
            f"{directory} is not a home of hermes-agent", hint="it has memories/MEMORY.md or config.yaml there"
        )
    return _with_provider(directory, config, tuple(entries), tuple(sources))


def take_settings(config: Config, found: HermesHome) -> tuple[str, ...]:
    """Keep the settings of the provider of ``found`` where it finds them here; what is there already stays. The
    provider is not activated, and its code is not copied. Returns where they are, one line each.

    Raises ConfigError and OSError.
    """
    from zeroclaw_cli import fsio
    from zeroclaw_cli.config.patch import Operation, apply_patch
    from zeroclaw_cli.providers import env_file

    home, lines = config.location.config_dir, []
    known = config.memory.providers.get(found.provider, {})
    values = {key: value for key, value in found.values.items() if key not in known}
    if values:
        pointer = ("memory", "providers", found.provider)
        apply_patch(config.location, {}, [Operation("add", (*pointer, key), value) for key, value in values.items()])
        lines.append(f"{', '.join(values)} in memory.providers.{found.provider}")
    present = env_file.read(home)
    variables = {name: value for name, value in found.variables.items() if name not in present}
    if variables:
        env_file.update(home, variables)
        lines.append(f"{', '.join(variables)} in {env_file.path_of(home)}")
    for path, data in found.files.items():
        target = home / path
        if not target.exists():
            fsio.make_private_dir(target.parent)
            fsio.atomic_write(target, data)
            lines.append(str(target))
    return tuple(lines)


def _notes(file: Path, category: str) -> Iterator[NativeEntry]:
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    text = _text(file)
    for note in dict.fromkeys(note.strip() for note in text.split(_BETWEEN)):
        if note:
            # The same note has the same key when it is imported again.
            key = f"hermes-{file.stem.lower()}-{hashlib.sha256(note.encode()).hexdigest()[:12]}"
            yield NativeEntry("", key, note, category, at, updated_at=at)


def _text(file: Path) -> str:
    if file.stat().st_size > _MOST_BYTES:
        raise ConfigDamaged(f"{file} is larger than {_MOST_BYTES // 1024**2} MiB", hint="import its parts one by one")
    return file.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _config(file: Path) -> Mapping[str, Any]:
    from zeroclaw_cli.providers.plugin_yaml import load_yaml

    if not file.is_file():
        return {}
    value, problem = load_yaml(_text(file), _CONFIG)
    if problem is not None:
        raise ConfigDamaged(f"{file}: {problem}", hint="correct it, or move it away to import the notes alone")
    return value if isinstance(value, dict) else {}


def _with_provider(
    directory: Path, config: Mapping[str, Any], entries: tuple[NativeEntry, ...], sources: tuple[Path, ...]
) -> HermesHome:
    from zeroclaw_cli.providers.names import chosen, name_problem

    memory = _table(config.get("memory"))
    name = chosen(str(memory.get("provider") or ""))
    if name is None:
        return HermesHome(entries, sources)
    wrong = name_problem(name)
    if wrong is not None:
        return HermesHome(entries, sources, warnings=(f"its provider is left out: '{name}' {wrong}",))
    values = _table(memory.get(name))
    kept = {str(key): value for key, value in values.items() if _is_plain(value)}
    left = [str(key) for key in values if str(key) not in kept]
    warnings = (f"left out of the settings of {name}: {', '.join(left)}",) if left else ()
    return HermesHome(
        entries, sources, name, kept, _variables(directory, name), dict(_files(directory, name, config)), warnings
    )


def _variables(directory: Path, name: str) -> dict[str, str]:
    """The variables of the ``.env`` that are the provider's by their names."""
    from zeroclaw_cli.providers import env_file

    start = f"{name.upper().replace('-', '_')}_"
    found = env_file.read(directory)
    return {key: value for key, value in found.items() if key.startswith(start) and env_file.key_problem(key) is None}


def _files(directory: Path, name: str, config: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The provider's own files of settings, as such providers name them."""
    for path in (f"{name}.json", f"{name}/config.json"):
        file = directory / path
        if file.is_file() and file.stat().st_size <= _MOST_BYTES:
            yield path, file.read_bytes()
    section = _SECTIONS.get(name)
    values = _table(_table(config.get("plugins")).get(section)) if section else {}
    if values:
        import yaml

        yield _CONFIG, yaml.safe_dump({"plugins": {section: dict(values)}}).encode()


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, str | bool | int | float)
