"""One command's use of one provider: loaded, started when it is first needed, and ended with what it was given done.

specs/memory-providers.md, "Decided since": initialize, the one operation, a flush of at most 10 s, shutdown; never
``on_session_end``, since a command is not a conversation.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from zeroclaw_cli.errors import NotDurable, NotSupported, ProviderBroken, ProviderFailed, ZeroclawError
from zeroclaw_cli.providers import aliases, discovery, env_file, guarded
from zeroclaw_cli.providers.initialization import PRIMARY, agent_context, initialize_kwargs
from zeroclaw_cli.providers.mapped import bad_map, map_of
from zeroclaw_cli.providers.memory_map import MapError, MemoryMap, check_tools

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.providers.discovery import ProviderPlugin
    from zeroclaw_cli.providers.manager import MemoryManager
    from zeroclaw_cli.providers.memory import ProviderMemory

T = TypeVar("T")
# Providers that keep by session find their own again with the next command.
_SESSION: Final = "cli"
# Many write what they were given on a thread of their own, and wait for that, 10 s themselves, when they are shut down.
_SHUTDOWN_S: Final = 15.0
# Hooks whose failure a session raises, so that what is logged of it need not be shown as well.
TELLS_OF: Final = frozenset({"initialize", "on_memory_write", "prefetch", "sync_turn", "handle_tool_call"})


class ProviderSession:
    """A loaded provider under a manager of its own. Not for use from several threads at once."""

    def __init__(self, config: Config, plugin: ProviderPlugin, provider: Any, environ: Mapping[str, str]) -> None:
        self.name = plugin.name
        self._config = config
        self._plugin = plugin
        self._provider = provider
        self._environ = environ
        self._manager: MemoryManager | None = None
        self._agent: str | None = None
        # Why it did not start: it is not started a second time.
        self._refused: ZeroclawError | None = None
        # It was waited for in vain, and that was told: closing does not wait again.
        self._given_up = False
        self._mapping: MemoryMap | None = None
        # The latest hook that gave it something to keep, and what it had looked for in vain before that.
        self._was_given = ""
        self._missed: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        return self._config.location.config_dir

    def mapping(self) -> MemoryMap | None:
        """The map of its tools, which are looked for when it starts; None without one. Raises ProviderBroken."""
        self._mapping = map_of(self._plugin, self.home, self._provider)
        return self._mapping

    def begin(self, session_id: str | None, agent: str | None) -> None:
        """Start the provider, once, for this session (``cli`` without one) and agent.

        Raises ProviderBroken when it does not start, and NotSupported when it was started for another agent.
        """
        if self._refused is not None:
            raise self._refused
        if self._manager is None:
            self._agent = agent
            try:
                self._manager = self._started(session_id or _SESSION, agent)
            except ZeroclawError as error:
                self._refused = error
                raise
        elif agent is not None and agent != self._agent:
            raise NotSupported(
                f"provider.{self.name} serves one agent at a time, and now serves {self._agent or 'none'}",
                hint="run one command for each agent",
            )

    @property
    def keeps_new(self) -> bool:
        """Whether it is to keep what is new: providers do so for the agent itself alone (P-15)."""
        return agent_context(self._environ) == PRIMARY

    def has(self, hook: str) -> bool:
        """Whether the provider does something of its own in ``hook``. Raises ProviderBroken."""
        return guarded.has_own(self.name, self.home, self._provider, hook)

    def is_available(self) -> bool:
        from zeroclaw_cli.providers.status import availability

        return availability(self.home, self.name, self._provider)[0]

    def call_tool(self, name: str, arguments: dict[str, Any]) -> object:
        """The reply of one of its tools, a value of JSON; an object with ``error`` where it failed."""
        manager = self._running()
        reply: object = json.loads(self._within(f"its tool {name}", lambda: manager.handle_tool_call(name, arguments)))
        return reply

    def hand_over(
        self, action: str, target: str, content: str, metadata: dict[str, Any], *, within_s: float | None = None
    ) -> None:
        """Tell it that the built-in memory changed. Raises ProviderFailed when it does not take it in time."""
        manager = self._running()
        with self._keeping("on_memory_write"):
            self._within(
                "on_memory_write", lambda: manager.on_memory_write(action, target, content, metadata), within_s
            )
            self._require(manager, "on_memory_write")

    def prefetch(self, query: str, session_id: str | None) -> str:
        """What it knows for ``query``. Raises ProviderFailed when it fails or is late.

        A provider may hand out only what it prepared after the turn before, and a command has none before it: when it
        knows nothing it is let prepare, and asked again within the same time.
        """
        manager = self._running()
        end = time.monotonic() + self._config.memory.providers_host.prefetch_timeout_s
        found = manager.prefetch_all(query, session_id=session_id or "")
        self._require(manager, "prefetch")
        if found or not self.has("queue_prefetch"):
            return found
        manager.queue_prefetch_all(query, session_id=session_id or "")
        if not manager.flush_pending(max(0.0, end - time.monotonic())):
            # Nothing of the person's is lost with it.
            self._given_up = True
            raise ProviderFailed(
                f"provider.{self.name} did not prefetch in time (queue_prefetch)",
                hint="memory.providers_host.prefetch_timeout_s is how long it may take",
            )
        found = manager.prefetch_all(query, session_id=session_id or "", within_s=end - time.monotonic())
        self._require(manager, "prefetch")
        return found

    def prompt_block(self) -> str:
        """What it wants to have in every prompt. Raises ProviderFailed when it fails."""
        manager = self._running()
        found = self._within("system_prompt_block", manager.build_system_prompt)
        self._require(manager, "system_prompt_block")
        return found

    def record(self, user: str, assistant: str, session_id: str, messages: list[dict[str, Any]]) -> bool:
        """Give it a finished turn and wait until it has it; False for a turn that is not worth it (P-31).

        Raises ProviderFailed when it fails, and NotDurable when it does not end in time.
        """
        from zeroclaw_cli.providers.manager import EXIT_FLUSH_S
        from zeroclaw_cli.providers.turns import finish_turn

        manager = self._running()
        with self._keeping("sync_turn"):
            # No turn of this process follows that could use what is prepared.
            kept = finish_turn(manager, user, assistant, session_id=session_id, messages=messages, prepare=False)
            self._given_up = True
            if not manager.flush_pending(EXIT_FLUSH_S):
                self._not_durable(EXIT_FLUSH_S)
            self._given_up = False
            self._require(manager, "sync_turn")
        return kept

    @contextmanager
    def _keeping(self, hook: str) -> Iterator[None]:
        """A block that gives it something to keep: a module of its other host that it looks for and does not find is a
        failure, though it may have caught that itself. Raises ProviderFailed."""
        self._was_given = hook
        yield
        self._require_all_imports()

    def _require_all_imports(self) -> None:
        found = aliases.missed(self.name)
        fresh, self._missed = found[len(self._missed) :], found
        if fresh and self._was_given:
            raise ProviderFailed(
                f"provider.{self.name} may not have kept the data it was given ({self._was_given}): it imports "
                f"{aliases.unoffered(fresh[0])}",
                hint=f"`zeroclaw memory check {self._plugin.directory}` names all that it lacks",
            )

    def close(self) -> None:
        """End it. Raises NotDurable when it did not finish what it was given, or said nothing of a failure of it."""
        from zeroclaw_cli.providers.manager import DRAIN_S, EXIT_FLUSH_S, SHUTDOWN_S

        manager, self._manager = self._manager, None
        if manager is None:
            return
        if self._given_up:
            manager.shutdown_all(drain_s=0)
            return
        drained = manager.flush_pending(EXIT_FLUSH_S)
        limit = _SHUTDOWN_S if self._was_given else SHUTDOWN_S
        began = time.monotonic()
        manager.shutdown_all(drain_s=DRAIN_S if drained else 0, each_s=limit)
        if not drained:
            self._not_durable(EXIT_FLUSH_S)
        if self._was_given and time.monotonic() - began >= limit:
            self._not_durable(limit)
        try:
            # Threads of its own may have been at work until now.
            self._require_all_imports()
        except ProviderFailed as error:
            raise NotDurable(error.message, hint=error.hint) from None

    def _started(self, session_id: str, agent: str | None) -> MemoryManager:
        from zeroclaw_cli.providers import callbacks
        from zeroclaw_cli.providers.manager import MemoryManager
        from zeroclaw_cli.providers.redaction import Redactor, secrets_of

        host = self._config.memory.providers_host
        manager = MemoryManager(
            external_prefetch_timeout=host.prefetch_timeout_s,
            prefetch_max_chars=host.prefetch_max_chars,
            # The environment may have another value than the file.
            redactor=Redactor(
                {*secrets_of(env_file.read(self.home)), *secrets_of(env_file.values_in_use())}, enabled=host.redact
            ),
            vibeos_home=self.home,
        )
        if not self._within("get_tool_schemas", lambda: manager.add_provider(self._provider, plugin=True)):
            raise ProviderBroken(
                f"provider.{self.name} cannot be used: its name or its tools cannot be read",
                hint=f"`zeroclaw memory check {quote(str(self._plugin.directory))}` says what is wrong with it",
            )
        known = initialize_kwargs(self.home, self._environ, agent_identity=agent, **callbacks.given())
        self._within("initialize", lambda: manager.initialize_all(session_id, **known))
        if manager.degraded:
            (reason,) = manager.degraded.values()
            manager.shutdown_all()
            raise ProviderBroken(
                f"provider.{self.name} does not start: {reason}",
                hint="`zeroclaw memory status` shows how it is set up; `zeroclaw memory off` switches it off",
            )
        self._require_tools(manager)
        return manager

    def _require_tools(self, manager: MemoryManager) -> None:
        if self._mapping is None:
            return
        # Some providers know their tools only now.
        self._within("get_tool_schemas", manager.get_all_tool_schemas)
        try:
            check_tools(self._mapping, frozenset(manager.get_all_tool_names()))
        except MapError as error:
            manager.shutdown_all()
            raise bad_map(self._plugin, error) from None

    def _running(self) -> MemoryManager:
        self.begin(None, None)
        assert self._manager is not None
        return self._manager

    def _within(self, what: str, call: Callable[[], T], within_s: float | None = None) -> T:
        """What ``call`` gives, on the provider's thread. Raises ProviderFailed when it takes too long."""
        from zeroclaw_cli.providers import bounded

        seconds = bounded.HOOK_WITHIN_S if within_s is None else min(within_s, bounded.HOOK_WITHIN_S)
        try:
            return bounded.call(call, seconds)
        except bounded.Late:
            raise ProviderFailed(
                f"provider.{self.name} did not come back from {what} within {seconds:.3g} seconds",
                hint="`zeroclaw memory status` shows how it is set up; `zeroclaw memory off` switches it off",
            ) from None
        except ZeroclawError:
            raise
        except Exception as error:
            # What a provider returns may do anything when it is looked at.
            from zeroclaw_cli.providers.loading import describe

            raise ProviderFailed(
                f"provider.{self.name} failed in {what}: {describe(error)}",
                hint="`zeroclaw memory status` shows how it is set up",
            ) from error

    def _require(self, manager: MemoryManager, hook: str) -> None:
        failure = manager.failure(hook)
        if failure is not None:
            raise ProviderFailed(
                f"provider.{self.name} failed in {hook}: {failure}",
                hint="`zeroclaw memory status` shows how it is set up",
            )

    def _not_durable(self, waited: float) -> NoReturn:
        raise NotDurable(
            f"provider.{self.name} did not finish within {waited:g} s the work it was given; it may be lost",
            hint="run the command again when the provider answers; `zeroclaw memory status` shows how it is set up",
        )


def open_session(
    config: Config, name: str, environ: MutableMapping[str, str] | None = None, cwd: Path | None = None
) -> ProviderSession:
    """The provider ``name``, loaded and available, not yet started.

    Raises ProviderNotFound, ProviderUntrusted, TrustDamaged, ProviderBroken, or ProviderUnavailable with the reason.
    """
    from zeroclaw_cli.providers.status import usable

    env = os.environ if environ is None else environ
    here = Path.cwd() if cwd is None else cwd
    provider = usable(config, name, env, here)
    return ProviderSession(config, discovery.find(config.location.config_dir, name, env, here), provider, env)


def data_outside(
    config: Config, name: str, environ: MutableMapping[str, str] | None = None, cwd: Path | None = None
) -> tuple[str, ...]:
    """What provider ``name`` says that it keeps outside of the home (``backup_paths``); it need not be available.

    Raises as :func:`open_session` for one that cannot be loaded.
    """
    from zeroclaw_cli.providers.home import paths_outside
    from zeroclaw_cli.providers.shown import shown
    from zeroclaw_cli.providers.streams import own_stdout

    home = config.location.config_dir
    env = os.environ if environ is None else environ
    plugin = discovery.find(home, name, env, Path.cwd() if cwd is None else cwd)
    with own_stdout():
        env_file.load(home, env)
        provider = guarded.load(plugin, home, hermes_compat=config.memory.providers_host.hermes_compat)
        named = guarded.run_bounded(name, home, "backup_paths", lambda: _backup_paths(provider))
    return paths_outside(home, (shown(path) for path in named if "\0" not in path))


def _backup_paths(provider: Any) -> list[str]:
    from zeroclaw_cli.providers.plain import plain_texts

    method = getattr(provider, "backup_paths", None)
    return plain_texts(method() or ()) if callable(method) else []


def open_memory(
    config: Config, name: str, environ: MutableMapping[str, str] | None = None, cwd: Path | None = None
) -> ProviderMemory:
    """The provider ``name`` behind the ``Memory`` protocol; raises as :func:`open_session`, and ProviderBroken for a
    map of its tools that cannot be used. What it prints goes to stderr until the memory is closed."""
    from zeroclaw_cli.providers.memory import ProviderMemory
    from zeroclaw_cli.providers.streams import own_stdout

    with ExitStack() as output:
        output.enter_context(own_stdout())
        session = open_session(config, name, environ, cwd)
        found = session.mapping()
        return ProviderMemory(session, found, config.plugins.limits.max_result_entries, output.pop_all())
