"""A ``strategy.py`` in a process of its own (specs/memory-kernel.md §15).

The process gets no environment, no files and JSON alone. It has a limit of time for each proposal and of bytes for
each answer, and its process group is killed when it breaks one, when it crashes, and at the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.components import StrategyContext, StrategyDescriptor
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.limits import PROPOSAL_S
from zeroclaw_cli.kernel.operations import Proposal, Request

if TYPE_CHECKING:
    import subprocess

START_S: Final = 5.0
"""Seconds until the interpreter runs and the module is loaded."""

MOST_TIMEOUTS: Final = 3
"""Proposals that may be late before a strategy is given up in this process."""

MAX_ANSWER: Final = 1024 * 1024
_MEMORY: Final = 1024 * 1024 * 1024
# The process ends itself this much later, should nobody be there to end it.
_GRACE_S: Final = 3.0
_WORKER: Final = Path(__file__).with_name("worker.py")
# Where a Python finds its own shared library; nothing else of the environment is handed on.
_LIBRARY_PATHS: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class StrategyProcess:
    """Runs the source of a strategy. Started at the first proposal, again after a failure; thread-safe."""

    def __init__(
        self,
        source: str,
        *,
        proposal_s: float = PROPOSAL_S,
        start_s: float = START_S,
        max_answer: int = MAX_ANSWER,
    ) -> None:
        self._source = source
        self._proposal_s = proposal_s
        self._start_s = start_s
        self._max_answer = max_answer
        self._lock = Lock()
        self._running: _Running | None = None

    def propose(self, request: str, context: str) -> Any:
        """What ``propose`` answered for the JSON texts of a request and a context.

        Raises KernelFailure ``strategy-error`` or, when it took longer than its limit, ``strategy-timeout``.
        """
        with self._lock:
            try:
                if self._running is None:
                    self._running = self._started()
                order = f'"request":{request},"context":{context}'
                answer = self._running.exchange(order, self._proposal_s, "a proposal")
            except BaseException:
                self._end()
                raise
        if "proposal" not in answer:
            raise KernelFailure("strategy-error", _said(answer), details={"reason": _said(answer)})
        return answer["proposal"]

    def close(self) -> None:
        """End the process; a later proposal starts another."""
        with self._lock:
            self._end()

    def _started(self) -> _Running:
        running = _Running(self._max_answer)
        try:
            start = {
                "source": self._source,
                "memoryBytes": _MEMORY,
                "startSeconds": self._start_s + _GRACE_S,
                "proposalSeconds": self._proposal_s + _GRACE_S,
            }
            answer = running.exchange(f'"start":{json.dumps(start)}', self._start_s, "its start")
            if "ready" not in answer:
                raise KernelFailure("strategy-error", f"strategy.py does not load: {_said(answer)}")
        except BaseException:
            running.end()
            raise
        return running

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end()


class _Running:
    """One process and its two pipes."""

    def __init__(self, max_answer: int) -> None:
        import subprocess

        self._max_answer = max_answer
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_WORKER)],
            env={name: os.environ[name] for name in _LIBRARY_PATHS if name in os.environ},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        self.end: Callable[[], Any] = weakref.finalize(self, _kill, self._process)
        self._left = b""
        self._number = 0
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)

    def exchange(self, order: str, within_s: float, what: str) -> dict[str, Any]:
        """Send ``order`` (the members of a JSON object) and read one line of JSON, both within ``within_s`` seconds."""
        import selectors

        ends = time.monotonic() + within_s
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._number += 1
        to_send = memoryview(f'{{"number":{self._number},{order}}}\n'.encode())
        got = bytearray(self._left)
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stdin, selectors.EVENT_WRITE)
            while b"\n" not in got:
                left = ends - time.monotonic()
                ready = selector.select(max(left, 0)) if left > 0 else []
                if not ready:
                    raise KernelFailure(
                        "strategy-timeout",
                        f"strategy.py took more than {within_s:g} seconds for {what}, and was ended",
                        details={"limitSeconds": within_s},
                    )
                for key, _ in ready:
                    if key.fileobj is stdin:
                        to_send = _send(stdin.fileno(), to_send)
                        if not to_send:
                            selector.unregister(stdin)
                    else:
                        self._receive(stdout.fileno(), got)
        answer, _, self._left = bytes(got).partition(b"\n")
        found = _parsed(answer)
        if found.get("number") != self._number:
            raise KernelFailure("strategy-error", "strategy.py sent an answer to a question that was not asked")
        return found

    def _receive(self, descriptor: int, got: bytearray) -> None:
        data = os.read(descriptor, 65_536)
        if not data:
            raise KernelFailure("strategy-error", "strategy.py ended its process")
        got += data
        if len(got) > self._max_answer:
            raise KernelFailure("strategy-error", f"strategy.py answered with more than {self._max_answer} bytes")


def _send(descriptor: int, data: memoryview) -> memoryview:
    try:
        return data[os.write(descriptor, data[:65_536]) :]
    except BrokenPipeError:
        # What it said before it ended is read next.
        return memoryview(b"")


def _kill(process: subprocess.Popen[bytes]) -> None:
    # Before it is waited for: as long as it is not, its id is nobody else's.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise KernelFailure("strategy-error", "strategy.py answered with something that is not a JSON object")
    return answer


def _said(answer: dict[str, Any]) -> str:
    return printable(str(answer.get("error", "it answered with neither a proposal nor an error")), 500)


class PythonStrategy:
    """A ``strategy.py`` as a strategy of the kernel. ``close`` ends its processes.

    With ``processes`` above 1 the calls go round: one that depends on the order of a set, or on what it kept from the
    call before, then answers differently to the same request. After ``most_timeouts`` it is not asked again.
    """

    def __init__(
        self,
        descriptor: StrategyDescriptor,
        source: str,
        *,
        processes: int = 1,
        proposal_s: float = PROPOSAL_S,
        start_s: float = START_S,
        most_timeouts: int = MOST_TIMEOUTS,
    ) -> None:
        self.descriptor = descriptor
        self._timeouts_left = most_timeouts
        self._processes = [StrategyProcess(source, proposal_s=proposal_s, start_s=start_s) for _ in range(processes)]
        self._calls = 0
        self._context: tuple[StrategyContext, str] | None = None

    def propose(self, request: Request, context: StrategyContext) -> Proposal:
        """Raises KernelFailure ``strategy-error`` or ``strategy-timeout``."""
        if self._timeouts_left <= 0:
            raise KernelFailure("strategy-timeout", "strategy.py was too slow before, and is not asked again")
        process = self._processes[self._calls % len(self._processes)]
        self._calls += 1
        try:
            answer = process.propose(_text(request.to_json()), self._context_text(context))
        except KernelFailure as failure:
            self._timeouts_left -= failure.code == "strategy-timeout"
            raise
        if isinstance(answer, dict):
            # Who it is need not be said again; who says it must say it right.
            answer.setdefault("strategyId", self.descriptor.id)
            answer.setdefault("strategyVersion", self.descriptor.version)
        return parsing.proposal(answer)

    def close(self) -> None:
        for process in self._processes:
            process.close()

    def _context_text(self, context: StrategyContext) -> str:
        kept = self._context
        if kept is None or kept[0] is not context:
            self._context = kept = (context, _text(context.to_json()))
        return kept[1]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
