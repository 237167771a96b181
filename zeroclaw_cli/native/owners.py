"""Whose documents there are: the scopes that hold at least one (specs/native-memory.md §1)."""

from __future__ import annotations

from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.scope import Scope


def document_scopes(store: Store, scope: Scope, *, any_project: bool = False, forgotten: bool = False) -> list[Scope]:
    """The scopes of the same user and project as ``scope``, or of each of the user's projects, that hold documents (or
    versions of ``forgotten`` ones): those of every agent, by project and agent."""
    which = "tenant = ? AND user = ? AND (? OR project = ?)"
    values = (scope.tenant, scope.user, any_project, scope.project)
    sql = f"SELECT agent, project FROM documents WHERE {which}"  # noqa: S608 - words of ours
    if forgotten:
        sql += f" UNION SELECT agent, project FROM past_versions WHERE {which}"  # noqa: S608
    rows = store.query(f"SELECT DISTINCT agent, project FROM ({sql}) ORDER BY project, agent", values * (1 + forgotten))  # noqa: S608
    return [Scope(scope.tenant, scope.user, agent, project) for agent, project in rows]


def entry_projects(store: Store, scope: Scope) -> list[str]:
    """The projects of the same user as ``scope`` that hold entries, by name; none is the empty one."""
    rows = store.query(
        "SELECT DISTINCT project FROM entries WHERE tenant = ? AND user = ? ORDER BY project",
        (scope.tenant, scope.user),
    )
    return [str(project) for (project,) in rows]
