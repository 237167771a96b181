"""``<data_dir>/memory/strategies/``: evidence, history, and the artefacts that were promoted.

::

    history.json             what was promoted, what is selected, the canary, what happened
    evidence/<digest>.json   which stages the artefact with that digest passed, and whether its code may run
    installed/<digest>/      its files, as they were promoted

Every file is replaced whole, a folder is published by rename, and whoever changes something holds the lock.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, KernelFailure, StrategiesDamaged, StrategyNotFound
from zeroclaw_cli.kernel.clock import stamp, utc_now
from zeroclaw_cli.kernel.strategies import strategies_path
from zeroclaw_cli.kernel.strategies.artefact import SIGNATURE, Artefact, read_artefact
from zeroclaw_cli.kernel.strategies.state import Evidence, History, Malformed, Stage, read_evidence, read_history
from zeroclaw_cli.os_errors import access_failure

_LOCK_TIMEOUT_S: Final = 30.0
_MOST_BYTES: Final = 64 * 1024 * 1024
# A changed config is tried out under the lock, and what it selects may be noted.
_held: Final[ContextVar[frozenset[Path]]] = ContextVar("zeroclaw_strategies", default=frozenset())


class StrategyStore:
    """What is kept below ``data_dir``. Reading creates nothing; ``now`` gives RFC 3339 times."""

    def __init__(self, data_dir: Path, *, now: Callable[[], str] = lambda: stamp(utc_now())) -> None:
        self.root: Final = strategies_path(data_dir)
        self.now: Final = now

    @property
    def history_file(self) -> Path:
        return self.root / "history.json"

    def evidence_file(self, digest: str) -> Path:
        return self.root / "evidence" / f"{digest}.json"

    def installed_folder(self, digest: str) -> Path:
        return self.root / "installed" / digest

    def history(self) -> History:
        """Raises StrategiesDamaged."""
        value = _read(self.history_file, "promote the strategy that you want again")
        if value is None:
            return History()
        try:
            return read_history(value)
        except Malformed as problem:
            raise _damaged(self.history_file, str(problem), "promote the strategy that you want again") from None

    def evidence(self, digest: str) -> Evidence:
        """What is known of the artefact with ``digest``, nothing at first. Raises StrategiesDamaged."""
        path = self.evidence_file(digest)
        remedy = "check, replay and shadow the strategy again"
        value = _read(path, remedy)
        if value is None:
            return Evidence(digest)
        try:
            return read_evidence(value, digest)
        except Malformed as problem:
            raise _damaged(path, str(problem), remedy) from None

    def installed(self, digest: str) -> Artefact:
        """The promoted artefact with ``digest``. Raises StrategiesDamaged when its files are not those."""
        folder = self.installed_folder(digest)
        remedy = "promote the strategy again, or `zeroclaw strategy rollback`"
        try:
            artefact = read_artefact(folder)
        except (StrategyNotFound, KernelFailure) as problem:
            raise StrategiesDamaged(f"an installed strategy is damaged: {problem.message}", hint=remedy) from None
        if artefact.digest != digest:
            raise StrategiesDamaged(
                f"{folder} differs from the promoted strategy: its digest is {artefact.digest}",
                hint=f"move it away (mv {quote(str(folder))} {quote(str(folder))}.damaged), then {remedy}",
            )
        return artefact

    def record(self, digest: str, name: str, *, ok: bool, detail: dict[str, int | str]) -> None:
        """Keep how the stage ``name`` ended. Raises StrategiesDamaged and Busy, as all that writes does."""
        with self.locked():
            found = self.evidence(digest)
            self._write_evidence(replace(found, stages={**found.stages, name: Stage(ok, self.now(), detail)}))

    def trust(self, digest: str) -> None:
        """Keep that the code of the artefact with ``digest`` may run."""
        with self.locked():
            self._write_evidence(replace(self.evidence(digest), trusted_at=self.now()))

    def change(
        self, edit: Callable[[History], History], then: Callable[[], object] | None = None
    ) -> tuple[History, History]:
        """Replace the history by what ``edit`` makes of it, under the lock; gives it as it was and as it is.

        Where nothing changed nothing is written. ``then`` runs before the lock is free; when it raises, the history is
        what it was.
        """
        with self.locked():
            before = self.history()
            after = edit(before)
            if after != before:
                _write(self.history_file, after.to_json())
            try:
                if then is not None:
                    then()
            except BaseException:
                if after != before:
                    _write(self.history_file, before.to_json())
                raise
            return before, after

    def install(self, artefact: Artefact) -> None:
        """Keep the files of ``artefact`` under its digest; a damaged copy is replaced."""
        with self.locked():
            folder = self.installed_folder(artefact.digest)
            if folder.exists():
                try:
                    self.installed(artefact.digest)
                    return
                except StrategiesDamaged:
                    fsio.remove_tree(folder)
            fsio.make_private_dir(folder.parent)
            self._sweep(folder.parent)
            files = dict(artefact.files)
            if artefact.signature is not None:
                files[SIGNATURE] = artefact.signature
            fsio.publish_dir(folder, files)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the store for the block; whoever holds it may enter again. Raises Busy."""
        held = _held.get()
        if self.root in held:
            yield
            return
        fsio.make_private_dir(self.root)
        try:
            with fsio.file_lock(self.root / ".lock", timeout_s=_LOCK_TIMEOUT_S):
                token = _held.set(held | {self.root})
                try:
                    yield
                finally:
                    _held.reset(token)
        except TimeoutError:
            raise Busy(
                f"another command has been changing {self.root} for {_LOCK_TIMEOUT_S:g} seconds",
                hint="try again when it has ended",
            ) from None

    def _sweep(self, folder: Path) -> None:
        # Under the lock: whatever is hidden was left by a command that was killed.
        for left in folder.glob(".*"):
            with suppress(OSError):
                fsio.remove_tree(left)

    def _write_evidence(self, evidence: Evidence) -> None:
        path = self.evidence_file(evidence.digest)
        fsio.make_private_dir(path.parent)
        _write(path, evidence.to_json())


def _write(path: Path, value: Any) -> None:
    fsio.atomic_write(path, json.dumps(value, indent=1, ensure_ascii=True).encode("ascii") + b"\n")


def _read(path: Path, remedy: str) -> Any:
    """The JSON in ``path``, None when there is no such file. Raises StrategiesDamaged."""
    try:
        status = path.lstat()
        data = fsio.read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise access_failure(error, path) or _damaged(path, error.strerror or str(error), remedy) from None
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _damaged(path, "it may be written by other users", remedy)
    if len(data) > _MOST_BYTES:
        raise _damaged(path, "it is larger than anything that this program wrote", remedy)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if value is None:
        raise _damaged(path, "it is not JSON of this program", remedy)
    return value


def _damaged(path: Path, problem: str, remedy: str) -> StrategiesDamaged:
    where = quote(str(path))
    return StrategiesDamaged(
        f"{path} is damaged: {problem}", hint=f"move it away (mv {where} {where}.damaged), then {remedy}"
    )
