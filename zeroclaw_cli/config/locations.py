"""Where the config and the data are (specs/zeroclaw.md §5.1)."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.permissions import is_agent, needs_approval
from zeroclaw_cli.errors import ConfigDamaged, UsageError

_HOMEBREW = ("/opt/homebrew", "/usr/local", "/home/linuxbrew/.linuxbrew")


def locate(option: str | None, env: Mapping[str, str]) -> tuple[Location, tuple[str, ...]]:
    """The location that ``option`` (the value of ``--config-dir``) and ``env`` choose, and warnings for stderr.

    Nothing is created. Raises UsageError for an empty option, and Refused when an agent asks for the data of one
    configuration under another.
    """
    found = _located(option, env)
    if is_agent(env):
        _require_own_data(found[0])
    return found


def _require_own_data(location: Location) -> None:
    """Raise Refused when the data belongs to another configuration than that of ``location``: what that one keeps from
    agents would be within reach under a configuration of their own."""
    own = _real(location.config_file)
    data = location.data_dir
    # A part of it may be a link into the data of another.
    parts = (
        _real(data),
        _real(data / "memory").parent,
        _real(data / "memory" / "native.db").parent.parent,
        _real(data / "plugins").parent,
    )
    for part in dict.fromkeys(parts):
        folders = (part, part.parent, part.parent / ".zeroclaw")
        owners = [folder / "config.toml" for folder in folders if (folder / "config.toml").is_file()]
        if owners and own not in map(_real, owners):
            raise needs_approval(
                f"using {data} with {location.config_file} instead of {owners[0]}",
                besides=f"{location.source} chose it",
            )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _located(option: str | None, env: Mapping[str, str]) -> tuple[Location, tuple[str, ...]]:
    if option is not None:
        if not option.strip():
            raise UsageError("--config-dir is empty", hint="name a directory: `zeroclaw --config-dir DIR …`")
        return _below(option.strip(), env, "--config-dir")
    named = [
        (name, text)
        for name in ("ZEROCLAW_CONFIG_DIR", "ZEROCLAW_DATA_DIR", "ZEROCLAW_WORKSPACE")
        if (text := env.get(name, "").strip())
    ]
    if not named:
        return _unnamed(env)
    name, text = named[0]
    location, warnings = _below(text, env, name) if name == "ZEROCLAW_CONFIG_DIR" else _around_data(text, env, name)
    if len(named) > 1:
        others = " and ".join(other for other, _ in named[1:])
        warnings += (f"{name} wins over {others}; unset {others}",)
    if name == "ZEROCLAW_WORKSPACE":
        warnings += ("ZEROCLAW_WORKSPACE is deprecated; set ZEROCLAW_DATA_DIR or ZEROCLAW_CONFIG_DIR instead",)
    return location, warnings


def require_folders(location: Location) -> None:
    """Raise ConfigDamaged when something else stands where the config or the data is to be: it would read as empty."""
    data = location.data_dir
    for folder in (location.config_dir, data, data / "memory", data / "plugins"):
        try:
            if stat.S_ISDIR(folder.stat().st_mode):
                continue
            problem = "is not a folder"
        except FileNotFoundError:
            if not folder.is_symlink():
                continue
            problem = f"is a link to {folder.readlink()}, which is not there"
        except NotADirectoryError:
            problem = "lies below a file"
        except OSError:
            # Whoever reads it says why that fails.
            continue
        raise ConfigDamaged(f"{folder} {problem}", hint="move it away, bring back the folder, or pass --config-dir DIR")


def expand_user(text: str, env: Mapping[str, str]) -> str:
    """``text`` with a leading ``~`` or ``~/`` replaced by the home; ``~user`` stays as it is.

    The home is ``HOME``, else that of the account database. When neither knows it, ``text`` is returned unchanged.
    """
    if text != "~" and not text.startswith("~/"):
        return text
    home = env.get("HOME") or account_home()
    return text if home is None else home.rstrip("/") + text[1:] or "/"


def account_home() -> str | None:
    """The home of the user who runs this process as the account database has it, whatever ``HOME`` says."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir or None
    except KeyError:
        return None


def is_unexpanded(text: str) -> bool:
    """Whether ``text``, which came from :func:`expand_user`, still begins with a ``~`` that it could not replace."""
    return text == "~" or text.startswith("~/")


def _unnamed(env: Mapping[str, str]) -> tuple[Location, tuple[str, ...]]:
    if sys.platform == "darwin":
        for prefix in (env.get("HOMEBREW_PREFIX", ""), *_HOMEBREW):
            directory = Path(prefix) / "var" / "zeroclaw"
            if prefix and directory.is_dir():
                return Location(directory, directory / "data", "Homebrew"), ()
    vibeos = env.get("VIBEOS_HOME", "").strip()
    if vibeos:
        return _below(vibeos, env, "VIBEOS_HOME")
    return _below("~/.zeroclaw", env, "default")


def _below(text: str, env: Mapping[str, str], source: str) -> tuple[Location, tuple[str, ...]]:
    directory, warnings = _absolute(text, env)
    return Location(directory, directory / "data", source), warnings


def _around_data(text: str, env: Mapping[str, str], source: str) -> tuple[Location, tuple[str, ...]]:
    """The location that a data directory belongs to."""
    data, warnings = _absolute(text, env)
    beside = data.parent / ".zeroclaw"
    if not (data / "config.toml").is_file() and (
        (beside / "config.toml").is_file() or data.name in ("data", "workspace")
    ):
        return Location(beside, data, source), warnings
    return Location(data, data / "data", source), warnings


def _absolute(text: str, env: Mapping[str, str]) -> tuple[Path, tuple[str, ...]]:
    expanded = expand_user(text, env)
    if is_unexpanded(expanded):
        return Path(expanded).absolute(), (f"the home directory is unknown, so {text} is taken literally; set HOME",)
    return Path(expanded).absolute(), ()
