"""The Python provider of ``memory.provider``, beside the built-in store: it hears what is written there, adds to the
context of a prompt, and is given finished turns (specs/memory-providers.md §1, §8).

What it does or fails to do never changes what the built-in store does; a failure is a warning that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from zeroclaw_cli.config.backend_name import NATIVE, parse_backend
from zeroclaw_cli.errors import DocumentFailure, ProviderBroken, ProviderFailed, ZeroclawError, explain
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.operations import memory as operations
from zeroclaw_cli.operations.agents import Agent
from zeroclaw_cli.providers.mirroring import MEMORY_TARGET, USER_TARGET, target_of

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.memory.documents import ContextBlock, Documents, TurnMessage, WriteRequest, WriteResult
    from zeroclaw_cli.memory.documents import Forgotten as ForgottenDocument
    from zeroclaw_cli.providers.session import ProviderSession

Action = Literal["add", "replace", "remove"]


class Beside:
    """The provider, loaded and not yet started. Each call is for one command; warnings gather until they are taken."""

    def __init__(self, session: ProviderSession, output: ExitStack) -> None:
        self.name = session.name
        self._session = session
        self._output = output
        self._warnings: dict[str, None] = {}

    def wrote(self, action: Action, target: str, content: str, metadata: dict[str, Any]) -> None:
        """Tell it of a write of the built-in memory."""
        if self._session.has("on_memory_write"):
            given = {name: value for name, value in metadata.items() if value is not None}
            self._safely(lambda: self._session.hand_over(action, target, content, given))

    def prefetch(self, query: str, session_id: str | None) -> str:
        """What it adds to the context of a prompt; nothing for a blank query."""
        if not query.strip() or not self._session.has("prefetch"):
            return ""
        found: list[str] = []
        self._safely(lambda: found.append(self._session.prefetch(query, session_id)))
        return "".join(found)

    def record(self, messages: Sequence[TurnMessage], session_id: str) -> bool:
        """Give it a finished turn and wait for it. Raises ProviderFailed, and NotDurable when that takes too long."""
        user = next((message for message in reversed(messages) if message.role == "user"), None)
        answer = messages[-1] if messages and messages[-1].role == "assistant" else None
        if user is None or answer is None:
            # Without an answer at its end the turn was interrupted (P-31).
            return False
        plain = [{"role": message.role, "content": message.content} for message in messages]
        return self._session.record(user.content, answer.content, session_id, plain)

    def begin(self, session_id: str | None, agent: str | None) -> None:
        """Start it for this session and agent, which it cannot change later."""
        self._safely(lambda: self._session.begin(session_id, agent))

    def warn(self, line: str) -> None:
        self._warnings[line] = None

    def take_warnings(self) -> list[str]:
        """Each of them once."""
        taken = list(self._warnings)
        self._warnings.clear()
        return taken

    def close(self) -> None:
        """End it. Raises NotDurable when it did not finish what it was given."""
        with self._output:
            self._session.close()

    def _safely(self, call: Callable[[], object]) -> None:
        try:
            call()
        except (ProviderFailed, ProviderBroken) as error:
            self.warn(f"memory provider '{self.name}': {explain(error)}")


def open_beside(config: Config, backend: str | None) -> tuple[Beside | None, str | None]:
    """The provider beside the memory that a command opens, and a warning why it is not there.

    Neither when none is configured, or when it is the backend itself. Beside another backend than the built-in store it
    is not used, but that it could not be is told all the same.
    """
    from zeroclaw_cli.providers.names import chosen

    name = chosen(config.memory.provider)
    if name is None:
        return None, None
    opened = parse_backend(config.memory.backend if backend is None else backend)
    if opened.provider == name:
        return None, None
    from zeroclaw_cli.providers.session import open_session
    from zeroclaw_cli.providers.streams import own_stdout

    with ExitStack() as output:
        try:
            output.enter_context(own_stdout())
            session = open_session(config, name)
        except ZeroclawError as error:
            return None, f"memory provider '{name}' is not used: {explain(error)}"
        if opened.is_native:
            return Beside(session, output.pop_all()), None
    return None, None


def not_in_backup(config: Config) -> list[str]:
    """What a backup of this program's stores does not hold of the providers that are in use, one warning for each."""
    from zeroclaw_cli.providers.names import chosen
    from zeroclaw_cli.providers.session import data_outside

    backend = parse_backend(config.memory.backend)
    names = [chosen(config.memory.provider), backend.provider]
    warnings = []
    for name in dict.fromkeys(name for name in names if name):
        start = f"the memory of provider '{name}' is not in the backup: copy {config.location.config_dir}"
        try:
            outside = data_outside(config, name)
        except ZeroclawError as error:
            warnings.append(f"{start}, and what it keeps elsewhere, which cannot be told ({error.message})")
            continue
        warnings.append(f"{start} and, outside of it, {', '.join(outside)}" if outside else start)
    return warnings


def open_as_backend(config: Config, name: str) -> Beside:
    """The provider ``name`` alone, for turns; raises as ``providers.session.open_session``."""
    from zeroclaw_cli.providers.session import open_session
    from zeroclaw_cli.providers.streams import own_stdout

    with ExitStack() as output:
        output.enter_context(own_stdout())
        session = open_session(config, name)
        return Beside(session, output.pop_all())


def store(memory: Memory, request: operations.StoreRequest, beside: Beside | None) -> None:
    """``operations.memory.store``, and the provider hears of it."""
    if beside is None or memory.name != NATIVE:
        operations.store(memory, request)
        return
    old = operations.row_of(memory, request.key, request.agent.resolve(memory))
    operations.store(memory, request)
    new = operations.row_of(memory, request.key, request.agent.resolve(memory))
    category = request.category or "" if new is None else new.category
    metadata = {
        "key": request.key,
        "category": category,
        "session_id": request.session_id,
        "namespace": request.namespace,
        "importance": request.importance,
        "agent": request.agent.alias or request.agent.id,
        "old_text": None if old is None else old.content,
    }
    beside.begin(request.session_id, request.agent.alias)
    beside.wrote("add" if old is None else "replace", target_of(category), request.content, metadata)


def forget(
    memory: Memory, key: str, agent: Agent, beside: Beside | None, *, with_history: bool
) -> operations.Forgotten:
    """``operations.memory.forget``, and the provider hears of each row that is gone."""
    rows = []
    if beside is not None and memory.name == NATIVE:
        agent_id = agent.resolve(memory)
        rows = [row for row in memory.list_entries(None, None) if row.key == key and agent_id in (None, row.agent_id)]
    gone = operations.forget(memory, key, agent, with_history=with_history)
    if beside is not None:
        for row in rows:
            metadata = {"key": row.key, "category": row.category, "agent": row.agent_alias or row.agent_id}
            beside.wrote("remove", target_of(row.category), row.content, metadata)
    return gone


def write(documents: Documents, request: WriteRequest, beside: Beside | None) -> WriteResult:
    """``documents.write``, and the provider hears of it."""
    result = documents.write(request)
    if beside is None or result.status == "conflict":
        return result
    patch = request.old_string is not None
    action: Action = "replace" if patch or not request.append else "add"
    content = request.new_string if patch else request.content
    beside.wrote(
        action, _target_of_document(result.path), content or "", {"path": result.path, "old_text": request.old_string}
    )
    return result


def edited(documents: Documents, path: str, beside: Beside | None) -> None:
    """Let the provider hear that a document was edited."""
    if beside is not None:
        beside.wrote("replace", _target_of_document(path), documents.read(path).content, {"path": path})


def forget_document(documents: Documents, path: str, beside: Beside | None, *, with_history: bool) -> ForgottenDocument:
    """``operations.documents.forget_document``, and the provider hears of it."""
    from zeroclaw_cli.operations.documents import forget_document as forget_this

    try:
        content = None if beside is None else documents.read(path).content
    except DocumentFailure:
        content = None
    gone = forget_this(documents, path, with_history=with_history)
    if beside is not None and content is not None:
        beside.wrote("remove", _target_of_document(path), content, {"path": path})
    return gone


def set_profile(documents: Documents, values: dict[str, str | None], beside: Beside | None) -> None:
    """``documents.set_profile`` with ``timezone``, ``locale`` and ``location``, and the provider hears of it."""
    documents.set_profile(**values)
    if beside is not None:
        from zeroclaw_cli.native.paths import PROFILE

        text = "\n".join(f"{name}: {value}" for name, value in values.items() if value is not None)
        beside.wrote("replace", USER_TARGET, text, {"path": PROFILE})


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What a prompt would get: the block of the built-in store (None without one), and the fenced text of the provider
    that is named, empty when it adds nothing."""

    block: ContextBlock | None
    provider: str | None
    provider_text: str

    @property
    def text(self) -> str:
        parts = ("" if self.block is None else self.block.text, self.provider_text)
        return "\n\n".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"text": "", "left_out": [], "degradations": []}
        if self.block is not None:
            body = self.block.to_json()
        if self.provider is not None:
            body["provider"] = {"name": self.provider, "text": self.provider_text}
        return body


def context(
    documents: Documents | None, beside: Beside | None, query: str, *, thread: str | None, limit: int
) -> TurnContext:
    """The context of a turn from the built-in store and the provider, whichever there are."""
    block = None if documents is None else documents.context(query, thread_id=thread, max_snippets=limit)
    if beside is None:
        return TurnContext(block, None, "")
    from zeroclaw_cli.providers.fencing import build_memory_context_block

    return TurnContext(block, beside.name, build_memory_context_block(beside.prefetch(query, thread)))


def record(
    documents: Documents | None, beside: Beside | None, messages: Sequence[TurnMessage], *, thread: str, run: str
) -> bool:
    """Keep a finished turn in the built-in store and give it to the provider, whichever there are; whether it was kept.

    The built-in store first, so that a provider that fails costs nothing there. Raises ProviderFailed and NotDurable.
    """
    kept = documents is not None and documents.record(messages, thread_id=thread, run_id=run)
    return (beside is not None and beside.record(messages, thread)) or kept


def _target_of_document(path: str) -> str:
    from zeroclaw_cli.native.paths import PROFILE

    return USER_TARGET if path == PROFILE else MEMORY_TARGET
