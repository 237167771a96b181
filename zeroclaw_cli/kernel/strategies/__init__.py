"""Strategies from artefacts: read, checked, replayed, compared, promoted and rolled back (specs/memory-kernel.md §15).

Nothing of an artefact runs against memory before it passed; what is selected is always the copy that passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def strategies_path(data_dir: Path) -> Path:
    """The folder of everything that was ever promoted. Without it no strategy but the host's own can be selected."""
    return data_dir / "memory" / "strategies"
