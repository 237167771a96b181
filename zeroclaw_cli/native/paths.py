"""Rules of document paths, targets and the reserved namespace (specs/native-memory.md §6.1, §6.2, §6.7, §9).

A document path is a name in a database: no path of the file system is ever built from it outside ``mirror.py``, which
encodes each segment.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Final

from zeroclaw_cli.errors import DocumentArgument, DocumentOperation
from zeroclaw_cli.memory.measures import byte_length, has_lone_surrogate, is_blank, is_control

STANDING: Final = "MEMORY.md"
BOOTSTRAP: Final = "BOOTSTRAP.md"
PROFILE: Final = "context/profile.json"
CONFIG_NAME: Final = ".config"
THREADS: Final = "threads"
DAILY_LOG: Final = "daily_log"
ALIASES: Final = {"memory": STANDING, "heartbeat": "HEARTBEAT.md", "bootstrap": BOOTSTRAP}

_SIDECAR_ENDINGS: Final = (".meta", ".chunks", ".versions")
_MAX_SEGMENT_BYTES: Final = 255
_MAX_PATH_BYTES: Final = 1024
_HINT: Final = "a document path is relative, for instance notes/tea.md"
_ASCII_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def check_local_path(path: str) -> None:
    """Raise DocumentInput for a path that looks like one of the machine's (§9)."""
    if "\\" in path:
        raise DocumentArgument("path_backslash", "a document path may not contain a backslash", hint=_HINT)
    if path.startswith(("/", "~/")):
        raise DocumentArgument("path_absolute", "a document path may not start with '/' or '~/'", hint=_HINT)
    if len(path) >= 3 and path[0] in _ASCII_LETTERS and path[1] == ":" and path[2] == "/":
        raise DocumentArgument("path_drive", "a document path may not start with a drive letter", hint=_HINT)
    if ".." in path.split("/"):
        raise DocumentArgument("path_parent", "a document path may not have a segment '..'", hint=_HINT)


def check_write_target(target: str) -> None:
    """The contract of a write's target that every provider keeps (§6.2, 1). Raises DocumentInput."""
    if is_blank(target):
        raise DocumentArgument("path_blank", "the target of a write is blank", hint=_HINT)
    if target.startswith("/"):
        raise DocumentArgument("path_absolute", "the target of a write may not start with '/'", hint=_HINT)
    if ".." in target:
        raise DocumentArgument("path_parent", "the target of a write may not contain '..'", hint=_HINT)
    if "\\" in target:
        raise DocumentArgument("path_backslash", "the target of a write may not contain a backslash", hint=_HINT)


def check_document_path(path: str) -> None:
    """Raise DocumentInput unless ``path`` can name a document (§9)."""
    if is_blank(path):
        raise DocumentArgument("path_blank", "a document path is blank", hint=_HINT)
    if has_lone_surrogate(path):
        raise DocumentArgument("path_not_utf8", "a document path is not valid Unicode text", hint=_HINT)
    if any(is_control(char) for char in path):
        raise DocumentArgument("path_control", "a document path may not contain control characters", hint=_HINT)
    if byte_length(path) > _MAX_PATH_BYTES:
        raise DocumentArgument("path_too_long", f"a document path is longer than {_MAX_PATH_BYTES} bytes", hint=_HINT)
    segments = path.split("/")
    for place, segment in enumerate(segments):
        if segment in ("", ".", ".."):
            raise DocumentArgument("path_segment", "a document path has an empty, '.' or '..' segment", hint=_HINT)
        # A thread is called as the host calls it (§14): below `threads/` no document has the name of a folder.
        is_thread = place == 1 and segments[0] == THREADS and len(segments) > 2
        if segment.endswith(_SIDECAR_ENDINGS) and not is_thread:
            raise DocumentArgument(
                "path_sidecar", "no segment of a document path ends in .meta, .chunks or .versions", hint=_HINT
            )
        if byte_length(segment) > _MAX_SEGMENT_BYTES:
            raise DocumentArgument(
                "path_too_long", f"a segment of a document path is longer than {_MAX_SEGMENT_BYTES} bytes", hint=_HINT
            )


def check_readable(path: str) -> None:
    """All that a path must be before a document is looked up under it. Raises DocumentInput."""
    check_local_path(path)
    check_document_path(path)


def resolve_target(target: str, timezone: str | None, now: datetime) -> str:
    """The document path of a write's target: an alias, the day's log, or the text itself (§6.1).

    ``now`` is an aware datetime; ``timezone`` an IANA name, UTC by default, read for the day's log alone. Raises
    DocumentInput ``bad_timezone``.
    """
    if target != DAILY_LOG:
        return ALIASES.get(target, target)
    if timezone is None:
        return f"daily/{now.astimezone(UTC):%Y-%m-%d}.md"
    if not is_timezone(timezone):
        raise DocumentArgument(
            "bad_timezone", "the timezone is not a known name", hint="write it as in Europe/Berlin, or leave it out"
        )
    from zoneinfo import ZoneInfo

    return f"daily/{now.astimezone(ZoneInfo(timezone)):%Y-%m-%d}.md"


def is_timezone(name: str) -> bool:
    """Whether ``name`` is a known IANA timezone, by membership: no text of a caller becomes a file name."""
    return name in _timezones()


@cache
def _timezones() -> frozenset[str]:
    from zoneinfo import available_timezones

    return frozenset(available_timezones())


def in_threads(path: str) -> bool:
    """Whether the first segment is the reserved ``threads`` in any ASCII case, with or without more after it."""
    first = path.split("/", 1)[0]
    return first.isascii() and first.lower() == THREADS


def check_not_reserved(path: str) -> None:
    """Raise DocumentOperation ``reserved_namespace`` for what only the recorder of transcripts may write (§6.7)."""
    if in_threads(path):
        raise DocumentOperation(
            "reserved_namespace",
            "documents under threads/ are transcripts, which only the recorder writes",
            hint="choose another path, for instance notes/tea.md",
        )


def ancestors(path: str) -> list[str]:
    """The proper parents of a path, nearest first, without the root: ``a/b/c`` gives ``a/b`` and ``a``."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]


def config_candidates(path: str) -> list[str]:
    """The ``.config`` documents that could govern ``path``, nearest first, the root's last (§15)."""
    return [f"{parent}/{CONFIG_NAME}" for parent in ancestors(path)] + [CONFIG_NAME]
