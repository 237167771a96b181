"""Reading documents and listing them (specs/native-memory.md §7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from zeroclaw_cli.memory.documents import Document, TreeNode
from zeroclaw_cli.native.paths import check_local_path, check_readable
from zeroclaw_cli.native.repository import Repository
from zeroclaw_cli.native.scope import DocumentPath, Scope
from zeroclaw_cli.native.write import not_found, text_of

MAX_DEPTH: Final = 10


def read(repository: Repository, scope: Scope, path: str) -> Document:
    """The document at ``path``, exactly as it is kept.

    Raises DocumentInput for a path that cannot be one, DocumentNotFound, or DocumentOperation ``not_utf8``.
    """
    check_readable(path)
    stored = repository.read(scope, DocumentPath(scope, path))
    if stored is None:
        raise not_found(path)
    content = text_of(stored)
    times = (stored.created_at, stored.updated_at)
    return Document(path, content, len(content.split()), stored.content_hash, *times)


def tree(repository: Repository, scope: Scope, path: str = "", depth: int = 1) -> list[TreeNode]:
    """What is below ``path`` (empty: everything), folders first; ``depth`` levels are opened (1 to 10).

    Nothing is below a document or a path that does not exist. Raises DocumentInput for a path that cannot be one.
    """
    if path:
        check_local_path(path)
    folder = path.strip("/")
    prefix = f"{folder}/" if folder else ""
    below = [item[len(prefix) :] for item in repository.list_paths(scope, scope) if item.startswith(prefix)]
    return _level(below, min(max(depth, 1), MAX_DEPTH))


def _level(paths: Iterable[str], depth: int) -> list[TreeNode]:
    folders: dict[str, list[str]] = {}
    files: list[str] = []
    for path in paths:
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, []).append(rest)
        else:
            files.append(first)
    nodes: list[TreeNode] = []
    for name in sorted(folders):
        nodes.append(f"{name}/" if depth <= 1 else {f"{name}/": _level(folders[name], depth - 1)})
    return [*nodes, *sorted(files)]
