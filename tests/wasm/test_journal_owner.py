from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import component
from tests.support.packages import OTHER_SEED, SEED, config_in, write_package
from zeroclaw_cli.backends import open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import DataOwner
from zeroclaw_cli.wasm.host import HostOptions

MEMORY: dict[str, Any] = {"capabilities": ["memory"], "permissions": []}


def put(config: Config, seed: bytes) -> None:
    folder = config.plugins.plugins_dir / "notes"
    shutil.rmtree(folder, ignore_errors=True)
    write_package(folder, "notes", signed_by=seed, component=component("notes"), **MEMORY)


def test_an_open_memory_is_not_shown_what_another_publisher_wrote_since(tmp_path: Path) -> None:
    config = config_in(tmp_path, enabled=True)
    put(config, SEED)
    with open_memory(config, "plugin.notes", HostOptions()) as waiting:
        assert waiting.count() == 0
        put(config, OTHER_SEED)
        with open_memory(config, "plugin.notes", HostOptions()) as memory:
            memory.store("secret", "v", "core", None)
        for use in (waiting.count, lambda: waiting.list_entries(None, None), lambda: waiting.ensure_agent_uuid("ada")):
            with pytest.raises(DataOwner):
                use()


def test_an_open_memory_goes_on_with_what_its_own_publisher_wrote_since(tmp_path: Path) -> None:
    config = config_in(tmp_path, enabled=True)
    put(config, SEED)
    with open_memory(config, "plugin.notes", HostOptions()) as waiting:
        with open_memory(config, "plugin.notes", HostOptions()) as memory:
            memory.store("k", "v", "core", None)
        assert waiting.count() == 1
