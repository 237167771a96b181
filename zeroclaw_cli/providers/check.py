"""``zeroclaw memory check``: a provider looked over for its author.

Its files are read and its sources parsed. Its code runs only when it is trusted, in a process of its own, with a home
that is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.errors import ProviderUntrusted, SourceNotFound
from zeroclaw_cli.providers import check_source, names, trust
from zeroclaw_cli.providers.findings import Finding, Report, error, note, ok, skipped, warning
from zeroclaw_cli.providers.plugin_yaml import FILE, KINDS, PluginInfo, read_plugin_yaml
from zeroclaw_cli.providers.setup.answers import NOW
from zeroclaw_cli.providers.tree import Tree, UnsafeTree, is_library, read_tree

if TYPE_CHECKING:
    from zeroclaw_cli.providers.discovery import ProviderPlugin

_INIT: Final = "__init__.py"
_README: Final = "README.md"


def check(
    directory: Path,
    home: Path,
    given_trust: str | None = None,
    *,
    hermes_compat: bool = False,
    write_trial: bool = False,
) -> Report:
    """Look over the provider in ``directory``. ``given_trust`` is a digest in lower case, ``now`` or None;
    ``hermes_compat`` is that of the home.

    Its code runs when ``home`` trusts it, or ``given_trust`` says so; with ``write_trial`` also what may write, to a
    service of its own too. Raises SourceNotFound when there is no such folder, ProviderUntrusted when the digest is
    another.
    """
    if not directory.is_dir():
        raise SourceNotFound(f"{directory} is not a folder", hint="name the folder with the provider's __init__.py")
    folder = directory.resolve()
    info = read_plugin_yaml(folder)
    findings = [*_name(folder), *_description(folder, info), *_readme(folder), *_dependencies(info)]
    try:
        tree = read_tree(folder, keep=True)
    except UnsafeTree as unsafe:
        if given_trust is not None:
            raise ProviderUntrusted(f"{folder} is not run: {unsafe.reason}", hint=unsafe.hint) from None
        return Report.of([*findings, error("files", unsafe.reason, unsafe.hint)])
    findings += _files(tree)
    sources = _sources(tree)
    findings += sources.problems
    findings += check_source.inspect(sources, folder.name, info.hooks, info.network)
    findings += _other_host(tree, folder.name, compat=hermes_compat)
    findings += _map(info)
    if any(item.level == "error" for item in findings):
        _require_digest(folder, tree, given_trust)
        findings.append(skipped("run", "its code was not run", "correct the errors first"))
    else:
        findings += _run(folder, home, info, tree, given_trust, (hermes_compat, write_trial))
    return Report.of(findings)


def _name(folder: Path) -> Iterator[Finding]:
    wrong = names.name_problem(folder.name)
    if wrong is None:
        yield ok("name", f"'{folder.name}' can be a provider")
    else:
        yield error("name", f"the folder '{folder.name}' {wrong}", "rename the folder")
    if not (folder / _INIT).is_file():
        yield error("package", f"there is no {_INIT}", "a provider is a package: write one, it may be short")


def _description(folder: Path, info: PluginInfo) -> Iterator[Finding]:
    if not (folder / FILE).is_file():
        yield error("plugin.yaml", f"there is no {FILE}", "write name, version, description and kind: memory into it")
        return
    for problem in info.problems:
        yield warning("plugin.yaml", problem, "correct it")
    absent = [key for key, value in (("version", info.version), ("description", info.description)) if not value]
    if absent:
        yield warning("plugin.yaml", f"{FILE} has no {' and no '.join(absent)}", "people choose providers by them")
    if info.name and info.name != folder.name:
        yield warning("plugin.yaml", f"its name is '{info.name}', the folder's '{folder.name}'", "make both the same")
    if info.kind not in KINDS:
        yield warning("plugin.yaml", f"its kind is {info.kind!r}", "write `kind: memory`, so that it is found anywhere")
    wrong = [name for name in info.requires_env if not _is_variable(name)]
    if wrong:
        yield warning("plugin.yaml", f"requires_env holds {wrong[0]!r}, which is not a variable", "name variables")
    if not info.problems and not absent and not wrong:
        yield ok("plugin.yaml", f"{info.name or folder.name} {info.version}")


def _is_variable(name: str) -> bool:
    from zeroclaw_cli.providers.env_file import key_problem

    return key_problem(name) is None


def _readme(folder: Path) -> Iterator[Finding]:
    try:
        text = (folder / _README).read_text("utf-8", "replace").lower()
    except OSError:
        yield warning("readme", f"there is no {_README}", "describe its setup, its data and its tools")
        return
    absent = [word for word in ("setup", "config", "tools") if word not in text]
    if absent:
        yield warning("readme", f"{_README} says nothing of {', '.join(absent)}", "write a heading for each")
    else:
        yield ok("readme", f"{_README} describes setup, config and tools")


def _dependencies(info: PluginInfo) -> Iterator[Finding]:
    from zeroclaw_cli.providers import dependencies

    accepted, refused = dependencies.parse(info.pip_dependencies)
    for text, reason in refused:
        hint = "write a name with version specifiers, such as `package>=1,<2`"
        yield error("dependencies", f"'{text}' is never installed: {reason}", hint)
    for requirement in accepted:
        if not requirement.specifier:
            yield note("dependencies", f"{requirement} takes any version", "bound it, for instance >=1,<2")


def _files(tree: Tree) -> Iterator[Finding]:
    compiled = [path for path in tree.files if is_library(path)]
    if compiled:
        yield note("files", f"compiled code: {', '.join(sorted(compiled))}", "it must fit the user's machine")
    stale = [path for path in tree.files if path.endswith((".pyc", ".pyo"))]
    if stale:
        yield warning("files", f"cached bytecode outside of __pycache__: {stale[0]}", "remove it: it is never used")
    if not stale:
        yield ok("files", f"{len(tree.files)} files, sha256 {tree.digest}")


def _sources(tree: Tree) -> check_source.Sources:
    from zeroclaw_cli.providers.importer import modules_of

    code = {path: data for path, data in tree.code.items() if path.endswith(".py")}
    return check_source.parse(code, frozenset(modules_of(tree)))


def _map(info: PluginInfo) -> Iterator[Finding]:
    if info.memory_map is None:
        hint = "zeroclaw_memory_map in plugin.yaml would let its tools serve them"
        yield note("memory-map", "list, forget and the like are not mapped to tools", hint)
        return
    from zeroclaw_cli.providers.memory_map import MapError, read_map

    try:
        found = read_map(info.memory_map)
    except MapError as wrong:
        yield error("memory-map", f"zeroclaw_memory_map: {wrong}", "correct it: the provider does not load with it")
    else:
        yield ok("memory-map", f"maps {', '.join(found.calls)}")


def _require_digest(folder: Path, tree: Tree, given: str | None) -> None:
    if given not in (None, NOW, tree.digest):
        raise ProviderUntrusted(
            f"{folder} is not the tree that --trust names: its digest is {tree.digest}",
            hint="look at its files again",
        )


def _other_host(tree: Tree, name: str, *, compat: bool) -> Iterator[Finding]:
    from zeroclaw_cli.providers.host_modules import lacking

    for lack in lacking(tree.code, name, compat=compat):
        yield (error if lack.at_once else warning)("other-host", lack.message, lack.hint)


def _run(
    folder: Path, home: Path, info: PluginInfo, tree: Tree, given: str | None, options: tuple[bool, bool]
) -> Iterator[Finding]:
    from zeroclaw_cli.providers.status import missing_packages

    _require_digest(folder, tree, given)
    plugin = _plugin(folder, info)
    absent = missing_packages(home, plugin)
    if absent:
        hint = f"`zeroclaw memory setup {plugin.name} --install-deps` installs it for this provider alone"
        yield skipped("run", f"it needs {', '.join(absent)}, which is not installed", hint)
    elif given is None and not trust.verdict(home, plugin).loadable:
        yield skipped("run", "its code was not run because it has not been approved", "pass --trust now to run it")
    else:
        from zeroclaw_cli.providers import check_run

        compat, write_trial = options
        yield from check_run.run(plugin, home, tree.digest, hermes_compat=compat, write_trial=write_trial)


def _plugin(folder: Path, info: PluginInfo) -> ProviderPlugin:
    from zeroclaw_cli.providers.discovery import BUNDLED, Origin, ProviderPlugin

    origin: Origin = "bundled" if folder.parent == BUNDLED.resolve() else "user"
    return ProviderPlugin(folder.name, folder, origin, info)
