"""What a provider's files import of hermes-agent that is not offered, told from its sources before any of them runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from zeroclaw_cli.providers.aliases import COMPAT, HERMES_NAMES, HOST_NAMES, is_installed
from zeroclaw_cli.providers.hermes.names import OFFERED, TOP_LEVEL

_INIT: Final = "__init__.py"
_OWN: Final = "plugins.memory"


class Lacking(NamedTuple):
    """An import that fails: ``name`` of that host at ``line`` of the file ``path``.

    ``at_once``: the provider does not even load without it. ``with_compat``: memory.providers_host.hermes_compat
    offers it.
    """

    name: str
    path: str
    line: int
    at_once: bool
    with_compat: bool

    @property
    def message(self) -> str:
        """What is lacking and where, for a person."""
        what = "needs" if self.at_once else "uses"
        return f"it {what} {self.name} of hermes-agent, which is not offered here ({self.path}:{self.line})"

    @property
    def hint(self) -> str:
        """What a person can do about it."""
        if self.with_compat:
            return f"`zeroclaw config set {COMPAT} true` offers it"
        return "it cannot run here; tell its author" if self.at_once else "what needs it does not work; the rest does"


def lacking(code: Mapping[str, bytes], provider: str, *, compat: bool) -> tuple[Lacking, ...]:
    """The imports in the sources ``code`` of ``provider`` that nothing answers, each name once, with those that keep it
    from loading first. A source that is not Python has none."""
    modules = dict(_parsed(code))
    at_once = _run_at_once(modules)
    found: dict[str, Lacking] = {}
    for path, tree in modules.items():
        sure = set(statements(tree)) if path in at_once else set()
        for node in ast.walk(tree):
            for name in _imported(node):
                if not _is_offered(name, provider, compat=compat):
                    line = getattr(node, "lineno", 0)
                    one = Lacking(name, path, line, node in sure, _is_offered(name, provider, compat=True))
                    if name not in found or (one.at_once and not found[name].at_once):
                        found[name] = one
    return tuple(sorted(found.values(), key=lambda one: not one.at_once))


def _parsed(code: Mapping[str, bytes]) -> Iterator[tuple[str, ast.Module]]:
    words = [name.encode("ascii") for name in TOP_LEVEL]
    for path, data in sorted(code.items()):
        # What names none of it imports none of it; parsing is slow.
        if path.endswith(".py") and (path == _INIT or any(word in data for word in words)):
            try:
                yield path, ast.parse(data)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def _run_at_once(modules: Mapping[str, ast.Module]) -> set[str]:
    """The files that run when the package is imported."""
    found: set[str] = set()
    waiting = [_INIT]
    while waiting:
        path = waiting.pop()
        if path in found or path not in modules:
            continue
        found.add(path)
        folder = path.split("/")[:-1]
        for node in statements(modules[path]):
            if isinstance(node, ast.ImportFrom) and node.level and node.level <= len(folder) + 1:
                base = folder[: len(folder) + 1 - node.level] + (node.module.split(".") if node.module else [])
                for parts in (base, *([*base, alias.name] for alias in node.names)):
                    waiting += ["/".join(parts) + ".py", "/".join([*parts, _INIT])]
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that run when it is imported, without those that may be meant to fail."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Try | ast.If):
            # A branch may not be taken, and an import that is tried may fail.
            continue
        yield node
        yield from statements(node)


def _imported(node: ast.AST) -> Iterator[str]:
    """The names of that host that ``node`` imports: modules, or what is taken from one that is offered."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if _is_of_the_host(alias.name))
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module and _is_of_the_host(node.module):
        of_one = node.module in HERMES_NAMES or node.module in (_OWN, "agent")
        yield from (f"{node.module}.{alias.name}" for alias in node.names) if of_one else (node.module,)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        first = node.args[0] if node.args else None
        if name in ("import_module", "__import__") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield from (first.value,) if _is_of_the_host(first.value) else ()


def _is_of_the_host(module: str) -> bool:
    top = module.partition(".")[0]
    return top in TOP_LEVEL and (top == "agent" or not is_installed(top))


def _is_offered(name: str, provider: str, *, compat: bool) -> bool:
    if name in HOST_NAMES or name.rpartition(".")[0] in HOST_NAMES - {"agent"}:
        return True
    if not compat:
        return False
    if name in HERMES_NAMES or name == f"{_OWN}.{provider}" or name.startswith(f"{_OWN}.{provider}."):
        return True
    module, _, attribute = name.rpartition(".")
    return module in OFFERED and (attribute == "*" or attribute in import_module(OFFERED[module]).__all__)
