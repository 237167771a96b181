"""The guests that tests run: the example plugin and its hostile relatives in tests/guests/."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "zeroclaw_cli" / "examples" / "notes" / "notes.wat"
GUESTS = ROOT / "tests" / "guests"


# The faults of tests/guests/src/chosen_fault.c: guests that differ in nothing but a name in their data.
FAULTS = (
    "trap",
    "trap_at_start",
    "trap_in_capabilities",
    "trap_in_health",
    "spin",
    "spin_at_start",
    "spin_in_store",
    "recurse",
    "hog",
    "hog_and_spin",
    "flood",
    "log_large",
    "log_escapes",
    "liar_many",
    "liar_large",
    "liar_huge",
    "bad_utf8",
    "bad_pointer",
    "bad_category",
    "odd_numbers",
    "odd_texts",
    "fill",
    "fill_in_pieces",
    "liar_giant",
    "log_huge",
)
NO_FAULT = f"FAULT:{'none':.<24}"


def guest_names() -> list[str]:
    """Every guest there is, ``notes`` first."""
    return ["notes", *sorted(path.stem for path in GUESTS.glob("*.wat")), *FAULTS]


def guest_text(name: str) -> str:
    """The component text of the guest ``name``: ``notes``, a file in tests/guests/, or one of FAULTS."""
    if name == "notes":
        return NOTES.read_text(encoding="utf-8")
    if name not in FAULTS:
        return (GUESTS / f"{name}.wat").read_text(encoding="utf-8")
    text = guest_text("hostile")
    assert text.count(NO_FAULT) == 1, "hostile.wat does not name its fault once"
    return text.replace(NO_FAULT, f"FAULT:{name:.<24}")


# The example's test for a number that is none, and the same test failing for every number.
_IS_A_NUMBER = "local.get 2\nlocal.get 2\nf64.eq\n"


@cache
def without_importance() -> bytes:
    """The example plugin in a version that refuses to store what has an importance."""
    from wasmtime import wat2wasm

    text = guest_text("notes")
    assert text.count(_IS_A_NUMBER) == 1, "notes.wat tests otherwise whether an importance is a number"
    return bytes(wat2wasm(text.replace(_IS_A_NUMBER, _IS_A_NUMBER.replace("eq", "ne"))))


@cache
def component(name: str) -> bytes:
    """The bytes of the component ``name``, assembled once a process (about 10 ms)."""
    from wasmtime import wat2wasm

    return bytes(wat2wasm(guest_text(name)))


def package(directory: Path, name: str, guest: str = "notes", **manifest: Any) -> Path:
    """Writes ``directory/name``, a package that can be installed, and returns it.

    ``manifest`` replaces or adds root keys of the manifest; a key with the value None is left out.
    """
    import tomlkit

    fields: dict[str, Any] = {
        "name": name,
        "version": "0.1.0",
        "description": f"The test guest {guest}",
        "author": "tests",
        "wasm_path": f"{name}.wasm",
        "capabilities": ["memory"],
        "permissions": [],
    } | manifest
    kept = {key: value for key, value in fields.items() if value is not None}
    folder = directory / name
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(tomlkit.dumps(kept), encoding="utf-8")
    if "wasm_path" in kept:
        target = folder / str(kept["wasm_path"])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(component(guest))
    return folder
