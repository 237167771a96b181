"""The packages that come with the product, as sources: data, and the functions that write it out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zeroclaw_cli.fsio import make_private_dir, write_new

NOTES: Final = Path(__file__).parent / "notes"
COMPONENT: Final = "notes.wasm"


def materialise(directory: Path) -> Path:
    """Write the example package ``notes`` into ``directory``, as ``plugin install`` takes it, and return the folder.

    The folder (created, mode 0700) gets ``manifest.toml`` and the component, assembled from its text. Raises
    FileExistsError where one of them is there already, and OSError when the folder cannot be written.
    """
    from wasmtime import wat2wasm

    component = bytes(wat2wasm((NOTES / "notes.wat").read_text(encoding="utf-8")))
    make_private_dir(directory)
    # A folder is a package once it has a manifest, so that comes last.
    write_new(directory / COMPONENT, component, mode=0o644)
    write_new(directory / "manifest.toml", (NOTES / "manifest.toml").read_bytes(), mode=0o644)
    return directory
