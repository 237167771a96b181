"""The Python provider of ``memory.provider``, which is notified of what is written to the built-in store, adds to the
context of a prompt, and is given finished turns (specs/memory-providers.md §1, §8).

What it does or fails to do never changes what the built-in store does; a failure is a warning that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Literal

from zeroclaw_cli.config.backend_name import NATIVE, parse_backend
from zeroclaw_cli.errors import ProviderBroken, ProviderFailed, ZeroclawError, explain
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS
from zeroclaw_cli.providers.names import chosen

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.kernel.operations import Receipt, ReceiptStep
    from zeroclaw_cli.memory.documents import TurnMessage
    from zeroclaw_cli.providers.session import ProviderSession

Action = Literal["add", "replace", "remove"]


class NotifiedProvider:
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
        with warn_when_interrupted(self):
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
def warn_when_interrupted(provider: NotifiedProvider) -> Iterator[None]:
    """Say so when the block, which tells the provider of a change that is made, is interrupted."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        provider.warn(
            f"memory provider '{provider.name}' was not told what changed before the interruption: it may still have "
            "what is gone here"
        )
        raise


class UnusableProvider(NotifiedProvider):
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


def is_told_of(config: Config, backend: str | None) -> bool:
    """Whether a provider is told what becomes of ``backend`` (None: that of the config): of the built-in store."""
    return parse_backend(config.memory.backend if backend is None else backend).is_native


def open_notified(config: Config, backend: str | None) -> NotifiedProvider | None:
    """The provider beside the memory that a command opens: None when none is configured, or when it is the backend
    itself, and :class:`UnusableProvider` when it cannot be used.

    Beside another backend than the built-in store it is not used, but that it could not be is told all the same.
    """
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
            return UnusableProvider(name, f"memory provider '{name}' is not used: {explain(error)}")
        if is_told_of(config, backend):
            return NotifiedProvider(session, output.pop_all())
    return None


def not_in_backup(config: Config) -> list[str]:
    """What a backup of this program's stores does not hold of the providers that are in use, one warning for each."""
    from zeroclaw_cli.providers.session import data_outside

    backend = parse_backend(config.memory.backend)
    names = [chosen(config.memory.provider), backend.provider]
    warnings = []
    for name in dict.fromkeys(name for name in names if name):
        start = f"the memory of provider '{name}' is not in the backup: copy {config.location.config_dir}"
        try:
            outside = data_outside(config, name)
        except ZeroclawError as error:
            warnings.append(f"{start}, and whatever it keeps elsewhere, which cannot be determined ({error.message})")
            continue
        warnings.append(f"{start} and, outside of it, {', '.join(outside)}" if outside else start)
    return warnings


def open_as_backend(config: Config, name: str) -> NotifiedProvider:
    """The provider ``name`` alone, for turns; raises as ``providers.session.open_session``."""
    from zeroclaw_cli.providers.session import open_session
    from zeroclaw_cli.providers.streams import own_stdout

    with ExitStack() as output:
        output.enter_context(own_stdout())
        session = open_session(config, name)
        return NotifiedProvider(session, output.pop_all())


def not_told_of_restore(config: Config) -> list[str]:
    """The warning that the provider beside the built-in store knows nothing of a restore of it; none without one."""
    name = chosen(config.memory.provider)
    if name is None:
        return []
    return [
        f"memory provider '{name}' is not told of a restore: it still has what the restore took away, and lacks what "
        "it brought back"
    ]


def not_told_under_layers(config: Config, receipts: Iterable[Receipt]) -> list[str]:
    """The warning that the provider of the config still has what requests to the layers, of which these are the
    ``receipts``, took from the built-in store; none when nothing was taken."""
    name = chosen(config.memory.provider)
    if name is None or not any(_takes(receipt.capability, step) for receipt in receipts for step in receipt.steps):
        return []
    return [
        f"memory provider '{name}' is not told under the layers: it still has what is gone here, and may bring it back"
    ]


def _takes(capability: str, step: ReceiptStep) -> bool:
    """Whether a step of a request to the layers took something from the built-in store."""
    built_in = step.layer_id in BUILT_IN_LAYERS and step.adapter_id in (None, NATIVE)
    if step.status != "succeeded" or not built_in or not isinstance(step.output, Mapping):
        return False
    said = step.output
    match capability:
        case "forget":
            return bool(said.get("rows") or said.get("deleted"))
        case "archive":
            return "archived" in said
        case "write":
            return said.get("status") in ("patched", "cleared") or (
                said.get("status") == "written" and said.get("append") is False
            )
    return False
