"""Kills the program, as far as it can tell, at a chosen step of its changes to the file system.

Every call that changes a file system is counted. At the chosen one, before or after it took effect, the process "dies":
that call and each later one raises :class:`Killed`, so that no clean-up of the program can take effect either, which is
what a process that is gone leaves behind. Locks are released, as the system would.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.support.packages import config_in
from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config

_MOST_STEPS = 200
_CALLS = ("rename", "replace", "mkdir", "unlink", "rmdir", "fsync", "chmod", "fchmod")


class Killed(BaseException):
    """The process is dead."""


@contextmanager
def killed_at(step: int, *, after: bool = False, can_exchange: bool = True) -> Iterator[list[str]]:
    """Die at the change number ``step`` (from 0), before or ``after`` it took effect; yields the changes that were
    begun. With ``can_exchange`` false the file system cannot swap two names."""
    begun: list[str] = []
    dead = False

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal dead
            if dead:
                raise Killed
            begun.append(name)
            if len(begun) - 1 == step:
                dead = True
                if after:
                    real(*arguments, **options)
                raise Killed
            return real(*arguments, **options)

        return call

    def opened(real: Callable[..., Any]) -> Callable[..., Any]:
        creating = counted("create", real)

        def call(path: Any, flags: int, *arguments: Any, **options: Any) -> Any:
            # The lock files exist for the whole of a history and holding them changes nothing.
            plain = not flags & os.O_CREAT or str(path).endswith(".lock")
            return (real if plain else creating)(path, flags, *arguments, **options)

        return call

    exchange = fsio.exchange if can_exchange else _never
    # A process that dies loses nothing that it wrote, synced or not, and syncing is slow.
    real = {name: getattr(os, name) for name in _CALLS} | {"fsync": _nothing}
    patches = [patch.object(os, name, counted(name, call)) for name, call in real.items()]
    patches += [
        patch.object(os, "open", opened(os.open)),
        patch.object(fsio, "exchange", counted("exchange", exchange)),
    ]
    for each in patches:
        each.start()
    try:
        yield begun
    except Killed:
        pass
    finally:
        for each in reversed(patches):
            each.stop()


def _nothing(*_: Any) -> None:
    return None


def _never(*_: Any) -> bool:
    return False


def each_step(
    tmp_path: Path,
    prepare: Callable[[Config], None],
    act: Callable[[Config], object],
    judge: Callable[[Config], None],
    *,
    can_exchange: bool = True,
) -> set[str]:
    """Run ``act`` in a fresh copy of the prepared home for each step and die there, before it and after it took effect;
    ``judge`` looks at what is left. Returns the kinds of step that were met."""
    template = tmp_path / "template"
    prepare(config_in(template))
    kinds: set[str] = set()
    for after in (False, True):
        for step in range(_MOST_STEPS):
            home = tmp_path / f"home-{step}-{after}"
            if template.exists():
                shutil.copytree(template, home, symlinks=True)
            config = config_in(home)
            with killed_at(step, after=after, can_exchange=can_exchange) as begun:
                act(config)
            kinds.update(begun)
            judge(config)
            if len(begun) <= step:
                break
            shutil.rmtree(home)
        else:
            raise AssertionError("the change never ended")
    return kinds
