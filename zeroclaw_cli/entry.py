"""The console script. Nothing but sys and os is imported before it is known that more is needed."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line in ``sys.argv`` and return its exit code (cli.md)."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from zeroclaw_cli import __version__

        try:
            sys.stdout.write(f"zeroclaw {__version__}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        return 0
    if "_ZEROCLAW_COMPLETE" in os.environ:
        from zeroclaw_cli.cli.complete import answer

        return answer(os.environ["_ZEROCLAW_COMPLETE"], arguments)
    from zeroclaw_cli.cli.app import run

    return run(arguments)
