"""A process that stores entries until it is killed; says on stdout what was acknowledged.

Arguments: home, guest, prefix of the keys, how many, and where to die: ``never``, or before or after a step. With the
prefix ``compact`` it compacts the journal, dying at that step, and says ``compacted``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.wasm.helpers import opened
from zeroclaw_cli.wasm import journal_file
from zeroclaw_cli.wasm.instance import Instance
from zeroclaw_cli.wasm.journal import Writer
from zeroclaw_cli.wasm.memory import WasmMemory


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(method: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if before:
            die()
        method(*arguments, **named)
        die()

    return call


def compact(memory: WasmMemory, death: str) -> None:
    match death:
        case "before-rewriting":
            Writer.restart = dying(Writer.restart, before=True)  # type: ignore[method-assign]
        case "after-deleting":
            Writer.restart = dying(Writer.restart, before=False)  # type: ignore[method-assign]
        case "after-adding":
            Writer.add = dying(Writer.add, before=False)  # type: ignore[method-assign]
        case "before-commit":
            Writer.note_replay = dying(Writer.note_replay, before=False)  # type: ignore[method-assign]
        case "before-shrinking":
            journal_file.shrink = dying(journal_file.shrink, before=True)
        case "after-shrinking":
            journal_file.shrink = dying(journal_file.shrink, before=False)
    memory.compact()
    print("compacted", flush=True)


def main(home: str, guest: str, prefix: str, count: str, death: str) -> None:
    if prefix == "compact":
        with opened(guest, Path(home)) as memory:
            compact(memory, death)
        return
    with opened(guest, Path(home)) as memory:
        for number in range(int(count)):
            if number == int(count) - 1:
                match death:
                    case "before-call":
                        Instance.call = dying(Instance.call, before=True)  # type: ignore[method-assign]
                    case "after-call":
                        Instance.call = dying(Instance.call, before=False)  # type: ignore[method-assign]
                    case "after-append":
                        Writer.append = dying(Writer.append, before=False)  # type: ignore[method-assign]
            memory.store_with_agent(f"{prefix}{number}", "text", "core", None, None, None, None)
            print(f"{prefix}{number}", flush=True)
        if death == "after-commit":
            die()


if __name__ == "__main__":
    main(*sys.argv[1:])
