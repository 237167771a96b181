"""The console script. Nothing but sys and os is imported before it is known that more is needed."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line in ``sys.argv`` and return its exit code (cli.md)."""
    try:
        if None in (sys.stdin, sys.stdout, sys.stderr):
            _open_missing_streams()
        return _main(sys.argv[1:])
    except KeyboardInterrupt:
        # While modules are still being imported; later it is app.run that catches it.
        sys.stderr.write("error: interrupted\n")
        return 130


def _main(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from zeroclaw_cli import __version__

        try:
            sys.stdout.write(f"zeroclaw {__version__}\n")
            sys.stdout.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(error, BrokenPipeError):
                return 141
            sys.stderr.write(f"error: stdout cannot be written: {error.strerror}\n")
            return 1
        return 0
    import gc

    # Importing makes tens of thousands of objects that all stay; looking them through takes a tenth of the start.
    gc.set_threshold(50_000)
    if "_ZEROCLAW_COMPLETE" in os.environ:
        from zeroclaw_cli.cli.complete import answer

        return answer(os.environ["_ZEROCLAW_COMPLETE"], arguments)
    from zeroclaw_cli.cli.app import run

    code = run(arguments)
    if "zeroclaw_cli.providers.streams" in sys.modules:
        from zeroclaw_cli.providers.streams import end_command

        end_command(code)
    return code


def _open_missing_streams() -> None:
    # A daemon may start us with some of 0, 1 and 2 closed; the next file opened would take their place.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - for the whole process
    sys.stdout = sys.stdout or open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
