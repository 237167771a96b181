"""The built-in store inside of a file that ``memory backup`` wrote (cli.md, memory); ``operations.backup_file`` has the
rest of the format."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from zipfile import ZipFile

TABLE: Final = "zeroclaw-backup.json"
NATIVE: Final = "native.db"
MAX_TABLE_BYTES: Final = 64 << 20
_BLOCK: Final = 1 << 20


def standard_place(data_dir: Path) -> Path:
    """Where a backup goes for which no other place is named."""
    return data_dir / "backups"


class About(NamedTuple):
    """What a backup file says of itself: when it was made (None: it does not tell), and the generation of the built-in
    store in it (0: it does not tell)."""

    at: datetime | None
    generation: int


def about(archive: Path) -> About | None:
    """What a backup file says of itself; None for what is not a backup of a built-in store."""
    import zipfile

    try:
        with zipfile.ZipFile(archive) as packed:
            table = _table(packed)
    except _broken():
        return None
    except (OSError, ValueError):
        return None
    number = table.get("generation")
    return About(_instant(table.get("created_at")), number if isinstance(number, int) and number > 0 else 0)


def _instant(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)


def extract_store(archive: Path, target: Path) -> None:
    """Write the built-in store of a backup file to ``target``, which must not exist. Raises OSError when it cannot be
    written, ValueError when the file is damaged."""
    import zipfile

    try:
        with zipfile.ZipFile(archive) as packed:
            about = _table(packed)["members"][NATIVE]
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as writer, packed.open(NATIVE) as member:
                found = copy_stream(member, writer, most=about["size"])
    except _broken() as error:
        raise ValueError(f"{archive} is damaged: {error}") from error
    if found != (about["size"], about["sha256"]):
        raise ValueError(f"{archive} is damaged: its {NATIVE} differs from what was backed up")


def _table(packed: ZipFile) -> dict[str, Any]:
    """Raises ValueError for a table that names no built-in store."""
    if packed.getinfo(TABLE).file_size > MAX_TABLE_BYTES:
        raise ValueError("its table of contents is too large")
    table = json.loads(packed.read(TABLE))
    if not isinstance(table, dict) or not isinstance(table["members"][NATIVE]["size"], int):
        raise ValueError("it holds no built-in store")
    return table


def _broken() -> tuple[type[Exception], ...]:
    """What reading a damaged archive, or a table of another form, raises."""
    import zipfile
    import zlib

    archive = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError)
    return (*archive, RuntimeError, KeyError, TypeError)


def copy_stream(reader: IO[bytes], writer: IO[bytes], *, most: int | None = None) -> tuple[int, str]:
    """Copy a stream; returns its size and SHA-256. Raises ValueError when it is longer than ``most``."""
    digest, size = hashlib.sha256(), 0
    while block := reader.read(_BLOCK):
        size += len(block)
        if most is not None and size > most:
            raise ValueError("a member is longer than the table says")
        digest.update(block)
        writer.write(block)
    return size, digest.hexdigest()
