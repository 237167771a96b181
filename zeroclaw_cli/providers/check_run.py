"""The part of ``memory check`` that runs a provider: in a process of its own, with a home that is thrown away.

The process tells its findings as lines of JSON in a file, and what it begins before it begins it, so that a provider
that ends the process or hangs is caught at what it was doing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import ProviderUnavailable, ZeroclawError
from zeroclaw_cli.providers import guarded
from zeroclaw_cli.providers.findings import Finding, error, ok, skipped, warning

if TYPE_CHECKING:
    from zeroclaw_cli.providers.discovery import ProviderPlugin
    from zeroclaw_cli.providers.setup.fields import Schema

WITHIN_S: Final = 60.0
# A host waits longer; an author should know.
_SLOW_S: Final = 0.5
_MOST_FIELDS: Final = 6
_SESSION: Final = "check-1"


def run(
    plugin: ProviderPlugin,
    home: Path,
    digest: str,
    *,
    hermes_compat: bool = False,
    write_trial: bool = False,
    within_s: float = WITHIN_S,
) -> list[Finding]:
    """What running ``plugin``, whose tree has ``digest``, shows; with ``write_trial`` a short session too. Packages and
    variables that ``home`` has for it are used."""
    import signal
    import subprocess
    import tempfile
    from contextlib import suppress

    with tempfile.TemporaryDirectory(prefix="zeroclaw-check-") as text:
        root = Path(text)
        for name in ("user", "home", "work"):
            (root / name).mkdir(mode=0o700)
        told = root / "told"
        place = [str(plugin.directory), plugin.origin, str(root / "home")]
        order = json.dumps([*place, digest, str(told), hermes_compat, write_trial])
        child = subprocess.Popen(
            [sys.executable, "-m", __name__, order],
            env=_environment(root, home, plugin.name),
            cwd=root / "work",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        late = False
        try:
            child.wait(within_s)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            # What the provider started ends with it.
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        lines = told.read_bytes().splitlines() if told.exists() else []
        return [*_told(lines, late, within_s), *_strays(root)]


def _environment(root: Path, home: Path, name: str) -> dict[str, str]:
    from zeroclaw_cli.providers import dependencies, env_file

    # Last, as where the provider is used.
    path = os.pathsep.join([*(entry for entry in sys.path if entry), str(dependencies.folder_of(home, name))])
    homes = {name: str(root / "user") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    own = {"PYTHONPATH": path, "ZEROCLAW_CONFIG_DIR": str(root / "home")}
    return {**env_file.read(home), **os.environ, **homes, **own}


def _told(lines: list[bytes], late: bool, within_s: float) -> Iterator[Finding]:
    doing, ended = "start", False
    for line in lines:
        message = json.loads(line)
        if "begin" in message:
            doing = message["begin"]
        elif "end" in message:
            ended = True
        else:
            yield Finding(**message)
    if late:
        yield error("run", f"it did not come back from {doing} within {within_s:g} seconds", "limit how long it waits")
    elif not ended:
        yield error("run", f"it ended the process in {doing}", "raise an exception instead")


def _strays(root: Path) -> Iterator[Finding]:
    for name in ("user", "work"):
        strays = sorted(path.relative_to(root / name).as_posix() for path in (root / name).rglob("*"))
        if strays:
            where = "the user's home" if name == "user" else "the current folder"
            hint = "keep all data below the vibeos_home that initialize gets"
            yield error("home", f"it wrote {strays[0]} into {where}", hint)


class _Trial:
    """Runs in the other process."""

    def __init__(
        self, directory: str, origin: str, home: str, digest: str, told: str, compat: bool, write_trial: bool
    ) -> None:
        from zeroclaw_cli.providers.discovery import ProviderPlugin
        from zeroclaw_cli.providers.plugin_yaml import read_plugin_yaml

        folder = Path(directory)
        self._plugin = ProviderPlugin(folder.name, folder, origin, read_plugin_yaml(folder))  # type: ignore[arg-type]
        self._home = Path(home)
        self._digest = digest
        self._told = Path(told)
        self._compat = compat
        self._write_trial = write_trial

    def run(self) -> None:
        from zeroclaw_cli.providers import loading

        try:
            self._steps()
        except ZeroclawError as failure:
            self._tell(error("run", failure.message, failure.hint or "correct it"))
        except BaseException as failure:  # noqa: BLE001 - an object may do anything when it is looked at
            self._tell(error("run", f"it cannot be looked at: {loading.describe(failure)}", "correct it"))
        self._send({"end": True})

    def _steps(self) -> None:
        from zeroclaw_cli.providers import loading, trust
        from zeroclaw_cli.providers.status import availability, problem_of

        self._send({"begin": "loading"})
        with trust.approving(self._plugin, self._digest):
            loaded = loading.load_with_report(self._plugin, self._home, hermes_compat=self._compat)
        for text in loaded.warnings:
            self._tell(warning("load", text, "correct it"))
        self._tell(ok("load", f"it loads as '{loaded.provider.name}'"))
        provider = loaded.provider
        self._tools(provider)
        schema = self._schema(provider)
        available = self._call("is_available", provider.is_available)
        if not isinstance(available, bool):
            self._tell(warning("available", f"is_available returns {type(available).__name__}", "return True or False"))
        if availability(self._home, self._plugin.name, provider) == (False, ""):
            hint = "say why in unavailable_reason, for the person who wants to use it"
            self._tell(warning("available", "it is not available and does not say why", hint))
        problem = self._call("is_available", lambda: problem_of(self._home, self._plugin, provider, os.environ))
        if isinstance(problem, ProviderUnavailable):
            self._tell(skipped("session", problem.message))
        elif problem is not None:
            raise problem
        else:
            self._tell(ok("available", "it is available"))
            self._try_writing(provider, schema)

    def _try_writing(self, provider: Any, schema: Schema) -> None:
        if not self._write_trial:
            hint = "--write-trial tries one; data sent to the provider's own service stays there"
            self._tell(skipped("session", "no session was tried, since it may write", hint))
            return
        self._save(provider, schema)
        self._session(provider)

    def _tools(self, provider: Any) -> None:
        from zeroclaw_cli.providers.tools import RESERVED_TOOLS, usable_schemas

        raw = self._call("get_tool_schemas", provider.get_tool_schemas)
        offered = raw if isinstance(raw, list | tuple) else []
        usable = [schema["name"] for schema in usable_schemas(offered, self._plugin.name)]
        if len(usable) != len(offered) or not isinstance(raw, list | tuple):
            hint = "return a list of {name, description, parameters}, names of A-Z, a-z, 0-9, _ and -"
            self._tell(error("tools", f"{len(offered) - len(usable)} of its tools cannot be offered to a model", hint))
        reserved = [name for name in usable if name in RESERVED_TOOLS]
        if reserved:
            self._tell(error("tools", f"the tool {reserved[0]} is the host's", "put the provider's name before it"))
        if len(set(usable)) != len(usable):
            self._tell(error("tools", "two of its tools have one name", "give each tool a unique name"))
        self._tell(ok("tools", ", ".join(usable) or "it has no tools"))

    def _map(self, provider: Any) -> None:
        """The map against the tools; after ``initialize``, since some providers know their tools only then."""
        from zeroclaw_cli.providers.memory_map import MapError, check_tools, read_map
        from zeroclaw_cli.providers.tools import RESERVED_TOOLS, usable_schemas

        if self._plugin.info.memory_map is None:
            return
        raw = self._call("get_tool_schemas", provider.get_tool_schemas)
        usable = (schema["name"] for schema in usable_schemas(raw, self._plugin.name))
        try:
            check_tools(read_map(self._plugin.info.memory_map), frozenset(usable) - RESERVED_TOOLS)
        except MapError as wrong:
            self._tell(error("memory-map", f"zeroclaw_memory_map: {wrong}", "name a tool that it has"))
        else:
            self._tell(ok("memory-map", "the tools that zeroclaw_memory_map names are there"))

    def _schema(self, provider: Any) -> Schema:
        from zeroclaw_cli.providers.env_file import key_problem
        from zeroclaw_cli.providers.setup.fields import Schema, read_schema

        method = getattr(provider, "get_config_schema", None)
        if not callable(method):
            return Schema()
        raw = self._call("get_config_schema", method)
        schema = read_schema(self._plugin.name, raw)
        for problem in schema.problems:
            self._tell(warning("schema", problem, "correct it: it is ignored"))
        if len(schema.fields) > _MOST_FIELDS:
            hint = "ask only what a user must enter; the rest belongs into a file of the provider's own"
            self._tell(warning("schema", f"setup asks for {len(schema.fields)} values", hint))
        for field, item in zip(schema.fields, raw, strict=True):
            if field.env_var and (wrong := key_problem(field.env_var)) is not None:
                self._tell(error("schema", f"field '{field.key}': {field.env_var} {wrong}", "name one of its own"))
            if field.secret and not item.get("env_var"):
                hint = f"write env_var: {field.env_var}, the name that setup makes up"
                self._tell(warning("schema", f"the secret '{field.key}' names no env_var", hint))
        if any(not field.secret and not field.env_var for field in schema.fields) and not self._keeps_values(provider):
            hint = f"write save_config, or read memory.providers.{self._plugin.name} of the host's config"
            self._tell(warning("schema", "it asks for values and has no save_config", hint))
        self._tell(ok("schema", f"setup asks for {', '.join(field.key for field in schema.fields) or 'nothing'}"))
        return schema

    def _keeps_values(self, provider: Any) -> bool:
        return guarded.has_own(self._plugin.name, self._home, provider, "save_config")

    def _save(self, provider: Any, schema: Schema) -> None:
        values = {field.key: field.default for field in schema.fields if not field.secret and field.default is not None}
        if values and self._keeps_values(provider):
            self._call("save_config", provider.save_config, values, str(self._home))

    def _session(self, provider: Any) -> None:
        """One short session, each hook as the host calls it."""
        self._hook(
            provider,
            "initialize",
            session_id=_SESSION,
            vibeos_home=str(self._home),
            hermes_home=str(self._home),
            platform="cli",
            agent_context="primary",
        )
        self._map(provider)
        prompt = self._hook(provider, "system_prompt_block")
        self._require_text("system_prompt_block", prompt)
        self._require_text("prefetch", self._hook(provider, "prefetch", "what do you know", session_id=_SESSION))
        spent = self._timed(lambda: self._hook(provider, "sync_turn", "a question", "an answer", session_id=_SESSION))
        if spent > _SLOW_S:
            hint = "do slow work on a daemon thread (spawn_context_thread)"
            self._tell(warning("sync_turn", f"sync_turn took {spent:.1f} s", hint))
        self._hook(provider, "queue_prefetch", "a question", session_id=_SESSION)
        self._hook(provider, "on_session_end", [{"role": "user", "content": "a question"}])
        self._backup(provider)
        self._hook(provider, "shutdown")
        self._hook(provider, "shutdown")
        self._tell(ok("session", "it begins a session, keeps a turn and ends"))

    def _backup(self, provider: Any) -> None:
        from zeroclaw_cli.providers.home import paths_outside

        paths = self._hook(provider, "backup_paths")
        if paths is None:
            return
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            self._tell(error("backup", "backup_paths returns no list of paths", "return a list of absolute paths"))
            return
        outside = paths_outside(self._home, paths)
        if outside:
            hint = "keep data below the home; a backup of the home does not hold this"
            self._tell(warning("backup", f"{outside[0]} is outside of the home", hint))

    def _hook(self, provider: Any, hook: str, *args: Any, **keywords: Any) -> Any:
        from zeroclaw_cli.providers.signatures import accepted

        method = getattr(provider, hook, None)
        if not callable(method):
            return None
        taken = accepted(method, len(args), keywords)
        return self._call(hook, lambda: method(*args, **taken))

    def _call(self, hook: str, function: Callable[..., Any], *args: Any) -> Any:
        self._send({"begin": hook})
        return guarded.run(self._plugin.name, self._home, hook, function, *args)

    def _require_text(self, hook: str, value: object) -> None:
        if value is not None and not isinstance(value, str):
            self._tell(error(hook, f"{hook} returns {type(value).__name__}", "return text, empty for nothing"))

    def _timed(self, function: Callable[[], object]) -> float:
        import time

        start = time.monotonic()
        function()
        return time.monotonic() - start

    def _tell(self, finding: Finding) -> None:
        self._send({"id": finding.id, "level": finding.level, "detail": finding.detail, "hint": finding.hint})

    def _send(self, message: dict[str, Any]) -> None:
        with self._told.open("ab", buffering=0) as stream:
            stream.write(json.dumps(message).encode("ascii") + b"\n")


def _main(order: str) -> None:
    trial = _Trial(*json.loads(order))
    try:
        trial.run()
    finally:
        # A thread that the provider left running must not keep the process.
        os._exit(0)


if __name__ == "__main__":
    _main(sys.argv[1])
