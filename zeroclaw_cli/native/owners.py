"""Whose documents there are: the scopes that hold at least one (specs/native-memory.md §1)."""

from __future__ import annotations

from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.scope import Scope


def document_scopes(store: Store, scope: Scope, *, any_project: bool = False) -> list[Scope]:
    """The scopes of the same user and project as ``scope``, or of each of the user's projects, that hold documents:
    those of every agent, by project and agent."""
    rows = store.query(
        "SELECT DISTINCT agent, project FROM documents WHERE tenant = ? AND user = ? AND (? OR project = ?) "
        "ORDER BY project, agent",
        (scope.tenant, scope.user, any_project, scope.project),
    )
    return [Scope(scope.tenant, scope.user, agent, project) for agent, project in rows]
