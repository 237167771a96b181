"""Runs the installed command in a process of its own, in a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import warm

PROGRAM = Path(sys.executable).with_name("zeroclaw")


@dataclass(frozen=True)
class Done:
    """What a finished command left: its exit code and what it wrote."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)

    def error(self) -> dict[str, Any]:
        """The error object of ``--json``: the last line of stderr."""
        found = json.loads(self.stderr.splitlines()[-1])
        assert isinstance(found, dict)
        return found


@dataclass
class Home:
    """A home folder for commands; nothing outside it is touched."""

    path: Path
    environment: dict[str, str] = field(default_factory=dict)
    # Words before the command, for instance of a program that runs it with fewer rights.
    prefix: Sequence[str] = ()

    @property
    def config_dir(self) -> Path:
        return self.path / ".zeroclaw"

    @property
    def config_file(self) -> Path:
        return self.config_dir / "config.toml"

    def env(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
        # One cache of compiled components for the whole run, or every test would compile anew.
        cache = os.environ.get("ZEROCLAW_TEST_CACHE", str(self.path / ".cache"))
        return {**kept, "HOME": str(self.path), "XDG_CACHE_HOME": cache, **self.environment, **(extra or {})}

    def run(
        self,
        *words: str | Path,
        stdin: str | bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> Done:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        folder = cwd or self.path
        if warm.can_run(self.prefix, {**self.environment, **(env or {})}):
            done = warm.run([str(word) for word in words], self.env(env), folder, given, timeout)
        else:
            done = subprocess.run(
                [*self.prefix, str(PROGRAM), *map(str, words)],
                env=self.env(env),
                cwd=folder,
                input=given,
                stdin=subprocess.DEVNULL if given is None else None,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        stderr = done.stderr.decode("utf-8", "replace")
        assert "Traceback (most recent call last)" not in stderr, stderr
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), stderr)

    def ok(self, *words: str | Path, stdin: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Done:
        done = self.run(*words, stdin=stdin, env=env)
        assert done.code == 0, f"{words}: exit {done.code}\n{done.stdout}\n{done.stderr}"
        return done

    def fails(
        self, code: int, *words: str | Path, stdin: str | None = None, env: Mapping[str, str] | None = None
    ) -> Done:
        done = self.run(*words, stdin=stdin, env=env)
        assert done.code == code, f"{words}: exit {done.code}, not {code}\n{done.stdout}\n{done.stderr}"
        return done


def python_that_imports_nothing() -> Sequence[str]:
    return [sys.executable, "-c", "pass"]


def is_installed(program: str) -> bool:
    return shutil.which(program) is not None
