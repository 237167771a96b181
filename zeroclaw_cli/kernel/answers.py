"""What the layers answered, as the host of a prompt gets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zeroclaw_cli.memory.documents import Degradation
from zeroclaw_cli.memory.requests import PromptRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """What one succeeded step gave."""

    layer_id: str
    adapter_id: str | None
    output: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the layers gave for a prompt, raw. ``standing`` is the standing document, None where the runtime layer has
    no part in it; ``redact`` takes the secrets of this program out of a text."""

    asked: PromptRequest
    standing: str | None
    answers: tuple[Answer, ...]
    degradations: tuple[Degradation, ...]
    redact: Callable[[str], str]
