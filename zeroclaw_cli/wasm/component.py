"""A component's bytes as something that can be instantiated: header, compilation or cache, imports, world.

Nothing of a component runs here (specs/wasm-host.md §1, §7; specs/zeroclaw.md §7.1, Loading).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import ComponentInvalid, PrecompiledRefused
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.plugins.model import ImportFinding, Manifest, Permission, ProbeReport
from zeroclaw_cli.wasm import world
from zeroclaw_cli.wasm.cache import ComponentCache, default_directory
from zeroclaw_cli.wasm.engine import engine, run_apart
from zeroclaw_cli.wasm.failures import causes
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.host_functions import SHADOWED

if TYPE_CHECKING:
    from wasmtime.component import Component

_COMPONENT_HEADER: Final = bytes.fromhex("0061736d0d000100")
_MODULE_HEADER: Final = bytes.fromhex("0061736d01000000")
_ELF: Final = b"\x7fELF"
_LATE_AFTER_S: Final = 1.0

# What of WASI is linked. Toolchains import all of it whether the program uses it or not; none of it grants anything.
_WASI = re.compile(r"wasi:(?:clocks|random|cli|io|filesystem|sockets)/[a-z0-9-]+@0\.2\.[0-9]+")
# What of that gives a guest nothing, or nothing without a permission.
_WITHOUT_USE = re.compile(r"wasi:(?:sockets/|cli/(?:environment|stdin|stdout|stderr|terminal-))")
_FILES = "wasi:filesystem/"
_OF_THE_WORLD: Final = frozenset({world.LOGGING, world.TYPES})


@dataclass(frozen=True, slots=True)
class LoadedComponent:
    """A compiled component and what is known about it. ``imports`` maps each import to the functions taken from it;
    ``differences`` are those from the world, one line each."""

    component: Component
    digest: str
    imports: Mapping[str, tuple[str, ...]]
    differences: tuple[str, ...]

    @property
    def report(self) -> ProbeReport:
        """What the import gate and the type comparison found."""
        ungranted = tuple(ImportFinding(display(name), None) for name in self.imports if not is_served(name))
        return ProbeReport(tuple(map(display, self.imports)), ungranted, tuple(map(display, self.differences)))

    @property
    def needs_engine_wasi(self) -> bool:
        """Whether it imports more of WASI than the host implements itself."""
        return any(name.startswith("wasi:") and interface(name) not in SHADOWED for name in self.imports)


def interface(name: str) -> str:
    """An import's name without its version."""
    return name.split("@", 1)[0]


def is_served(name: str) -> bool:
    """Whether a memory plugin gets this import."""
    return name in _OF_THE_WORLD or _WASI.fullmatch(name) is not None


def denied_imports(imports: Iterable[str], manifest: Manifest) -> tuple[ImportFinding, ...]:
    """Those of ``imports`` that are linked and give the package of ``manifest`` nothing."""
    has_files = manifest.granted(Permission.FILE_READ) or manifest.granted(Permission.FILE_WRITE)
    findings = []
    for name in filter(is_served, imports):
        if _WITHOUT_USE.match(name):
            findings.append(ImportFinding(display(name), None))
        elif name.startswith(_FILES) and not has_files:
            findings.append(ImportFinding(display(name), Permission.FILE_READ))
    return tuple(findings)


def load_component(
    data: bytes, name: str, options: HostOptions, *, allow_precompiled: bool
) -> tuple[LoadedComponent, list[str]]:
    """The component in ``data``, from the cache or compiled, and warnings about the cache; ``name`` for messages.

    Raises ComponentInvalid when the bytes are no component or its types are beyond reason, and PrecompiledRefused for
    machine code unless ``allow_precompiled``.
    """
    _check_header(data, name, allow_precompiled=allow_precompiled)
    digest = hashlib.sha256(data).hexdigest()
    if data.startswith(_ELF):
        return _describe(_deserialized(data, name), digest), []
    cache = ComponentCache(options.cache_dir or default_directory()) if options.use_cache else None
    loaded = None if cache is None else _from_cache(cache, digest)
    if loaded is None:
        loaded = _compiled(data, digest, name, options, cache)
    return loaded, [] if cache is None else cache.warnings


def _check_header(data: bytes, name: str, *, allow_precompiled: bool) -> None:
    if data.startswith(_COMPONENT_HEADER):
        return
    if data.startswith(_ELF):
        if allow_precompiled:
            return
        raise PrecompiledRefused(
            f"the component of {name} is precompiled machine code (.cwasm), which runs outside any sandbox",
            hint="ask the author for the .wasm; or, if you trust this very file with your account: "
            "zeroclaw config set plugins.allow_precompiled true",
            path="plugins.allow_precompiled",
        )
    if data.startswith(_MODULE_HEADER):
        raise ComponentInvalid(
            f"the component of {name} is a core WebAssembly module, not a component",
            hint="make a component of it: wasm-tools component embed, then wasm-tools component new",
        )
    if data.startswith(b"\0asm"):
        raise ComponentInvalid(
            f"the component of {name} has an unknown WebAssembly version (bytes 4-8: {data[4:8].hex(' ')})",
            hint="build it with a current toolchain",
        )
    if data[:256].lstrip(b" \t\r\n").startswith((b"(", b";;")):
        raise ComponentInvalid(
            f"the component of {name} is WebAssembly text, not a binary component",
            hint="assemble it: wasm-tools parse FILE.wat -o FILE.wasm",
        )
    what = "empty" if not data else "no WebAssembly component"
    raise ComponentInvalid(
        f"the component of {name} is {what} (it does not begin with {_COMPONENT_HEADER.hex(' ')})",
        hint="wasm_path in the manifest must name a WebAssembly component",
    )


def _from_cache(cache: ComponentCache, digest: str) -> LoadedComponent | None:
    from wasmtime import WasmtimeError
    from wasmtime.component import Component

    found = cache.find(digest)
    if found is None:
        return None
    path, facts = found
    try:
        component = Component.deserialize_file(engine(), str(path))
    except WasmtimeError:
        cache.drop(digest)
        return None
    known = _read_facts(facts)
    if known is None:
        loaded = _describe(component, digest)
        cache.keep(digest, component.serialize(), _facts(loaded))
        return loaded
    return LoadedComponent(component, digest, *known)


def _compiled(
    data: bytes, digest: str, name: str, options: HostOptions, cache: ComponentCache | None
) -> LoadedComponent:
    from wasmtime import WasmtimeError
    from wasmtime.component import Component

    def tell() -> None:
        if options.progress is not None:
            first = "" if cache is None else " for the first time"
            options.progress(f"compiling the plugin {name} ({len(data) / 1e6:.1f} MB){first}; this can take a while")

    try:
        component = run_apart(lambda: Component(engine(), data), late=tell, late_after_s=_LATE_AFTER_S)
    except WasmtimeError as error:
        raise ComponentInvalid(
            f"failed to load WASM component of {name}: {display(': '.join(causes(str(error))))}",
            hint="wasm-tools validate FILE says what is wrong with it",
        ) from None
    loaded = _describe(component, digest)
    if cache is not None:
        cache.keep(digest, component.serialize(), _facts(loaded))
    return loaded


def _deserialized(data: bytes, name: str) -> Component:
    from wasmtime import WasmtimeError
    from wasmtime.component import Component

    try:
        return Component.deserialize(engine(), data)
    except WasmtimeError as error:
        raise ComponentInvalid(
            f"failed to load the precompiled component of {name}: {display(': '.join(causes(str(error))))}",
            hint="it must be compiled by the same engine with the same settings; a .wasm has no such demands",
        ) from None


def _describe(component: Component, digest: str) -> LoadedComponent:
    return LoadedComponent(
        component,
        digest,
        world.imported_functions(component),
        world.differences(world.component_signatures(component)),
    )


def _facts(loaded: LoadedComponent) -> dict[str, Any]:
    return {
        "checker": world.CHECKER_VERSION,
        "imports": {name: list(functions) for name, functions in loaded.imports.items()},
        "differences": list(loaded.differences),
    }


def _read_facts(facts: Mapping[str, Any]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]] | None:
    """Imports and differences as :func:`_facts` wrote them; None for those of another checker."""
    if facts.get("checker") != world.CHECKER_VERSION:
        return None
    try:
        imports = {str(name): tuple(map(str, functions)) for name, functions in facts["imports"].items()}
        return imports, tuple(map(str, facts["differences"]))
    except (KeyError, TypeError, AttributeError):
        return None
