"""The demonstration: the main job end to end, each step a process of its own in a temporary config folder."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli.errors import AlreadyInstalled

EXAMPLE: Final = "notes"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the demonstration: what it is for, as typed, and what came of it."""

    purpose: str
    command: str
    exit_code: int
    stdout: str
    stderr: str


def run_demo(folder: Path, package: Path | None = None) -> Iterator[Step]:
    """Install, inspect, enable, store and recall below ``folder`` (an existing directory), step by step.

    The example package is made in ``package``, else in ``folder``. Raises AlreadyInstalled when ``package`` exists.
    Stops after the first step that fails; that step is the last one given.
    """
    from zeroclaw_cli.examples import materialise

    if package is None:
        package = folder / "package"
    elif package.exists():
        raise AlreadyInstalled(f"{package} exists already", hint="name a folder that does not")
    package = materialise(package.absolute())
    environment = _environment(folder)
    for purpose, words in _script(package):
        done = subprocess.run(
            [sys.executable, "-m", "zeroclaw_cli", *words],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
        yield Step(purpose, shlex.join(["zeroclaw", *words]), done.returncode, done.stdout, done.stderr)
        if done.returncode != 0:
            return


def _script(package: Path) -> list[tuple[str, list[str]]]:
    backend = ["--backend", f"plugin.{EXAMPLE}"]
    return [
        ("Install the example memory plugin from its folder.", ["plugin", "install", str(package)]),
        ("List the installed plugins.", ["plugin", "list"]),
        ("Show its publisher, its permissions and whether it may run.", ["plugin", "info", EXAMPLE]),
        ("Plugins are off until the operator says otherwise.", ["config", "set", "plugins.enabled", "true"]),
        ("Make it the memory of this config folder.", ["config", "set", "memory.backend", f"plugin.{EXAMPLE}"]),
        ("Store a memory: the component runs in the sandbox.", ["memory", "store", "tea", "Ada drinks green tea."]),
        ("And another, in another process.", ["memory", "store", "dog", "Ada's dog is called Byron."]),
        ("Recall in a third process: the memory was kept.", ["memory", "recall", "what tea does Ada drink"]),
        ("What the plugin holds.", ["memory", "stats", *backend]),
        ("Require signatures: the unsigned example may no longer run.", _policy("strict")),
        ("It is hidden, with the reason.", ["plugin", "list", "--all"]),
        ("Back to the default policy.", _policy("disabled")),
        ("The memory is still there.", ["memory", "get", "dog"]),
    ]


def _policy(mode: str) -> list[str]:
    return ["config", "set", "plugins.security.signature_mode", mode]


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ZEROCLAW_", "VIBEOS_"))}
    for name in ("ZEROCLAW_NO_CACHE", "ZEROCLAW_DEBUG"):
        if name in os.environ:
            kept[name] = os.environ[name]
    config_dir = folder / "config"
    config_dir.mkdir(mode=0o700)
    return {**kept, "ZEROCLAW_CONFIG_DIR": str(config_dir), "XDG_CACHE_HOME": str(folder / "cache")}
