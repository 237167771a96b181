"""A process that has imported the package and forks one child a command: each command is a process of its own, from
the entry point to the end of its interpreter, but none pays for the imports again. With ``ZEROCLAW_TEST_COLD`` in the
environment each is the installed command, started anew."""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock, Thread

# Whether these were imported says what a command has run; the rest is not part of a command.
_NOT_AHEAD = ("zeroclaw_cli.providers", "zeroclaw_cli.examples", "zeroclaw_cli.__main__", "zeroclaw_cli.cli.generate")
# What an interpreter reads before the first line of a program.
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "MALLOC_")

_server: subprocess.Popen[bytes] | None = None
_address: bytes | str = b""
_starting = Lock()


def can_run(prefix: Sequence[str], chosen: Mapping[str, str]) -> bool:
    """Whether a fork says the same as the installed command: not where the start of the interpreter is the matter."""
    return (
        sys.platform == "linux"
        and hasattr(os, "pidfd_open")
        and "ZEROCLAW_TEST_COLD" not in os.environ
        and not prefix
        and not any(name.startswith(_READ_AT_START) for name in chosen)
    )


def run(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, given: bytes | None, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Like ``subprocess.run`` with both streams captured."""
    deadline = time.monotonic() + timeout
    out, out_write = os.pipe()
    err, err_write = os.pipe()
    stdin, writer = (os.open(os.devnull, os.O_RDONLY), None) if given is None else _fed(given)
    with socket.socket(socket.AF_UNIX) as connection, os.fdopen(out, "rb", 0), os.fdopen(err, "rb", 0):
        connection.connect(_started())
        socket.send_fds(connection, [b"x"], [stdin, out_write, err_write])
        for descriptor in (stdin, out_write, err_write):
            os.close(descriptor)
        request = marshal.dumps((_umask(), os.fspath(cwd), list(words), dict(env)))
        connection.sendall(struct.pack("=i", len(request)) + request)
        (child,) = struct.unpack("=i", _exactly(connection, 4))
        try:
            streams = _read_both(out, err, deadline)
            connection.settimeout(max(deadline - time.monotonic(), 0.01))
            (code,) = struct.unpack("=i", _exactly(connection, 4))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(words), timeout) from None
    if writer is not None:
        writer.join()
    return subprocess.CompletedProcess(list(words), code, streams[out], streams[err])


def stop() -> None:
    """End the process; it also ends by itself when this one does."""
    global _server
    if _server is not None:
        assert _server.stdin is not None
        _server.stdin.close()
        _server.wait()
        _server = None


def _started() -> bytes | str:
    with _starting:
        if _server is None:
            _start()
    return _address


def _start() -> None:
    global _server, _address
    with socket.socket(socket.AF_UNIX) as listener:
        # An empty name: the kernel chooses one that is in no folder.
        listener.bind("")
        listener.listen(64)
        _address = listener.getsockname()
        _server = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            cwd="/",
        )


def _fed(given: bytes) -> tuple[int, Thread]:
    read, write = os.pipe()

    def feed() -> None:
        # A command that does not read all of it closes the pipe.
        rest = memoryview(given)
        try:
            while rest:
                rest = rest[os.write(write, rest) :]
        except BrokenPipeError:
            pass
        finally:
            os.close(write)

    thread = Thread(target=feed, daemon=True)
    thread.start()
    return read, thread


def _umask() -> int:
    # Setting it, the portable way to ask, would show in files that another thread makes meanwhile.
    status = Path("/proc/self/status").read_text("ascii", "replace")
    return int(status.partition("\nUmask:")[2].split()[0], 8)


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        assert part, "the process that runs the commands has ended"
        found += part
    return found


def _read_both(out: int, err: int, deadline: float) -> dict[int, bytes]:
    found: dict[int, list[bytes]] = {out: [], err: []}
    waiting = {out, err}
    while waiting:
        ready, _, _ = select.select(sorted(waiting), [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            raise TimeoutError
        for descriptor in ready:
            part = os.read(descriptor, 1 << 16)
            found[descriptor].append(part)
            if not part:
                waiting.discard(descriptor)
    return {descriptor: b"".join(parts) for descriptor, parts in found.items()}


def _serve(listener: socket.socket) -> list[str]:
    """Only in a child does it return: with the words of the command."""
    running: dict[int, tuple[int, socket.socket]] = {}
    poll = select.poll()
    for descriptor in (0, listener.fileno()):
        poll.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == 0:
                os._exit(0)
            if descriptor in running:
                child, connection = running.pop(descriptor)
                poll.unregister(descriptor)
                os.close(descriptor)
                _answer(connection, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                connection.close()
                continue
            connection, _ = listener.accept()
            child = os.fork()
            if child == 0:
                request = _received(connection)
                for held in (listener, connection, *(one for _, one in running.values())):
                    held.detach()
                return request
            _answer(connection, child)
            ended = os.pidfd_open(child)
            running[ended] = child, connection
            poll.register(ended, select.POLLIN)


def _answer(connection: socket.socket, number: int) -> None:
    try:
        connection.sendall(struct.pack("=i", number))
    except OSError:
        # Whoever asked waits no longer.
        return


def _received(connection: socket.socket) -> list[str]:
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    (size,) = struct.unpack("=i", _exactly(connection, 4))
    mask, cwd, words, env = marshal.loads(_exactly(connection, size))
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    os.umask(mask)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    found: list[str] = words
    return found


def _import_ahead() -> None:
    import zeroclaw_cli

    for found in pkgutil.walk_packages(zeroclaw_cli.__path__, "zeroclaw_cli."):
        if not found.name.startswith(_NOT_AHEAD):
            importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


def _streams_again() -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        new = open(  # noqa: SIM115 - for the whole process
            number,
            "w" if number else "r",
            1 if number == 2 else -1,
            encoding=old.encoding,
            errors=old.errors,
            closefd=False,
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


if __name__ == "__main__":
    program = Path(sys.executable).with_name("zeroclaw")
    sys.path[0] = str(program.parent)
    _import_ahead()
    arguments = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.closerange(3, 256)
    _streams_again()
    sys.argv = [str(program), *arguments]
    from zeroclaw_cli.entry import main

    sys.exit(main())
