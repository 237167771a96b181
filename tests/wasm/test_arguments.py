from __future__ import annotations

import math
from typing import Any

import pytest

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.types import ExportFilter, ProceduralMessage
from zeroclaw_cli.wasm.arguments import check
from zeroclaw_cli.wasm.signatures import FUNCTIONS
from zeroclaw_cli.wasm.values import MAX_STRING_BYTES

LONE = "a\ud800b"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("get", (LONE,)),
        ("get", (b"bytes",)),
        ("recall", ("q", -1, None, None, None)),
        ("recall", ("q", 2**64, None, None, None)),
        ("recall", ("q", True, None, None, None)),
        ("recall", ("q", 1.0, None, None, None)),
        ("recall", ("q", 1, LONE, None, None)),
        ("store-entry", ("k", "v", LONE, None)),
        ("store-with-agent", ("k", "v", "core", None, None, math.nan, None)),
        ("store-with-agent", ("k", "v", "core", None, None, math.inf, None)),
        ("store-with-agent", ("k", "v", "core", None, None, True, None)),
        ("store-with-agent", ("k", "v", "core", None, None, "1", None)),
        ("recall-for-agents", (("a", LONE), "q", 1, None, None, None)),
        ("export-entries", (ExportFilter(namespace=LONE),)),
        ("export-entries", (ExportFilter(category=LONE),)),
        ("list-entries", (LONE, None)),
        ("store-procedural", ([ProceduralMessage("user", LONE)], None)),
        ("store-procedural", ([ProceduralMessage("user", "x", LONE)], None)),
    ],
)
def test_what_a_guest_cannot_be_given_is_refused(function: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        check(FUNCTIONS[function], arguments)
    assert caught.value.message.startswith(function)
    caught.value.message.encode()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("get", ("naïve 記憶 \0",)),
        ("recall", ("", 0, None, None, None)),
        ("recall", ("", 2**64 - 1, "", "", "")),
        ("store-with-agent", ("k", "v", "", None, None, 0, None)),
        ("store-with-agent", ("k", "v", "c", None, None, 1.0, "a")),
        ("recall-for-agents", ((), "q", 1, None, None, None)),
        ("store-procedural", ([], None)),
    ],
)
def test_what_a_guest_can_be_given_passes(function: str, arguments: tuple[Any, ...]) -> None:
    check(FUNCTIONS[function], arguments)


LARGEST = "é" * (MAX_STRING_BYTES // 2)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("get", (LARGEST + "x",)),
        ("forget", ("x" * (MAX_STRING_BYTES + 1),)),
        ("store-entry", ("k", LARGEST + "x", "core", None)),
        ("store-entry", ("k", "v", LARGEST + "x", None)),
        ("store-with-agent", ("k", "v", "core", None, LARGEST + "x", None, None)),
        ("recall-for-agents", ((LARGEST + "x",), "q", 1, None, None, None)),
        ("export-entries", (ExportFilter(session_id=LARGEST + "x"),)),
        ("store-procedural", ([ProceduralMessage("user", LARGEST + "x")], None)),
        ("store-procedural", ([ProceduralMessage("user", LARGEST)], None)),
    ],
)
def test_what_no_guest_could_give_back_is_refused(function: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError, match=r"more than the 16 MiB") as caught:
        check(FUNCTIONS[function], arguments)
    assert len(caught.value.message) < 300


def test_the_largest_text_passes() -> None:
    check(FUNCTIONS["store-entry"], (LARGEST, LARGEST, "core", LARGEST))
    check(FUNCTIONS["store-procedural"], ([ProceduralMessage("", LARGEST[1:]), ProceduralMessage("u", "s")], None))
