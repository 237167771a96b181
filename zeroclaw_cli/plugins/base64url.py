"""base64url without padding, decoded strictly (specs/zeroclaw.md §4.1): one text for each sequence of bytes."""

from __future__ import annotations

import binascii
import re

_ALPHABET = r"[A-Za-z0-9_-]*"


def encode(data: bytes) -> str:
    """``data`` as base64url text without ``=``."""
    return binascii.b2a_base64(data, newline=False).decode("ascii").translate(_TO_URL).rstrip("=")


def decode(text: str) -> bytes | None:
    """The bytes of ``text``, or None for padding, whitespace, any foreign character or non-zero trailing bits."""
    if not re.fullmatch(_ALPHABET, text) or len(text) % 4 == 1:
        return None
    data = binascii.a2b_base64(text.translate(_FROM_URL) + "=" * (-len(text) % 4))
    return data if encode(data) == text else None


_TO_URL = str.maketrans("+/", "-_")
_FROM_URL = str.maketrans("-_", "+/")
