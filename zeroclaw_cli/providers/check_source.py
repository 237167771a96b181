"""What the sources of a provider tell without being run, for ``memory check``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.providers import names
from zeroclaw_cli.providers.findings import Finding, error, note, ok, warning
from zeroclaw_cli.providers.host_modules import statements

_REQUIRED: Final = ("name", "is_available", "initialize", "get_tool_schemas")
_NETWORK: Final = frozenset(
    {"aiohttp", "ftplib", "grpc", "httplib2", "httpx", "openai", "requests", "smtplib", "socket", "urllib", "urllib3"}
    | {"websocket", "websockets"}
)
# Parts of these packages that reach nothing.
_LOCAL: Final = frozenset({"urllib.parse", "urllib.error"})
# Bases that bring no member of a provider.
_PLAIN_BASES: Final = frozenset({"MemoryProvider", "ABC", "object"})
_CLI: Final = "cli.py"
_INIT: Final = "__init__.py"


@dataclass(frozen=True, slots=True)
class Sources:
    """The parsed modules of a provider by path, and the names that it may import relatively."""

    modules: Mapping[str, ast.Module]
    own: frozenset[str]
    problems: tuple[Finding, ...] = ()


@dataclass(slots=True)
class _Class:
    """A class that derives from MemoryProvider: where it is, its methods and what else it assigns, with what it
    inherits within the package. ``from_elsewhere``: it inherits from classes that are not in the package too."""

    path: str
    name: str
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    from_elsewhere: bool = False


def parse(code: Mapping[str, bytes], own: frozenset[str]) -> Sources:
    """Parse the ``.py`` files among ``code``; one that is not Python is a problem."""
    modules: dict[str, ast.Module] = {}
    problems = []
    for path in sorted(path for path in code if path.endswith(".py")):
        try:
            modules[path] = ast.parse(code[path], path)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
            line = f", line {wrong.lineno}" if isinstance(wrong, SyntaxError) and wrong.lineno else ""
            text = wrong.msg if isinstance(wrong, SyntaxError) else str(wrong)
            problems.append(error("syntax", f"{path}{line}: {text}", "correct it: nothing of the provider loads"))
    return Sources(
        modules,
        own,
        tuple(problems)
        or (ok("syntax", f"{len(modules)} {'module parses' if len(modules) == 1 else 'modules parse'}"),),
    )


def inspect(sources: Sources, name: str, hooks: tuple[str, ...], network: bool | None) -> Iterator[Finding]:
    """The findings about the sources of provider ``name``, whose plugin.yaml lists ``hooks`` and ``network``."""
    classes = _providers(sources)
    yield from _entry(sources, classes)
    for found in classes[:1]:
        yield from _members(found, name)
        yield from _hooks(found, hooks)
    yield from _imports(sources)
    yield from _network(sources, network)
    yield from _manners(sources)
    yield from _commands(sources, name)


def _providers(sources: Sources) -> list[_Class]:
    classes: dict[str, tuple[str, ast.ClassDef]] = {}
    for path, module in sources.modules.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, (path, node))
    found = []
    for class_name, (path, node) in classes.items():
        line = _bases(class_name, classes)
        if "MemoryProvider" in line and class_name != "MemoryProvider":
            result = _Class(path, node.name)
            result.from_elsewhere = any(base not in classes and base not in _PLAIN_BASES for base in line)
            for base in line:
                if base in classes:
                    _take_members(result, classes[base][1])
            found.append(result)
    # One that others derive from is not a provider itself.
    parents = {base for one in found for base in _bases(one.name, classes)[1:]}
    return [one for one in found if one.name not in parents]


def _take_members(found: _Class, node: ast.ClassDef) -> None:
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            found.methods.setdefault(item.name, item)  # type: ignore[arg-type]
        elif isinstance(item, ast.Assign | ast.AnnAssign) and item.value is not None:
            for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
                if isinstance(target, ast.Name):
                    found.values.setdefault(target.id, item.value)


def _bases(class_name: str, classes: Mapping[str, tuple[str, ast.ClassDef]]) -> list[str]:
    """The class and the names of what it derives from, nearest first."""
    line, waiting = [], [class_name]
    while waiting:
        current = waiting.pop(0)
        if current not in line:
            line.append(current)
            if current in classes:
                waiting += [_last_name(base) for base in classes[current][1].bases]
    return line


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _entry(sources: Sources, classes: list[_Class]) -> Iterator[Finding]:
    init = sources.modules.get(_INIT)
    if init is None:
        return
    registers = any(isinstance(node, ast.FunctionDef) and node.name == "register" for node in ast.walk(init)) or any(
        isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == "register" for alias in node.names)
        for node in ast.walk(init)
    )
    if registers:
        yield ok("register", "register(ctx) is there")
    elif classes:
        hint = "write `def register(ctx): ctx.register_memory_provider(…)` in __init__.py"
        yield warning("register", f"register(ctx) is missing; the class {classes[0].name} is used", hint)
    else:
        hint = "write a class that derives from agent.memory_provider.MemoryProvider, and register(ctx)"
        yield error("register", "there is neither register(ctx) nor a class that derives from MemoryProvider", hint)


def _members(found: _Class, name: str) -> Iterator[Finding]:
    absent = [member for member in _REQUIRED if member not in found.methods and member not in found.values]
    if absent and found.from_elsewhere:
        yield note("members", f"{found.path}: {', '.join(absent)} of {found.name} may come from elsewhere")
    elif absent:
        yield error(
            "members", f"{found.path}: {found.name} lacks {', '.join(absent)}", "write them: the class is abstract"
        )
    else:
        yield ok("members", f"{found.name} has all that is required")
    called = _constant_result(found.methods.get("name")) or _constant(found.values.get("name"))
    if called is not None and names.claims_builtin(called):
        yield error("own-name", f"it calls itself '{called}', the built-in memory's name", "return another name")
    elif called is not None and called != name:
        yield warning("own-name", f"it calls itself '{called}', and its folder is '{name}'", "make both the same")
    if "get_config_schema" not in found.methods and not found.from_elsewhere:
        yield warning("schema", "get_config_schema is missing", "return what a user must enter, or an empty list")
    yield from _signatures(found)


def _constant_result(method: ast.FunctionDef | None) -> str | None:
    if method is None:
        return None
    returned = (_constant(node.value) for node in ast.walk(method) if isinstance(node, ast.Return))
    return next((text for text in returned if text is not None), None)


def _constant(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _signatures(found: _Class) -> Iterator[Finding]:
    for method, keyword in (("sync_turn", "messages"), ("queue_prefetch", "session_id"), ("prefetch", "session_id")):
        node = found.methods.get(method)
        if node is not None and not _takes(node, keyword):
            yield note(
                "signature", f"{found.path}:{node.lineno}: {method} takes no {keyword}, and is called without it"
            )
    for member, node in found.methods.items():
        if isinstance(node, ast.AsyncFunctionDef) and not member.startswith("_"):
            yield error("signature", f"{found.path}:{node.lineno}: {member} is async", "the host awaits nothing")


def _takes(node: ast.FunctionDef, keyword: str) -> bool:
    arguments = node.args
    return arguments.kwarg is not None or any(
        argument.arg == keyword for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def _hooks(found: _Class, hooks: tuple[str, ...]) -> Iterator[Finding]:
    from zeroclaw_cli.providers.base import MemoryProvider

    known = {member for member in vars(MemoryProvider) if not member.startswith("_")} | {
        "post_setup",
        "get_status_config",
        "initialize_for_inspection",
        "identity_signature",
    }
    unknown = [hook for hook in hooks if hook not in known]
    if unknown:
        yield warning("hooks", f"plugin.yaml lists hooks that do not exist: {', '.join(unknown)}", "remove them")
    missing = [hook for hook in hooks if hook in known and hook not in found.methods and hook not in found.values]
    if missing and not found.from_elsewhere:
        hint = "write them, or take them out of hooks"
        yield warning("hooks", f"plugin.yaml lists {', '.join(missing)}, which {found.name} does not have", hint)
    if not unknown and not missing:
        yield ok("hooks", "the hooks of plugin.yaml are there")


def _imports(sources: Sources) -> Iterator[Finding]:
    wrong = False
    for path, line, module, level in _all_imports(sources, tried=False):
        top = module.partition(".")[0]
        if level == 0 and top in sources.own and top not in sys.stdlib_module_names:
            wrong = True
            yield error(
                "imports", f"{path}:{line}: `{top}` is a module of the provider itself", f"write `from .{top} import …`"
            )
        elif level == 0 and top == "zeroclaw_cli":
            wrong = True
            hint = "import the host by agent.memory_provider, agent.memory_manager and vibeos_constants"
            yield error("imports", f"{path}:{line}: `{module}` is not a name for plugins", hint)
    if not wrong:
        yield ok("imports", "its own modules are imported relatively")


def _all_imports(sources: Sources, *, tried: bool = True) -> Iterator[tuple[str, int, str, int]]:
    """Path, line, module and level of every import; without ``tried`` not of those that may fail, or that stand in for
    one that failed."""
    for path, tree in sources.modules.items():
        for node in ast.walk(tree) if tried else _surely_run(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield path, node.lineno, alias.name, 0
            elif isinstance(node, ast.ImportFrom):
                yield path, node.lineno, node.module or "", node.level


def _surely_run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of ``tree`` without what is tried, and done instead, where an import may fail."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.Try) and any(_catches_import_errors(handler.type) for handler in node.handlers):
            waiting += [*node.orelse, *node.finalbody]
        else:
            waiting += ast.iter_child_nodes(node)


def _catches_import_errors(caught: ast.expr | None) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    words = {"" if kind is None else _last_name(kind) for kind in kinds}
    return bool(words & {"", "ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _network(sources: Sources, declared: bool | None) -> Iterator[Finding]:
    used = sorted(
        {
            module
            for _, _, module, level in _all_imports(sources)
            if level == 0 and module.partition(".")[0] in _NETWORK and module not in _LOCAL
        }
    )
    if declared is None:
        hint = "write `network: true` when data leaves the device, else `network: false`"
        yield warning("network", "plugin.yaml does not say whether data leaves the device", hint)
    elif not declared and used:
        hint = "write `network: true`, or say in the README what these are for"
        yield warning("network", f"plugin.yaml says network: false, and the code imports {', '.join(used)}", hint)
    else:
        yield ok("network", "data leaves the device" if declared else "nothing leaves the device")


def _manners(sources: Sources) -> Iterator[Finding]:
    clean = True
    for path, tree in sources.modules.items():
        at_once = set(statements(tree))
        # One finding for each kind of call in a file, with its lines.
        lines: dict[tuple[str, bool], list[int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                lines.setdefault((_dotted(node.func), node in at_once), []).append(node.lineno)
        for (text, first), numbers in lines.items():
            found = _call_finding(path, text, sorted(numbers), at_once=first)
            if found is not None:
                clean = False
                yield found
    if clean:
        yield ok("manners", "it does not print, end the process or look up its own home directory")


def _call_finding(path: str, text: str, lines: list[int], *, at_once: bool) -> Finding | None:
    more = f" (and {counted(len(lines) - 1, 'more line')})" if len(lines) > 1 else ""
    where = f"{path}:{lines[0]}{more}"
    is_cli = path == _CLI
    if text == "print" and not is_cli:
        hint = "use logging: stdout belongs to the command"
        return warning("manners", f"{where}: print()", hint)
    if text in ("sys.exit", "os._exit", "exit", "quit") and not (is_cli and text == "sys.exit"):
        # A function that wants to end the process fails as any other does; a module that does so never loads.
        level = error if at_once else warning
        return level("manners", f"{where}: {text}() ends the host's process", "raise an exception, or return")
    if text in ("Path.home", "pathlib.Path.home", "os.path.expanduser") or text.endswith(".expanduser"):
        hint = "keep data below the vibeos_home that initialize gets"
        return warning("manners", f"{where}: {text}() leads out of the home", hint)
    return None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else f".{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _commands(sources: Sources, name: str) -> Iterator[Finding]:
    tree = sources.modules.get(_CLI)
    if tree is None:
        return
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    handler = f"{name.replace('-', '_')}_command"
    sets_func = any(
        isinstance(node, ast.Call)
        and _dotted(node.func).endswith(".set_defaults")
        and any(keyword.arg == "func" for keyword in node.keywords)
        for node in ast.walk(tree)
    )
    if "register_cli" not in functions:
        hint = "write `def register_cli(subparser)`, or remove cli.py"
        yield error("commands", f"{_CLI} has no register_cli", hint)
    elif handler not in functions and not sets_func:
        hint = f"write `def {handler}(args)`, or subparser.set_defaults(func=…)"
        yield warning("commands", f"{_CLI} has no handler: its command prints only help", hint)
    else:
        yield ok("commands", f"`zeroclaw {name} …` while it is active")
