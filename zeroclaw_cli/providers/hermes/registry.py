"""``tools.registry``: the results of tools."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["tool_error", "tool_result"]


def tool_error(message: Any, **extra: Any) -> str:
    """The JSON text of a tool's failure: ``error`` and what is in ``extra``. Raises TypeError for what is not JSON."""
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False)


def tool_result(data: Any = None, **fields: Any) -> str:
    """The JSON text of ``data``, or of ``fields`` without it. Raises TypeError for what is not JSON."""
    return json.dumps(fields if data is None else data, ensure_ascii=False)
