"""Calling hooks whose signatures are older or newer than ours (specs/memory-providers.md §6).

A signature is inspected; a hook is never called to see whether it raises ``TypeError``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, Final

_ORDINARY: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def accepted(method: Callable[..., Any], positional: int, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Those ``keywords`` that ``method`` takes beside so many ``positional`` arguments (P-17, P-19).

    All of them for a method with ``**kwargs``, or one that cannot be inspected.
    """
    parameters = _parameters(method)
    if parameters is None or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return dict(keywords)
    names = _named(parameters, positional)
    return {name: value for name, value in keywords.items() if name in names}


def call_memory_write(
    method: Callable[..., Any], action: str, target: str, content: str, metadata: dict[str, Any]
) -> Any:
    """Call ``on_memory_write`` with ``metadata`` by keyword, as fourth argument or not at all (P-18)."""
    parameters = _parameters(method)
    if (
        parameters is None
        or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
        or "metadata" in _named(parameters, 3)
    ):
        return method(action, target, content, metadata=metadata)
    if sum(parameter.kind in _ORDINARY for parameter in parameters) >= 4:
        return method(action, target, content, metadata)
    return method(action, target, content)


def _parameters(method: Callable[..., Any]) -> list[Parameter] | None:
    try:
        return list(inspect.signature(method).parameters.values())
    except Exception:  # noqa: BLE001 - a provider's object may answer an inspection with anything
        return None


def _named(parameters: list[Parameter], positional: int) -> set[str]:
    """The names that may be given by keyword when so many positional arguments are given too."""
    taken = [parameter.name for parameter in parameters if parameter.kind in _ORDINARY][:positional]
    return {parameter.name for parameter in parameters if parameter.kind in _BY_NAME} - set(taken)
