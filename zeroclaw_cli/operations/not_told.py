"""What the provider of ``memory.provider`` is not told of: restores, and what the layers do to the built-in store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from zeroclaw_cli.config.backend_name import NATIVE
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS
from zeroclaw_cli.providers.names import chosen

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.kernel.operations import Receipt, ReceiptStep


def of_restore(config: Config) -> list[str]:
    """The warning that the provider beside the built-in store knows nothing of a restore of it; none without one."""
    name = chosen(config.memory.provider)
    if name is None:
        return []
    return [
        f"memory provider '{name}' is not told of a restore: it still has what the restore took away, and lacks what "
        "it brought back"
    ]


def under_layers(config: Config, receipts: Iterable[Receipt]) -> list[str]:
    """The warning that the provider of the config still has what requests to the layers, of which these are the
    ``receipts``, took from the built-in store; none when nothing was taken."""
    name = chosen(config.memory.provider)
    if name is None or not any(_takes(receipt.capability, step) for receipt in receipts for step in receipt.steps):
        return []
    return [
        f"memory provider '{name}' is not told under the layers: it still has what is gone here, and may bring it back"
    ]


def _takes(capability: str, step: ReceiptStep) -> bool:
    """Whether a step of a request to the layers took something from the built-in store."""
    built_in = step.layer_id in BUILT_IN_LAYERS and step.adapter_id in (None, NATIVE)
    if step.status != "succeeded" or not built_in or not isinstance(step.output, Mapping):
        return False
    said = step.output
    match capability:
        case "forget":
            return bool(said.get("rows") or said.get("deleted"))
        case "archive":
            return "archived" in said
        case "write":
            return said.get("status") in ("patched", "cleared") or (
                said.get("status") == "written" and said.get("append") is False
            )
    return False
