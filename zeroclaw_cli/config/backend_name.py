"""How ``memory.backend``, ``--backend`` and a layer's ``backend`` name a memory (design.md, Config).

What the name opens is for ``backends.py`` to say, which is the only one that knows the implementations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NATIVE: Final = "native"
LAYERS: Final = "layers"
# What may be written.
KINDS: Final = (NATIVE, "plugin.<package>", "provider.<name>", LAYERS, "postgres", "none")
OF_THE_OTHER_PROGRAM: Final = frozenset({"markdown", "lucid", "qdrant"})
# Ids of the provider that is built in and of the switched-off memory elsewhere. As a value of `memory.provider` they
# name no Python provider.
BUILT_IN_PROVIDER: Final = "ironclaw.memory"
NO_MEMORY_PROVIDER: Final = "memory.disabled"
_NATIVE_WORDS: Final = frozenset({NATIVE, "sqlite"})


@dataclass(frozen=True, slots=True)
class BackendName:
    """A backend as chosen: its kind in lower case, and what follows the first dot as written."""

    kind: str
    rest: str

    @property
    def is_native(self) -> bool:
        return self.kind in _NATIVE_WORDS and not self.rest

    @property
    def is_layers(self) -> bool:
        return self.kind == LAYERS and not self.rest

    @property
    def package(self) -> str | None:
        """The plugin that is named, or None."""
        return self.rest if self.kind == "plugin" and self.rest else None

    @property
    def provider(self) -> str | None:
        """The Python provider that is named, or None."""
        return self.rest if self.kind == "provider" and self.rest else None


def parse_backend(text: str) -> BackendName:
    """Split ``kind.rest`` at the first dot; the kind is compared in lower case, the rest is kept as written."""
    kind, _, rest = text.strip().partition(".")
    return BackendName(kind.lower(), rest)
