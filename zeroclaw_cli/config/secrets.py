"""Secret values at rest (specs/zeroclaw.md §3.7). A value never appears in an error.

``enc2:`` is ChaCha20-Poly1305 under the key in ``.secret_key``; ``enc:`` is the older exclusive-or under the same key
and is only read; ``op://vault/item/field`` is asked for with ``op read``; everything else is the value itself.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Final

from zeroclaw_cli.config.model import Location
from zeroclaw_cli.errors import SecretError, SecretKeyDamaged
from zeroclaw_cli.fsio import fsync_dir, give_name, make_private_dir, read_regular, temporary_beside, write_new

SEALED: Final = "enc2:"
LEGACY: Final = "enc:"
REFERENCE: Final = "op://"
_NONCE: Final = 12
_KEY: Final = 32
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_OP_TIMEOUT_S: Final = 10


class SecretBox:
    """Seals and opens the secret values of one config folder. ``encrypt`` false leaves new values as they are."""

    def __init__(self, location: Location, *, encrypt: bool = True, may_make_key: bool = True) -> None:
        """``may_make_key`` is false when values are there that a key once sealed: a new one would orphan them."""
        self._key_file = location.config_dir / ".secret_key"
        self._encrypt = encrypt
        self._may_make_key = may_make_key

    def seal(self, text: str) -> str:
        """``text`` as it is stored. An empty text and an ``op://`` reference stay as they are.

        The key file is made when it is missing. Raises SecretKeyDamaged for an unusable one, and SecretError when
        encryption is off and the text would be read as an encrypted one.
        """
        if text == "" or is_reference(text):
            return text
        if not self._encrypt:
            if text.startswith((SEALED, LEGACY)):
                raise SecretError(
                    "a plain value cannot begin with enc2: or enc:, which mark encrypted ones",
                    hint="`zeroclaw config set secrets.encrypt true`, then set the value again",
                )
            return text
        return encrypt(text, self._key(create=True), os.urandom(_NONCE))

    def open(self, stored: str) -> str:
        """The value of ``stored``. Raises SecretError, or SecretKeyDamaged for an unusable key file."""
        if stored.startswith(SEALED):
            return decrypt(stored, self._key(create=False))
        if stored.startswith(LEGACY):
            return decrypt_legacy(stored, self._key(create=False))
        if is_reference(stored):
            return _read_reference(stored)
        return stored

    def _key(self, *, create: bool) -> bytes:
        if create and not os.path.lexists(self._key_file):
            if not self._may_make_key:
                raise self._damaged("is missing, and the config holds values that were sealed with it")
            _publish(self._key_file)
        try:
            data = read_regular(self._key_file)
        except FileNotFoundError:
            raise SecretError(
                f"{self._key_file} is missing, so an encrypted value cannot be read",
                hint="restore it from a backup, or set the value again with `zeroclaw config set`",
            ) from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                reason = "is a link, which is not followed"
            elif error.errno is None or error.errno in (errno.EISDIR, errno.ENXIO):
                reason = "is not a regular file"
            else:
                raise
            raise self._damaged(reason) from None
        text = data.strip()
        if len(text) != 2 * _KEY or not _HEX.issuperset(text.decode("latin-1")):
            raise self._damaged(f"does not hold {2 * _KEY} hexadecimal digits")
        return bytes.fromhex(text.decode("ascii"))

    def _damaged(self, reason: str) -> SecretKeyDamaged:
        return SecretKeyDamaged(
            f"{self._key_file} {reason}",
            hint="restore it from a backup; without it, move it away and set every secret again",
        )


def is_reference(text: str) -> bool:
    """Whether ``text`` refers to a value kept elsewhere: ``op://`` and at least three segments that are not empty."""
    segments = text.removeprefix(REFERENCE).split("/")
    return text.startswith(REFERENCE) and len(segments) >= 3 and all(segments)


def encrypt(text: str, key: bytes, nonce: bytes) -> str:
    """``text`` under ``key`` (32 bytes) and ``nonce`` (12 bytes, never used before with this key)."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return SEALED + (nonce + ChaCha20Poly1305(key).encrypt(nonce, text.encode("utf-8"), None)).hex()


def decrypt(stored: str, key: bytes) -> str:
    """The text of an ``enc2:`` value. Raises SecretError."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    blob = _unhex(stored.removeprefix(SEALED))
    if len(blob) <= _NONCE:
        raise _unreadable("is too short", "set it again with `zeroclaw config set`")
    try:
        plain = ChaCha20Poly1305(key).decrypt(blob[:_NONCE], blob[_NONCE:], None)
    except InvalidTag:
        raise _unreadable(
            "was encrypted with another key, or changed since",
            "restore the .secret_key that it was written with, or set it again with `zeroclaw config set`",
        ) from None
    return _utf8(plain)


def decrypt_legacy(stored: str, key: bytes) -> str:
    """The text of an ``enc:`` value. Raises SecretError."""
    blob = _unhex(stored.removeprefix(LEGACY))
    return _utf8(bytes(byte ^ mask for byte, mask in zip(blob, cycle(key), strict=False)))


def _unhex(text: str) -> bytes:
    if len(text) % 2:
        raise _unreadable("has an odd number of hexadecimal digits", "set it again with `zeroclaw config set`")
    if not _HEX.issuperset(text):
        raise _unreadable("is not hexadecimal", "set it again with `zeroclaw config set`")
    return bytes.fromhex(text)


def _utf8(plain: bytes) -> str:
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        raise _unreadable("is not UTF-8 when decrypted", "set it again with `zeroclaw config set`") from None


def _unreadable(reason: str, hint: str) -> SecretError:
    return SecretError(f"an encrypted value {reason}", hint=hint)


def _publish(file: Path) -> None:
    """Create the key file; one that another process made at the same time is kept."""
    make_private_dir(file.parent)
    temporary = temporary_beside(file)
    write_new(temporary, os.urandom(_KEY).hex().encode("ascii"))
    try:
        with suppress(FileExistsError):
            give_name(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
    fsync_dir(file.parent)


def _read_reference(reference: str) -> str:
    import shutil
    import subprocess

    command = shutil.which("op")
    if command is None:
        raise SecretError(
            f"{reference} needs the command `op`, which is not installed",
            hint="install the 1Password command line, or set the value itself with `zeroclaw config set`",
        )
    try:
        done = subprocess.run(
            [command, "read", reference],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_OP_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SecretError(
            f"`op read {reference}` does not start: {reason}", hint=f"check {command}, and the reference"
        ) from None
    except subprocess.TimeoutExpired:
        raise SecretError(
            f"`op read {reference}` did not answer in {_OP_TIMEOUT_S} seconds", hint="run `op signin`, then try again"
        ) from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise SecretError(f"`op read {reference}` failed: {lines[0]}", hint="run `op signin`, and check the reference")
    try:
        return done.stdout.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        raise SecretError(f"the value of {reference} is not UTF-8", hint="store it as text") from None
