"""Builds guests from their C sources and keeps them as component text.

::

    python -m zeroclaw_cli.examples.build_guests [--check] [TABLE.toml …]

A table of guests is a TOML document; without an argument it is ``guests.toml`` beside this file. Each ``[NAME]`` in it
makes ``NAME.wat`` beside it, or the file that ``wat`` names. It has ``sources`` (glob patterns of C files), ``wit`` (a
file whose ``world`` the guest is built for; it may use the package ``zeroclaw:plugin``), and optionally ``faults``
(sources besides), ``include`` (folders of headers), ``defines`` (``-D`` of the compiler) and ``edits``
(``{file, old, new}``: changes of the world itself, for guests that were built against another one). ``[defaults]`` is
not a guest: it holds what the guests of the table have where they say nothing else. Paths are relative to the table.

The text is the same on every machine for the same versions of the tools, which are pinned in the extra ``c-guests``.
``--check`` writes nothing and fails when a kept text is not what its sources give.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from zeroclaw_cli.errors import BuildFailed, ToolMissing, UsageError, ZeroclawError
from zeroclaw_cli.fsio import atomic_write

HERE = Path(__file__).parent
WORLD = HERE.parent / "wasm" / "wit"
FEATURE = "plugins-wit-v0"
INSTALL_HINT = "pip install 'zeroclaw-cli[c-guests]'"
COMPILER_FLAGS = (
    "-target",
    "wasm32-freestanding",
    "-std=c11",
    "-Os",
    "-Wall",
    "-Wextra",
    # A function of the world has the parameters of the world, whether it needs them or not.
    "-Wno-unused-parameter",
    "-Werror",
    "-ffreestanding",
    "-nostdlib",
    "-fno-sanitize=all",
    "-s",
    "-Wl,--no-entry",
    # Nothing here needs the mebibyte that the linker would set aside.
    "-Wl,-z,stack-size=65536",
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the world's text: ``old`` occurs once in ``file`` and becomes ``new``."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Guest:
    """How one component is made; see the module's text. Paths are absolute."""

    name: str
    wat: Path
    sources: tuple[Path, ...]
    wit: Path
    world: str
    include: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Tools:
    """The commands of the toolchain, as argument lists to which arguments are added."""

    compiler: tuple[str, ...]
    wasm_tools: tuple[str, ...]


def find_tools() -> Tools:
    """The C compiler of ``ziglang`` and ``wasm-tools``; raises ToolMissing when one is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        raise ToolMissing("the C compiler is missing: no module ziglang", hint=INSTALL_HINT)
    beside_python = str(Path(sys.executable).parent)
    wasm_tools = shutil.which("wasm-tools", path=os.pathsep.join([beside_python, os.environ.get("PATH", "")]))
    if wasm_tools is None:
        raise ToolMissing("wasm-tools is missing", hint=INSTALL_HINT)
    return Tools((sys.executable, "-m", "ziglang", "cc"), (wasm_tools,))


def read_table(path: Path) -> tuple[Guest, ...]:
    """The guests of a table; raises UsageError (one line) when it cannot be read."""
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
        defaults = table.pop("defaults", {})
        return tuple(_guest(path.parent, name, defaults | row) for name, row in table.items())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: a guest lacks a field or has one of another type: {error}") from error


def _guest(base: Path, name: str, row: Mapping[str, Any]) -> Guest:
    sources: list[Path] = []
    for pattern in [*row["sources"], *row.get("faults", ())]:
        matching = sorted((base / pattern).parent.glob(Path(pattern).name))
        if not matching:
            raise UsageError(f"{name}: no file matches {pattern}")
        sources += matching
    return Guest(
        name=name,
        wat=base / row.get("wat", f"{name}.wat"),
        sources=tuple(sources),
        wit=base / row["wit"],
        world=row["world"],
        include=tuple(base / folder for folder in row.get("include", ())),
        defines=tuple(row.get("defines", ())),
        edits=tuple(Edit(**edit) for edit in row.get("edits", ())),
    )


def build(guest: Guest, tools: Tools, scratch: Path) -> str:
    """The component text of ``guest``; ``scratch`` is an empty folder. Raises BuildFailed, with what the
    tool said in ``details["output"]``."""
    wit = _write_wit(guest, scratch / "wit")
    core, embedded, component, stripped = (scratch / f"{step}.wasm" for step in ("core", "embedded", "new", "stripped"))
    options = [*(f"-I{folder}" for folder in guest.include), *(f"-D{define}" for define in guest.defines)]
    sources = [str(source) for source in guest.sources]
    _run([*tools.compiler, *COMPILER_FLAGS, *options, "-o", str(core), *sources], guest, scratch)

    def wasm_tools(*arguments: object) -> str:
        return _run([*tools.wasm_tools, *map(str, arguments)], guest, scratch)

    wasm_tools("component", "embed", "--features", FEATURE, "-w", guest.world, wit, core, "-o", embedded)
    wasm_tools("component", "new", embedded, "-o", component)
    wasm_tools("strip", "--all", component, "-o", stripped)
    return _header(guest) + _compact(wasm_tools("print", stripped))


def _write_wit(guest: Guest, directory: Path) -> Path:
    """A WIT folder with the guest's world and, as a dependency, the package of all plugins."""
    package = directory / "deps" / "plugin"
    package.mkdir(parents=True)
    shutil.copy(guest.wit, directory)
    for source in sorted(WORLD.glob("*.wit")):
        text = source.read_text(encoding="utf-8")
        for edit in guest.edits:
            if edit.file == source.name:
                if text.count(edit.old) != 1:
                    raise BuildFailed(f"{guest.name}: {edit.old!r} does not occur once in {edit.file}")
                text = text.replace(edit.old, edit.new)
        (package / source.name).write_text(text, encoding="utf-8")
    return directory


def _run(command: Sequence[str], guest: Guest, scratch: Path) -> str:
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(scratch.parent / "zig"), "ZIG_LOCAL_CACHE_DIR": str(scratch.parent / "zig")}
    done = subprocess.run(
        command, cwd=scratch, env=os.environ | caches, capture_output=True, check=False, encoding="utf-8"
    )
    if done.returncode:
        program = "the C compiler" if command[0] == sys.executable else Path(command[0]).name
        raise BuildFailed(f"{guest.name}: {program} refused its input", details={"output": done.stderr.strip()})
    return done.stdout


def _header(guest: Guest) -> str:
    return f";; The component `{guest.name}`: made from its sources by build_guests.py, not edited.\n"


def _compact(text: str) -> str:
    """Without the indentation, which is half of the text. String literals have no line breaks in them."""
    return "".join(line.lstrip(" ") + "\n" for line in text.splitlines())


def stale(guests: Sequence[Guest], tools: Tools, *, write: bool) -> Iterator[Guest]:
    """Builds the guests one after the other and yields those whose kept text differs, replaced where ``write``."""
    with tempfile.TemporaryDirectory(prefix="zeroclaw-guests-") as folder:
        for guest in guests:
            scratch = Path(folder) / guest.name
            scratch.mkdir()
            text = build(guest, tools, scratch).encode()
            if guest.wat.is_file() and guest.wat.read_bytes() == text:
                continue
            if write:
                atomic_write(guest.wat, text, mode=0o644)
            yield guest


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="build_guests", description="Build guests from C and keep them as text.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a kept text is stale")
    parser.add_argument("tables", nargs="*", type=Path, metavar="TABLE.toml", help="default: the examples' own")
    options = parser.parse_args(arguments)
    try:
        guests = [guest for table in options.tables or [HERE / "guests.toml"] for guest in read_table(table.absolute())]
        changed = 0
        for guest in stale(guests, find_tools(), write=not options.check):
            changed += 1
            sys.stdout.write(f"{'stale' if options.check else 'wrote'}: {guest.wat}\n")
    except ZeroclawError as error:
        if error.details:
            sys.stderr.write(f"{error.details['output']}\n")
        sys.stderr.write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        return error.exit_code
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
