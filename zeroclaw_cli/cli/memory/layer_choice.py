"""What a command line says of the layers, and the surfaces that the command opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeroclaw_cli.errors import UsageError

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.operations import Receipt
    from zeroclaw_cli.kernel.surface import Surface


class LayerOptions:
    """The two options of one command, and the surfaces that it opened."""

    def __init__(self, layer: str | None, receipt: bool, *, elsewhere: bool = False) -> None:
        self.layer = layer
        self.receipt = receipt
        # Another backend of the same command is the layers.
        self._elsewhere = elsewhere
        self._surfaces: list[Surface] = []

    def attach(self, surface: Surface) -> None:
        surface.layer = self.layer
        self._surfaces.append(surface)

    def require_layers(self) -> None:
        """Raise UsageError when an option was given and no layers are opened."""
        if self._elsewhere:
            return
        option = "--layer" if self.layer is not None else "--receipt" if self.receipt else None
        if option is not None:
            raise UsageError(
                f"{option} goes with the layers",
                hint="pass --backend layers, or `zeroclaw config set memory.backend layers`",
            )

    @property
    def receipts(self) -> list[Receipt]:
        return [receipt for surface in self._surfaces for receipt in surface.receipts]

    @property
    def incomplete(self) -> bool:
        return any(surface.incomplete for surface in self._surfaces)
