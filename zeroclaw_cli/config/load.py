"""Reading the config for one run (specs/zeroclaw.md §5). Nothing is created or written."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from zeroclaw_cli.config.build import Malformed, Reading, read_sections, settle, typed
from zeroclaw_cli.config.env import apply_overrides
from zeroclaw_cli.config.locations import locate, require_folders
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.config.schema import SCHEMA_VERSION
from zeroclaw_cli.config.unknown import unknown_keys
from zeroclaw_cli.errors import ConfigDamaged


def load(option: str | None, env: Mapping[str, str]) -> Config:
    """The config of this run: the file that ``option`` (``--config-dir``) and ``env`` choose, with the overrides in it.

    Without a file every field has its default. Raises ConfigDamaged when the file is not TOML or something else stands
    in a folder's place, UnknownOverride or another ConfigError for an override that cannot be applied, and OSError when
    the file cannot be read.
    """
    location, warnings = locate(option, env)
    require_folders(location)
    text = read_text(location.config_file)
    data = parse_text(location.config_file, text)
    reading = read_sections(data)
    overridden, ignored = apply_overrides(reading.values, env)
    _override_topology(reading, overridden)
    problems = reading.problems + settle(reading.values)
    config, path_warnings = typed(location, reading, env)
    lines = [*warnings, *_version_warnings(location.config_file, data)]
    malformed = {}
    for section, found in reading.malformed.items():
        malformed[section] = describe_malformed(location.config_file, text, found)
        lines.append(f"{malformed[section]}; {_ignored(section)}; {remedy(found)}")
    lines += [f"{location.config_file}: {problem.message}; {problem.hint}" for problem in problems]
    plugins = replace(config.plugins, malformed=malformed.get("plugins"))
    memory = replace(config.memory, malformed=malformed.get("memory"))
    return replace(
        config,
        plugins=plugins,
        memory=memory,
        warnings=(*lines, *path_warnings),
        ignored_overrides=ignored,
        overridden=overridden,
        malformed=malformed,
        unknown=tuple(unknown_keys(reading.unknown, reading.slips)),
    )


def _ignored(section: str) -> str:
    if section == "plugins":
        return "the section [plugins] is ignored in this run, but for its security, which is strict where it is unclear"
    return f"the section [{section}] is ignored in this run"


def read_text(file: Path) -> str:
    """The text of the config file, line ends and a BOM as they are; empty when there is no file.

    Raises ConfigDamaged when it is not a file of UTF-8 text, OSError when it cannot be read.
    """
    try:
        mode = file.stat().st_mode
        # A pipe would be waited for, and a device that a link points to would be replaced by the next change.
        if not stat.S_ISREG(mode):
            what = "a directory" if stat.S_ISDIR(mode) else "a pipe, socket or device"
            raise ConfigDamaged(f"{file} is {what}", hint="move it away; config.toml is a file")
        return file.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if file.is_symlink():
            # What the file says may be stricter than the defaults.
            raise ConfigDamaged(
                f"{file} is a link to {file.readlink()}, which is not there",
                hint="bring the target back, or remove the link to start with the defaults",
            ) from None
        return ""
    except UnicodeDecodeError as error:
        raise ConfigDamaged(
            f"{file} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}",
            hint="save it as UTF-8, or move it away and start anew with `zeroclaw config init`",
        ) from None


def parse_text(file: Path, text: str) -> dict[str, Any]:
    """``text`` of ``file`` as nested dicts. Raises ConfigDamaged with the line."""
    import tomli

    from zeroclaw_cli.config.toml_read import BOM, load_toml

    hint = "correct it with `zeroclaw config edit`, or move the file away"
    try:
        return load_toml(text.removeprefix(BOM))
    except tomli.TOMLDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ConfigDamaged(f"{file}: {where}: {_lower(error.msg)}", hint=hint) from None
    except ValueError as error:
        raise ConfigDamaged(f"{file}: {error}", hint=hint) from None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def describe_malformed(file: Path, text: str, found: Malformed) -> str:
    """``found`` with the file and line where it stands."""
    from zeroclaw_cli.config.toml_read import BOM
    from zeroclaw_cli.config.toml_statements import line_of

    line = line_of(text.removeprefix(BOM), found.address)
    return f"{file}: line {line}: {found.message}" if line else f"{file}: {found.message}"


def remedy(found: Malformed) -> str:
    """What to do about a malformed section."""
    if found.address[:2] == ("plugins", "entries"):
        return "`zeroclaw config migrate` converts what it can, `zeroclaw config edit` opens the file"
    return "correct it with `zeroclaw config edit`"


def _version_warnings(file: Path, data: Mapping[str, Any]) -> list[str]:
    version = data.get("schema_version", SCHEMA_VERSION)
    if isinstance(version, bool) or not isinstance(version, int):
        return [f"{file}: schema_version must be an integer; it is read as {SCHEMA_VERSION}"]
    if version > SCHEMA_VERSION:
        return [
            f"{file} has schema_version {version}, newer than {SCHEMA_VERSION}: what this program knows of it is used,"
            " and it is not changed; a newer zeroclaw knows all of it"
        ]
    return []


def _override_topology(reading: Reading, overridden: Mapping[tuple[str, ...], str]) -> None:
    for path in overridden:
        if path[:2] == ("memory", "topology"):
            from copy import deepcopy

            from zeroclaw_cli.config.tree_path import put

            reading.topology = deepcopy(reading.topology)
            put(reading.topology, path[2:], reading.values[path])
