"""The guards that come with the kernel (specs/memory-kernel.md §20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.kernel.contracts import Allow, Deny, GuardContext, Request

NO_AUTOMATIC_FORGET: Final = "no-automatic-forget"


@dataclass(frozen=True, slots=True)
class NoAutomaticForget:
    """Only a person forgets. ``forget`` shares its channel with ``write``, so no participation mode can say this."""

    id: str = NO_AUTOMATIC_FORGET

    def decide(self, request: Request, context: GuardContext) -> Allow | Deny:
        if request.capability != "forget" or request.trigger == "manual":
            return Allow()
        return Deny(f"nothing is forgotten under the trigger {request.trigger}; a person forgets at a terminal")
