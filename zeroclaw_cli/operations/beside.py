"""The Python provider of ``memory.provider``, beside the built-in store: it hears what is written there, adds to the
context of a prompt, and is given finished turns (specs/memory-providers.md §1, §8).

What it does or fails to do never changes what the built-in store does; a failure is a warning that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from zeroclaw_cli.backends import as_native
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import (
    DocumentFailure,
    NotDurable,
    ProviderBroken,
    ProviderFailed,
    ZeroclawError,
    explain,
)
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import Agent, Forgotten, PurgeTarget, StoreRequest
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry, Purged
from zeroclaw_cli.providers.mirroring import MEMORY_TARGET, USER_TARGET, target_of

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.memory.documents import ContextBlock, Documents, Recorded, TurnMessage, WriteRequest, WriteResult
    from zeroclaw_cli.memory.documents import Forgotten as ForgottenDocument
    from zeroclaw_cli.native.service import NativeDocuments
    from zeroclaw_cli.providers.session import ProviderSession

Action = Literal["add", "replace", "remove"]
# A target of a write that is always emptied.
BOOTSTRAP = "bootstrap"


class Beside:
    """The provider, loaded and not yet started. Each call is for one command; warnings gather until they are taken."""

    def __init__(self, session: ProviderSession, output: ExitStack) -> None:
        self.name = session.name
        self._session = session
        self._output = output
        self._warnings: dict[str, None] = {}

    @property
    def keeps_new(self) -> bool:
        """Whether it is to keep what is new: nothing of a sub-agent (specs/memory-providers.md §5)."""
        return self._session.keeps_new

    @property
    def removal_hint(self) -> str:
        """How a person removes from it what it was not told of; empty where no command can."""
        try:
            found = self._session.mapping()
        except ProviderBroken:
            return ""
        if found is None or not {"list", "forget"} <= set(found.calls):
            return ""
        backend = f"--backend provider.{self.name}"
        return f"`zeroclaw memory list {backend}` shows what it has, `zeroclaw memory forget KEY {backend}` removes it"

    @property
    def listens(self) -> bool:
        """Whether it wants to hear of writes of the built-in memory."""
        try:
            return self._session.has("on_memory_write")
        except ProviderBroken:
            # Then the call itself says so.
            return True

    def wrote(self, action: Action, target: str, content: str, metadata: Mapping[str, Any]) -> None:
        """Tell it of a write of the built-in memory; a warning says when it does not take it."""
        with untold_when_interrupted(self):
            failure = self.hand_over(action, target, content, metadata) if self.listens else None
        if failure is not None:
            still = "" if action == "add" else "; it still has what is gone here, and may bring it back"
            self.warn(f"memory provider '{self.name}': {failure}{still}")

    def hand_over(
        self,
        action: str,
        target: str,
        content: str,
        metadata: Mapping[str, Any],
        *,
        within_s: float | None = None,
    ) -> str | None:
        """As :meth:`wrote`, for ``within_s`` seconds at most; why it did not take it, None when it did.

        Of a sub-agent's command it hears only what is gone.
        """
        given = {name: value for name, value in metadata.items() if value is not None}
        if not self.keeps_new:
            if action == "add":
                return None
            action, content = "remove", given.pop("old_text", "") if action == "replace" else content
        try:
            self._session.hand_over(action, target, content, given, within_s=within_s)
        except (ProviderFailed, ProviderBroken) as error:
            return explain(error)
        return None

    def prefetch(self, query: str, session_id: str | None) -> str:
        """What it adds to the context of a prompt; nothing for a blank query."""
        found: list[str] = []

        def ask() -> None:
            if self._session.has("prefetch"):
                found.append(self._session.prefetch(query, session_id))

        if query.strip():
            self._safely(ask)
        return "".join(found)

    def record(self, messages: Sequence[TurnMessage], session_id: str) -> str | None:
        """Give it a finished turn and wait for it; why it gets none (of a sub-agent, or an interrupted one), else None.

        Raises ProviderFailed, and NotDurable when that takes too long.
        """
        if not self.keeps_new:
            return f"ZEROCLAW_AGENT is set, and memory provider '{self.name}' is given no turns of a sub-agent"
        user = next((message for message in reversed(messages) if message.role == "user"), None)
        answer = messages[-1] if messages and messages[-1].role == "assistant" else None
        if user is None:
            return "the turn has no message of the user"
        if answer is None:
            # Then it was interrupted (P-31).
            return "the turn does not end with an answer"
        plain = [{"role": message.role, "content": message.content} for message in messages]
        if self._session.record(user.content, answer.content, session_id, plain):
            return None
        return "the user or the assistant says nothing in the turn"

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

    def finish(self) -> None:
        """Wait for what it still writes, and end it. Raises NotDurable when it did not finish what it was given."""
        self._session.close()

    def close(self) -> None:
        """End it. Raises NotDurable when it did not finish what it was given."""
        with self._output:
            self._session.close()

    def _safely(self, call: Callable[[], object]) -> None:
        try:
            call()
        except (ProviderFailed, ProviderBroken) as error:
            self.warn(f"memory provider '{self.name}': {explain(error)}")


@contextmanager
def untold_when_interrupted(beside: Beside) -> Iterator[None]:
    """Say so when the block, which tells the provider of a change that is made, is interrupted."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        beside.warn(
            f"memory provider '{beside.name}' was not told what changed before the interruption: it may still have "
            "what is gone here"
        )
        raise


class Unheard(Beside):
    """A provider that should be beside the memory and cannot be used; ``problem`` says why."""

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        self._problem = problem
        self._untold = False
        self._warnings = {}

    listens = keeps_new = True
    removal_hint = ""

    def hand_over(
        self,
        action: str,
        target: str,
        content: str,
        metadata: Mapping[str, Any],
        *,
        within_s: float | None = None,
    ) -> str | None:
        self._untold = self._untold or action != "add"
        return None

    def prefetch(self, query: str, session_id: str | None) -> str:
        return ""

    def record(self, messages: Sequence[TurnMessage], session_id: str) -> str | None:
        # That it cannot be used is a warning already.
        return None

    def begin(self, session_id: str | None, agent: str | None) -> None:
        pass

    def take_warnings(self) -> list[str]:
        still = "; it still has what is gone here, and may bring it back when it is used again" if self._untold else ""
        return [f"{self._problem}{still}", *super().take_warnings()]

    def close(self) -> None:
        pass


def open_beside(config: Config, backend: str | None) -> Beside | None:
    """The provider beside the memory that a command opens: None when none is configured, or when it is the backend
    itself, and :class:`Unheard` when it cannot be used.

    Beside another backend than the built-in store it is not used, but that it could not be is told all the same.
    """
    from zeroclaw_cli.providers.names import chosen

    name = chosen(config.memory.provider)
    if name is None:
        return None
    opened = parse_backend(config.memory.backend if backend is None else backend)
    if opened.provider == name:
        return None
    from zeroclaw_cli.providers.session import open_session
    from zeroclaw_cli.providers.streams import own_stdout

    with ExitStack() as output:
        try:
            output.enter_context(own_stdout())
            session = open_session(config, name)
        except ZeroclawError as error:
            return Unheard(name, f"memory provider '{name}' is not used: {explain(error)}")
        if opened.is_native:
            return Beside(session, output.pop_all())
    return None


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


def store(memory: Memory, request: StoreRequest, beside: Beside | None) -> None:
    """``memory.save``, and the provider hears of it."""
    native = as_native(memory)
    if beside is None or native is None:
        memory.save(request)
        return
    old = memory.row_of(request.key, request.agent.resolve(memory))
    memory.save(request)
    new = memory.row_of(request.key, request.agent.resolve(memory))
    with untold_when_interrupted(beside):
        beside.begin(request.session_id, request.agent.alias)
    if new is not None:
        about = about_row(new, native.scope.project) | {"old_text": None if old is None else old.content}
        beside.wrote("add" if old is None else "replace", target_of(new.category), request.content, about)


def about_row(row: Entry, project: str) -> dict[str, Any]:
    """What a provider is told of a row of the built-in store beside its text; None for what it has none of."""
    return {
        "key": row.key,
        "category": row.category,
        "session_id": row.session_id,
        "namespace": None if row.namespace == DEFAULT_NAMESPACE else row.namespace,
        "importance": row.importance,
        "agent": row.agent_alias or row.agent_id,
        "project": project or None,
    }


def forget(memory: Memory, key: str, agent: Agent, beside: Beside | None, *, with_history: bool) -> Forgotten:
    """``memory.take``, and the provider hears of each row that is gone."""
    from zeroclaw_cli.operations.mirrored import mirrored

    with mirrored(memory, beside, key):
        gone = memory.take(key, agent, with_history=with_history)
    if beside is not None and gone.transcripts:
        beside.warn(_keeps_turns(beside.name))
    return gone


def purge(memory: Memory, target: PurgeTarget, beside: Beside | None) -> Purged:
    """``memory.purge``, and the provider hears of each entry and document that is gone."""
    from zeroclaw_cli.operations.mirrored import mirrored

    with mirrored(memory, beside, documents=True):
        gone = memory.purge(target)
    if beside is not None and gone.turns:
        beside.warn(_keeps_turns(beside.name))
    return gone


def write(documents: Documents, request: WriteRequest, beside: Beside | None) -> WriteResult:
    """``documents.write``, and the provider hears of it."""
    if beside is None:
        return documents.write(request)
    from zeroclaw_cli.operations.documents import path_of

    appends = request.append and request.old_string is None and request.target != BOOTSTRAP
    before = "" if appends else _body(documents, path_of(documents, request.target))
    result = documents.write(request)
    about = _about_document(documents, result.path)
    target = target_of_document(result.path)
    match result.status:
        case "patched":
            about |= {"old_text": request.old_string, "document_before": before}
            about |= {"document": _body(documents, result.path)}
            beside.wrote("replace", target, request.new_string or "", about)
        case "cleared":
            if before.strip():
                beside.wrote("remove", target, before, about)
        case "written" if before:
            beside.wrote("replace", target, request.content or "", about | {"old_text": before})
        case "written":
            beside.wrote("add", target, request.content or "", about)
    return result


def edited(documents: Documents, path: str, beside: Beside | None, before: str = "") -> None:
    """Let the provider hear that a document, whose text was ``before``, was edited."""
    if beside is not None:
        about = _about_document(documents, path) | {"old_text": before or None}
        beside.wrote("replace" if before else "add", target_of_document(path), _body(documents, path), about)


def archive(documents: Documents, path: str, beside: Beside | None) -> str:
    """``documents.archive``, and the provider hears that the text has another place."""
    content = "" if beside is None else _body(documents, path)
    place = documents.archive(path)
    if beside is not None:
        beside.wrote("remove", target_of_document(path), content, _about_document(documents, path))
        beside.wrote("add", target_of_document(place), content, _about_document(documents, place))
    return place


def forget_document(documents: Documents, path: str, beside: Beside | None, *, with_history: bool) -> ForgottenDocument:
    """``operations.documents.forget_document``, and the provider hears of it."""
    from zeroclaw_cli.native.paths import THREADS
    from zeroclaw_cli.operations.documents import forget_document as forget_this

    content = "" if beside is None else _body(documents, path)
    gone = forget_this(documents, path, with_history=with_history)
    if beside is not None:
        if content:
            beside.wrote("remove", target_of_document(path), content, _about_document(documents, path))
        if gone.transcripts or path.startswith(f"{THREADS}/"):
            beside.warn(_keeps_turns(beside.name))
    return gone


def set_profile(documents: Documents, values: dict[str, str | None], beside: Beside | None) -> None:
    """``documents.set_profile`` with ``timezone``, ``locale`` and ``location``, and the provider hears of it."""
    before = "" if beside is None else _profile_text(documents)
    documents.set_profile(**values)
    if beside is not None:
        from zeroclaw_cli.native.paths import PROFILE

        beside.wrote("replace", USER_TARGET, _profile_text(documents), {"path": PROFILE, "old_text": before or None})


def _profile_text(documents: Documents) -> str:
    known = documents.profile().to_json()
    return "\n".join(f"{name}: {value}" for name, value in known.items() if isinstance(value, str))


def _body(documents: Documents, path: str) -> str:
    """The text of a document; empty where there is none, or none that can be read."""
    try:
        return documents.read(path).content
    except DocumentFailure:
        return ""


def _about_document(documents: Documents, path: str) -> dict[str, Any]:
    from zeroclaw_cli.native.paths import PROFILE
    from zeroclaw_cli.native.service import NativeDocuments

    about: dict[str, Any] = {"path": path}
    if isinstance(documents, NativeDocuments) and path != PROFILE:
        about |= {"agent": documents.scope.agent or None, "project": documents.scope.project or None}
    return about


def _keeps_turns(name: str) -> str:
    return f"memory provider '{name}' keeps the turns that it was given: what is gone here may be in them"


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
    if beside is None or isinstance(beside, Unheard):
        return TurnContext(block, None, "")
    from zeroclaw_cli.providers.fencing import build_memory_context_block

    return TurnContext(block, beside.name, build_memory_context_block(beside.prefetch(query, thread)))


def record(
    documents: Documents | None, beside: Beside | None, messages: Sequence[TurnMessage], *, thread: str, run: str
) -> Recorded:
    """Keep a finished turn in the built-in store and give what is new of it to the provider, whichever there are.

    Nobody gets a turn that no host would record (specs/native-memory.md §14). The built-in store first, so that a
    provider that fails costs nothing there; a turn that the provider does not get is a warning then, also of one that
    does not start. Raises ProviderFailed and NotDurable, whose message says what the built-in store kept.
    """
    if documents is not None and beside is None:
        return documents.record(messages, thread_id=thread, run_id=run)
    if documents is not None and beside is not None:
        from zeroclaw_cli.native.service import NativeDocuments

        assert isinstance(documents, NativeDocuments), "a provider is beside the built-in store alone"
        receiver = beside.name if beside.keeps_new else None
        kept = documents.record(messages, thread_id=thread, run_id=run, receiver=receiver)
        if receiver is not None and not isinstance(beside, Unheard):
            _give_owed(documents, beside, messages, thread=thread, kept=kept)
        return kept
    from zeroclaw_cli.memory.documents import Recorded
    from zeroclaw_cli.native.recorded import run_id
    from zeroclaw_cli.native.transcripts import why_not_recorded

    assert beside is not None
    reason = why_not_recorded(messages, thread_id=thread) or beside.record(messages, thread)
    return Recorded(run if run.strip() else run_id(thread, messages), len(messages) if reason is None else 0, reason)


def _give_owed(
    documents: NativeDocuments, beside: Beside, messages: Sequence[TurnMessage], *, thread: str, kept: Recorded
) -> None:
    """Give the provider the turns among ``messages`` that the built-in store has and it has not: the present one, and
    those that it did not take when they were recorded. It is ended then, so that what it still writes is waited for."""
    answered: dict[str, str | None] = {}

    def settle() -> None:
        for run, reason in answered.items():
            documents.settle(beside.name, run, thread_id=thread)
            if reason is not None:
                beside.warn(f"memory provider '{beside.name}' was not given the turn: {reason}")
            elif run != kept.run or kept.reason is not None:
                beside.warn(f"memory provider '{beside.name}' was given the turn {run} now, which it had missed")

    finishing = False
    try:
        for run, turn in documents.owed(beside.name, messages, thread_id=thread):
            answered[run] = beside.record(turn, thread)
        finishing = True
        beside.finish()
    except ProviderBroken:
        # Why is told when it is started.
        beside.warn(f"memory provider '{beside.name}' was not given the turn: it does not start")
        return
    except (ProviderFailed, NotDurable) as error:
        if not finishing:
            # Those before the one that failed were taken.
            settle()
        error.message = f"the built-in store kept the turn, and the provider may not have kept it: {error.message}"
        error.hint = "; ".join(filter(None, (error.hint, "the same command again gives it to the provider")))
        raise
    settle()


def target_of_document(path: str) -> str:
    """The target, ``user`` or ``memory``, of the document at ``path``."""
    from zeroclaw_cli.native.paths import PROFILE

    return USER_TARGET if path == PROFILE else MEMORY_TARGET
