"""Options that the memory commands share, and the opening of their backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from zeroclaw_cli.cli.arguments import not_blank
from zeroclaw_cli.cli.session import Session, session
from zeroclaw_cli.errors import NotDurable, UsageError, explain

if TYPE_CHECKING:
    from zeroclaw_cli.cli.memory.layer_choice import LayerOptions
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.layers.documents import LayeredDocuments
    from zeroclaw_cli.layers.memory import LayeredMemory
    from zeroclaw_cli.memory.documents import Documents, NotingDocuments, Turns
    from zeroclaw_cli.memory.protocol import Memory
    from zeroclaw_cli.memory.requests import Agent
    from zeroclaw_cli.operations.notified_provider import NotifiedProvider

Backend = Annotated[
    str | None, typer.Option("--backend", metavar="BACKEND", help="The backend; memory.backend by default.")
]
AgentAlias = Annotated[
    str | None, typer.Option("--agent", metavar="ALIAS", help="An agent, by its alias.", callback=not_blank)
]
AgentId = Annotated[
    str | None, typer.Option("--agent-id", metavar="ID", help="An agent, by its id.", callback=not_blank)
]
Owner = Annotated[
    str | None,
    typer.Option("--agent", metavar="ALIAS", help="The agent whose documents they are.", callback=not_blank),
]
Project = Annotated[
    str | None,
    typer.Option(
        "--project", metavar="PROJECT", help="The project; memory.native.project by default.", callback=not_blank
    ),
]
SessionId = Annotated[str | None, typer.Option("--session", metavar="S", help="One session.", callback=not_blank)]
Namespace = Annotated[str | None, typer.Option("--namespace", metavar="N", help="One namespace.", callback=not_blank)]
Category = Annotated[
    str | None, typer.Option("--category", metavar="C", help="core, daily, conversation, or a word of your own.")
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Not before: RFC 3339, a date, or an age such as 7d.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Not after: RFC 3339, a date, or an age such as 12h.")
]


@contextmanager
def opened(ctx: typer.Context, backend: str | None) -> Iterator[tuple[Session, Memory]]:
    """The session and the opened backend of a command; what the backend warns of reaches stderr at the end.

    A command prints its result within the block: closing a backend may take a moment.
    """
    this = session(ctx)
    memory = _memory(this, backend)
    try:
        with memory, _provider(this, backend) as provider, _not_told(this, memory):
            if provider is not None:
                from zeroclaw_cli.operations.notifying import notifying

                yield this, notifying(memory, provider)
                return
            yield this, memory
    finally:
        warn_all(this, memory.take_warnings())


@contextmanager
def opened_documents(
    ctx: typer.Context, backend: str | None, agent: str | None, project: str | None
) -> Iterator[tuple[Session, Documents]]:
    """The session and the opened documents of a command; as :func:`opened`."""
    this = session(ctx)
    documents = _documents(this, backend, agent, project)
    try:
        with documents, _provider(this, backend) as provider, _not_told(this, documents):
            if provider is not None:
                from zeroclaw_cli.operations.notifying import notifying_documents

                yield this, notifying_documents(cast("NotingDocuments", documents), provider)
                return
            yield this, documents
    finally:
        warn_all(this, documents.take_warnings())


def _memory(this: Session, backend: str | None) -> Memory:
    from zeroclaw_cli.backends import open_memory

    config = whole_config(this, backend)
    layers = _layers_of(this, config, backend)
    memory = open_memory(config, backend, this.host_options())
    if layers is not None:
        layers.attach(cast("LayeredMemory", memory).surface)
    return memory


def _documents(this: Session, backend: str | None, agent: str | None, project: str | None) -> Documents:
    from zeroclaw_cli.backends import open_documents

    config = whole_config(this, backend)
    layers = _layers_of(this, config, backend)
    documents = open_documents(config, agent, project, backend, this.host_options())
    if layers is not None:
        layers.attach(cast("LayeredDocuments", documents).surface)
    return documents


def _layers_of(this: Session, config: Config, backend: str | None) -> LayerOptions | None:
    """The options for the layers, where these are opened. Raises UsageError for one of them where they are not."""
    from zeroclaw_cli.config.backend_name import parse_backend

    if parse_backend(config.memory.backend if backend is None else backend).is_layers:
        return this.layers
    if this.layers is not None:
        this.layers.require_layers()
    return None


@contextmanager
def opened_turns(
    ctx: typer.Context, backend: str | None, agent: str | None, project: str | None
) -> Iterator[tuple[Session, Turns]]:
    """As :func:`opened_documents`, where a Python provider may be the backend as well."""
    from zeroclaw_cli.config.backend_name import parse_backend

    this = session(ctx)
    config = whole_config(this, backend)
    chosen = parse_backend(config.memory.backend if backend is None else backend)
    if chosen.provider is None:
        with opened_documents(ctx, backend, agent, project) as found:
            yield found
        return
    from zeroclaw_cli.backends import naming_the_setting
    from zeroclaw_cli.operations.notified_provider import open_as_backend
    from zeroclaw_cli.operations.notifying import ProviderTurns

    with _provider(this, backend):
        with naming_the_setting(config, backend):
            provider = open_as_backend(config, chosen.provider)
        with _used(this, provider):
            yield this, ProviderTurns(provider, agent)


@contextmanager
def _provider(this: Session, backend: str | None) -> Iterator[NotifiedProvider | None]:
    """The provider that is to be told what becomes of the opened backend, if any; why it is not used is a warning."""
    config = this.config()
    if not config.memory.provider:
        yield None
        return
    from zeroclaw_cli.operations.notified_provider import is_told_of, open_notified

    told = is_told_of(config, backend)
    if this.provider is not None:
        # A command of two backends has met it already.
        yield this.provider if told else None
        return
    provider = open_notified(config, backend)
    if provider is None:
        yield None
        return
    with _used(this, provider):
        yield provider if told else None


@contextmanager
def _not_told(this: Session, opened: Memory | Documents) -> Iterator[None]:
    """Under the layers no provider is told of anything: that it still has what is gone is a warning."""
    try:
        yield
    finally:
        surface = getattr(opened, "surface", None)
        if surface is not None and surface.receipts:
            from zeroclaw_cli.operations.notified_provider import not_told_under_layers

            warn_all(this, not_told_under_layers(this.config(), surface.receipts))


def tell_of_the_provider(callback: Callable[..., Any]) -> Callable[..., Any]:
    """``callback`` of a command that opens no single memory: a provider that cannot be used is a warning there too."""

    @wraps(callback)
    def run(*args: Any, **keywords: Any) -> Any:
        with _provider(session(keywords["ctx"]), None):
            return callback(*args, **keywords)

    return run


@contextmanager
def _used(this: Session, provider: NotifiedProvider) -> Iterator[NotifiedProvider]:
    this.provider = provider
    failed = True
    try:
        yield provider
        failed = False
    finally:
        this.provider = None
        try:
            provider.close()
        except NotDurable as error:
            if not failed:
                raise
            this.warn(explain(error))
        finally:
            warn_all(this, provider.take_warnings())


def whole_config(this: Session, *backends: str | None) -> Config:
    """The config of a command that opens a memory, after a restore that was interrupted has been finished. What the
    rooms below log is shown when it, or one of ``backends``, names a provider or the layers."""
    from zeroclaw_cli.backends import is_half_restored
    from zeroclaw_cli.config.backend_name import parse_backend

    config = this.config()
    named = (config.memory.backend, *backends)
    if config.memory.provider or any(parse_backend(name).kind in ("provider", "layers") for name in named if name):
        from zeroclaw_cli.cli.logged import show

        show(this)
    if is_half_restored(config):
        from zeroclaw_cli.operations.restore import finish_restore

        done = finish_restore(config)
        if done.finished:
            this.note("an interrupted `zeroclaw memory restore` was finished")
        warn_all(this, done.warnings)
    return config


def warn_all(this: Session, warnings: list[str] | tuple[str, ...]) -> None:
    for warning in warnings:
        this.warn(warning)


def one_agent(alias: str | None, agent_id: str | None) -> Agent:
    """The agent of ``--agent`` or ``--agent-id``. Raises UsageError when both are given."""
    from zeroclaw_cli.memory.requests import Agent

    if alias is not None and agent_id is not None:
        raise UsageError("--agent and --agent-id name the same thing", hint="pass one of them")
    return Agent(alias, agent_id)


def when(text: str | None, option: str) -> str | None:
    """The RFC 3339 text of a time option. Raises UsageError with the accepted forms."""
    from zeroclaw_cli.memory.times import parse_when

    if text is None:
        return None
    try:
        return parse_when(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def thread_of(text: str | None) -> str | None:
    """The id of ``--thread``. Raises DocumentArgument for what can be none."""
    from zeroclaw_cli.native.transcripts import check_name

    return None if text is None else check_name("thread", text)


def category_of(text: str | None) -> str | None:
    from zeroclaw_cli.memory.requests import category_word

    return None if text is None else category_word(text)
