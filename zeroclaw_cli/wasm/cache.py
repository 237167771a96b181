"""Compiled components between runs: a private folder of native code (specs/wasm-host.md §1, §6 P2).

Whoever can write a file here can run code as the user, so the folder must be ours alone and no link is followed. A
file is named by the digest of the component and by everything else that its code depends on, so a name that exists is
the right code or damaged; what the engine does not accept is compiled anew and replaced. Beside each ``.cwasm`` lies a
``.json`` with what was found out about the component's types, under a digest: facts decide whether a component is
refused, and a damaged file is compiled anew, never an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.wasm.engine import compilation_key

MAX_BYTES: Final = 1024 * 1024 * 1024
# What a process that was killed while it wrote has left.
_ABANDONED_AFTER_S: Final = 3_600
_CODE = ".cwasm"
_FACTS = ".json"


@dataclass
class ComponentCache:
    """The cache in ``directory`` (created, with mode 0700, by the first write). ``warnings`` says, once, why the
    folder is not used."""

    directory: Path
    max_bytes: int = MAX_BYTES
    warnings: list[str] = field(default_factory=list)
    _unusable: bool = False

    def find(self, digest: str) -> tuple[Path, Mapping[str, Any]] | None:
        """The compiled code of the component with this SHA-256 (hex), and the facts kept with it; None when there is
        none. The file is marked as used."""
        code, facts = self._paths(digest)
        if not self._usable(create=False):
            return None
        try:
            if not _is_private_file(os.lstat(code)):
                return None
            kept = _unsealed(digest, fsio.read_regular(facts))
        except OSError:
            return None
        with suppress(OSError):
            os.utime(code)
        return None if kept is None else (code, kept)

    def keep(self, digest: str, code: bytes | bytearray, facts: Mapping[str, Any]) -> Path | None:
        """Write a component's code and facts, replacing what was there, and remove the oldest files over the bound.

        Gives the path of the code; None when it cannot be kept, which is a warning at most.
        """
        if not self._usable(create=True):
            return None
        path, beside = self._paths(digest)
        try:
            for file in (path, beside):
                # An atomic write would go through a link to what it names.
                if file.is_symlink():
                    file.unlink()
            # The facts come first: code is found only with them.
            fsio.atomic_write(beside, _sealed(digest, facts), mode=0o600)
            fsio.atomic_write(path, bytes(code), mode=0o600)
            self._evict(path)
        except OSError as error:
            self._give_up(f"cannot be written ({error.strerror or error})")
            return None
        return path

    def drop(self, digest: str) -> None:
        """Remove what is kept for a component, because the engine does not accept it."""
        for path in self._paths(digest):
            with suppress(OSError):
                path.unlink()

    def problem(self) -> str | None:
        """Why the folder is not used; None when it is fine or not there yet."""
        self._usable(create=False)
        return self.warnings[-1] if self._unusable else None

    def _paths(self, digest: str) -> tuple[Path, Path]:
        rest = hashlib.sha256("\0".join(compilation_key()).encode()).hexdigest()[:16]
        name = f"{digest}-{rest}"
        return self.directory / (name + _CODE), self.directory / (name + _FACTS)

    def _usable(self, *, create: bool) -> bool:
        if self._unusable:
            return False
        try:
            if create:
                fsio.make_private_dir(self.directory)
            status = os.lstat(self.directory)
        except FileNotFoundError:
            return False
        except OSError as error:
            self._give_up(f"cannot be used ({error.strerror or error})")
            return False
        if not stat.S_ISDIR(status.st_mode):
            self._give_up("is not a separate folder")
        elif status.st_uid != os.geteuid():
            self._give_up("belongs to another user")
        elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self._give_up("can be written by other users")
        return not self._unusable

    def _give_up(self, reason: str) -> None:
        self._unusable = True
        self.warnings.append(
            f"the cache of compiled plugins {self.directory} {reason}, so every start compiles; "
            f"remove it or give it mode 0700"
        )

    def _evict(self, newest: Path) -> None:
        """Remove the code that was used longest ago until what is left fits; never ``newest``."""
        found = []
        total = 0
        long_ago = time.time() - _ABANDONED_AFTER_S
        with os.scandir(self.directory) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    # Another process has evicted it meanwhile.
                    continue
                if entry.name.endswith(".tmp") and status.st_mtime < long_ago:
                    with suppress(OSError):
                        Path(entry.path).unlink()
                    continue
                total += status.st_size
                if entry.name.endswith(_CODE) and entry.name != newest.name:
                    found.append((status.st_mtime_ns, status.st_size, Path(entry.path)))
        for _, size, path in sorted(found):
            if total <= self.max_bytes:
                return
            with suppress(OSError):
                path.unlink()
            with suppress(OSError):
                path.with_suffix(_FACTS).unlink()
            total -= size


def _sealed(digest: str, facts: Mapping[str, Any]) -> bytes:
    """The bytes of the file with ``facts`` on the component ``digest``."""
    return json.dumps({**facts, "seal": _seal(digest, facts)}).encode()


def _unsealed(digest: str, data: bytes) -> dict[str, Any] | None:
    """The facts in ``data``, which may be anything; None for what is not as :func:`_sealed` has made it."""
    try:
        facts = json.loads(data)
        if isinstance(facts, dict) and facts.pop("seal", None) == _seal(digest, facts):
            return facts
    except (ValueError, RecursionError):
        pass
    return None


def _seal(digest: str, facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{digest}\n{json.dumps(facts, sort_keys=True)}".encode()).hexdigest()


def _is_private_file(status: os.stat_result) -> bool:
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def default_directory() -> Path:
    """``zeroclaw/components`` in the user's cache folder."""
    # On Linux this is what platformdirs answers; importing it takes longer than opening a cached component.
    if sys.platform == "linux":
        chosen = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(chosen) if chosen.strip() and Path(chosen).is_absolute() else Path.home() / ".cache"
        return base / "zeroclaw" / "components"
    import platformdirs

    return platformdirs.user_cache_path("zeroclaw") / "components"
