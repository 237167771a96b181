"""What was forgotten, so that no repair brings it back: identities without their texts, in a file beside the store.

Each line is the generation in which something was forgotten and a digest of what identifies it. A copy of the store
that is older than that holds it still; in a later one it was stored again. The file outlives the store, so that also a
store that is lost keeps its forgotten rows forgotten.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from zeroclaw_cli import fsio

# A history is what is left of a document that is forgotten: its versions.
Kind = Literal["entry", "document", "history"]

_PENDING: Final = "CREATE TEMP TABLE IF NOT EXISTS newly_forgotten (digest TEXT PRIMARY KEY) WITHOUT ROWID"


def file_of(path: Path) -> Path:
    """The list that belongs to the store at ``path``."""
    return path.with_name("native.forgotten")


def digest(kind: Kind, *identity: str | bytes) -> str:
    """Of an entry: tenant, user, project, key, agent. Of a document or history: its scope and its path."""
    parts = [part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape") for part in identity]
    return hashlib.blake2b(b"\0".join([kind.encode(), *parts]), digest_size=12).hexdigest()


def note(transaction: sqlite3.Connection, digests: Iterable[str]) -> None:
    """Have the commit of the open transaction list what it forgets."""
    transaction.execute(_PENDING)
    transaction.executemany("INSERT OR IGNORE INTO temp.newly_forgotten VALUES (?)", ((one,) for one in digests))


@contextmanager
def listed(transaction: sqlite3.Connection, path: Path, generation: int) -> Iterator[None]:
    """In the block, which commits, what the transaction forgets is listed durably; no more so when the block raises.

    Raises OSError when the list cannot be written.
    """
    if not transaction.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'newly_forgotten'").fetchone():
        yield
        return
    found = [one for (one,) in transaction.execute("SELECT digest FROM temp.newly_forgotten")]
    transaction.execute("DROP TABLE temp.newly_forgotten")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(file_of(path), flags, 0o600)
    try:
        before = os.fstat(descriptor).st_size
        try:
            # After what a killed process left of a line.
            text = "\n" * (before > 0) + "".join(f"{generation} {one}\n" for one in found)
            _write(descriptor, text.encode())
            yield
        except BaseException:
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)
    if before == 0:
        fsio.fsync_dir(path.parent)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


def load(path: Path) -> dict[str, int]:
    """In which generation each identity was forgotten last. Raises OSError when there is a list that cannot be read."""
    found: dict[str, int] = {}
    try:
        text = file_of(path).read_text("ascii", "replace")
    except FileNotFoundError:
        return found
    for line in text.splitlines():
        number, _, one = line.partition(" ")
        if number.isascii() and number.isdecimal() and len(one) == 24:
            found[one] = max(found.get(one, 0), int(number))
    return found


def keep(path: Path, wanted: Callable[[str, int], bool]) -> None:
    """Shorten the list to what ``wanted`` says of each identity and its generation. Nobody else may be writing.

    Raises OSError.
    """
    before = load(path)
    after = {one: generation for one, generation in before.items() if wanted(one, generation)}
    if len(after) < len(before):
        lines = "".join(f"{generation} {one}\n" for one, generation in after.items())
        fsio.atomic_write(file_of(path), lines.encode())
