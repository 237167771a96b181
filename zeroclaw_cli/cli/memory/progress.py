"""A progress bar on a person's terminal, and nothing for anybody else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from zeroclaw_cli.cli.session import Session

# So few are done before a bar could be read.
_WORTH_SHOWING = 500


@contextmanager
def progress_bar(this: Session, doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """Gives what is called with (done, total), or None when stderr is not a terminal or talk is unwanted."""
    if this.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=this.no_color, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=None, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=total >= _WORTH_SHOWING)
