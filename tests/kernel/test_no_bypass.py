"""Under the layers no surface reaches a store except through the kernel (specs/memory-kernel.md R24)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import zeroclaw_cli

ROOT = Path(zeroclaw_cli.__file__).parent
# The modules that open a store, and what in them does.
OPENERS = {
    "zeroclaw_cli.native.memory": {"open_memory"},
    "zeroclaw_cli.native.service": {"open_documents"},
    "zeroclaw_cli.wasm.memory": {"open_memory"},
    "zeroclaw_cli.providers.session": {"open_memory"},
}
# What of `backends` opens any store.
DOORS = {"open_memory", "open_store", "open_documents", "open_native_documents"}
# Beside the executors and the one opening of every command: what works on the stores themselves, whatever the backend.
MAY_OPEN = {
    "cli/memory/common.py",
    "operations/backend_change.py",
    "operations/restore.py",
}
SURFACES = sorted((ROOT / "cli").rglob("*.py"))
EVERYTHING = sorted(path for path in ROOT.rglob("*.py") if path.is_relative_to(ROOT))


def imported(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_only_backends_names_implementations() -> None:
    found = [
        (name_of(path), module, name)
        for path in EVERYTHING
        if room_of(path) not in {"backends", "native", "wasm", "providers"}
        for module, name in imported(path)
        if name in OPENERS.get(module, ())
    ]
    assert not found


def test_only_these_open_a_store() -> None:
    opening = {
        name_of(path)
        for path in EVERYTHING
        for module, name in imported(path)
        if module == "zeroclaw_cli.backends" and name in DOORS
    }
    assert opening <= MAY_OPEN


def test_those_that_may_still_do() -> None:
    for name in MAY_OPEN:
        text = (ROOT / name).read_text("utf-8")
        assert any(door in text for door in DOORS), f"{name} opens nothing any more"


def test_no_surface_holds_a_store() -> None:
    stores = {"zeroclaw_cli.native.db", "zeroclaw_cli.wasm.memory", "zeroclaw_cli.providers.memory"}
    assert not [(name_of(path), module) for path in SURFACES for module, _ in imported(path) if module in stores]
