"""Which providers there are (specs/memory-providers.md §3). Only directories and ``plugin.yaml`` are read; no code of a
plugin is imported or run.

The roots in their order, the first that has a name wins: bundled, ``<home>/plugins/memory``, ``<home>/plugins`` (where
other kinds of plugins live too), ``./.vibeos/plugins/memory`` where the environment asks for it, and the entry points
of installed distributions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

from zeroclaw_cli.errors import ProviderNotFound
from zeroclaw_cli.plugins.payload import MANIFEST
from zeroclaw_cli.providers.names import name_problem
from zeroclaw_cli.providers.plugin_yaml import KINDS, PluginInfo, read_plugin_yaml

Origin = Literal["bundled", "user", "user-flat", "project", "entry-point"]

BUNDLED: Final = Path(__file__).parent / "bundled"
PROJECT_VARIABLE: Final = "VIBEOS_ENABLE_PROJECT_PLUGINS"
# The last group holds plugins of every kind.
ENTRY_POINTS: Final = ("zeroclaw.memory_providers", "hermes_agent.memory_providers", "hermes_agent.plugins")
_INIT: Final = "__init__.py"
_MOST_SCANNED: Final = 1024 * 1024
_WORDS_OF_A_PROVIDER: Final = (b"register_memory_provider", b"MemoryProvider")


@dataclass(frozen=True, slots=True)
class ProviderPlugin:
    """A provider that was found, by the name that selects it. ``problems`` are lines for a person, those of ``info``
    among them; ``shadows`` are the directories of the same name that it wins over.

    ``module`` is the module below the package in ``directory`` that an entry point names, empty for the package itself;
    ``attribute`` what it names of that, or empty.
    """

    name: str
    directory: Path
    origin: Origin
    info: PluginInfo
    problems: tuple[str, ...] = ()
    shadows: tuple[Path, ...] = ()
    module: str = ""
    attribute: str = ""


class Problem(NamedTuple):
    """Something in a root that is not a provider though it looks like one."""

    name: str
    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    """``plugins`` are sorted by name, each name once."""

    plugins: tuple[ProviderPlugin, ...] = ()
    problems: tuple[Problem, ...] = ()


class _Root(NamedTuple):
    path: Path
    origin: Origin


class _Candidate(NamedTuple):
    name: str
    directory: Path
    origin: Origin
    module: str = ""
    attribute: str = ""


def discover(home: Path, environ: Mapping[str, str], cwd: Path) -> Found:
    """Every provider of ``home``, and of the project in ``cwd`` where ``environ`` enables project plugins."""
    winners: dict[str, _Candidate] = {}
    shadows: dict[str, list[Path]] = {}
    problems: list[Problem] = []
    for found in _all(home, environ, cwd):
        if isinstance(found, Problem):
            problems.append(found)
        elif found.name in winners:
            shadows.setdefault(found.name, []).append(found.directory)
        else:
            winners[found.name] = found
    plugins = tuple(_plugin(winners[name], tuple(shadows.get(name, ()))) for name in sorted(winners))
    return Found(plugins, tuple(problems))


def find(home: Path, name: str, environ: Mapping[str, str], cwd: Path) -> ProviderPlugin:
    """The provider ``name``, without reading the descriptions of others. Entry points are asked only when no directory
    has the name. Raises ProviderNotFound, with the reason or the near names."""
    wrong = name_problem(name)
    if wrong is not None:
        raise ProviderNotFound(f"'{name}' {wrong}", hint="`zeroclaw memory providers` lists what is installed")
    candidates: list[_Candidate] = []
    problem: Problem | None = None
    for root in roots(home, environ, cwd):
        for found in _in_root(root, only=name):
            if isinstance(found, Problem):
                problem = problem or found
            else:
                candidates.append(found)
    if not candidates:
        entries = (found for found in _entry_points() if found.name == name)
        candidates = [found for found in entries if not isinstance(found, Problem)]
    if candidates:
        return _plugin(candidates[0], tuple(other.directory for other in candidates[1:]))
    if problem is not None:
        raise ProviderNotFound(
            f"memory provider {name} cannot be used: {problem.message}",
            hint="correct it; `zeroclaw memory providers` lists what is installed",
        )
    raise _not_found(name, names(home, environ, cwd))


def names(home: Path, environ: Mapping[str, str], cwd: Path) -> list[str]:
    """The names of all providers, sorted."""
    return sorted({found.name for found in _all(home, environ, cwd) if not isinstance(found, Problem)})


def roots(home: Path, environ: Mapping[str, str], cwd: Path) -> list[_Root]:
    """The folders that may hold providers, in the order of their rank; some may not exist."""
    found = [
        _Root(BUNDLED, "bundled"),
        _Root(home / "plugins" / "memory", "user"),
        _Root(home / "plugins", "user-flat"),
    ]
    if environ.get(PROJECT_VARIABLE, "").strip().lower() in {"1", "true", "yes", "on"}:
        found.append(_Root(cwd / ".vibeos" / "plugins" / "memory", "project"))
    return found


def _all(home: Path, environ: Mapping[str, str], cwd: Path) -> Iterator[_Candidate | Problem]:
    for root in roots(home, environ, cwd):
        yield from _in_root(root)
    yield from _entry_points()


def _in_root(root: _Root, only: str | None = None) -> Iterator[_Candidate | Problem]:
    try:
        children = [root.path / only] if only is not None else sorted(root.path.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield Problem(root.path.name, root.path, f"{root.path} cannot be listed: {error.strerror or error}")
        return
    # A manifest makes a folder a package of another kind (design.md, Where things are on disk).
    if root.origin == "user" and (root.path / MANIFEST).exists():
        return
    for child in children:
        found = _judge(root, child)
        if found is not None:
            yield found


def _judge(root: _Root, child: Path) -> _Candidate | Problem | None:
    """What ``child`` of ``root`` is: a provider, a problem, or nothing of ours."""
    name = child.name
    flat = root.origin == "user-flat"
    if name.startswith((".", "_")) or (flat and name == "memory"):
        return None
    try:
        if flat and not _is_a_flat_provider(child):
            return None
        linked = _link_problem(child)
        if linked is not None:
            return linked
        if not (child / _INIT).is_file():
            return None
    except OSError as error:
        return Problem(name, child, f"{child} cannot be read: {error.strerror or error}")
    wrong = name_problem(name)
    if wrong is not None:
        return Problem(name, child, f"{child}: '{name}' {wrong}")
    return _Candidate(name, child, root.origin)


def _link_problem(child: Path) -> Problem | None:
    """A link is never followed: what is behind it may change to another folder that nobody approved."""
    from shlex import quote

    if not child.is_symlink():
        return None
    try:
        target = child.resolve(strict=True)
    except (OSError, RuntimeError):
        return Problem(child.name, child, f"{child} is a symbolic link to nothing")
    command = f"rm {quote(str(child))} && cp -R {quote(str(target))} {quote(str(child))}"
    return Problem(child.name, child, f"{child} is a symbolic link; `{command}` puts a copy in its place")


def _is_a_flat_provider(directory: Path) -> bool:
    if not (directory / _INIT).is_file() or (directory / MANIFEST).exists():
        return False
    if read_plugin_yaml(directory).kind in KINDS:
        return True
    return _names_a_provider(directory / _INIT)


def _names_a_provider(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            text = stream.read(_MOST_SCANNED)
    except OSError:
        return False
    return any(word in text for word in _WORDS_OF_A_PROVIDER)


def _entry_points() -> Iterator[_Candidate | Problem]:
    from importlib.metadata import entry_points

    for group in ENTRY_POINTS:
        for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
            place = _place_of(entry.module)
            if group == ENTRY_POINTS[-1] and (place is None or not _names_a_provider(place[0] / place[1])):
                continue
            named = f"entry point {entry.name} = {entry.value}"
            wrong = name_problem(entry.name)
            if wrong is not None:
                yield Problem(entry.name, Path(entry.value), f"{named}: '{entry.name}' {wrong}")
            elif place is None:
                yield Problem(entry.name, Path(entry.value), f"{named}: {entry.module} is in no installed package")
            else:
                module = "" if place[1] == _INIT else place[1].removesuffix(".py")
                yield _Candidate(entry.name, place[0], "entry-point", module, entry.attr or "")


def _place_of(module: str) -> tuple[Path, str] | None:
    """The folder of the package that is or holds ``module``, and its file there, found without importing any part of
    it; else None."""
    from importlib.machinery import PathFinder

    top, *rest = module.split(".")
    try:
        spec = PathFinder.find_spec(top)
    except (ImportError, ValueError):
        return None
    for location in (spec.submodule_search_locations or []) if spec is not None else []:
        directory = Path(location).joinpath(*rest)
        if (directory / _INIT).is_file():
            return directory, _INIT
        file = directory.with_name(f"{directory.name}.py")
        if rest and file.is_file() and (file.parent / _INIT).is_file():
            return file.parent, file.name
    return None


def _plugin(found: _Candidate, shadows: tuple[Path, ...]) -> ProviderPlugin:
    info = read_plugin_yaml(found.directory)
    problems = info.problems
    if info.name and info.name != found.name:
        problems += (f"plugin.yaml calls it '{info.name}'; it is selected as '{found.name}'",)
    return ProviderPlugin(
        found.name, found.directory, found.origin, info, problems, shadows, found.module, found.attribute
    )


def _not_found(name: str, known: list[str]) -> ProviderNotFound:
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    hint = "`zeroclaw memory providers` lists what is installed"
    if near:
        hint = f"did you mean {' or '.join(near)}? {hint}"
    return ProviderNotFound(f"memory provider not found: {name}", hint=hint)
