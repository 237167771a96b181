"""The process that a ``strategy.py`` runs in. A script of its own: it imports nothing of this program.

It reads one line of JSON with the source and the limits, says that it is ready, then answers one line per request.
What it takes away from the strategy is meant to contain accidents; it is not a sandbox.
"""

from __future__ import annotations

import builtins
import json
import os
import signal
import sys
import warnings
from typing import IO, Any, Final

_RIGHTS: Final = (
    "os.",
    "subprocess.",
    "socket.",
    "pty.",
    "ctypes.",
    "fcntl.",
    "mmap.",
    "resource.",
    "signal.",
    "shutil.",
    "tempfile.",
    "glob.",
    "syslog.",
    "sqlite3.",
    "urllib.",
    "http.",
    "ftplib.",
    "smtplib.",
    "imaplib.",
    "poplib.",
    "nntplib.",
    "telnetlib.",
    "webbrowser.",
    "cpython.run_",
    "sys.addaudithook",
    "sys.settrace",
    "sys.setprofile",
    "sys.monitoring.",
    "sys.remote_exec",
    "_thread.start_",
)
_MODULES: Final = frozenset(
    {"_posixsubprocess", "_ctypes", "_socket", "_multiprocessing", "_interpreters", "_xxsubinterpreters"}
)
_LOOKS: Final = frozenset({"os.listdir", "os.scandir"})


class _Frozen(dict[str, Any]):
    """A mapping that refuses to change, as the kernel's own does."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("what a strategy is given is frozen; change a copy of it")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


def _frozen(value: Any) -> Any:
    if type(value) is dict:
        return _Frozen({key: _frozen(item) for key, item in value.items()})
    if type(value) is list:
        return tuple(_frozen(item) for item in value)
    return value


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:
        return
    for name, most in (
        ("RLIMIT_AS", memory),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_NOFILE", 64),
    ):
        number = getattr(resource, name, None)
        if number is not None:
            try:
                resource.setrlimit(number, (most, most))
            except (OSError, ValueError):
                # Not every system knows every limit.
                continue


def _forbid() -> None:
    library = os.path.realpath(os.__file__).rpartition(os.sep)[0] + os.sep
    # Taken now, so that what a strategy does to the modules changes nothing here.
    real, is_text, to_text = os.path.realpath, str, os.fsdecode
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def inside(path: object) -> bool:
        return not isinstance(path, int) and (real(to_text(path)) + os.sep).startswith(library)  # type: ignore[arg-type]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if (isinstance(flags, int) and flags & writing) or not inside(path):
                raise PermissionError("a strategy opens no files")
        elif event == "import":
            if arguments[0] in _MODULES:
                raise PermissionError(f"a strategy does not import {arguments[0]}")
        elif event in _LOOKS:
            if not inside(arguments[0]):
                raise PermissionError("a strategy looks into no folders")
        elif event.startswith(_RIGHTS):
            raise PermissionError(f"a strategy may not use {is_text(event)}")

    sys.addaudithook(hook)


def _describe(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - an exception without a readable message is named by its type
        text = ""
    name = type(error).__name__
    return f"{name}: {text}"[:500] if text else name


class _Runner:
    def __init__(self, requests: IO[bytes], answers: int) -> None:
        self._requests = requests
        self._answers = answers
        self._write = os.write
        self._dumps = json.dumps
        self._loads = json.loads
        self._timer = signal.setitimer

    def run(self) -> None:
        order = self._loads(self._requests.readline())
        start, number = order["start"], order["number"]
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        # Ends this process when whoever started it cannot any more.
        self._timer(signal.ITIMER_REAL, start["startSeconds"])
        _limit(start["memoryBytes"])
        _forbid()
        module: dict[str, Any] = {"__name__": "strategy", "__builtins__": builtins}
        try:
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(start["source"], "strategy.py", "exec"), module)  # noqa: S102 - what this process is for
            propose = module.get("propose")
            if not callable(propose):
                raise TypeError("it defines no propose(request, context)")
        except BaseException as error:  # noqa: BLE001 - the code of a strategy may raise anything
            self._answer({"error": _describe(error)}, number)
            return
        self._answer({"ready": True}, number)
        self._timer(signal.ITIMER_REAL, 0)
        for line in self._requests:
            self._timer(signal.ITIMER_REAL, start["proposalSeconds"])
            order = self._loads(line)
            self._answer(self._propose(propose, order), order["number"])
            self._timer(signal.ITIMER_REAL, 0)

    def _propose(self, propose: Any, order: dict[str, Any]) -> dict[str, Any]:
        try:
            found = propose(_frozen(order["request"]), _frozen(order["context"]))
            _check(found, 0)
            return {"proposal": found}
        except BaseException as error:  # noqa: BLE001 - the code of a strategy may raise anything
            return {"error": _describe(error)}

    def _answer(self, answer: dict[str, Any], number: int) -> None:
        try:
            text = self._dumps(answer | {"number": number}, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except BaseException as error:  # noqa: BLE001 - an answer that is not JSON is an error of the strategy
            told = f"its answer is not JSON: {_describe(error)}"
            text = self._dumps({"error": told, "number": number}).encode("ascii")
        data = memoryview(text + b"\n")
        while data:
            data = data[self._write(self._answers, data) :]


def _check(value: Any, depth: int) -> None:
    """Refuse what JSON would write as something else, such as a key that is not text."""
    if depth > 70:
        raise ValueError("its answer is nested too deep, or holds itself")
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                raise TypeError(f"its answer has a key of type {type(key).__name__}; keys must be text")
            _check(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item, depth + 1)


def main() -> None:
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    sys.setrecursionlimit(2_000)
    _Runner(requests, answers).run()
    # Nothing of the strategy's runs any more: no exit handlers, no threads.
    os._exit(0)


if __name__ == "__main__":
    main()
