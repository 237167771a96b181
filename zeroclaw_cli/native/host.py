"""The host's side of a memory provider: binding, what it may be asked, and what becomes of its answers.

specs/native-memory.md §3, §4, §12, §14, §19. A bound provider is fixed for the life of the process; where none is bound
there are no tools and no hooks, and nothing stands in for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal

from zeroclaw_cli.errors import DocumentUnavailable, Refused, ZeroclawError
from zeroclaw_cli.memory.documents import ContextBlock, Degradation, Profile, TurnMessage
from zeroclaw_cli.memory.types import Lane
from zeroclaw_cli.native import tools
from zeroclaw_cli.native.admission import DEFAULT_SNIPPETS, build
from zeroclaw_cli.native.lanes import degradation
from zeroclaw_cli.native.manifest import Bundle, Hook, Origin, ToolSpec
from zeroclaw_cli.native.profile import as_profile
from zeroclaw_cli.native.provider import LaneRequest, LaneResult, MemoryProvider, RecordRequest
from zeroclaw_cli.native.scope import Invocation
from zeroclaw_cli.native.transcripts import is_worth_keeping

_log: Final = logging.getLogger(__name__)
RECORD_LIMIT_S: Final = 30.0
LANE_LIMIT_S: Final = 30.0
# So many hooks may hang before others have to wait for them.
_MAX_WORKERS: Final = 4
_APPENDED_TARGETS: Final = frozenset({"memory", "daily_log"})

RecordOutcome = Literal["recorded", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that an agent loop has ended: its messages in order, its run, and whose it was.

    ``completed`` is false for a run that broke off, ``background`` true for one that no conversation is bound to.
    """

    messages: Sequence[TurnMessage]
    run_id: str | None
    completed: bool = True
    background: bool = False
    actor: str | None = "user"


class Host:
    """A provider bound with its manifest and assets, or none. A context manager that ``close`` ends."""

    def __init__(self, bundle: Bundle | None = None, provider: MemoryProvider | None = None) -> None:
        bound = bundle is not None and provider is not None
        self._bundle = bundle if bound else None
        self._provider = provider if bound else None
        self._workers: ThreadPoolExecutor | None = None
        self._last: tuple[tuple[Invocation, LaneRequest], ContextBlock] | None = None
        self._starting = threading.Lock()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._workers is not None:
            self._workers.shutdown(wait=False, cancel_futures=True)
            self._workers = None

    @property
    def offered_tools(self) -> tuple[ToolSpec, ...]:
        """The tools to advertise: those of the bound provider, and none without one."""
        return () if self._bundle is None else self._bundle.manifest.tools

    def guidance(self, names: Mapping[str, str] | None = None) -> str | None:
        """The text for the system prompt, with tool ids replaced by the ``names`` that the model sees; None if none."""
        text = None if self._bundle is None else self._bundle.guidance
        for tool_id, name in (names or {}).items():
            text = None if text is None else text.replace(tool_id, name)
        return text

    def call_tool(
        self,
        tool_id: str,
        arguments: Mapping[str, Any],
        invocation: Invocation,
        mount: tools.MountGrant,
        *,
        origin: Origin | None = None,
        granted: bool = False,
        single_user: bool = True,
    ) -> Any:
        """One tool call, after its origin's gate; ``granted`` says that the operator approved it.

        Raises Refused, DocumentUnavailable when nothing is bound, or what ``tools.call`` raises.
        """
        if self._bundle is None or self._provider is None:
            raise DocumentUnavailable("unbound", "no memory provider is bound")
        spec = self._bundle.manifest.tool(tool_id)
        if origin is not None and spec is not None:
            _check_gate(spec, origin, granted=granted or (single_user and _is_append(tool_id, arguments)))
        return tools.call(self._bundle, self._provider, tool_id, arguments, invocation, mount)

    def context(
        self,
        invocation: Invocation,
        query: str,
        *,
        max_snippets: int = DEFAULT_SNIPPETS,
        context_profile: str = "",
    ) -> ContextBlock:
        """The block of one turn. A lane that fails is a degradation of the block, never an error of the turn.

        The calls of one run (the same ``invocation_id`` and query) get the block that its first one got.
        """
        request = LaneRequest(query, max_snippets, context_profile)
        if self._provider is None or request.disabled:
            return ContextBlock()
        if not invocation.invocation_id:
            return self._retrieve(self._provider, invocation, request)
        if self._last is None or self._last[0] != (invocation, request):
            self._last = (invocation, request), self._retrieve(self._provider, invocation, request)
        return self._last[1]

    def _retrieve(self, provider: MemoryProvider, invocation: Invocation, request: LaneRequest) -> ContextBlock:
        short_term: Future[LaneResult] | None = None
        if self._declares("read_short_term"):
            short_term = self._submit(lambda: _lane("short_term", provider.read_short_term, invocation, request))
        long_term = LaneResult()
        if self._declares("read_long_term"):
            long_term = _lane("long_term", provider.read_long_term, invocation, request)
        return build(
            invocation.scope,
            long_term,
            LaneResult() if short_term is None else _in_time(short_term),
            query=request.query,
            max_snippets=request.max_snippets,
        )

    def profile(self, invocation: Invocation) -> Profile:
        """The user's profile; none when it is not declared, too large or no JSON object."""
        if self._provider is None or not self._declares("profile_read"):
            return Profile()
        try:
            return as_profile(self._provider.profile_read(invocation))
        except Exception as error:  # noqa: BLE001 - a turn never fails because of memory
            _log.debug("the profile is not available: %s", type(error).__name__)
            return Profile()

    def record_turn(self, invocation: Invocation, turn: FinishedTurn) -> RecordOutcome:
        """Keep a finished turn, at most for 30 seconds; the outcome is for logs, the run does not depend on it."""
        provider = self._provider
        worth = turn.completed and not turn.background and turn.actor is not None and is_worth_keeping(turn.messages)
        if provider is None or not worth or not self._declares("record_interaction"):
            return "skipped"
        request = RecordRequest(turn.messages, turn.run_id)
        try:
            kept = self._submit(lambda: provider.record_interaction(invocation, request)).result(RECORD_LIMIT_S)
        except Exception as error:  # noqa: BLE001 - a run never fails because of memory
            _log.warning("a turn was not recorded: %s", type(error).__name__)
            return "failed"
        return "recorded" if kept else "skipped"

    def _declares(self, hook: Hook) -> bool:
        return self._bundle is not None and hook in self._bundle.manifest.lifecycle

    def _submit(self, work: Callable[[], Any]) -> Future[Any]:
        # Workers that stay: each thread of its own would leave a connection of the store behind.
        with self._starting:
            if self._workers is None:
                self._workers = ThreadPoolExecutor(max_workers=_MAX_WORKERS, thread_name_prefix="memory-lane")
            return self._workers.submit(work)


def _lane(
    lane: Lane, hook: Callable[[Invocation, LaneRequest], LaneResult], invocation: Invocation, request: LaneRequest
) -> LaneResult:
    try:
        return hook(invocation, request)
    except Exception as error:  # noqa: BLE001 - a lane that breaks is a degradation
        return LaneResult(degradations=(degradation(lane, error),))


def _in_time(answer: Future[LaneResult]) -> LaneResult:
    try:
        return answer.result(LANE_LIMIT_S)
    except TimeoutError:
        return LaneResult(degradations=(Degradation("short_term", "unavailable", "timed_out"),))


def _check_gate(spec: ToolSpec, origin: Origin, *, granted: bool) -> None:
    gate = spec.gate(origin)
    if gate == "forbidden":
        raise Refused(f"'{spec.id}' may not be called by {origin}")
    if gate == "gated_unless_granted" and not granted:
        raise Refused(f"'{spec.id}' needs an approval", hint="approve the call, or grant the tool to this agent")


def _is_append(tool_id: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the call only adds to the standing document or the day's log (§25, 2)."""
    if tool_id != tools.WRITE:
        return False
    try:
        request = tools.parse_write(arguments)
    except ZeroclawError:
        return False
    adds = request.append or request.target == "daily_log"
    return adds and request.old_string is None and request.metadata is None and request.target in _APPENDED_TARGETS
