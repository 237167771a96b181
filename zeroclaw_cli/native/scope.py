"""Scopes: whose memory it is (specs/native-memory.md §1).

All four parts must match exactly for every operation on documents; nothing inherits from a wider scope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from zeroclaw_cli.errors import DocumentArgument, DocumentOperation
from zeroclaw_cli.memory.scope_names import ABSENT, check_segment

_ROOT: Final = "/memory/tenants/"
# What rows of a scope, or of one document, satisfy in SQL; the parameters are `Scope.key`, and then the path.
OF_SCOPE: Final = "tenant = ? AND user = ? AND agent = ? AND project = ?"
OF_DOCUMENT: Final = f"{OF_SCOPE} AND path = ?"


@dataclass(frozen=True, slots=True)
class Scope:
    """Tenant, user, and optionally agent and project; an absent part is the empty string.

    Raises DocumentInput ``bad_scope`` when a part breaks the rules.
    """

    tenant: str = "local"
    user: str = "default"
    agent: str = ""
    project: str = ""

    def __post_init__(self) -> None:
        check_segment("tenant", self.tenant)
        check_segment("user", self.user)
        if self.agent:
            check_segment("agent", self.agent)
        if self.project:
            check_segment("project", self.project)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The four parts as the store's columns hold them."""
        return self.tenant, self.user, self.agent, self.project

    @property
    def changed_by(self) -> str:
        """Who an archived version names as the one that replaced it (specs/native-memory.md §2)."""
        agent = f"agent:{self.agent}:" if self.agent else ""
        return f"tenant:{self.tenant}:user:{self.user}:{agent}project:{self.project or ABSENT}"

    @property
    def of_user(self) -> Scope:
        """The scope of the user alone, where the profile is (specs/native-memory.md §11)."""
        return replace(self, agent="", project="")

    def virtual_path(self, relative: str) -> str:
        """The path of a document as it is named across scopes."""
        agent, project = self.agent or ABSENT, self.project or ABSENT
        return f"{_ROOT}{self.tenant}/users/{self.user}/agents/{agent}/projects/{project}/{relative}"


@dataclass(frozen=True, slots=True)
class Invocation:
    """What every call carries: the scope, the running thread and run from the trusted context, and a correlation id."""

    scope: Scope = Scope()
    thread_id: str | None = None
    invocation_id: str = ""
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class DocumentPath:
    """A document: its scope and its relative path. Identity is both together."""

    scope: Scope
    relative: str


def parse_virtual_path(path: str) -> DocumentPath:
    """The document that a virtual path names; the older form without ``agents/…`` means no agent.

    Raises DocumentInput ``bad_scope``.
    """
    parts = path.removeprefix(_ROOT).split("/") if path.startswith(_ROOT) else []
    words = parts[1::2]
    if words[:3] == ["users", "agents", "projects"] and len(parts) >= 8:
        tenant, user, agent, project = parts[0], parts[2], parts[4], parts[6]
        relative = "/".join(parts[7:])
    elif words[:2] == ["users", "projects"] and len(parts) >= 6:
        tenant, user, agent, project = parts[0], parts[2], ABSENT, parts[4]
        relative = "/".join(parts[5:])
    else:
        raise DocumentArgument(
            "bad_scope", "not a virtual memory path", hint=f"it has the form {_ROOT}<tenant>/users/…"
        )
    scope = Scope(tenant, user, "" if agent == ABSENT else agent, "" if project == ABSENT else project)
    # An empty part in the path is not an absent part: only `_none` says that.
    for name, value in (("agent", agent), ("project", project)):
        if value != ABSENT:
            check_segment(name, value)
    return DocumentPath(scope, relative)


def authorise(context: Scope, target: Scope) -> None:
    """Raise DocumentOperation ``scope_mismatch`` unless the target is exactly what the caller may touch (§18)."""
    if context != target:
        raise DocumentOperation("scope_mismatch", "the document is outside the scope of this call")
