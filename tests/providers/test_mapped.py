"""A map of a provider's tools that no command could use is refused before one tries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.provider_plugins import PROVIDER, REGISTER, install
from zeroclaw_cli.config.load import load
from zeroclaw_cli.errors import ProviderBroken
from zeroclaw_cli.providers.session import open_session
from zeroclaw_cli.providers.setup.answers import Given
from zeroclaw_cli.providers.setup.wizard import Wizard
from zeroclaw_cli.providers.status import status

TOOLS = "    def get_tool_schemas(self):\n        return [{'name': 'mem_keep', 'parameters': {}}]\n"
RAISES = "    def get_tool_schemas(self):\n        raise RuntimeError('no tools today')\n"
YAML = "name: mem\nversion: 1\nzeroclaw_memory_map:\n  store: {tool: TOOL, args: {text: $content}}\n"
BAD = {
    "unknown tool": (TOOLS, YAML.replace("TOOL", "mem_drop"), "the provider has no tool 'mem_drop'"),
    "unknown field": (TOOLS, YAML.replace("TOOL", "mem_keep").replace("$content", "$colour"), "$colour is not a field"),
    "tools that cannot be read": (RAISES, "name: mem\n", "no tools today"),
}


def installed(home: Path, body: str, yaml: str, config: str = 'provider = "mem"') -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    install(home, "mem", PROVIDER.replace("NAME", "mem") + body + REGISTER, yaml=yaml)
    (home / "config.toml").write_text(f"[memory]\n{config}\n")


@pytest.mark.parametrize(("body", "yaml", "reason"), BAD.values(), ids=BAD)
def test_what_no_command_can_use_is_not_usable(tmp_path: Path, body: str, yaml: str, reason: str) -> None:
    home = tmp_path / "home"
    installed(home, body, yaml)
    config = load(str(home), {})
    found = status(config, None, {}, home).provider
    assert found is not None and found.problem is not None
    assert found.problem.code == "provider_broken"
    assert reason in found.problem.message
    with pytest.raises(ProviderBroken) as caught:
        open_session(config, "mem", {}, home)
    assert caught.value.message == found.problem.message


@pytest.mark.parametrize(("body", "yaml", "reason"), BAD.values(), ids=BAD)
def test_setup_activates_nothing_that_no_command_can_use(tmp_path: Path, body: str, yaml: str, reason: str) -> None:
    home = tmp_path / "home"
    installed(home, body, yaml, "")
    wizard = Wizard(load(str(home), {}), Given(yes=True), None, lambda line: None, {}, home)
    with pytest.raises(ProviderBroken) as caught:
        wizard.run("mem")
    assert reason in caught.value.message
    assert load(str(home), {}).memory.provider == ""


@pytest.mark.parametrize("tools", ["    pass\n", TOOLS], ids=["none before it starts", "the right ones"])
def test_a_map_that_fits_is_usable(tmp_path: Path, tools: str) -> None:
    home = tmp_path / "home"
    installed(home, tools, YAML.replace("TOOL", "mem_keep"))
    assert status(load(str(home), {}), None, {}, home).usable
    assert json.dumps(status(load(str(home), {}), None, {}, home).to_json())
