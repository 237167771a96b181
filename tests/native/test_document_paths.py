from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import DocumentFailure, DocumentInput, DocumentOperation
from zeroclaw_cli.native.paths import (
    ancestors,
    check_document_path,
    check_local_path,
    check_not_reserved,
    check_readable,
    check_write_target,
    config_candidates,
    in_threads,
    is_timezone,
    resolve_target,
)

LEGAL = [
    "MEMORY.md",
    "notes/tea.md",
    "~user/x",
    "~x/y",
    "a b/c d.md",
    ".config",
    "notes/.config",
    "a:b/c:d",
    "1:/x",
    "\U0001f9e0/抹茶.md",
    "a..b",
    "..a",
    "a..",
    "...",
    "meta",
    "x.metadata",
    "chunks",
    "é" * 127,
    "\u200b",
]


@pytest.mark.parametrize("path", LEGAL)
def test_what_looks_odd_may_still_be_a_path(path: str) -> None:
    check_local_path(path)
    check_document_path(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a\\b", "path_backslash"),
        ("\\", "path_backslash"),
        ("/etc/passwd", "path_absolute"),
        ("//", "path_absolute"),
        ("~/x", "path_absolute"),
        ("c:/x", "path_drive"),
        ("C:/", "path_drive"),
        ("..", "path_parent"),
        ("a/../b", "path_parent"),
        ("a/..", "path_parent"),
        ("", "path_blank"),
        (" \t", "path_blank"),
        ("a\x00b", "path_control"),
        ("a\nb", "path_control"),
        ("a\x85b", "path_control"),
        ("a\x7f", "path_control"),
        ("a//b", "path_segment"),
        ("a/", "path_segment"),
        (".", "path_segment"),
        ("a/./b", "path_segment"),
        ("a.meta", "path_sidecar"),
        ("a.chunks/0", "path_sidecar"),
        ("a.versions/1", "path_sidecar"),
        (".meta", "path_sidecar"),
        ("é" * 128, "path_too_long"),
        ("a/" * 512 + "b", "path_too_long"),
        ("a\ud800", "path_not_utf8"),
    ],
)
def test_what_cannot_be_a_path_is_an_input_error_with_its_reason(path: str, reason: str) -> None:
    with pytest.raises(DocumentInput) as caught:
        check_readable(path)
    assert caught.value.reason == reason
    assert caught.value.hint


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("", "path_blank"),
        ("\u2003", "path_blank"),
        ("/a", "path_absolute"),
        ("a..b", "path_parent"),
        ("..", "path_parent"),
        ("a\\b", "path_backslash"),
    ],
)
def test_a_targets_contract_refuses_two_dots_anywhere(target: str, reason: str) -> None:
    with pytest.raises(DocumentInput) as caught:
        check_write_target(target)
    assert caught.value.reason == reason


@given(st.text())
def test_every_text_is_a_path_or_an_input_error(text: str) -> None:
    try:
        check_readable(text)
    except DocumentFailure as failure:
        assert failure.kind == "input"
        assert failure.reason.startswith("path_")
        return
    segments = text.split("/")
    assert not {"", ".", ".."}.intersection(segments)
    assert len(text.encode()) <= 1024
    assert all(len(segment.encode()) <= 255 for segment in segments)


@pytest.mark.parametrize("path", ["threads", "THREADS", "Threads/x", "threads/t1/r1.md", "threads//"])
def test_threads_is_reserved_in_any_case(path: str) -> None:
    assert in_threads(path)
    with pytest.raises(DocumentOperation) as caught:
        check_not_reserved(path)
    assert caught.value.reason == "reserved_namespace"


@pytest.mark.parametrize(
    "path", ["threads.md", "notes/threads", "thread", " threads", "ＴＨＲＥＡＤＳ/x", "ſhreads", "thread\u017f"]
)
def test_what_is_not_threads_is_not_reserved(path: str) -> None:
    assert not in_threads(path)
    check_not_reserved(path)


NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("target", "timezone", "path"),
    [
        ("memory", None, "MEMORY.md"),
        ("heartbeat", None, "HEARTBEAT.md"),
        ("bootstrap", None, "BOOTSTRAP.md"),
        ("daily_log", None, "daily/2026-03-01.md"),
        ("daily_log", "Pacific/Kiritimati", "daily/2026-03-02.md"),
        ("daily_log", "Pacific/Pago_Pago", "daily/2026-03-01.md"),
        ("MEMORY", None, "MEMORY"),
        ("notes/a.md", "nowhere", "notes/a.md"),
    ],
)
def test_targets_resolve(target: str, timezone: str | None, path: str) -> None:
    assert resolve_target(target, timezone, NOON) == path


@pytest.mark.parametrize("timezone", ["", "utc+1", "Europe/vienna", "../../etc/passwd", "/etc/localtime", "Europe"])
def test_a_timezone_is_known_by_its_name_alone(timezone: str) -> None:
    assert not is_timezone(timezone)
    with pytest.raises(DocumentInput) as caught:
        resolve_target("daily_log", timezone, NOON)
    assert caught.value.reason == "bad_timezone"


def test_ancestors_and_configs_are_nearest_first() -> None:
    assert ancestors("a/b/c.md") == ["a/b", "a"]
    assert ancestors("c.md") == []
    assert config_candidates("a/b/c.md") == ["a/b/.config", "a/.config", ".config"]
    assert config_candidates("c.md") == [".config"]
