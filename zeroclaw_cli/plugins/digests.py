"""SHA-256 of a package's payloads: read afresh, or from a cache that only showing commands may trust.

Whatever installs, loads, tests or verifies a package hashes the very bytes that it uses (:class:`FreshDigests`).
``plugin list`` and ``plugin info`` may take a digest from ``<data_dir>/plugins/digests.json`` as long as the file's
device, inode, size and times are those that were recorded (:class:`CachedDigests`); what they show may so be wrong for
a file that was changed without any of these changing, and what is loaded never is. The same file keeps the verdict of
the config contract per manifest, because the schema library is slow to import. design.md, Where things are on disk.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from zeroclaw_cli import __version__, fsio
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.errors import InvalidConfigSchema
from zeroclaw_cli.plugins import payload, skills
from zeroclaw_cli.plugins.model import Manifest, Permission

# The rules of the config contract that a cached verdict was given under; raise the number when they change.
_CONTRACT_RULES: Final = f"{__version__}/1"
_VERSION: Final = 1
_MOST_VERDICTS: Final = 2000


class Digester(Protocol):
    """How an inspection learns the digests of a package and the verdict on its config contract."""

    def component(self, directory: Path, wasm_path: str) -> str:
        """SHA-256 of the component of the package in ``directory``."""
        ...

    def skills(self, directory: Path) -> str:
        """The digest of its skill bundle, as ``skills_sha256`` holds it."""
        ...

    def contract(self, manifest: Manifest) -> tuple[str, ...]:
        """The hints of ``check_config_contract``, or what it raises."""
        ...


class SkillFile(NamedTuple):
    """A file of a skill bundle: ``path`` relative to ``skills/``, ``/``-separated; skills may bring scripts to run."""

    path: str
    content: bytes
    executable: bool


class FreshDigests:
    """Reads every payload. With ``keep`` the bytes stay at hand, by package directory, so that the bytes whose digest
    was taken are the bytes that are used."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self.components: dict[Path, bytes] = {}
        self.skill_files: dict[Path, list[SkillFile]] = {}

    def component(self, directory: Path, wasm_path: str) -> str:
        content = payload.read_file(directory, wasm_path)
        if self._keep:
            self.components[directory] = content
        return skills.sha256_hex(content)

    def skills(self, directory: Path) -> str:
        root = directory / payload.SKILLS
        files = [
            SkillFile(relative, payload.read_file(root, relative), os.access(path, os.X_OK))
            for relative, path in skills.skill_files(directory)
        ]
        if self._keep:
            self.skill_files[directory] = files
        return skills.digest_of_files((file.path, file.content) for file in files)

    def contract(self, manifest: Manifest) -> tuple[str, ...]:
        if manifest.config_schema is None and not manifest.granted(Permission.CONFIG_READ):
            return ()
        from zeroclaw_cli.plugins.config_schema import check_config_contract

        return check_config_contract(manifest)


class CachedDigests:
    """Answers from the cache file and falls back to reading; :meth:`save` keeps what was learnt."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files, self._verdicts = _read(path)
        self._changed = False

    def component(self, directory: Path, wasm_path: str) -> str:
        path = directory / wasm_path
        key, stamp = str(path), _stamp(path)
        known = self._known(key, stamp)
        return known or self._learn(key, stamp, FreshDigests().component(directory, wasm_path))

    def skills(self, directory: Path) -> str:
        key = str(directory / payload.SKILLS)
        stamp: list[Any] = [[relative, *_stamp(path)] for relative, path in skills.skill_files(directory)]
        return self._known(key, stamp) or self._learn(key, stamp, FreshDigests().skills(directory))

    def contract(self, manifest: Manifest) -> tuple[str, ...]:
        if manifest.config_schema is None:
            return FreshDigests().contract(manifest)
        key = skills.sha256_hex(manifest.raw)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = _judge(manifest)
            self._verdicts[key] = verdict
            self._changed = True
        if verdict["error"] is not None:
            raise InvalidConfigSchema(verdict["error"], hint=verdict["hint"])
        return tuple(verdict["hints"])

    def save(self, *, create: bool) -> None:
        """Write what was learnt, if anything. A cache that cannot be written is no error; without ``create`` nothing
        comes into being that was not there."""
        if not self._changed or not (create or self._path.exists()):
            return
        kept = {key: value for key, value in self._files.items() if os.path.lexists(key)}
        verdicts = dict(list(self._verdicts.items())[-_MOST_VERDICTS:])
        import json

        body = {"version": _VERSION, "rules": _CONTRACT_RULES, "files": kept, "contracts": verdicts}
        with suppress(OSError):
            # Writing through a link would replace a file that is not ours.
            if self._path.is_symlink():
                self._path.unlink()
            fsio.make_private_dir(self._path.parent)
            fsio.atomic_write(self._path, json.dumps(body).encode("ascii"))
        self._changed = False

    def _known(self, key: str, stamp: list[Any]) -> str | None:
        found = self._files.get(key)
        return found["sha256"] if found is not None and found["stamp"] == stamp else None

    def _learn(self, key: str, stamp: list[Any], digest: str) -> str:
        self._files[key] = {"stamp": stamp, "sha256": digest}
        self._changed = True
        return digest


def cached(location: Location) -> CachedDigests:
    """The cache of this location; a missing or unreadable file is an empty one."""
    return CachedDigests(location.data_dir / "plugins" / "digests.json")


def _stamp(path: Path) -> list[Any]:
    try:
        found = path.lstat()
    except OSError as error:
        raise payload.unreadable(path, error) from None
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _judge(manifest: Manifest) -> dict[str, Any]:
    try:
        hints = FreshDigests().contract(manifest)
    except InvalidConfigSchema as error:
        return {"error": error.message, "hint": error.hint, "hints": []}
    return {"error": None, "hint": None, "hints": list(hints)}


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Files and verdicts of the cache; anything that is not of the expected form counts as absent."""
    import json

    try:
        body = json.loads(fsio.read_regular(path))
    except (OSError, ValueError, RecursionError):
        return {}, {}
    if not isinstance(body, dict) or body.get("version") != _VERSION:
        return {}, {}
    files = _tables(body.get("files"), {"stamp": list, "sha256": str})
    verdicts = _tables(body.get("contracts"), {"error": str | None, "hint": str | None, "hints": list})
    return files, verdicts if body.get("rules") == _CONTRACT_RULES else {}


def _tables(value: Any, fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict):
        return {}
    return {
        key: table
        for key, table in value.items()
        if isinstance(table, dict) and all(isinstance(table.get(name), kind) for name, kind in fields.items())
    }
