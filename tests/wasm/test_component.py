from __future__ import annotations

import time
from pathlib import Path

import pytest
from wasmtime.component import Component

from tests.support.guests import component, guest_text
from tests.wasm.helpers import manifest
from zeroclaw_cli.errors import ComponentInvalid, PrecompiledRefused
from zeroclaw_cli.plugins.model import ImportFinding
from zeroclaw_cli.wasm import component as component_module
from zeroclaw_cli.wasm.component import LoadedComponent, denied_imports, is_served, load_component
from zeroclaw_cli.wasm.engine import engine, run_apart
from zeroclaw_cli.wasm.host import HostOptions

NO_CACHE = HostOptions(use_cache=False)


def load(data: bytes, *, allow_precompiled: bool = False, options: HostOptions = NO_CACHE) -> LoadedComponent:
    return load_component(data, "guest", options, allow_precompiled=allow_precompiled)[0]


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"\0asm\x01\0\0\0\0", "a core WebAssembly module", "wasm-tools component new"),
        (b"\0asm\x0e\0\x01\0", "unknown WebAssembly version", "current toolchain"),
        (b"  \n(component)", "WebAssembly text", "wasm-tools parse"),
        (b";; hello\n(component)", "WebAssembly text", "wasm-tools parse"),
        (b"", "is empty", "wasm_path"),
        (b"#!/bin/sh\n", "no WebAssembly component", "wasm_path"),
        (b"\0asm\x0d\0\x01\0garbage", "failed to load WASM component", "wasm-tools validate"),
    ],
)
def test_bytes_that_are_no_component_say_what_they_are(data: bytes, message: str, hint: str) -> None:
    with pytest.raises(ComponentInvalid) as caught:
        load(data)
    assert message in caught.value.message
    assert "guest" in caught.value.message
    assert hint in (caught.value.hint or "")


def test_machine_code_is_refused_unless_the_operator_allows_it() -> None:
    code = bytes(Component(engine(), component("plain")).serialize())
    with pytest.raises(PrecompiledRefused) as caught:
        load(code)
    assert caught.value.path == "plugins.allow_precompiled"
    assert load(code, allow_precompiled=True).report.differences == ()


def test_machine_code_of_another_make_is_refused_in_words() -> None:
    with pytest.raises(ComponentInvalid, match="precompiled"):
        load(b"\x7fELF" + bytes(200), allow_precompiled=True)


def test_the_text_of_a_guest_is_refused_too() -> None:
    with pytest.raises(ComponentInvalid, match="text"):
        load(guest_text("plain").encode())


@pytest.mark.parametrize(
    ("guest", "imported"), [("http", "wasi:http/types@0.2.0"), ("unknown_import", "acme:net/raw@1.0.0")]
)
def test_an_import_that_nothing_grants_is_reported(guest: str, imported: str) -> None:
    assert ImportFinding(imported, None) in load(component(guest)).report.ungranted


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("zeroclaw:plugin/logging@0.1.0", True),
        ("zeroclaw:plugin/types@0.1.0", True),
        ("zeroclaw:plugin/logging@0.2.0", False),
        ("zeroclaw:plugin/secrets@0.1.0", False),
        ("wasi:clocks/wall-clock@0.2.9", True),
        ("wasi:random/insecure-seed@0.2.0", True),
        ("wasi:cli/stdout@0.2.3", True),
        ("wasi:sockets/tcp@0.2.12", True),
        ("wasi:http/outgoing-handler@0.2.0", False),
        ("wasi:keyvalue/store@0.2.0", False),
        ("wasi:clocks/wall-clock@0.3.0", False),
        ("wasi:clocks/wall-clock", False),
        ("wasi:clocks/wall-clock@0.2.0\n", False),
        ("env", False),
    ],
)
def test_what_a_memory_plugin_may_import(name: str, served: bool) -> None:
    assert is_served(name) is served


def test_only_a_guest_that_needs_it_gets_the_engines_wasi() -> None:
    assert not load(component("plain")).needs_engine_wasi
    assert not load(component("notes")).needs_engine_wasi
    assert load(component("sleep")).needs_engine_wasi
    assert load(component("fs")).needs_engine_wasi


def test_a_compilation_that_takes_long_is_announced_once_whatever_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    options = HostOptions(cache_dir=tmp_path / "cache", progress=lines.append)
    load(component("plain"), options=options)
    assert lines == [], "it takes some hundredths of a second"
    monkeypatch.setattr(component_module, "_LATE_AFTER_S", 0.0)
    load(component("notes"), options=options)
    load(component("notes"), options=options)
    (line,) = lines
    assert line.startswith("compiling the plugin guest (0.0 MB) for the first time")


def test_work_apart_tells_once_when_it_is_late_and_gives_its_result() -> None:
    told: list[str] = []

    def slow() -> int:
        time.sleep(0.2)
        return 7

    assert run_apart(slow, late=lambda: told.append("late"), late_after_s=0.01) == 7
    assert run_apart(lambda: 8, late=lambda: told.append("late"), late_after_s=5.0) == 8
    assert told == ["late"]


def test_imports_that_give_a_plugin_nothing_are_told_apart() -> None:
    imports = [
        "zeroclaw:plugin/logging@0.1.0",
        "wasi:clocks/wall-clock@0.2.9",
        "wasi:io/poll@0.2.9",
        "wasi:random/random@0.2.9",
        "wasi:sockets/tcp@0.2.9",
        "wasi:cli/environment@0.2.9",
        "wasi:filesystem/types@0.2.9",
        "wasi:http/types@0.2.0",
    ]
    nothing = {"wasi:sockets/tcp@0.2.9": None, "wasi:cli/environment@0.2.9": None}
    assert dict(denied_imports(imports, manifest())) == {**nothing, "wasi:filesystem/types@0.2.9": "file_read"}
    assert dict(denied_imports(imports, manifest(permissions=["file_write"]))) == nothing
