"""A strategy's folder: its files, and the digest that everything else is bound to (specs/memory-kernel.md §15).

The files are read once. What is checked, run and installed are the bytes that were read then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import KernelFailure, StrategyNotFound

Kind = Literal["rules", "python"]

MANIFEST: Final = "strategy.toml"
RULES: Final = "rules.toml"
PYTHON: Final = "strategy.py"
CASES: Final = "replay.jsonl"
SIGNATURE: Final = "strategy.sig"
_CACHE: Final = "__pycache__"
_MOST_FILES: Final = 256
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_LEVELS: Final = 8
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Artefact:
    """The bytes of a strategy. ``files`` has all of them by path, the signature apart; ``digest`` is 64 hex digits."""

    directory: Path
    files: Mapping[str, bytes] = field(repr=False)
    signature: bytes | None
    digest: str

    @property
    def kind(self) -> Kind:
        """Raises KernelFailure ``invalid-artefact`` unless there is exactly one of the two forms."""
        forms = [name for name in (RULES, PYTHON) if name in self.files]
        if len(forms) != 1:
            raise invalid(
                self.directory,
                f"holds both {RULES} and {PYTHON}" if forms else f"holds neither {RULES} nor {PYTHON}",
                f"keep one of them: {RULES} says where requests go, {PYTHON} computes it",
            )
        return "rules" if forms[0] == RULES else "python"

    def text(self, name: str) -> str:
        """The text of the file ``name``. Raises KernelFailure ``invalid-artefact`` when there is none."""
        data = self.files.get(name)
        if data is None:
            raise invalid(self.directory, f"holds no {name}", "`zeroclaw strategy new NAME` writes one that works")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise invalid(self.directory / name, f"is not UTF-8 (at byte {error.start})", "save it as UTF-8") from None


def read_artefact(directory: Path) -> Artefact:
    """The strategy in ``directory``. Hidden files and Python's caches are no part of it.

    Raises StrategyNotFound when there is no such folder, and KernelFailure ``invalid-artefact`` for a link, a device,
    an odd name, too many or too large files.
    """
    if not directory.is_dir():
        raise StrategyNotFound(f"{directory} is not a strategy folder", hint="name the folder that holds strategy.toml")
    files: dict[str, bytes] = {}
    left = _MOST_BYTES
    try:
        for parts, size in _walk(directory, ()):
            if len(files) >= _MOST_FILES:
                raise invalid(directory, f"holds more than {_MOST_FILES} files", "keep other things elsewhere")
            left -= size
            data = fsio.read_beneath(directory, parts) if left >= 0 else b""
            # A file may have grown since it was measured.
            left -= max(len(data) - size, 0)
            if left < 0:
                raise invalid(directory, f"holds more than {_MOST_BYTES // _MIB} MiB", "keep other things elsewhere")
            files["/".join(parts)] = data
    except OSError as error:
        where = Path(error.filename) if isinstance(error.filename, str) else directory
        raise invalid(where, f"cannot be read: {error.strerror or error}", "make it readable for you") from None
    signature = files.pop(SIGNATURE, None)
    return Artefact(directory, files, signature, digest_of(files))


def digest_of(files: Mapping[str, bytes]) -> str:
    """SHA-256 over one line ``<sha256>  <path>\\n`` per file, sorted by the bytes of the path."""
    lines = sorted((path.encode("utf-8"), sha256(data).hexdigest()) for path, data in files.items())
    return sha256(b"".join(value.encode("ascii") + b"  " + path + b"\n" for path, value in lines)).hexdigest()


def invalid(where: Path, what: str, hint: str) -> KernelFailure:
    """The error for an artefact that is none."""
    return KernelFailure("invalid-artefact", f"{where} {what}", hint=hint, details={"path": str(where)})


def _walk(root: Path, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if len(above) > _MOST_LEVELS:
        raise invalid(root.joinpath(*above), f"nests deeper than {_MOST_LEVELS} folders", "flatten it")
    folder = root.joinpath(*above)
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name == _CACHE:
            continue
        if not entry.name.isprintable():
            raise invalid(folder / entry.name, "has a name that is not printable UTF-8", "rename it")
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(root, (*above, entry.name))
        elif stat.S_ISREG(status.st_mode):
            yield (*above, entry.name), status.st_size
        else:
            raise invalid(folder / entry.name, "is not a regular file", "put the file itself in its place")
