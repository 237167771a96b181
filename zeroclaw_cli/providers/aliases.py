"""The module names that plugins import the host by (specs/memory-providers.md P-01, P-02).

They are entries of ``sys.modules`` that are modules of ours, never packages of this distribution. A name that a
foreign package has is left to it, and no provider is loaded then: it would get that package in the host's place.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from zeroclaw_cli.errors import ProviderBroken
from zeroclaw_cli.providers.hermes.names import OFFERED, PACKAGES, TOP_LEVEL
from zeroclaw_cli.providers.home import calling_provider

COMPAT: Final = "memory.providers_host.hermes_compat"
_log: Final = logging.getLogger("zeroclaw_cli.providers")
# Modules that are ours themselves, since what they define must be the host's own (P-01).
_HOST: Final[Mapping[str, str]] = {
    "agent.memory_provider": "zeroclaw_cli.providers.base",
    "vibeos_constants": "zeroclaw_cli.providers.vibeos_constants",
}
# Imported when a plugin asks for it: few do, and it brings the whole runtime.
_LATE: Final[Mapping[str, str]] = {"agent.memory_manager": "zeroclaw_cli.providers.manager"}
HOST_NAMES: Final = frozenset(_HOST) | frozenset(_LATE) | {"agent"}
HERMES_NAMES: Final = frozenset(OFFERED) | frozenset(PACKAGES)

# The modules that are registered by this module, by the name they have there.
_installed: Final[dict[str, ModuleType]] = {}
# Provider -> what it imported of hermes-agent that is not offered, in that order.
_missed: Final[dict[str, dict[str, None]]] = {}


def install(*, hermes_compat: bool) -> None:
    """Make the host's names importable, those of hermes-agent too with ``hermes_compat``. Doing it again does no harm.
    Raises ProviderBroken, nothing registered, when a foreign package has one of the names."""
    packages = ("agent", *PACKAGES) if hermes_compat else ("agent",)
    late = dict(_LATE) | (dict(OFFERED) if hermes_compat else {})
    for name in (*packages, *_HOST, *late):
        _require_unclaimed(name)
    for name in (*packages, *_HOST):
        if name not in _installed:
            _register(name, import_module(_HOST[name]) if name in _HOST else _package(name))
        sys.modules[name] = _installed[name]
    _FINDER.offered.update(late)
    # Before the finder of files: a mere folder of such a name would be found as a package.
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    if _LAST not in sys.meta_path:
        sys.meta_path.append(_LAST)


def use_home(home: Path) -> None:
    """Let ``HERMES_HOME`` in the environment be ``home``, for providers that read it and for programs they start."""
    os.environ["HERMES_HOME"] = str(home.absolute())


def remove() -> None:
    """Take back every name that is still ours."""
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
    _missed.clear()
    _FINDER.offered.clear()
    for finder in (_FINDER, _LAST):
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)


def installed() -> Mapping[str, ModuleType]:
    """The registered modules by name."""
    return dict(_installed)


def offered() -> frozenset[str]:
    """The names that are importable now, those that nobody imported yet included."""
    return frozenset(_installed) | frozenset(_FINDER.offered)


def taken() -> tuple[str, ...]:
    """The offered names that have a module which is not ours in ``sys.modules``."""
    return tuple(
        name
        for name in (*_installed, *_FINDER.offered)
        if name in sys.modules and sys.modules[name] is not _installed.get(name)
    )


def missed(provider: str) -> tuple[str, ...]:
    """What ``provider`` has imported of hermes-agent so far that is not offered."""
    return tuple(_missed.get(provider, ()))


def _register(name: str, module: ModuleType) -> None:
    _installed[name] = sys.modules[name] = module
    package, _, part = name.rpartition(".")
    if package:
        setattr(_installed[package], part, module)


class _Finder(MetaPathFinder, Loader):
    """Makes the modules that are ``offered`` when they are imported first."""

    def __init__(self) -> None:
        self.offered: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self.offered else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        ours = import_module(self.offered[name])
        if name in _LATE:
            # The import system takes what is there when this returns.
            module = ours
        else:
            vars(module).update({attribute: getattr(ours, attribute) for attribute in ours.__all__})
            vars(module)["__getattr__"] = _missing_attribute(name)
        _register(name, module)


class _Last(MetaPathFinder):
    """Finds nothing; whatever gets here is not there, and a module of hermes-agent is noted."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in TOP_LEVEL:
            _note(fullname)
        return None


_FINDER: Final = _Finder()
_LAST: Final = _Last()


def _missing_attribute(module: str) -> Any:
    def look_up(attribute: str) -> Any:
        # The import system itself asks for the others.
        if not attribute.startswith("__"):
            _note(f"{module}.{attribute}")
        raise AttributeError(f"module '{module}' has no attribute '{attribute}'")

    return look_up


def _note(what: str) -> None:
    provider = calling_provider()
    if provider is None:
        return
    noted = _missed.setdefault(provider, {})
    if what not in noted:
        noted[what] = None
        _log.warning("provider %s: it imports %s", provider, unoffered(what))


def unoffered(what: str) -> str:
    """``what`` of hermes-agent, which is not there, and what follows from that, for a person."""
    if what in HERMES_NAMES and what not in _FINDER.offered:
        return f"{what}, which `zeroclaw config set {COMPAT} true` offers"
    return f"{what} of hermes-agent, which this program does not offer; what needs it does not work"


def _require_unclaimed(name: str) -> None:
    present = sys.modules.get(name)
    if present is not None and present is not _installed.get(name):
        raise _claimed(name, getattr(present, "__file__", None))
    # Below a package of ours nothing foreign can be; a folder without code claims nothing.
    if "." not in name and is_installed(name):
        spec = _find(name)
        raise _claimed(name, None if spec is None else spec.origin)


def is_installed(name: str) -> bool:
    """Whether a package ``name`` that is not ours is there."""
    spec = None if name in _installed else _find(name)
    return spec is not None and spec.origin is not None


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


def _package(name: str) -> ModuleType:
    made = ModuleType(name, "Holds names of the host, for the providers that it runs.")
    made.__spec__ = ModuleSpec(name, None, is_package=True)
    made.__path__ = []
    return made
