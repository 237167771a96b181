"""The house of the project: a room imports only the floors below its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import zeroclaw_cli

ROOT = Path(zeroclaw_cli.__file__).parent

FLOORS = {
    "entry": 8,
    "__main__": 8,
    "cli": 8,
    "mcp": 8,
    "operations": 7,
    "api": 7,
    "backends": 6,
    "layers": 5,
    "kernel": 4,
    "wasm": 3,
    "native": 3,
    "providers": 3,
    "plugins": 2,
    "config": 1,
    "memory": 0,
    "errors": 0,
    "os_errors": 0,
    "fsio": 0,
    "examples": 0,
    "templates": 0,
    "__init__": 0,
}
# Between rooms of one floor only these.
SAME_FLOOR = {("entry", "cli"), ("__main__", "entry"), ("cli", "mcp"), ("api", "operations")}
# They import nothing of ours.
EVERYBODYS = {"__init__", "__version__", "errors", "fsio"}
# The kernel knows the protocol and what it is given, no implementation.
NEVER = {("kernel", "wasm"), ("kernel", "native"), ("kernel", "providers")}


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 1 and path.is_relative_to(ROOT / "providers" / "bundled"):
                # A plugin does not know the full name of its package.
                continue
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full"
            assert node.module is not None
            if node.module == "zeroclaw_cli":
                yield from ((node.lineno, f"zeroclaw_cli.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"import_module", "__import__"}
        ):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def allowed(importer: str, imported: str) -> bool:
    if importer == imported or imported in EVERYBODYS:
        return True
    if (importer, imported) in NEVER:
        return False
    if FLOORS[importer] == FLOORS[imported]:
        return (importer, imported) in SAME_FLOOR
    return FLOORS[importer] > FLOORS[imported]


MODULES = sorted(ROOT.rglob("*.py"))


def test_every_room_imports_only_the_floors_below() -> None:
    wrong = []
    for path in MODULES:
        relative = path.relative_to(ROOT)
        room = relative.parts[0].removesuffix(".py")
        assert room in FLOORS, f"{room} has no floor"
        wrong += [
            f"{relative}:{line} imports {module}"
            for line, module in imports(path)
            if module.split(".")[0] == "zeroclaw_cli" and not allowed(room, room_of(module))
        ]
    assert not wrong


def test_a_floor_that_imports_upwards_would_be_found() -> None:
    assert not allowed("plugins", "wasm")
    assert not allowed("wasm", "native")
    assert not allowed("kernel", "wasm")
    assert allowed("cli", "operations")
    assert allowed("cli", "mcp")
    assert not allowed("mcp", "cli")


HEAVY = {
    "wasmtime",
    "cryptography",
    "tomlkit",
    "rich",
    "jsonschema",
    "httpx",
    "mcp",
    "platformdirs",
    "filelock",
    "yaml",
}


def test_heavy_libraries_are_imported_inside_functions() -> None:
    at_module_level = [
        (str(path.relative_to(ROOT)), name)
        for path in MODULES
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    ]
    assert not [found for found in at_module_level if found[1].split(".")[0] in HEAVY]


def test_the_entry_point_imports_nothing_but_sys_and_os_at_module_level() -> None:
    tree = ast.parse((ROOT / "entry.py").read_text("utf-8"))
    names = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    froms = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert sorted(names) == ["os", "sys"]
    assert froms == ["__future__"]


# What implements the memory protocol, and the rooms that may name it.
IMPLEMENTATIONS = {
    "NativeMemory": "native",
    "NativeDocuments": "native",
    "WasmMemory": "wasm",
    "ProviderMemory": "providers",
    "LayeredMemory": "layers",
    "LayeredDocuments": "layers",
}


def asked_which(tree: ast.AST) -> Iterator[str]:
    """The implementations that ``isinstance`` asks for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name))


def test_nobody_outside_an_implementation_asks_which_one_a_memory_is() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} asks for {name}"
        for path in MODULES
        for name in asked_which(ast.parse(path.read_text("utf-8")))
        if name in IMPLEMENTATIONS and path.relative_to(ROOT).parts[0] != IMPLEMENTATIONS[name]
    ]
    assert not wrong


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions and for types alone count: a reader follows them all the same."""
    names = {".".join(("zeroclaw_cli", *path.relative_to(ROOT).with_suffix("").parts)): path for path in MODULES}
    edges = {
        name: {target for target in targets_of(path) if target in names and target != name}
        for name, path in names.items()
    }
    left = dict(edges)
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    while free := [name for name in left if not any(name in targets for targets in left.values())]:
        for name in free:
            del left[name]
    assert not left, f"in or between circles: {sorted(left)}"


def targets_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
