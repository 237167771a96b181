"""From a provider's folder to its object (specs/memory-providers.md P-09 … P-13).

Only what was approved is executed (``trust``), as a package of its own (``importer``). Whatever a plugin does while it
is loaded ends in a provider or in one error; it never ends the process, and leaves no half of itself behind.
"""

from __future__ import annotations

import inspect
import logging
import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import ProviderBroken, ProviderUntrusted
from zeroclaw_cli.memory.text import display, escape, shortened
from zeroclaw_cli.providers import aliases, env_file, host_modules, importer, trust
from zeroclaw_cli.providers.base import MemoryProvider
from zeroclaw_cli.providers.bounded import LOAD_WITHIN_S
from zeroclaw_cli.providers.discovery import ProviderPlugin
from zeroclaw_cli.providers.ends import ends_the_host
from zeroclaw_cli.providers.home import NAMESPACE, using_home
from zeroclaw_cli.providers.names import claims_builtin
from zeroclaw_cli.providers.process import ran
from zeroclaw_cli.providers.registration import RegistrationContext, registered
from zeroclaw_cli.providers.seats import plain_text
from zeroclaw_cli.providers.streams import provider_output
from zeroclaw_cli.providers.tree import Tree

_log: Final = logging.getLogger("zeroclaw_cli.providers")
_REQUIRED: Final = ("is_available", "initialize", "get_tool_schemas")
_LONGEST: Final = 500
_EXAMINED: Final = 4_000
_SHOWN_NAME: Final = 64

_loading: Final = threading.RLock()


class Loaded(NamedTuple):
    """A provider, what is worth a warning about it, and the digest of the tree that it came from."""

    provider: MemoryProvider
    warnings: tuple[str, ...]
    digest: str


def load(plugin: ProviderPlugin, home: Path, *, hermes_compat: bool = False) -> MemoryProvider:
    """A new object of the provider ``plugin`` for ``home``; warnings are logged. Its modules are loaded once.

    Raises ProviderUntrusted (or TrustDamaged) before any of its code runs, and ProviderBroken when it gives no usable
    provider.
    """
    loaded = load_with_report(plugin, home, hermes_compat=hermes_compat)
    for warning in loaded.warnings:
        _log.warning("provider %s: %s", plugin.name, warning)
    return loaded.provider


def load_with_report(plugin: ProviderPlugin, home: Path, *, hermes_compat: bool = False) -> Loaded:
    """As :func:`load`, with the warnings as a value."""
    tree = trust.approved_tree(home, plugin)
    context = RegistrationContext(plugin.name, str(home.absolute()))
    with entered(plugin, home, tree, hermes_compat=hermes_compat) as package:
        with failing(plugin, tree, "does not load"):
            module = package.execute()
            if plugin.module:
                module = import_module(f"{package.name}.{plugin.module}")
        provider, warnings = _instance(plugin, package, module, context)
        warnings = [*warnings, *_check(plugin, tree, provider)]
    return Loaded(provider, tuple(warnings), tree.digest)


@contextmanager
def entered(plugin: ProviderPlugin, home: Path, tree: Tree, *, hermes_compat: bool) -> Iterator[importer.Package]:
    """The package of ``plugin`` in ``sys.modules``, its ``__init__`` not run, for a block that runs code of it.

    What the block prints goes to stderr. When it raises, or the code replaced modules of the host, nothing of the
    package stays in ``sys.modules``; the replaced modules are put back in any case.
    """
    with _alone(plugin), using_home(home), provider_output():
        ran(plugin.name)
        env_file.load(home)
        aliases.install(hermes_compat=hermes_compat)
        if hermes_compat:
            aliases.use_home(home)
        dependencies = _add_dependencies(home, plugin)
        # What an installed distribution imports of itself comes from where it is installed.
        closed = plugin.origin in ("user", "user-flat", "project")
        public = f"plugins.memory.{plugin.name}" if hermes_compat else ""
        package = importer.package_of(home, plugin.name, tree, closed=closed, public=public)
        before = {name: module for name, module in sys.modules.items() if _is_the_hosts(name)}
        in_use = package.executed
        try:
            try:
                package.enter()
                yield package
                _require_intact(plugin, before)
            except ProviderBroken:
                _require_intact(plugin, before)
                raise
            finally:
                for name in aliases.taken():
                    del sys.modules[name]
                sys.modules.update(before)
        except BaseException:
            # An earlier object of the same package may be at work.
            if not in_use:
                package.leave()
                if dependencies is not None and dependencies in sys.path:
                    sys.path.remove(dependencies)
            raise


@contextmanager
def _alone(plugin: ProviderPlugin) -> Iterator[None]:
    """Keep other threads from loading. Raises ProviderBroken when one of them does not come to its end."""
    if not _loading.acquire(timeout=LOAD_WITHIN_S):
        raise ProviderBroken(
            f"memory provider {plugin.name} is not loaded: the import of another one has not ended for "
            f"{LOAD_WITHIN_S:g} seconds",
            hint="find the provider that hangs while it is imported, and start again without it",
        )
    try:
        yield
    finally:
        _loading.release()


def _add_dependencies(home: Path, plugin: ProviderPlugin) -> str | None:
    """Put the folder of the provider's own dependencies at the end of ``sys.path``; the folder, if it was not there."""
    from zeroclaw_cli.providers.dependencies import folder_of

    folder = folder_of(home, plugin.name)
    text = str(folder)
    if not folder.is_dir():
        return None
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
        raise ProviderUntrusted(
            f"memory provider {plugin.name} is not loaded: the folder of its dependencies may be changed by others: "
            f"{folder}",
            hint=f"remove the folder and run `zeroclaw memory setup {plugin.name} --install-deps`",
        )
    if text in sys.path:
        return None
    sys.path.append(text)
    return text


def _is_the_hosts(name: str) -> bool:
    top = name.partition(".")[0]
    return top == "zeroclaw_cli" or top in sys.stdlib_module_names or name in aliases.installed()


def _require_intact(plugin: ProviderPlugin, before: Mapping[str, ModuleType]) -> None:
    """Raise ProviderBroken when modules of the host are not those of ``before``."""
    replaced = sorted({*aliases.taken(), *(name for name, old in before.items() if sys.modules.get(name) is not old)})
    if replaced:
        raise ProviderBroken(
            f"memory provider {plugin.name} is not loaded: it replaces modules of its host: "
            f"{shortened(', '.join(replaced))}",
            hint="tell its author; a provider may import the host's modules and not change them",
        )


@contextmanager
def failing(plugin: ProviderPlugin, tree: Tree, what: str) -> Iterator[None]:
    """Turn whatever a plugin's code raises into ProviderBroken; what ends the host passes."""
    try:
        yield
    except ProviderBroken:
        raise
    except BaseException as error:
        # A module may call sys.exit or raise what it likes.
        if ends_the_host(error):
            raise
        raise ProviderBroken(
            f"memory provider {plugin.name} {what}: {describe(error, tree.directory)}", hint=_hint(plugin, tree, error)
        ) from error


def describe(error: BaseException, directory: Path | None = None) -> str:
    """``error`` in one line, without secrets: its kind, its text, and where in ``directory`` it was raised."""
    from zeroclaw_cli.providers.shown import shown as without_secrets

    words = " ".join(_text_of(error).split())
    # A secret at the end of what is looked at may be cut in two.
    clean = without_secrets(words[:_EXAMINED])[: _EXAMINED // 2]
    kind = "it ends the process (SystemExit)" if isinstance(error, SystemExit) else type(error).__name__
    shown = display(f"{kind}: {clean}".rstrip(": "), _LONGEST)
    return f"{shown}{_where(error, directory)}"


def _text_of(error: BaseException) -> str:
    try:
        return str.__str__(str(error.msg if isinstance(error, SyntaxError) else error))
    except BaseException as another:
        # The exception is the plugin's, and so is its text.
        if ends_the_host(another):
            raise
        return "it cannot be shown"


def _where(error: BaseException, directory: Path | None) -> str:
    if directory is None:
        return ""
    places = []
    trace = error.__traceback__
    while trace is not None:
        places.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        places.append((error.filename, error.lineno or 1))
    inside = [(file, line) for file, line in places if file.startswith(f"{directory}{os.sep}")]
    if not inside:
        return ""
    file, line = inside[-1]
    return f" ({os.path.relpath(file, directory)}, line {line})"


def _hint(plugin: ProviderPlugin, tree: Tree, error: BaseException) -> str:
    default = f"`zeroclaw memory check {quote(str(plugin.directory))}` says more"
    if not isinstance(error, ImportError) or not isinstance(error.name, str):
        return default
    top = error.name.partition(".")[0]
    if top in importer.modules_of(tree):
        return f"a provider is a package: write `from .{error.name} import …` instead of `from {error.name} import …`"
    if top == NAMESPACE or top == "zeroclaw_cli":
        return "import its own modules relatively, and the host by agent.memory_provider and vibeos_constants"
    compat = "hermes_constants" in aliases.offered()
    for lack in host_modules.lacking(tree.code, plugin.name, compat=compat):
        if lack.name.startswith(error.name):
            return lack.hint if lack.with_compat else lack.message
    if plugin.info.pip_dependencies:
        return f"`zeroclaw memory setup {plugin.name} --install-deps` installs its dependencies"
    return default


def _instance(
    plugin: ProviderPlugin, package: importer.Package, module: Any, context: RegistrationContext
) -> tuple[Any, list[str]]:
    """The provider's object (P-12) and warnings."""
    failures: list[ProviderBroken] = []
    try:
        with failing(plugin, package.tree, "does not register"):
            named = getattr(module, plugin.attribute, None) if plugin.attribute else None
            register = named or getattr(module, "register", None)
            if inspect.isclass(named):
                context.register_memory_provider(named())
            elif callable(register):
                register(context)
    except ProviderBroken as error:
        failures.append(error)
    given, provider = registered(context)
    if given:
        return provider, [f"register failed after it had registered a provider: {error.message}" for error in failures]
    with failing(plugin, package.tree, "has classes that cannot be looked at"):
        kinds = _classes(package, module)
    for kind in kinds:
        try:
            with failing(plugin, package.tree, f"cannot be made from its class {kind.__name__}"):
                return kind(), [f"{error.message}; its class {kind.__name__} is used" for error in failures]
        except ProviderBroken as error:
            failures.append(error)
    if failures:
        raise failures[0]
    raise ProviderBroken(
        f"memory provider {plugin.name} gives no provider: it neither registers one nor has a class of its own "
        "that derives from MemoryProvider and needs no arguments",
        hint="write `def register(ctx): ctx.register_memory_provider(…)` in its __init__.py",
    )


def _classes(package: importer.Package, module: Any) -> Sequence[type[MemoryProvider]]:
    """The classes of the package's own that can be built without arguments, in the order of the module's names."""
    found = []
    for value in list(getattr(module, "__dict__", {}).values()):
        if not (inspect.isclass(value) and issubclass(value, MemoryProvider)) or inspect.isabstract(value):
            continue
        own = value.__module__ == package.name or value.__module__.startswith(f"{package.name}.")
        if own and _needs_no_arguments(value) and value not in found:
            found.append(value)
    return found


def _needs_no_arguments(kind: type) -> bool:
    try:
        inspect.signature(kind).bind()
    except (TypeError, ValueError):
        return False
    return True


def _check(plugin: ProviderPlugin, tree: Tree, provider: Any) -> list[str]:
    """The checks of P-13; warnings. Raises ProviderBroken."""
    who = f"memory provider {plugin.name} is not loaded"
    hint = f"`zeroclaw memory check {quote(str(plugin.directory))}` says more"
    with failing(plugin, tree, "cannot be looked at"):
        name = plain_text(provider.name)
        lacking = [attribute for attribute in _REQUIRED if not callable(getattr(provider, attribute, None))]
    if name is None or not name.strip():
        raise ProviderBroken(f"{who}: its name is not text, or empty", hint=hint)
    if not name.isprintable():
        raise ProviderBroken(f"{who}: its name holds what cannot be seen: {escape(name[:_SHOWN_NAME])}", hint=hint)
    if claims_builtin(name):
        raise ProviderBroken(
            f"{who}: it calls itself '{name}', the name of the built-in memory", hint="tell its author to rename it"
        )
    if lacking:
        raise ProviderBroken(f"{who}: it has no method {' and no '.join(lacking)}", hint=hint)
    if name != plugin.name:
        called = shortened(name, _SHOWN_NAME)
        return [f"it calls itself '{called}'; it is selected as '{plugin.name}'"]
    return []
