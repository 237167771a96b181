"""Which turns a canary gets, and when it has to go (specs/memory-kernel.md §15). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

JUDGED_FROM: Final = 20
"""So many plans are needed before anything is judged."""

TOLERATED: Final = 5
"""Percent of the plans that may fail."""

_SPACE: Final = 2**64


@dataclass(frozen=True, slots=True)
class Canary:
    """A promoted artefact that gets ``percent`` (1 to 100) of the turns, with what became of its plans so far."""

    id: str
    version: str
    digest: str
    percent: int
    since: str
    plans: int = 0
    failed: int = 0

    def takes(self, turn_id: str) -> bool:
        """Whether the turn is one of its own. The same turn always gets the same answer."""
        # With the digest in it, two canaries do not burden the same turns.
        spot = int.from_bytes(sha256(f"{self.digest}\0{turn_id}".encode("utf-8", "surrogatepass")).digest()[:8], "big")
        return spot * 100 < self.percent * _SPACE

    def is_run(self, other: Canary | None) -> bool:
        """Whether ``other`` is this canary, whatever became of its plans meanwhile, and not one that came after it."""
        return other is not None and (other.digest, other.since) == (self.digest, self.since)

    def after(self, *, failed: bool) -> Canary:
        """With one more plan, which failed closed or ended ``failed``, or did not."""
        return replace(self, plans=self.plans + 1, failed=self.failed + failed)

    @property
    def verdict(self) -> str | None:
        """Why it has to go, or None."""
        if self.plans < JUDGED_FROM or self.failed * 100 <= self.plans * TOLERATED:
            return None
        return f"{self.failed} of {self.plans} canary plans failed, more than {TOLERATED} %"

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "version": self.version,
            "digest": self.digest,
            "percent": self.percent,
            "since": self.since,
            "plans": self.plans,
            "failed": self.failed,
        }
