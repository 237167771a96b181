"""Providers as Python packages (specs/memory-providers.md P-09 … P-11, P-41, P-54).

Each provider of each home is a package of its own below a private namespace. Its modules are made, when they are
imported, from the bytes that were read when it was approved: neither a file that changed meanwhile nor cached bytecode
takes their place, and two homes share no module.
"""

from __future__ import annotations

import builtins
import hashlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, cast

from zeroclaw_cli.providers.home import NAMESPACE, register_modules
from zeroclaw_cli.providers.tree import Tree, is_library

_INIT: Final = "__init__.py"

# Full module name -> the package.
_packages: Final[dict[str, Package]] = {}
# Folders whose sources are imported through their package only.
_closed: Final[dict[str, Tree]] = {}


class Package:
    """A provider as an importable package. ``executed`` tells whether its ``__init__`` ran to its end; ``public`` is a
    second name by which its modules may import each other, empty for none."""

    def __init__(self, name: str, tree: Tree, *, closed: bool) -> None:
        self.name = name
        self.tree = tree
        self.executed = False
        self.public = ""
        self._closed = closed
        self._libraries: Path | None = None

    def enter(self) -> ModuleType:
        """The package's module in ``sys.modules``, made if it is missing; its ``__init__`` is not run."""
        present = sys.modules.get(self.name)
        if present is not None:
            return present
        _install_finder()
        if self._closed:
            _close(self.tree)
        parent = _parent(self.name)
        spec = self.spec(self.name)
        assert spec is not None
        module = module_from_spec(spec)
        sys.modules[self.name] = module
        setattr(parent, self.name.rpartition(".")[2], module)
        return module

    def execute(self) -> ModuleType:
        """The package's module, its ``__init__`` run once. Raises whatever that raises."""
        module = self.enter()
        if not self.executed:
            spec = module.__spec__
            assert spec is not None
            assert spec.loader is not None
            spec.loader.exec_module(module)
            self.executed = True
        # A module may put another object in its own place; one that took itself away would be run a second time.
        return sys.modules.setdefault(self.name, module)

    def leave(self) -> None:
        """Take the package and its modules out of ``sys.modules``."""
        for name in [name for name in sys.modules if name == self.name or name.startswith(f"{self.name}.")]:
            del sys.modules[name]
        parent, _, last = self.name.rpartition(".")
        if parent in sys.modules:
            vars(sys.modules[parent]).pop(last, None)
        self.executed = False
        _packages.pop(self.name, None)

    def spec(self, fullname: str) -> ModuleSpec | None:
        """How the module ``fullname``, the package or one below it, is made; None when the tree has no such module."""
        path = fullname[len(self.name) + 1 :].replace(".", "/")
        below = f"{path}/" if path else ""
        where = self.tree.directory
        if below + _INIT in self.tree.code:
            return self._source(fullname, below + _INIT, [str(where / path)])
        for suffix in EXTENSION_SUFFIXES:
            if path + suffix in self.tree.code:
                file = str(self._library(path + suffix))
                return spec_from_file_location(fullname, file, loader=ExtensionFileLoader(fullname, file))
        if f"{path}.py" in self.tree.code:
            return self._source(fullname, f"{path}.py", None)
        if any(file.startswith(below) for file in self.tree.code):
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(where / path)]
            return spec
        return None

    def _source(self, fullname: str, path: str, locations: list[str] | None) -> ModuleSpec:
        file = str(self.tree.directory / path)
        loader = ApprovedLoader(file, self, path)
        spec = ModuleSpec(fullname, loader, origin=file, is_package=locations is not None)
        spec.has_location = True
        spec.cached = None
        if locations is not None:
            spec.submodule_search_locations = locations
        return spec

    def imported(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """``__import__`` of its modules: ``public`` is a name of the package for them alone, so that two homes share
        no module by it."""
        above, _, last = self.public.rpartition(".")
        wanted = fromlist or ()
        if level == 0 and (name == self.public or name.startswith(f"{self.public}.")):
            module = import_module(self.name + name[len(self.public) :])
            if not wanted:
                return self._seen_from_the_top(above, last)
            return builtins.__import__(module.__name__, fromlist=wanted)
        if level == 0 and name == above and last in wanted:
            import_module(self.name)
            return _Holder(above, {last: sys.modules[self.name]})
        return builtins.__import__(name, globals, locals, wanted, level)

    def _seen_from_the_top(self, above: str, last: str) -> ModuleType:
        """What ``import a.b.c`` binds, which is ``a``."""
        found: ModuleType = _Holder(above, {last: sys.modules[self.name]})
        while above:
            above, _, part = above.rpartition(".")
            if above:
                found = _Holder(above, {part: found})
        return found

    def _library(self, path: str) -> Path:
        """Where compiled code is loaded from: a private copy of the approved bytes, since the system reads a file."""
        if self._libraries is None:
            import atexit
            import tempfile

            from zeroclaw_cli import fsio

            folder = Path(tempfile.mkdtemp(prefix="zeroclaw-provider-"))
            atexit.register(_remove_quietly, folder)
            for name, content in self.tree.code.items():
                if is_library(name):
                    fsio.make_private_dir((folder / name).parent)
                    fsio.write_new(folder / name, content, mode=0o700)
            self._libraries = folder
        return self._libraries / path


class _Holder(ModuleType):
    """A package as a provider sees it: with modules of its own, and else what the package of that name has."""

    def __init__(self, name: str, own: Mapping[str, ModuleType]) -> None:
        super().__init__(name)
        vars(self).update(own)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        with suppress(ModuleNotFoundError):
            return import_module(f"{self.__name__}.{attribute}")
        raise AttributeError(f"module '{self.__name__}' has no attribute '{attribute}'")


class ApprovedLoader(InspectLoader):
    """Makes a module from approved bytes."""

    def __init__(self, file: str, package: Package, path: str) -> None:
        self.path = file
        self._package = package
        self._tree = package.tree
        self._relative = path

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        if self._package.public:
            vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._package.imported}
        super().exec_module(module)

    def get_filename(self, fullname: str | None = None) -> str:
        return self.path

    def is_package(self, fullname: str) -> bool:
        return self._relative.rpartition("/")[2] == _INIT

    def get_source(self, fullname: str) -> str:
        return decode_source(self._tree.code[self._relative])

    def get_code(self, fullname: str) -> CodeType:
        with warnings.catch_warnings():
            # What Python thinks of a provider's style is for its author, not for whoever runs a command.
            warnings.simplefilter("ignore", SyntaxWarning)
            return compile(self._tree.code[self._relative], self.path, "exec", dont_inherit=True)

    def get_data(self, path: str) -> bytes:
        """The bytes of a file beside the modules. Raises OSError when they are not the approved ones."""
        if not Path(path).is_relative_to(self._tree.directory):
            raise OSError(f"{path} is not a file of this provider")
        relative = Path(path).relative_to(self._tree.directory).as_posix()
        if relative in self._tree.code:
            return self._tree.code[relative]
        data = Path(path).read_bytes()
        if hashlib.sha256(data).hexdigest() != self._tree.files.get(relative):
            raise OSError(f"{path} differs from the approved code")
        return data

    def get_resource_reader(self, fullname: str) -> Any:
        """What ``importlib.resources`` reads the package's files with."""
        from importlib.resources.readers import FileReader

        # It reads the attribute path alone.
        return FileReader(cast(Any, self))


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parts = fullname.split(".")
        if parts[0] != NAMESPACE or len(parts) < 3:
            return None
        package = _packages.get(".".join(parts[:3]))
        return None if package is None else package.spec(fullname)


class _ClosedFolder:
    """The finder of a folder whose sources are not imported from there; what it holds can still be listed."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self._folder = folder
        self._tree = tree

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        return None

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """The modules for ``pkgutil``: name, and whether it is a package."""
        below = self._folder.relative_to(self._tree.directory).as_posix()
        for name, is_package in sorted(modules_of(self._tree, "" if below == "." else f"{below}/").items()):
            yield prefix + name, is_package


_FINDER: Final = _Finder()


def package_of(home: Path, name: str, tree: Tree, *, closed: bool, public: str = "") -> Package:
    """The package of provider ``name`` of ``home``: the one that is loaded, when it was made from the same bytes.

    With ``closed`` its folder gives no modules to ``sys.path``, through which they would come from unapproved bytes.
    ``public`` is a second name of it, for imports of its own modules alone.
    """
    place = f"{home.resolve()}\0{tree.directory}"
    segment = "h" + hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    full = f"{NAMESPACE}.{segment}.{name}"
    known = _packages.get(full)
    if known is None or known.tree.digest != tree.digest:
        if known is not None:
            known.leave()
        register_modules(segment, home)
        known = _packages[full] = Package(full, tree, closed=closed)
    known.public = public
    return known


def modules_of(tree: Tree, below: str = "") -> Mapping[str, bool]:
    """The modules in the folder ``below`` (empty, or ending in ``/``) of a provider by name; true for a package."""
    found = {}
    for path in tree.code:
        if path.startswith(below):
            first, _, rest = path[len(below) :].partition("/")
            name = first if rest else first.partition(".")[0]
            if name.isidentifier() and name != "__init__":
                found[name] = bool(rest)
    return found


def _install_finder() -> None:
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)


def _hook(path: str) -> _ClosedFolder:
    folder = os.path.realpath(path)
    tree = _closed.get(folder)
    if tree is None:
        raise ImportError(path)
    return _ClosedFolder(Path(folder), tree)


def _close(tree: Tree) -> None:
    folders = {str(tree.directory)}
    folders |= {str((tree.directory / path).parent) for path in tree.code}
    for folder in folders:
        _closed[folder] = tree
    for path in [path for path in sys.path_importer_cache if os.path.realpath(path) in folders]:
        del sys.path_importer_cache[path]


def _parent(full: str) -> ModuleType:
    parent: ModuleType | None = None
    name = ""
    for part in full.split(".")[:-1]:
        name = f"{name}.{part}" if name else part
        module = sys.modules.get(name)
        if module is None:
            module = ModuleType(name)
            module.__path__ = []
            module.__spec__ = ModuleSpec(name, None, is_package=True)
            sys.modules[name] = module
        if parent is not None:
            setattr(parent, part, module)
        parent = module
    assert parent is not None
    return parent


def _remove_quietly(folder: Path) -> None:
    from zeroclaw_cli import fsio

    with suppress(OSError):
        fsio.remove_tree(folder)
