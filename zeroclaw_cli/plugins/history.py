"""The highest version that was ever installed of each package, by publisher (design.md, Where things are on disk).

``<data_dir>/plugins/history.toml`` outlives the package, so that a source cannot pass an old version off as an update
after the package was removed and installed again. What the operator does explicitly (``install --replace``, ``update
--allow-downgrade``, ``rollback``) may lower it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import HistoryDamaged, explain
from zeroclaw_cli.os_errors import access_failure
from zeroclaw_cli.plugins import owner, versions
from zeroclaw_cli.plugins.model import Manifest

_VERSION: Final = 1
_KEYS: Final = ("name", "publisher", "highest")


def path_of(config: Config) -> Path:
    """Where the history of this location is."""
    return config.location.data_dir / "plugins" / "history.toml"


def highest(config: Config, manifest: Manifest) -> str | None:
    """The highest version that the publisher of ``manifest`` had installed here under its name, None when there was
    none. Raises HistoryDamaged."""
    return _read(path_of(config)).get((manifest.name, owner.publisher(manifest)))


def check(config: Config) -> None:
    """Raise HistoryDamaged unless the history can be read, or is not there."""
    _read(path_of(config))


def note(config: Config, manifest: Manifest, *, lower: bool) -> str | None:
    """Record that the package of ``manifest`` was installed: as the highest, if it is the highest or ``lower`` says so.

    The caller holds the plugins folder. A failure is returned as a warning: the package is installed.
    """
    path = path_of(config)
    try:
        known = _read(path)
        key = (manifest.name, owner.publisher(manifest))
        before = known.get(key)
        if before == manifest.version:
            return None
        if before is not None and not lower and (versions.compare(manifest.version, before) or 0) < 0:
            return None
        fsio.make_private_dir(path.parent)
        fsio.atomic_write(path, _render(known | {key: manifest.version}).encode("utf-8"))
    except (HistoryDamaged, OSError) as error:
        return f"the version of {manifest.name} was not recorded: {explain(error)}"
    return None


def _render(known: dict[tuple[str, str], str]) -> str:
    from zeroclaw_cli.config.toml_text import own_file

    packages = [dict(zip(_KEYS, (*key, version), strict=True)) for key, version in sorted(known.items())]
    comment = "The highest version that was installed of each package, by its publisher."
    return own_file(comment, {"version": _VERSION, "package": packages})


def _read(path: Path) -> dict[tuple[str, str], str]:
    try:
        raw = fsio.read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise access_failure(error, path) or _damaged(path, error.strerror or str(error)) from None
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(raw.decode("utf-8"))
    except ValueError as error:
        raise _damaged(path, str(error)) from None
    version, tables = document.get("version"), document.get("package", [])
    if type(version) is not int or version != _VERSION:
        raise _damaged(path, f"version is {version!r}, and this program reads {_VERSION}")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _damaged(path, "package is not an array of tables")
    found: dict[tuple[str, str], str] = {}
    for number, table in enumerate(tables, start=1):
        values = [table.get(key) for key in _KEYS]
        if not all(isinstance(value, str) for value in values):
            raise _damaged(path, f"a key of [[package]] {number} is missing or no string")
        name, publisher, highest_version = map(str, values)
        found[name, publisher] = highest_version
    return found


def _damaged(path: Path, problem: str) -> HistoryDamaged:
    import shlex

    quoted = shlex.quote(str(path))
    return HistoryDamaged(
        f"{path} is damaged: {' '.join(problem.split())}",
        hint=f"move it away (mv {quoted} {quoted}.damaged); the next install writes a new one",
    )
