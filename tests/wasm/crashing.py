"""A process that stores entries until it is killed; says on stdout what was acknowledged.

Arguments: home, guest, prefix of the keys, how many, and where to die: ``never``, or before or after a step.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.wasm.helpers import opened
from zeroclaw_cli.wasm.instance import Instance
from zeroclaw_cli.wasm.journal import Writer


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(method: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if before:
            die()
        method(*arguments, **named)
        die()

    return call


def main(home: str, guest: str, prefix: str, count: str, death: str) -> None:
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
