"""``zeroclaw memory setup``: choose a provider, let it ask, keep the answers, activate it (specs/memory-providers.md
§10, steps 1 to 8).

Until the answers are saved nothing of the home changes, packages apart that a person asked to have installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import Interrupted, ProviderBroken, UsageError, ZeroclawError
from zeroclaw_cli.providers import bounded, discovery, env_file, guarded, names, trust
from zeroclaw_cli.providers.hermes.config import noting_choice
from zeroclaw_cli.providers.mapped import author_map, require_tools
from zeroclaw_cli.providers.setup import consent, saving
from zeroclaw_cli.providers.setup.answers import Answers, Cancelled, Choice, Given, Tell
from zeroclaw_cli.providers.setup.asking import Asking, Collected
from zeroclaw_cli.providers.setup.fields import hint_of
from zeroclaw_cli.providers.setup.showing import Showing

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.providers.discovery import ProviderPlugin

_BUILT_IN_ONLY = "built-in only"


@dataclass(frozen=True, slots=True)
class SetupResult:
    """What setup left. ``provider`` is None for the built-in memory alone. ``active``: whether ``memory.provider`` is
    it now, which only a provider with a setup of its own may leave undone. ``available`` None: it was not asked."""

    provider: str | None
    active: bool
    backend: str
    changed: bool
    values_in: str = ""
    env_file: Path | None = None
    variables: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    trusted: str | None = None
    available: bool | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "provider": self.provider,
            "active": self.active,
            "backend": self.backend,
            "changed": self.changed,
            "values_in": self.values_in or None,
            "env_file": None if self.env_file is None else str(self.env_file),
            "variables": list(self.variables),
            "kept": list(self.kept),
            "installed": list(self.installed),
            "trusted": self.trusted,
            "available": self.available,
            "reason": self.reason or None,
            "warnings": list(self.warnings),
        }


class _Chosen(NamedTuple):
    """A provider that is being set up, and whether the approval of its ``digest`` is still to be recorded."""

    plugin: ProviderPlugin
    digest: str
    unrecorded: bool
    installed: tuple[str, ...]
    provider: Any


@dataclass
class Wizard:
    """One run of setup.

    ``answers`` is the person, None without a terminal. ``environ`` is what a provider sees: the ``.env`` is laid under
    it. ``tell`` says a line to whoever follows.
    """

    config: Config
    given: Given
    answers: Answers | None
    tell: Tell
    environ: MutableMapping[str, str]
    cwd: Path
    _written: bool = field(default=False, init=False)
    _showing: Showing | None = field(default=None, init=False)
    _installed: tuple[str, ...] = field(default=(), init=False)

    @property
    def _home(self) -> Path:
        return self.config.location.config_dir

    def run(self, name: str | None) -> SetupResult:
        """Set up provider ``name``, or the one that is picked.

        Raises ProviderNotFound, ProviderUntrusted, ProviderBroken, ProviderUnavailable, UsageError for an answer that
        is needed and missing, Interrupted when the person gives up.
        """
        showing = self._showing = Showing(self.answers, self.tell)
        self.answers, self.tell = None if self.answers is None else showing, showing.tell
        try:
            return self._run(name)
        except UsageError as error:
            # It may name what the provider offers.
            error.message, error.hint = showing.text(error.message), error.hint and showing.text(error.hint)
            raise
        except (KeyboardInterrupt, Cancelled):
            if self._written:
                raise Interrupted(
                    "setup was interrupted while it was saving", hint="run the command again; it keeps what is set"
                ) from None
            apart = f" apart from the installed {', '.join(self._installed)}" if self._installed else ""
            raise Interrupted(f"setup was cancelled, and nothing was changed{apart}") from None

    def _run(self, name: str | None) -> SetupResult:
        env_file.load(self._home, self.environ)
        wanted = self._pick() if name is None else names.chosen(name)
        if wanted is None:
            return self._built_in_only()
        plugin = discovery.find(self._home, wanted, self.environ, self.cwd)
        author_map(plugin)
        digest, unrecorded = consent.approve(self._home, plugin, self.given.trust, self.answers, self.tell)
        if not unrecorded:
            for line in consent.data_text(plugin.info):
                self.tell(line)
        self._require_offered(plugin, digest)
        self._installed = consent.install_missing(self._home, plugin, self.given.install_deps, self.answers, self.tell)
        consent.tell_external(plugin.info, self.tell)
        chosen = _Chosen(plugin, digest, unrecorded, self._installed, self._load(plugin, digest))
        if not self.given.keys and guarded.has(plugin.name, self._home, chosen.provider, "post_setup"):
            return self._hand_over(chosen)
        collected = self._ask(chosen)
        self._confirm(plugin.name)
        return self._save(chosen, collected)

    def _require_offered(self, plugin: ProviderPlugin, digest: str) -> None:
        """Say what the provider imports of another host and does not get. Raises ProviderBroken, before anything is
        downloaded for it, when it could not load without."""
        from zeroclaw_cli.providers import host_modules

        with trust.approving(plugin, digest):
            code = trust.approved_tree(self._home, plugin).code
        for lack in host_modules.lacking(code, plugin.name, compat=self.config.memory.providers_host.hermes_compat):
            if lack.at_once:
                raise ProviderBroken(f"memory provider {plugin.name} does not load: {lack.message}", hint=lack.hint)
            self.tell(f"{lack.message}; {lack.hint}")

    def _pick(self) -> str | None:
        if self.answers is None:
            raise UsageError(
                "no provider is named, and there is no terminal to pick one on",
                hint="`zeroclaw memory setup NAME`; `zeroclaw memory providers` lists the names",
            )
        plugins = discovery.discover(self._home, self.environ, self.cwd).plugins
        choices = [Choice(plugin.name, self._hint(plugin)) for plugin in plugins]
        choices.append(Choice(_BUILT_IN_ONLY, "no provider in addition"))
        index = self.answers.choose("Memory provider", choices, len(choices) - 1)
        return plugins[index].name if index < len(plugins) else None

    def _hint(self, plugin: ProviderPlugin) -> str:
        """What setup of ``plugin`` will want; only an approved one is loaded for that."""
        found = trust.verdict(self._home, plugin)
        if not found.loadable:
            return "not trusted yet" if found.state == "untrusted" else found.reason
        try:
            return hint_of(guarded.schema_of(plugin.name, self._home, self._load(plugin, found.digest)).fields)
        except ZeroclawError as error:
            return error.message

    def _built_in_only(self) -> SetupResult:
        if self.given.keys or self.given.as_backend:
            raise UsageError(
                "without a provider there is nothing to set", hint="name a provider: `zeroclaw memory setup NAME`"
            )
        saving.require_changeable(self.config.location, self.environ)
        self._written = True
        changed, warnings = saving.activate(self.config.location, self.environ, "")
        return SetupResult(None, True, self.config.memory.backend, changed, warnings=warnings + self._overridden())

    def _load(self, plugin: ProviderPlugin, digest: str) -> Any:
        compat = self.config.memory.providers_host.hermes_compat
        with trust.approving(plugin, digest):
            return guarded.load(plugin, self._home, hermes_compat=compat)

    def _ask(self, chosen: _Chosen) -> Collected:
        schema = guarded.schema_of(chosen.plugin.name, self._home, chosen.provider)
        for asked in schema.fields:
            wrong = env_file.key_problem(asked.env_var) if asked.env_var else None
            if wrong is not None:
                raise ProviderBroken(
                    f"the config schema of provider '{chosen.plugin.name}' is wrong:"
                    f" field '{asked.key}' wants the variable '{asked.env_var}', which {wrong}",
                    hint="tell its author; `zeroclaw memory check PATH` shows the same",
                )
        name = chosen.plugin.name
        stored = self.config.memory.providers.get(name, {})
        in_use = name in (names.chosen(self.config.memory.provider), parse_backend(self.config.memory.backend).provider)
        # Its own setup, or a file of its own, may have answers that are not known here.
        defaults = bool(stored) or not in_use or not guarded.has_own(name, self._home, chosen.provider, "save_config")
        if self._showing is not None:
            self._showing.spared = schema.plain_variables
        return Asking(schema, self.given, self.answers, self.tell, stored, self.environ, defaults=defaults).collect()

    def _confirm(self, name: str) -> None:
        if self.answers is None or self.given.yes:
            return
        active = names.chosen(self.config.memory.provider)
        instead = f" instead of {active}" if active is not None and active != name else ""
        if not self.answers.confirm(f"Save this and use {name}{instead}?", default=True):
            raise Cancelled

    def _hand_over(self, chosen: _Chosen) -> SetupResult:
        """Let the provider set itself up, and report what is active afterwards (step 4)."""
        name, before = chosen.plugin.name, self.config.values
        self._record(chosen)
        view = self._view()
        try:
            with _no_stdin(self.answers is None), noting_choice() as noted:
                self._post_setup(chosen, view)
        except ProviderBroken as broken:
            if self.answers is None and isinstance(broken.__cause__, EOFError):
                raise UsageError(
                    f"provider '{name}' asks for its settings itself, and there is no terminal to ask on",
                    hint="run the command on a terminal, or pass its fields with --set",
                ) from None
            raise
        # It may have written its secrets there itself.
        env_file.load(self._home, self.environ)
        # Whoever runs setup wants what it chooses, in the config that it was given or in the one that it saved.
        if self.given.as_backend or name in (*_chosen_in(view), *noted[-1:]):
            self._require_usable(chosen)
            saving.activate(self.config.location, self.environ, name, as_backend=self.given.as_backend)
        self._forget_answers_of(chosen)
        self.config = self._config_now()
        saved = saving.Saved(changed=before != self.config.values)
        if self.config.memory.provider == name:
            return self._result(chosen, saved, self._overridden())
        command = f"`zeroclaw config set memory.provider {name}`"
        return self._result(chosen, saved, (f"its own setup did not activate {name}; {command} does",))

    def _forget_answers_of(self, chosen: _Chosen) -> None:
        name = chosen.plugin.name
        old = self.config.memory.providers.get(name)
        unchanged = old is not None and old == self._config_now().memory.providers.get(name)
        if unchanged and guarded.has_own(name, self._home, chosen.provider, "save_config"):
            saving.forget_answers(self.config.location, self.environ, name)

    def _post_setup(self, chosen: _Chosen, view: dict[str, Any]) -> None:
        """Call it; a person may take their time, and where there is none it has that of a hook."""
        name = chosen.plugin.name

        def call() -> None:
            guarded.run(name, self._home, "post_setup", lambda: chosen.provider.post_setup(str(self._home), view))

        if self.answers is not None:
            call()
        else:
            guarded.in_time(name, "post_setup", bounded.HOOK_WITHIN_S, call)

    def _save(self, chosen: _Chosen, collected: Collected) -> SetupResult:
        name = chosen.plugin.name
        self._record(chosen)
        saved = saving.save(
            self.config.location,
            self.environ,
            name,
            chosen.provider,
            collected,
            as_backend=self.given.as_backend,
            check=lambda: self._require_usable(chosen),
        )
        hidden = [variable for variable, text in collected.variables.items() if self.environ.get(variable) != text]
        warnings = tuple(f"{variable} in the environment overrides the one in {saved.env_file}" for variable in hidden)
        self.config = self._config_now()
        return self._result(chosen, saved, saved.warnings + warnings + self._overridden(), collected.kept)

    def _require_usable(self, chosen: _Chosen) -> None:
        """Raise ProviderBroken, before it is activated, for a provider that no command could use."""
        env_file.load(self._home, self.environ)
        require_tools(chosen.plugin, self._home, chosen.provider)

    def _record(self, chosen: _Chosen) -> None:
        """The approval is the first thing that is written: what follows lets the provider's code write."""
        saving.require_changeable(self.config.location, self.environ)
        self._written = True
        if chosen.unrecorded:
            trust.record(self._home, chosen.plugin, chosen.digest)

    def _result(
        self, chosen: _Chosen, saved: saving.Saved, warnings: tuple[str, ...], kept: tuple[str, ...] = ()
    ) -> SetupResult:
        from zeroclaw_cli.providers.status import problem_of

        problem = problem_of(self._home, chosen.plugin, chosen.provider, self.environ)
        return SetupResult(
            provider=chosen.plugin.name,
            active=self.config.memory.provider == chosen.plugin.name,
            backend=self.config.memory.backend,
            changed=saved.changed or chosen.unrecorded or bool(chosen.installed),
            values_in=saved.values_in,
            env_file=saved.env_file,
            variables=saved.variables,
            kept=kept,
            installed=chosen.installed,
            trusted=chosen.digest if chosen.unrecorded else None,
            available=problem is None,
            reason="" if problem is None else problem.message,
            warnings=warnings,
        )

    def _view(self) -> dict[str, Any]:
        """The config as a provider's own setup gets it: a copy of the memory section, without anybody's secrets."""
        memory = self.config.memory
        values = {name: deepcopy(dict(table)) for name, table in memory.providers.items()}
        # By name too, as it is in the config of the host that such providers were written for.
        return {
            "memory": {**values, "provider": memory.provider, "backend": memory.backend, "providers": deepcopy(values)}
        }

    def _config_now(self) -> Config:
        from zeroclaw_cli.config.load import load

        return load(str(self._home), self.environ)

    def _overridden(self) -> tuple[str, ...]:
        return overridden(self.config, "memory.provider") + (
            overridden(self.config, "memory.backend") if self.given.as_backend else ()
        )


def _chosen_in(view: Mapping[str, Any]) -> tuple[str, ...]:
    memory = view.get("memory")
    name = memory.get("provider") if isinstance(memory, Mapping) else None
    return (str.__str__(name),) if isinstance(name, str) else ()


def overridden(config: Config, path: str) -> tuple[str, ...]:
    """A warning when the environment overrides ``path``, so that what the file says does not count."""
    variable = config.overridden.get(tuple(path.split(".")))
    return () if variable is None else (f"{variable} in the environment overrides {path} as long as it is set",)


@contextmanager
def _no_stdin(closed: bool) -> Iterator[None]:
    """Let code that reads ``sys.stdin`` find its end at once where nobody may be asked."""
    if not closed:
        yield
        return
    before = sys.stdin
    with Path(os.devnull).open() as nothing:
        sys.stdin = nothing
        try:
            yield
        finally:
            sys.stdin = before
