"""``memory status``: what is configured, and whether the next memory command can use it (cli.md, memory)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.backends import usability
from zeroclaw_cli.errors import Damaged, ZeroclawError
from zeroclaw_cli.providers import status as of_providers

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.wasm.host import HostOptions


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """``problem`` is why the backend cannot be used, None when it can; ``warnings`` what is to be said besides."""

    providers: of_providers.Status
    problem: ZeroclawError | None
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """As doctor's: 5 when state on disk is damaged, 1 when something cannot be used, else 0."""
        if isinstance(self.problem, Damaged):
            return Damaged.exit_code
        return 0 if self.problem is None and self.providers.usable else 1

    def to_json(self) -> dict[str, Any]:
        body = self.providers.to_json()
        body["usable"] = self.exit_code == 0
        body["backend_problem"] = None if self.problem is None else self.problem.to_json()
        return body


def status(config: Config, options: HostOptions, backend: str | None = None) -> MemoryStatus:
    """The backend (``backend``, or ``memory.backend`` when it is None), opened to see whether it can be used, and the
    providers. Raises nothing about any of them."""
    found = of_providers.status(config, backend)
    said = tuple(problem.message for problem in found.found.problems)
    looked = usability(config, options, backend)
    return MemoryStatus(found, looked.problem, (*said, *looked.warnings))
