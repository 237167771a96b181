"""What ``memory recall`` over the built-in store loads: nothing that it does not use."""

from __future__ import annotations

import subprocess
import sys

from tests.support.command import Home

HEAVY = {"wasmtime", "rich", "tomlkit", "cryptography", "jsonschema", "filelock", "platformdirs", "zipfile", "asyncio"}
# Rooms and modules that a recall has no use for.
UNUSED = {
    "zeroclaw_cli.plugins",
    "zeroclaw_cli.native.documents",
    "zeroclaw_cli.native.service",
    "zeroclaw_cli.native.safety",
    "zeroclaw_cli.operations.transfer",
    "zeroclaw_cli.cli.memory.doc",
    "zeroclaw_cli.cli.memory.transfer",
}
PROGRAM = """
import sys
sys.argv = ["zeroclaw", "memory", "recall", "green tea"]
from zeroclaw_cli.entry import main
assert main() == 0
sys.stderr.write(" ".join(sys.modules))
"""


def test_a_piped_recall_loads_only_what_it_uses(home: Home) -> None:
    home.ok("memory", "store", "tea", "green tea")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=home.env(), capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("- tea [core]")
    loaded = set(done.stderr.split())
    assert "zeroclaw_cli.native.memory" in loaded
    assert not loaded & (HEAVY | UNUSED)


def test_every_memory_command_has_its_module() -> None:
    from zeroclaw_cli.cli.command_tree import TREE
    from zeroclaw_cli.cli.memory import MODULES

    assert set(MODULES) == set(TREE["commands"]["memory"]["commands"])
