"""The graph of the layers over real stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.provider_plugins import install
from zeroclaw_cli.backends import layer_system
from zeroclaw_cli.config.load import load
from zeroclaw_cli.wasm.host import HostOptions

TOKEN = "a-token-of-the-environment-file-4711"


@pytest.mark.parametrize(
    "topology",
    [
        "[memory.topology.layers.notebook]",
        # No id of a layer, so this is the only way for it to take part.
        '[memory.topology.layers.d]\nbackend = "provider.my_mem"',
        '[memory.topology.layers.memory-spaces]\nadapter_ids = ["notebook"]',
    ],
)
def test_the_secrets_of_a_provider_are_known_however_it_is_bound(tmp_path: Path, topology: str) -> None:
    (tmp_path / "config.toml").write_text(f'[memory]\nbackend = "layers"\n{topology}\n', "utf-8")
    install(tmp_path, "my_mem")
    (tmp_path / ".env").write_text(f"NOTEBOOK_TOKEN={TOKEN}\n", "utf-8")
    (tmp_path / ".env").chmod(0o600)
    system = layer_system(load(str(tmp_path), {"HOME": str(tmp_path)}), HostOptions(), {})
    try:
        assert TOKEN not in system.graph().kernel.redact(f"no access with {TOKEN}")
    finally:
        system.close()
