"""Names of agents, projects, users and tenants that can be part of a scope (specs/native-memory.md §1)."""

from __future__ import annotations

from typing import Final

from zeroclaw_cli.errors import DocumentArgument
from zeroclaw_cli.memory.measures import byte_length, has_lone_surrogate, is_blank, is_control

# How a path spells an agent or a project that is absent.
ABSENT: Final = "_none"
_MAX_SEGMENT_BYTES: Final = 256


def check_segment(name: str, value: str) -> None:
    """Raise DocumentInput ``bad_scope`` unless ``value`` can be the part ``name`` (tenant, user, agent, project)."""
    problem = _segment_problem(name, value)
    if problem is not None:
        raise DocumentArgument(
            "bad_scope", f"the {name} of a memory scope {problem}", hint=f"give the {name} a plain name, such as 'home'"
        )


def _segment_problem(name: str, value: str) -> str | None:
    if is_blank(value):
        return "is blank"
    if has_lone_surrogate(value):
        return "is not valid Unicode text"
    if byte_length(value) > _MAX_SEGMENT_BYTES:
        return f"is longer than {_MAX_SEGMENT_BYTES} bytes"
    if value in (".", ".."):
        return f"may not be '{value}'"
    if any(char in ":/\\" or is_control(char) for char in value):
        return "may not contain ':', '/', '\\' or control characters"
    if name in ("agent", "project") and value == ABSENT:
        return f"may not be '{ABSENT}', which stands for none"
    return None
