"""What the operator may set for the native store: ``memory.native.*`` (design.md, Config), as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MirrorMode = Literal["off", "export", "sync"]


@dataclass(frozen=True, slots=True)
class NativeSettings:
    """Settings of one opened native store; valid by construction of the config that they come from.

    ``project`` is the project of the scope (empty: none). ``mirror`` is what happens to the Markdown copy of the
    documents (specs/native-memory.md §22.5). ``search_threads`` lets a search see the transcripts of other threads.
    ``keep_versions`` is how many old versions one document keeps (0 keeps none). ``protected_paths`` are further paths
    whose writes are checked for prompt injection. ``curation_interval_turns`` (at least 1) enables scheduled curation;
    None leaves it off.
    """

    project: str = ""
    mirror: MirrorMode = "export"
    search_threads: bool = False
    keep_versions: int = 50
    protected_paths: tuple[str, ...] = ()
    curation_interval_turns: int | None = None
