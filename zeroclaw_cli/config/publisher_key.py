"""A publisher's public key as text: its form, and which keys can vouch for nobody (specs/zeroclaw.md §4.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Security

REVOKED: Final = "the publisher's key is revoked"

_PRIME: Final = 2**255 - 19
# The eight points of small order share these ordinates. Signatures "by" such a key can be made without any secret.
_SMALL_ORDER: Final = frozenset(
    {
        0,
        1,
        _PRIME - 1,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
    }
)
# Keys whose private half anybody can read: the vectors of RFC 8032 (§7.1 to §7.3) and RFC 8410, those of this format,
# and the keys of the seeds that examples are made with (one byte repeated, or counting up).
_PUBLISHED: Final = frozenset(
    {
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292",
        "0f1d1274943b91415889152e893d80e93275a1fc0b65fd71b4b0dda10ad7d772",
        "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1",
        "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
        "79b5562e8fe654f94078b112e8a98ba7901f853ae695bed7e0e3910bad049664",
        "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
        "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c",
        "76a1592044a6e4f511265bca73a604d90b0529d1df602be30a19a9257660d1f5",
    }
)


def comparable_key(text: str) -> str:
    """The publisher key ``text`` as keys are compared: trimmed, in lower case. It may be no valid key."""
    return text.strip().lower()


def form_problem(text: str) -> str | None:
    """Why ``text`` does not have the form of a publisher key, as the end of a sentence; else None."""
    key = comparable_key(text)
    if key.startswith("0x"):
        return "begins with 0x"
    if not re.fullmatch(r"[0-9a-f]*", key):
        return "is not hex"
    return None if len(key) == 64 else f"has {len(key)} hex digits instead of 64"


def key_problem(text: str) -> str | None:
    """Why nobody can be trusted by the key ``text``: it does not have the form, or anybody can sign with it. It is the
    end of a sentence; None for a key that may be trusted."""
    problem = form_problem(text)
    if problem is not None:
        return problem
    key = comparable_key(text)
    if key in _PUBLISHED:
        return "is a published test key, so anybody can sign with it"
    ordinate = int.from_bytes(bytes.fromhex(key), "little") & (2**255 - 1)
    if ordinate % _PRIME in _SMALL_ORDER:
        return "is a point of small order, so anybody can sign with it"
    return None


def is_revoked(key: str, security: Security) -> bool:
    """Whether ``key`` is among the revoked keys. A revoked key is also found when the file has it with a prefix or
    separators: what was meant to be kept out stays out."""
    return comparable_key(key) in map(_loosely, security.revoked_publisher_keys)


def distrust(key: str, security: Security) -> str | None:
    """Why signatures by ``key`` do not count under ``security``, as a sentence of its own; None when they do."""
    if is_revoked(key, security):
        return REVOKED
    compared = comparable_key(key)
    if compared not in map(comparable_key, security.trusted_publisher_keys):
        return "the publisher's key is not trusted"
    problem = None if form_problem(key) else key_problem(key)
    return None if problem is None else f"the publisher's key {problem}"


def _loosely(text: str) -> str:
    return re.sub(r"[\s:_-]", "", comparable_key(text)).removeprefix("0x")
