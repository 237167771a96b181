"""The module names that plugins import the host by (specs/memory-providers.md P-01, P-02).

They are entries of ``sys.modules`` that are modules of ours, never packages of this distribution. A name that a
foreign package has is left to it, and no provider is loaded then: it would get that package in the host's place.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

from zeroclaw_cli.errors import ProviderBroken

# Alias -> module of ours, or None for a package that only holds others.
_HOST: Final[Mapping[str, str | None]] = {
    "agent": None,
    "agent.memory_provider": "zeroclaw_cli.providers.base",
    "vibeos_constants": "",
}
_HERMES: Final[Mapping[str, str | None]] = {
    "hermes_constants": "",
    "hermes_state": "",
    "utils": "",
    "tools": None,
    "tools.registry": "",
    "hermes_cli": None,
    "hermes_cli.config": "",
}
# Imported when a plugin asks for it: few do, and it brings the whole runtime.
_LATE: Final[Mapping[str, str]] = {"agent.memory_manager": "zeroclaw_cli.providers.manager"}
HOST_NAMES: Final = frozenset(_HOST) | frozenset(_LATE)
HERMES_NAMES: Final = frozenset(_HERMES)

# The modules that are registered by this module.
_installed: Final[dict[str, ModuleType]] = {}


def install(*, hermes_compat: bool) -> None:
    """Make the host's names importable, those of the compatible host too with ``hermes_compat``. Doing it again does no
    harm. Raises ProviderBroken, nothing registered, when a foreign package has one of the names."""
    wanted = dict(_HOST) | (dict(_HERMES) if hermes_compat else {})
    for name in wanted:
        _require_unclaimed(name)
    for name, module in wanted.items():
        if name not in _installed:
            _installed[name] = _make(name, module)
        sys.modules[name] = _installed[name]
        package, _, part = name.rpartition(".")
        if package:
            setattr(_installed[package], part, _installed[name])
    if _LATE_FINDER not in sys.meta_path:
        sys.meta_path.append(_LATE_FINDER)


def remove() -> None:
    """Take back every name that is still ours."""
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
    if _LATE_FINDER in sys.meta_path:
        sys.meta_path.remove(_LATE_FINDER)


def installed() -> Mapping[str, ModuleType]:
    """The registered modules by name."""
    return dict(_installed)


class _LateFinder(MetaPathFinder, Loader):
    """Puts a module of ours in the place of the one that is being imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        ours = "agent" in _installed and sys.modules.get("agent") is _installed["agent"]
        return ModuleSpec(fullname, self) if ours and fullname in _LATE else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        # The import system takes what is there when this returns.
        sys.modules[name] = _installed[name] = import_module(_LATE[name])


_LATE_FINDER: Final = _LateFinder()


def _require_unclaimed(name: str) -> None:
    present = sys.modules.get(name)
    if present is not None and present is not _installed.get(name):
        raise _claimed(name, getattr(present, "__file__", None))
    # Below a package of ours nothing foreign can be; a folder without code claims nothing.
    if name not in _installed and "." not in name:
        spec = _find(name)
        if spec is not None and spec.origin is not None:
            raise _claimed(name, spec.origin)


def _find(name: str) -> ModuleSpec | None:
    try:
        return PathFinder.find_spec(name)
    except (ImportError, ValueError):
        return None


def _claimed(name: str, where: str | None) -> ProviderBroken:
    compat = " or set memory.providers_host.hermes_compat to false" if name in HERMES_NAMES else ""
    place = f": {where}" if where else ""
    return ProviderBroken(
        f"providers cannot be loaded: '{name}', the name by which they import this program, is taken{place}",
        hint=f"run this program in an environment without a package of that name{compat}",
    )


def _make(name: str, module: str | None) -> ModuleType:
    if module:
        return import_module(module)
    made = ModuleType(name, "A name of the host, for the providers that it runs.")
    made.__spec__ = ModuleSpec(name, None, is_package=module is None)
    if module is None:
        made.__path__ = []
    for attribute, value in _contents(name).items():
        setattr(made, attribute, value)
    return made


def _contents(name: str) -> Mapping[str, Any]:
    if name == "vibeos_constants":
        from zeroclaw_cli.providers import home

        return {
            "get_vibeos_home": home.get_vibeos_home,
            "display_vibeos_home": home.display_home,
        }
    if name in HERMES_NAMES:
        from zeroclaw_cli.providers import hermes

        return hermes.CONTENTS.get(name, {})
    return {}
