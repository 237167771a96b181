"""No value of the ``.env`` is shown, whatever a provider says and where it says it (P-47)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.provider_plugins import PROVIDER, REGISTER, install
from tests.support.setup_providers import Person
from zeroclaw_cli.config.load import load
from zeroclaw_cli.providers import env_file
from zeroclaw_cli.providers.setup.answers import Given
from zeroclaw_cli.providers.setup.wizard import Wizard
from zeroclaw_cli.providers.shown import shown, shown_values

SECRET = "correct horse battery"
TURN = '[{"role": "user", "content": "what is it"}, {"role": "assistant", "content": "tea"}]'
HEAD = "import logging, os\nS = lambda: 'with ' + os.environ.get('MEM_PHRASE', '?')\n"
LEAKS = """
    def get_status_config(self, config):
        return {"a": S(), "b": [S()], "c": {S(): S()}, S(): 1}
    def get_config_schema(self):
        return [{"key": "region", "description": S(), "url": S(), "default": S(), "choices": CHOICES}]
    def backup_paths(self):
        return ["/srv/" + S()]
    def prefetch(self, query, *, session_id=""):
        return S()
    def system_prompt_block(self):
        return S()
    def on_memory_write(self, *args, **kwargs):
        logging.getLogger("zeroclaw_cli.providers").warning("logged %s", S())
        raise RuntimeError(S())
    def sync_turn(self, *args, **kwargs):
        raise RuntimeError("x" * 3_995 + S())
    def get_tool_schemas(self):
        return [{"name": "mem_look"}]
    def handle_tool_call(self, name, args, **kwargs):
        import json
        return json.dumps({"error": S()} if args.get("query") == "fail" else {"items": [{"id": "1", "content": S()}]})
"""
AWAY = "    def is_available(self):\n        return False\n    def unavailable_reason(self):\n        return S()\n"
YAML = """
name: mem
version: 1
zeroclaw_memory_map:
  recall: {tool: mem_look, args: {query: $query}, items: items}
  list: {tool: mem_look, args: {limit: $limit}, items: items}
  fields: {key: id, content: content}
"""


def installed(config_dir: Path, body: str, config: str) -> None:
    config_dir.mkdir(mode=0o700, exist_ok=True)
    code = HEAD + PROVIDER.replace("NAME", "mem") + body.replace("CHOICES", "[]") + REGISTER
    install(config_dir, "mem", code, yaml=YAML)
    (config_dir / "config.toml").write_text(config)
    (config_dir / "config.toml").chmod(0o600)
    env_file.update(config_dir, {"MEM_PHRASE": SECRET, "MEM_REGION": "eu-central-1"})


COMMANDS = [
    ["memory", "status"],
    ["memory", "status", "--json"],
    ["memory", "store", "a", "b"],
    ["memory", "context", "what is it"],
    ["memory", "context", "what is it", "--json"],
    ["memory", "record", "-", "--thread", "t", "--run", "r"],
    ["memory", "record", "-", "--thread", "t", "--run", "r", "--json"],
    ["memory", "backup", "--out", "b.zip"],
    ["memory", "setup", "mem", "--json"],
    ["memory", "setup", "mem"],
    ["memory", "recall", "what", "--backend", "provider.mem", "--json"],
    ["memory", "recall", "fail", "--backend", "provider.mem", "--json"],
    ["memory", "recall", "fail", "--backend", "provider.mem"],
    ["memory", "list", "--backend", "provider.mem"],
    ["doctor"],
]


@pytest.mark.slow
@pytest.mark.parametrize("redact", ["true", "false"])
@pytest.mark.parametrize("body", [LEAKS, LEAKS + AWAY], ids=["usable", "not available"])
def test_no_command_shows_a_secret_that_a_provider_says(home: Home, body: str, redact: str) -> None:
    config = f'[memory]\nprovider = "mem"\n[memory.providers_host]\nredact = {redact}\n'
    installed(home.config_dir, body, config)
    said = ""
    for words in COMMANDS:
        done = home.run(*words, stdin=TURN)
        for part in SECRET.split():
            assert part not in done.stdout + done.stderr, (words, done)
        said += done.stdout + done.stderr
    assert said.count("[redacted]") > len(COMMANDS)


def test_a_persons_questions_hold_no_secret_and_blank_keeps_the_default(tmp_path: Path) -> None:
    home = tmp_path / "home"
    installed(home, LEAKS, "")
    environ: dict[str, str] = {}
    person = Person(["", True])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEM_PHRASE", SECRET)
        lines: list[str] = []
        wizard = Wizard(load(str(home), {}), Given(), person, lines.append, environ, home)
        wizard.run("mem")
    assert person.questions[0] == "with [redacted] (set; blank keeps it) []"
    assert SECRET not in "".join([*person.questions, *lines])
    assert load(str(home), {}).memory.providers["mem"]["region"] == f"with {SECRET}"


def test_what_a_provider_declares_as_no_secret_is_shown_unless_it_sounds_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {"MEM_REGION": "eu-central-1", "MEM_TOKEN": "abcdefgh-123"}.items():
        env_file.update(home, {name: value})
        monkeypatch.setenv(name, value)
    env_file.load(home)
    declared = ("MEM_REGION", "MEM_TOKEN")
    assert shown("eu-central-1 abcdefgh-123", spared=declared) == "eu-central-1 [redacted]"
    assert shown("eu-central-1") == "[redacted]"
    assert shown_values({"abcdefgh-123": ["abcdefgh-123", 1, None]}) == {"[redacted]": ["[redacted]", 1, None]}
