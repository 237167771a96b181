"""Errors of the engine as errors of ours: what went wrong, in the words of specs/zeroclaw.md §7.1, and what to do.

The engine's binding has no codes for traps, so they are told apart by the end of their text (specs/wasm-host.md §1).
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from zeroclaw_cli.errors import CallTimeout, InstantiationFailed, MemoryFailure, ResultTooLarge, Trap
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.wasm.limits import MOST_MEMORIES, PluginLimits
from zeroclaw_cli.wasm.values import MAX_STRING_BYTES, DecodingTimeout, StringTooLarge, TooManyEntries

_NUMBERED = re.compile(r"^\d+: ")
_BACKTRACE = "error while executing at wasm backtrace"
_FRAME = re.compile(r"\s*\d+:\s+(?:0x[0-9a-f]+ - )?\S+!")
# Text of an engine error to the limit that it ran into. The engine names no limit when a memory cannot grow: the guest
# is told, and decides.
_LIMITED = (
    ("all fuel consumed", "call_fuel"),
    ("exceeds memory limits", "max_memory_mb"),
    ("exceeds table limits", "max_table_elements"),
    ("table count too high", "max_instances"),
    ("instance count too high", "max_instances"),
)
# What no key raises, and what is to be said of it.
_FIXED = (
    (
        "memory count too high",
        f"a plugin may have {MOST_MEMORIES} memories; its author can link its modules into fewer",
    ),
    (
        "passed the host more data",
        "this is a fault of the plugin, such as a log record of many megabytes; no setting allows it",
    ),
)
_TOO_MUCH_COPIED = "fuel allocated for hostcalls has been exhausted"
_PASSED_TOO_MUCH = "the plugin passed the host more data at once than it takes"
_NO_ADDRESS_SPACE = "mmap failed"
_INTERRUPTED = "wasm trap: interrupt"
_LONGEST_SHOWN_KEY = 200


def causes(text: str) -> list[str]:
    """The chain of causes in an engine error, outermost first, without the guest's backtrace."""
    head, *rest = text.split("\n\nCaused by:\n", 1)
    chain = [] if head.startswith(_BACKTRACE) else head.splitlines()[:1]
    for line in rest[0].splitlines() if rest else ():
        cause = _NUMBERED.sub("", line.strip())
        if cause and not cause.startswith(_BACKTRACE) and not _FRAME.match(line):
            chain.append(cause)
    return chain or text.splitlines()[:1] or ["unknown error"]


def is_interruption(error: Exception) -> bool:
    """Whether an engine error is the end of the epoch: a deadline, or a signal."""
    # The backtrace holds names of the guest's choosing; only causes are the engine's own words.
    return causes(str(error))[-1] == _INTERRUPTED


def timed_out(context: str, limits: PluginLimits, timeout_ms: int) -> CallTimeout:
    """``context`` is what was called, for instance ``memory.recall``."""
    return CallTimeout(
        f"{context} did not end within {timeout_ms} ms",
        hint=f"if the plugin needs longer: {limits.raise_hint('call_timeout_ms')}",
        path=limits.path("call_timeout_ms"),
    )


def call_failed(function: str, error: Exception, limits: PluginLimits) -> MemoryFailure:
    """The error of a call that did not return: a trap, an exit, a limit.

    ``error`` is what the engine raised, other than an interruption.
    """
    code = getattr(error, "code", None)
    reason = f"the plugin exited with code {code}" if isinstance(code, int) else causes(str(error))[-1]
    if _TOO_MUCH_COPIED in reason and not _within_guest(error):
        return ResultTooLarge(
            f"memory.{function} returned more data than the host takes at once",
            hint="ask for less: a smaller limit, or a filter by session, category or time",
        )
    context = "memory.get-memory-capabilities failed" if function == "get-memory-capabilities" else ""
    context = context or ("memory.health-check failed" if function == "health-check" else f"memory.{function} trapped")
    if _TOO_MUCH_COPIED in reason:
        reason = _PASSED_TOO_MUCH
    hint, path = _limit_hint(reason, limits)
    return Trap(
        f"{context}: {display(reason)}",
        hint=hint or f"this is a fault of the plugin; if it ran out of memory: {limits.raise_hint('max_memory_mb')}",
        path=path,
    )


def start_failed(error: Exception, limits: PluginLimits) -> InstantiationFailed:
    """The error of an instance that does not start, with the engine's whole chain of causes."""
    code = getattr(error, "code", None)
    chain = [f"the plugin exited with code {code}"] if isinstance(code, int) else causes(str(error))
    if _TOO_MUCH_COPIED in chain[-1]:
        chain[-1] = _PASSED_TOO_MUCH
    hint, path = _limit_hint(chain[-1], limits)
    if _NO_ADDRESS_SPACE in chain[-1]:
        hint = "the system gives this process too little address space: see ulimit -v"
    return InstantiationFailed(
        f"failed to instantiate memory plugin: {display(': '.join(chain))}",
        hint=hint or "the plugin's copy of the WIT may be outdated; zeroclaw plugin check DIR compares it",
        path=path,
    )


def link_failed(error: Exception) -> InstantiationFailed:
    """The error of a component whose imports cannot be provided as it asks for them."""
    return InstantiationFailed(
        f"failed to add memory plugin imports to linker: {display(': '.join(causes(str(error))))}",
        hint="zeroclaw plugin check DIR shows what the component imports",
    )


def folder_failed(folder: Path) -> InstantiationFailed:
    """The error of a plugin whose own folder cannot be opened."""
    return InstantiationFailed(
        f"the plugin's folder {folder} cannot be opened", hint="check that it is a folder of yours, with mode 0700"
    )


def answer_refused(
    function: str, error: TooManyEntries | StringTooLarge | DecodingTimeout, limits: PluginLimits
) -> MemoryFailure:
    """The error of an answer that is too large to take, or that was not read in time."""
    if isinstance(error, TooManyEntries):
        most = limits.limits.max_result_entries
        fewer = "a smaller --limit" if function.startswith("recall") else "a filter by session, category or time"
        return ResultTooLarge(
            f"memory.{function} returned {error.count:,} entries, more than {most:,}",
            hint=f"ask for less with {fewer}, or raise the limit: {limits.raise_hint('max_result_entries')}",
            path=limits.path("max_result_entries"),
        )
    if isinstance(error, StringTooLarge):
        return _text_too_large(function, error.key, limits)
    return timed_out(f"memory.{function}", limits, limits.limits.call_timeout_ms)


def _text_too_large(function: str, key: str | None, limits: PluginLimits) -> ResultTooLarge:
    most = f"a text of more than {MAX_STRING_BYTES // 2**20} MiB"
    if key is None:
        return ResultTooLarge(
            f"memory.{function} returned {most}",
            hint="this is a fault of the plugin; reading by key with `zeroclaw memory get KEY` may still work",
        )
    # A key that cannot be shown as it is cannot be typed either.
    shown = display(key[: 2 * _LONGEST_SHOWN_KEY], _LONGEST_SHOWN_KEY)
    word = shlex.quote(key) if shown == key and not key.startswith("-") else "KEY"
    backend = "" if limits.package is None else f" --backend plugin.{limits.package}"
    return ResultTooLarge(
        f"memory.{function} returned {most} in the entry '{shown}'",
        hint=f"nothing that this entry is among can be read before it is gone: "
        f"`zeroclaw memory forget {word}{backend}`",
        details={"key": key} if len(key) <= _LONGEST_SHOWN_KEY else None,
    )


def _within_guest(error: Exception) -> bool:
    """Whether the guest was running, as in a call of a host function, or had already returned."""
    return str(error).startswith(_BACKTRACE)


def _limit_hint(text: str, limits: PluginLimits) -> tuple[str | None, str | None]:
    for mark, hint in _FIXED:
        if mark in text:
            return hint, None
    for mark, name in _LIMITED:
        if mark in text:
            return f"if the plugin may have more: {limits.raise_hint(name)}", limits.path(name)
    return None, None
