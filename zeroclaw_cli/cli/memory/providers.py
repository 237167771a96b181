"""``memory providers``, ``setup``, ``trust``, ``off``, ``status``, ``check`` and ``new-provider``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.inputs import read_bytes
from zeroclaw_cli.cli.memory.common import Backend
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.operations import permissions

if TYPE_CHECKING:
    from zeroclaw_cli.errors import ZeroclawError
    from zeroclaw_cli.operations.status import MemoryStatus
    from zeroclaw_cli.providers.discovery import ProviderPlugin
    from zeroclaw_cli.providers.setup.answers import Answers, Given, Tell
    from zeroclaw_cli.providers.setup.wizard import SetupResult
    from zeroclaw_cli.providers.status import ProviderReport
    from zeroclaw_cli.providers.trust import TrustVerdict

ProviderName = Annotated[str, typer.Argument(metavar="PROVIDER", help="A Python memory provider.")]
TrustOption = Annotated[
    str | None,
    typer.Option("--trust", metavar="SHA256|now", help="Let its code run: the digest that you looked at, or now."),
]
NoInteractive = Annotated[bool, typer.Option("--no-interactive", help="Ask nothing, even on a terminal.")]


def add(group: typer.Typer) -> None:
    group.command("providers")(providers)
    group.command("setup")(setup)
    group.command("trust")(trust)
    group.command("off")(off)
    group.command("status")(status)
    group.command("check")(check)
    group.command("new-provider")(new_provider)


@anybody
def providers(ctx: typer.Context, json: Json = False) -> None:
    """List the installed Python memory providers.

    None of their code is run.
    """
    from zeroclaw_cli.providers import discovery, names
    from zeroclaw_cli.providers.status import plugin_json
    from zeroclaw_cli.providers.trust import verdict

    this = session(ctx)
    config = this.config()
    home = config.location.config_dir
    found = discovery.discover(home, os.environ, Path.cwd())
    active = {names.chosen(config.memory.provider), _behind(config.memory.backend)}
    rows = [(plugin, verdict(home, plugin)) for plugin in found.plugins]
    if json:
        output.say_json(
            {
                "providers": [plugin_json(*row) | {"active": row[0].name in active} for row in rows],
                "problems": [
                    {"name": problem.name, "path": str(problem.path), "message": problem.message}
                    for problem in found.problems
                ],
            }
        )
    else:
        for plugin, verdict_ in rows:
            _say_plugin(plugin, verdict_, active=plugin.name in active)
    for problem in found.problems:
        this.warn(problem.message)
    _warn_of_the_chosen(this)


def _warn_of_the_chosen(this: Session) -> None:
    """Say why the provider of ``memory.provider`` is not used, as far as that can be told without its code."""
    from zeroclaw_cli.errors import ZeroclawError, explain
    from zeroclaw_cli.providers import discovery, names
    from zeroclaw_cli.providers import trust as approvals
    from zeroclaw_cli.providers.mapped import author_map

    config = this.config()
    name, home = names.chosen(config.memory.provider), config.location.config_dir
    if name is None:
        return
    try:
        plugin = discovery.find(home, name, os.environ, Path.cwd())
        approvals.require(home, plugin)
        author_map(plugin)
    except ZeroclawError as error:
        this.warn(f"memory provider '{name}' is not used: {explain(error)}")


@person("setting up a provider")
def setup(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[PROVIDER]", help="Which one; none: the built-in memory alone.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An answer; may be given many times.")
    ] = None,
    secret_stdin: Annotated[
        str | None, typer.Option("--secret-stdin", metavar="KEY", help="Read the secret KEY from stdin.")
    ] = None,
    answers: Annotated[
        str | None, typer.Option("--answers", metavar="FILE", help="Answers by key, in TOML or JSON; - reads stdin.")
    ] = None,
    trust: TrustOption = None,
    install_deps: Annotated[
        bool, typer.Option("--install-deps", help="Install the packages that it needs, for it alone.")
    ] = False,
    as_backend: Annotated[
        bool, typer.Option("--as-backend", help="Let the memory commands open it instead of the built-in store.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Confirm saving; trust and packages have options of their own.")
    ] = False,
    no_interactive: NoInteractive = False,
    json: Json = False,
) -> None:
    """Choose, configure and activate a memory provider."""
    from zeroclaw_cli.cli.logged import show
    from zeroclaw_cli.providers.setup.wizard import Wizard
    from zeroclaw_cli.providers.streams import own_stdout

    if name is not None and not name.strip():
        raise UsageError(
            "the provider's name is empty",
            hint="`zeroclaw memory providers` lists the names; `zeroclaw memory off` uses none",
        )
    this = session(ctx)
    config = this.config()
    given = _given(set_ or [], secret_stdin, answers, trust, install_deps, as_backend, yes)
    person = _person(no_interactive=no_interactive)
    wizard = Wizard(
        config=this.config(),
        given=given,
        answers=person,
        tell=_tell(this, person),
        environ=os.environ,
        cwd=Path.cwd(),
    )
    show(this)
    with own_stdout():
        result = wizard.run(name)
    if json:
        output.say_json(result.to_json())
    else:
        _say_setup(result)
    for warning in result.warnings:
        this.warn(warning)
    if as_backend:
        from zeroclaw_cli.cli.config import tell_of_the_backend

        tell_of_the_backend(this, config)
    if result.available is False:
        this.warn(result.reason)


@person("trusting the code of a provider", only=("trust",))
def trust(ctx: typer.Context, name: ProviderName, trust: TrustOption = None, json: Json = False) -> None:
    """Trust a provider's current code.

    Any change of the code must be approved again.
    """
    from zeroclaw_cli.providers import discovery
    from zeroclaw_cli.providers import trust as approvals
    from zeroclaw_cli.providers.setup import consent
    from zeroclaw_cli.providers.setup.answers import Cancelled

    this = session(ctx)
    home = this.config().location.config_dir
    plugin = discovery.find(home, name, os.environ, Path.cwd())
    person = _person()
    try:
        digest, unrecorded = consent.approve(home, plugin, trust, person, _tell(this, person))
    except Cancelled:
        raise KeyboardInterrupt from None
    if unrecorded:
        approvals.record(home, plugin, digest)
    state = "bundled" if plugin.origin == "bundled" else "trusted"
    if json:
        output.say_json({"provider": plugin.name, "state": state, "digest": digest, "changed": unrecorded})
    elif state == "bundled":
        output.say(f"{plugin.name} comes with this program and needs no approval.")
    else:
        output.say(f"{plugin.name} is {'now' if unrecorded else 'already'} trusted: sha256 {digest}")


@anybody
def off(ctx: typer.Context, json: Json = False) -> None:
    """Stop using the provider; its settings and data stay."""
    from zeroclaw_cli.providers import names
    from zeroclaw_cli.providers.setup import saving
    from zeroclaw_cli.providers.setup.wizard import overridden

    this = session(ctx)
    config = this.config()
    before = names.chosen(config.memory.provider)
    # Nothing is written where nothing would change, not even a first config.toml.
    changed = False
    warnings: tuple[str, ...] = ()
    if config.values.get(("memory", "provider")):
        changed, warnings = saving.activate(config.location, os.environ, "")
    if json:
        output.say_json({"provider": None, "previous": before, "changed": changed})
    elif before is None:
        output.say("No provider was active.")
    else:
        output.say(f"{before} is off. Its settings, its .env values and its data stay.")
    for warning in warnings + overridden(config, "memory.provider"):
        this.warn(warning)
    behind = _behind(config.memory.backend)
    if behind is not None:
        remedy = "`zeroclaw config unset memory.backend` opens the built-in store"
        this.warn(f"memory.backend is still provider.{behind}; {remedy}")


@anybody
def status(
    ctx: typer.Context,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Show the backend and the provider and whether they work.

    The exit code is 1 when one cannot be used; the reason is shown.
    """
    from zeroclaw_cli.cli.logged import show
    from zeroclaw_cli.operations.status import status as look
    from zeroclaw_cli.providers.streams import own_stdout

    this = session(ctx)
    config = this.config()
    show(this)
    with own_stdout():
        found = look(config, this.host_options(), backend)
    if json:
        output.say_json(found.to_json())
    else:
        _say_status(found)
    for warning in found.warnings:
        this.warn(warning)
    if found.exit_code:
        raise typer.Exit(found.exit_code)


@person("trusting the code of a provider", only=("trust",))
def check(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a provider.")],
    trust: Annotated[
        str | None,
        typer.Option("--trust", metavar="SHA256|now", help="Run its code too: the digest that you looked at, or now."),
    ] = None,
    write_trial: Annotated[
        bool, typer.Option("--write-trial", help="Also try a session; data sent to its own service stays there.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a provider for its author.

    Its code runs only when it is trusted.
    """
    from zeroclaw_cli.providers import check as linter
    from zeroclaw_cli.providers.setup.consent import digest_option

    this = session(ctx)
    config = this.config()
    report = linter.check(
        path_argument(path, "DIR"),
        config.location.config_dir,
        digest_option(trust),
        hermes_compat=config.memory.providers_host.hermes_compat,
        write_trial=write_trial,
    )
    if json:
        output.say_json(report.to_json())
    else:
        for item in report.checks:
            output.say(f"{item.level:<7}  {item.id}: {item.detail}")
            if item.hint and item.level in ("error", "warning", "skipped"):
                output.say(f"         {item.hint}")
        output.say(report.summary())
    if not report.ok:
        raise typer.Exit(1)


@anybody
def new_provider(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new provider.")],
    dir_: Annotated[
        str | None,
        typer.Option("--dir", metavar="DIR", help="Where its folder is made; plugins/memory/ of the home by default."),
    ] = None,
    json: Json = False,
) -> None:
    """Start a provider from a copy of the bundled example."""
    from shlex import quote

    from zeroclaw_cli.providers import new_provider as domain

    this = session(ctx)
    home = this.config().location.config_dir
    made = domain.create(home, name, os.environ, Path.cwd(), None if dir_ is None else path_argument(dir_, "--dir"))
    if json:
        output.say_json({"created": str(made.directory), "name": made.name, "files": list(made.files)})
    else:
        output.say(f"Created {made.directory}")
        for file in made.files:
            output.say(f"  {file}")
    this.note(f"next: zeroclaw memory check {quote(str(made.directory))}")
    if made.installed:
        this.note(f"then: zeroclaw memory setup {made.name}")


def _person(*, no_interactive: bool = False) -> Answers | None:
    if no_interactive or permissions.is_agent() or not output.can_ask():
        return None
    from zeroclaw_cli.cli.memory.prompts import TerminalAnswers

    return TerminalAnswers()


def _tell(this: Session, person: Answers | None) -> Tell:
    """What a person decides on is shown to them, also under ``-q``."""
    return this.note if person is None else output.talk


def _given(
    pairs: list[str],
    secret_key: str | None,
    answers: str | None,
    trust: str | None,
    install_deps: bool,
    as_backend: bool,
    yes: bool,
) -> Given:
    from zeroclaw_cli.providers.setup.answers import Given
    from zeroclaw_cli.providers.setup.options import read_answers, secret_text, set_option

    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    if answers is not None:
        if answers == "-" and secret_key is not None:
            raise UsageError("--answers - and --secret-stdin both read stdin", hint="put the answers into a file")
        name = "stdin" if answers == "-" else answers
        data = read_bytes(answers, "--answers")
        values = read_answers(name, data)
        sources = dict.fromkeys(values, name)
    typed = set_option(pairs)
    values |= typed
    sources |= {key: f"--set {key}" for key in typed}
    secrets = {}
    if secret_key is not None:
        if output.can_ask():
            raise UsageError("--secret-stdin reads a pipe, and stdin is the terminal", hint="leave it out to be asked")
        secrets[secret_key] = secret_text(sys.stdin.buffer.read(), secret_key)
        sources[secret_key] = f"--secret-stdin {secret_key}"
    return Given(values, secrets, sources, trust, install_deps, as_backend, yes)


def _behind(backend: str) -> str | None:
    """The provider that a value of ``memory.backend`` names, or None."""
    from zeroclaw_cli.config.backend_name import parse_backend

    return parse_backend(backend).provider


def _title(plugin: ProviderPlugin) -> str:
    info = plugin.info
    text = f"{plugin.name} v{info.version}" if info.version else plugin.name
    return f"{text} — {info.description}" if info.description else text


def _say_plugin(plugin: ProviderPlugin, verdict: TrustVerdict, *, active: bool) -> None:
    output.say(_title(plugin))
    words = [plugin.origin, *(["active"] if active else []), _trust_words(verdict)]
    output.say(f"  {', '.join(words)}")
    if plugin.origin != "bundled":
        output.say(f"  {plugin.directory}")
        if verdict.digest:
            output.say(f"  sha256 {verdict.digest}")
    for path in plugin.shadows:
        output.say(f"  hides {path}")
    for problem in plugin.problems:
        output.say(f"  problem: {problem}")


def _trust_words(verdict: TrustVerdict) -> str:
    if verdict.state == "bundled":
        return "part of this program"
    if verdict.state == "untrusted":
        return "not trusted yet"
    return verdict.state if verdict.state == "trusted" else f"{verdict.state}: {verdict.reason}"


def _say_setup(result: SetupResult) -> None:
    if result.provider is None:
        output.say("Memory provider: none, the built-in memory alone.")
        return
    output.say(f"Memory provider: {result.provider}{'' if result.active else ' (not active)'}")
    if result.trusted is not None:
        output.say(f"Trusted: sha256 {result.trusted}")
    if result.installed:
        output.say(f"Installed: {', '.join(result.installed)}")
    if result.values_in:
        output.say(f"Values: {result.values_in}")
    if result.env_file is not None:
        output.say(f"Secrets and variables: {', '.join(result.variables)} in {result.env_file}")
    if result.kept:
        output.say(f"Kept: {', '.join(result.kept)}")
    output.say(f"Backend: {result.backend or 'none is chosen'}")
    output.say("A session that is running now goes on without it; a new one uses it.")


def _say_status(report: MemoryStatus) -> None:
    found = report.providers
    state = "" if report.problem is None else ", not usable"
    output.say(f"Backend: {found.backend or 'none is chosen'}{state}")
    if report.problem is not None:
        _say_problem(report.problem)
    if found.behind is not None:
        _say_report("Behind it", found.behind)
    if found.provider is None:
        output.say("Provider: none")
    elif found.provider is not found.behind:
        _say_report("Provider", found.provider)
    else:
        output.say(f"Provider: {found.provider.name}, the same")
    output.say("Installed:")
    for plugin in found.found.plugins:
        output.say(f"  {plugin.name}{'  (active)' if plugin.name in found.active else ''}")
    for hint in found.hints:
        output.say(f"Hint: {hint}")


def _say_problem(problem: ZeroclawError) -> None:
    output.say(f"  Reason: {problem.message}")
    if problem.hint:
        output.say(f"  Remedy: {problem.hint}")


def _say_report(label: str, report: ProviderReport) -> None:
    state = "usable" if report.problem is None else "not usable"
    output.say(f"{label}: {report.name}, {state}")
    if report.problem is not None:
        _say_problem(report.problem)
    if report.plugin is not None and report.verdict is not None:
        from zeroclaw_cli.providers.setup.consent import data_text

        output.say(f"  {_title(report.plugin)}")
        output.say(f"  Folder: {report.plugin.directory} ({report.plugin.origin})")
        output.say(f"  Trust: {_trust_words(report.verdict)}")
        for line in report.verdict.changed:
            output.say(f"    {line}")
        for path in report.plugin.shadows:
            output.say(f"  Hides: {path}")
        for problem in report.plugin.problems:
            output.say(f"  Problem: {problem}")
        output.say(f"  Data: {data_text(report.plugin.info)[0]}")
    for name in report.missing:
        output.say(f"  Missing: {name}")
    for line in report.lacking:
        output.say(f"  Lacking: {line}")
    for variable in report.variables:
        where = f", see {variable.url}" if variable.url and not variable.populated else ""
        output.say(f"  {variable.name}: {'set' if variable.populated else 'not set'}{where}")
    for key, value in (report.values or {}).items():
        output.say(f"  {key} = {value}")
