"""``agent.async_utils``: a coroutine handed to a loop of another thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final

__all__ = ["consume_detached_task_result", "safe_schedule_threadsafe"]

_log: Final = logging.getLogger("zeroclaw_cli.providers")


def safe_schedule_threadsafe(
    coro: Coroutine[Any, Any, Any],
    loop: asyncio.AbstractEventLoop | None,
    *,
    logger: logging.Logger | None = None,
    log_message: str = "a coroutine cannot be handed to its loop",
    log_level: int = logging.DEBUG,
) -> Future[Any] | None:
    """The future of ``coro`` on ``loop``; None, the coroutine closed and the reason logged, when the loop is missing or
    takes nothing any more."""
    try:
        if loop is None:
            raise RuntimeError("there is no loop")
        return asyncio.run_coroutine_threadsafe(coro, loop)
    except Exception as error:  # noqa: BLE001 - whatever keeps the loop from it, the coroutine must not leak
        if asyncio.iscoroutine(coro):
            coro.close()
        (logger or _log).log(log_level, "%s: %s", log_message, error)
        return None


def consume_detached_task_result(task: asyncio.Future[Any]) -> None:
    """Take what a task that nobody waits for ended with, so that the loop does not report it."""
    if not task.cancelled():
        task.exception()
