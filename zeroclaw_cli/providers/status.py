"""What is configured, what of it can be used, and why not (specs/memory-providers.md §10, `memory status`).

Only the provider that is asked about is loaded; every other one is listed from its files alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zeroclaw_cli.config.backend_name import BackendName, parse_backend
from zeroclaw_cli.config.values import MASK
from zeroclaw_cli.errors import ProviderBroken, ProviderUnavailable, ZeroclawError
from zeroclaw_cli.memory.text import display, escape, shortened
from zeroclaw_cli.providers import discovery, guarded, names, trust
from zeroclaw_cli.providers.mapped import author_map, require_tools
from zeroclaw_cli.providers.redaction import sounds_secret
from zeroclaw_cli.providers.shown import shown, shown_values

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.providers.discovery import Found, ProviderPlugin
    from zeroclaw_cli.providers.setup.fields import Field
    from zeroclaw_cli.providers.trust import TrustVerdict

_LONGEST_VALUE: Final = 200


class Variable(NamedTuple):
    """An environment variable that a provider reads. ``populated`` tells whether it is set, never to what."""

    name: str
    populated: bool
    secret: bool = False
    required: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """One configured provider. ``problem`` is why it cannot be used, None when it can.

    ``plugin`` and ``verdict`` are None when nothing of that name is installed; ``available`` is None when it was not
    loaded. ``values`` are its settings, what looks like a secret masked. ``missing`` are requirements and programs,
    ``lacking`` says what its files import of another host and is not offered.
    """

    name: str
    problem: ZeroclawError | None = None
    plugin: ProviderPlugin | None = None
    verdict: TrustVerdict | None = None
    available: bool | None = None
    variables: tuple[Variable, ...] = ()
    values: Mapping[str, str] | None = None
    missing: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "name": self.name,
            "usable": self.problem is None,
            "problem": None if self.problem is None else self.problem.to_json(),
            "available": self.available,
            "plugin": None,
            "variables": [variable._asdict() | {"url": variable.url or None} for variable in self.variables],
            "values": dict(self.values or {}),
            "missing": list(self.missing),
            "lacking": list(self.lacking),
        }
        if self.plugin is not None and self.verdict is not None:
            body["plugin"] = plugin_json(self.plugin, self.verdict)
        return body


@dataclass(frozen=True, slots=True)
class Status:
    """``backend`` is what the memory commands open; ``provider`` the one of ``memory.provider``, None when it names
    none. ``behind`` is the provider that is the backend itself. ``hints`` say what somebody may not expect."""

    backend: str
    provider: ProviderReport | None
    behind: ProviderReport | None
    found: Found
    hints: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return all(report is None or report.problem is None for report in (self.provider, self.behind))

    @property
    def active(self) -> frozenset[str]:
        """The names of the providers that are in use."""
        return frozenset(report.name for report in (self.provider, self.behind) if report is not None)

    def to_json(self) -> dict[str, Any]:
        return {
            "backend": self.backend,
            "backend_provider": None if self.behind is None else self.behind.to_json(),
            "provider": None if self.provider is None else self.provider.to_json(),
            "usable": self.usable,
            "installed": [
                {"name": plugin.name, "origin": plugin.origin, "active": plugin.name in self.active}
                for plugin in self.found.plugins
            ],
            "problems": [problem.message for problem in self.found.problems],
            "hints": list(self.hints),
        }


def status(
    config: Config, backend: str | None = None, environ: MutableMapping[str, str] | None = None, cwd: Path | None = None
) -> Status:
    """What is configured, and whether it can be used. ``backend`` stands for ``memory.backend``.

    The variables of the ``.env`` are laid under ``environ``. Raises nothing about a provider: that is in the reports.
    """
    env = os.environ if environ is None else environ
    here = Path.cwd() if cwd is None else cwd
    chosen = config.memory.backend if backend is None else backend
    opened = parse_backend(chosen)
    behind = None if opened.provider is None else _report(config, opened.provider, env, here)
    name = names.chosen(config.memory.provider)
    if name is None:
        provider = None
    else:
        provider = behind if behind is not None and behind.name == name else _report(config, name, env, here)
    found = discovery.discover(config.location.config_dir, env, here)
    return Status(chosen, provider, behind, found, _hints(config, chosen, opened, provider))


def usable(config: Config, name: str, environ: MutableMapping[str, str], cwd: Path) -> Any:
    """The loaded object of provider ``name``, which is available.

    Raises ProviderNotFound, ProviderUntrusted, ProviderBroken, or ProviderUnavailable with the reason.
    """
    home = config.location.config_dir
    plugin = discovery.find(home, name, environ, cwd)
    provider, problem = _opened(config, plugin, environ)
    if problem is not None:
        raise problem
    return provider


def problem_of(
    home: Path, plugin: ProviderPlugin, provider: Any, environ: Mapping[str, str]
) -> ProviderUnavailable | ProviderBroken | None:
    """Why no command can use a loaded provider; None when they can. This is what "usable" means everywhere: the
    provider says that it is available, and has the tools that its map names."""
    try:
        _require_available(home, plugin, provider, environ)
        require_tools(plugin, home, provider)
    except (ProviderUnavailable, ProviderBroken) as problem:
        return problem
    return None


def _opened(
    config: Config, plugin: ProviderPlugin, environ: MutableMapping[str, str]
) -> tuple[Any, ZeroclawError | None]:
    """The loaded object of ``plugin``, None when it does not load, and why no command can use it."""
    from zeroclaw_cli.providers import env_file

    home = config.location.config_dir
    try:
        trust.require(home, plugin)
        _require_packages(home, plugin)
        author_map(plugin)
        env_file.load(home, environ)
        provider = guarded.load(plugin, home, hermes_compat=config.memory.providers_host.hermes_compat)
    except ZeroclawError as problem:
        return None, problem
    return provider, problem_of(home, plugin, provider, environ)


def availability(home: Path, name: str, provider: Any) -> tuple[bool, str]:
    """Whether a loaded provider says that it can work, and if not why, in one line."""
    try:
        if guarded.run_bounded(name, home, "is_available", lambda: bool(provider.is_available())):
            return True, ""
        text = guarded.run_bounded(name, home, "unavailable_reason", lambda: _reason_of(provider))
    except ProviderBroken as broken:
        return False, broken.message
    return False, shortened(escape(shown(" ".join(text.split()))), _LONGEST_VALUE)


def _reason_of(provider: Any) -> str:
    reason = getattr(provider, "unavailable_reason", None)
    return str.__str__(str(reason() or "")) if callable(reason) else ""


def plugin_json(plugin: ProviderPlugin, verdict: TrustVerdict) -> dict[str, Any]:
    """A provider that is installed, as ``memory providers`` and ``memory status`` print it."""
    info = plugin.info
    return {
        "name": plugin.name,
        "version": info.version or None,
        "description": info.description or None,
        "origin": plugin.origin,
        "directory": str(plugin.directory),
        "trust": {
            "state": verdict.state,
            "digest": verdict.digest or None,
            "reason": verdict.reason or None,
            "changed": list(verdict.changed),
        },
        "network": info.network,
        "shadows": [str(path) for path in plugin.shadows],
        "problems": list(plugin.problems),
    }


def _report(config: Config, name: str, environ: MutableMapping[str, str], cwd: Path) -> ProviderReport:
    home = config.location.config_dir
    try:
        plugin = discovery.find(home, name, environ, cwd)
    except ZeroclawError as error:
        return ProviderReport(name, error)
    verdict = trust.verdict(home, plugin)
    values = config.memory.providers.get(name, {})
    try:
        trust.require(home, plugin)
    except ZeroclawError as error:
        return ProviderReport(
            name, error, plugin, verdict, None, _named(plugin, environ), _masked(shown_values(dict(values)))
        )
    provider, problem = _opened(config, plugin, environ)
    variables, settings = _named(plugin, environ), _masked(shown_values(dict(values)))
    if provider is not None:
        try:
            schema = guarded.schema_of(plugin.name, home, provider)
            fields = schema.fields
            variables = _variables(plugin, fields, environ)
            found = shown_values(_values(home, plugin, provider, values), spared=schema.plain_variables)
            settings = _masked(found, frozenset(field.key for field in fields if field.secret))
        except ZeroclawError as error:
            problem = problem or error
    available = None if provider is None else not isinstance(problem, ProviderUnavailable | ProviderBroken)
    lacking = lacking_of(home, plugin, compat=config.memory.providers_host.hermes_compat)
    return ProviderReport(
        name, problem, plugin, verdict, available, variables, settings, _missing(home, plugin), lacking
    )


def lacking_of(home: Path, plugin: ProviderPlugin, *, compat: bool) -> tuple[str, ...]:
    """What the files of a trusted provider import of another host and is not offered, one line each."""
    from zeroclaw_cli.providers import host_modules

    found = host_modules.lacking(trust.approved_tree(home, plugin).code, plugin.name, compat=compat)
    return tuple(f"{one.message}; {one.hint}" for one in found)


def _require_packages(home: Path, plugin: ProviderPlugin) -> None:
    needed = missing_packages(home, plugin)
    if needed:
        raise ProviderUnavailable(
            f"memory provider {plugin.name} needs {', '.join(needed)}, which is not installed",
            hint=f"`zeroclaw memory setup {plugin.name} --install-deps` installs it for this provider alone",
        )


def _require_available(home: Path, plugin: ProviderPlugin, provider: Any, environ: Mapping[str, str]) -> None:
    available, reason = availability(home, plugin.name, provider)
    if available:
        return
    raise ProviderUnavailable(
        f"memory provider {plugin.name} is not available: {reason or _likely_reason(home, plugin, provider, environ)}",
        hint=f"`zeroclaw memory setup {plugin.name}` sets it up; `zeroclaw memory status` shows what is set",
    )


def _likely_reason(home: Path, plugin: ProviderPlugin, provider: Any, environ: Mapping[str, str]) -> str:
    """What of that which a provider asks for is missing, for one that does not say why it is not available."""
    from zeroclaw_cli.providers import aliases, dependencies

    missed = aliases.missed(plugin.name)
    if missed:
        # It may have caught that, as an answer of its own.
        return f"it imports {aliases.unoffered(missed[0])}"
    programs = [program.name for program in dependencies.external_missing(plugin.info.external_dependencies)]
    if programs:
        return f"the program {', '.join(programs)} is not installed"
    unset = [name for name in plugin.info.requires_env if not environ.get(name)]
    asked: list[str] = []
    try:
        for field in guarded.schema_of(plugin.name, home, provider).fields:
            if field.env_var and not environ.get(field.env_var):
                (unset if field.required else asked).append(field.env_var)
    except ProviderBroken as broken:
        return broken.message
    if unset:
        return f"{', '.join(dict.fromkeys(unset))} is not set"
    if asked:
        return f"it does not say why; not set is {', '.join(dict.fromkeys(asked))}"
    return "it does not say why"


def missing_packages(home: Path, plugin: ProviderPlugin) -> tuple[str, ...]:
    """The requirements of a provider that are not installed, or that never are."""
    from zeroclaw_cli.providers import dependencies

    requirements, refused = dependencies.parse(list(plugin.info.pip_dependencies))
    if not requirements and not refused:
        return ()
    needed = dependencies.missing(requirements, dependencies.folder_of(home, plugin.name))
    return (*map(str, needed), *(item.text for item in refused))


def _missing(home: Path, plugin: ProviderPlugin) -> tuple[str, ...]:
    from zeroclaw_cli.providers import dependencies

    programs = [program.name for program in dependencies.external_missing(plugin.info.external_dependencies)]
    return (*missing_packages(home, plugin), *programs)


def _named(plugin: ProviderPlugin, environ: Mapping[str, str]) -> tuple[Variable, ...]:
    return tuple(Variable(name, bool(environ.get(name)), required=True) for name in plugin.info.requires_env)


def _variables(plugin: ProviderPlugin, fields: tuple[Field, ...], environ: Mapping[str, str]) -> tuple[Variable, ...]:
    of_schema = {
        field.env_var: Variable(
            field.env_var, bool(environ.get(field.env_var)), field.secret, field.required, field.url
        )
        for field in fields
        if field.env_var
    }
    others = [variable for variable in _named(plugin, environ) if variable.name not in of_schema]
    return (*of_schema.values(), *others)


def _values(home: Path, plugin: ProviderPlugin, provider: Any, values: Mapping[str, Any]) -> Mapping[str, Any]:
    found = guarded.answer(plugin.name, home, provider, "get_status_config", dict(values))
    return found if isinstance(found, dict) else values


def _masked(values: Mapping[str, Any], secrets: frozenset[str] = frozenset()) -> dict[str, str]:
    settings = {}
    for key, value in values.items():
        name = str(key)
        hidden = name in secrets or sounds_secret(name)
        settings[name] = MASK if hidden and value not in (None, "", False, True) else _shown(value)
    return settings


def _shown(value: Any) -> str:
    import json

    if isinstance(value, str):
        return display(value, _LONGEST_VALUE)
    if isinstance(value, Mapping):
        value = _masked(value)
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return display(text, _LONGEST_VALUE)


def _hints(config: Config, backend: str, opened: BackendName, provider: ProviderReport | None) -> tuple[str, ...]:
    hints = []
    if provider is not None and not opened.is_native and opened.provider is None:
        hints.append(
            f"memory.provider {provider.name} runs beside the built-in store, and memory.backend is {backend}:"
            " commands that open that backend do not use it"
        )
    names_with_values = sorted(set(config.memory.providers) - {provider.name if provider is not None else ""})
    if provider is None and names_with_values and opened.provider is None:
        name = names_with_values[0]
        hints.append(f"{name} has settings and is not active; `zeroclaw memory setup {name}` activates it")
    return tuple(hints)
