"""Providers that import what hermes-agent offers, written for these tests: how they are set up, used and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.provider_plugins import PROVIDER, REGISTER, install, write_plugin

COMPAT = '[memory.providers_host]\nhermes_compat = true\n[memory]\nprovider = "mem"\n'
TURN = json.dumps([{"role": "user", "content": "which tea"}, {"role": "assistant", "content": "green tea"}])
RECORD = ("memory", "record", "-", "--thread", "t", "--run", "r")

EVERYTHING = """
import os
from agent.async_utils import safe_schedule_threadsafe
from agent.file_safety import raise_if_read_blocked
from agent.message_content import flatten_message_text
from agent.skill_commands import extract_user_instruction_from_skill_message
from hermes_cli.config import cfg_get, load_config, load_config_readonly, save_config
from hermes_cli.curses_ui import curses_radiolist
from hermes_cli.memory_setup import (
    _CANCELLED, _curses_select, _print_cancelled_setup, _prompt, _write_env_vars, cmd_setup_provider
)
from hermes_cli.profiles import _get_default_hermes_home, get_active_profile_name, list_profiles
from hermes_cli.secret_prompt import masked_secret_prompt
from hermes_constants import display_hermes_home, get_hermes_home
from hermes_state import apply_wal_with_fallback
from plugins.memory.config_schema import KIND_SELECT, ProviderConfigSchema, ProviderField, ProviderFieldOption
from plugins.memory.query_rewrite import rewrite_memory_query
from plugins.plugin_utils import SingletonSlot
from tools.lazy_deps import FeatureUnavailable, ensure
from tools.registry import tool_error
from utils import atomic_json_write, env_var_enabled
import plugins.memory.mem.part as by_name
from plugins.memory.mem import part
from . import part as relative
"""
# Each line is true of the original.
CONTRACTS = """
def failing(kind, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        return error
    raise AssertionError(function)

def contracts(home):
    assert by_name is part is relative and part.VALUE == 7
    assert os.environ["HERMES_HOME"] == str(get_hermes_home()) == str(home)
    assert safe_schedule_threadsafe(None, None) is None
    assert failing(ValueError, raise_if_read_blocked, str(get_hermes_home() / ".env"))
    assert raise_if_read_blocked("notes.txt") is None
    assert flatten_message_text([{"type": "text", "text": "a"}, {"type": "image", "text": "x"}, "b"]) == "a\\nb"
    assert flatten_message_text(None) == "" and flatten_message_text(["a", "b"], sep=" ") == "a b"
    assert extract_user_instruction_from_skill_message("hello") == "hello"
    assert extract_user_instruction_from_skill_message(None) is None
    assert cfg_get({"a": {"b": None}}, "a", "b", default=1) is None and cfg_get({"a": "x"}, "a", "b", default=2) == 2
    assert load_config()["memory"]["provider"] == load_config_readonly()["memory"]["provider"]
    save_config({"memory": {"mem": {"kept": 1}}}, strip_defaults=True, preserve_keys=None, merge_existing=True)
    assert _CANCELLED == -1 and _curses_select("t", [("a", "b"), ("c", "")], 1, cancel_returns=_CANCELLED) == -1
    assert curses_radiolist("t", ["a", "b"], 1) == 1 and _prompt("label", "default") == "default"
    assert failing(EOFError, masked_secret_prompt, "secret: ")
    assert get_active_profile_name() == "default" and list_profiles()[0].path == _get_default_hermes_home()
    assert display_hermes_home().startswith("~")
    field = ProviderField("k", "K", kind=KIND_SELECT, options=(ProviderFieldOption("a", "A"),), inline=True)
    schema = ProviderConfigSchema(name="mem", label="Mem", fields=(field,))
    assert schema.inline_fields() == (field,) and field.allowed_values() == {"a"} and not field.is_secret
    assert rewrite_memory_query("which tea") == ""
    slot = SingletonSlot()
    assert slot.peek() is None and slot.get(lambda: 3) == 3 and slot.get(lambda: 4) == 3 and slot.reset() is None
    error = failing(FeatureUnavailable, ensure, "memory.none", prompt=False)
    assert (error.feature, error.missing) == ("memory.none", ()) and error.reason
    assert tool_error("x", code=1) == '{"error": "x", "code": 1}'
    atomic_json_write(get_hermes_home() / "mem.json", {"a": "ä"}, indent=0, mode=0o640, sort_keys=True)
    assert (get_hermes_home() / "mem.json").stat().st_mode & 0o777 == 0o640
    assert not env_var_enabled("MEM_SWITCH") and env_var_enabled("MEM_SWITCH", "Yes")
    _write_env_vars(get_hermes_home() / ".env", {"MEM_KEY": "k"})
"""


def provider(home: Home, body: str, before: str = "", *, compat: bool = True, yaml: str | None = None) -> Path:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    home.config_file.write_text(COMPAT if compat else '[memory]\nprovider = "mem"\n')
    home.config_file.chmod(0o600)
    source = before + PROVIDER.replace("NAME", "mem") + body + REGISTER
    return install(home.config_dir, "mem", source, yaml=yaml, files={"part.py": "VALUE = 7\n"}).directory


def test_every_name_is_offered_with_the_contract_of_the_original(home: Home) -> None:
    body = "    def initialize(self, session_id, **kwargs):\n        contracts(kwargs['hermes_home'])\n"
    body += "        open(kwargs['hermes_home'] + '/session', 'w').write(session_id)\n"
    provider(home, body, EVERYTHING + CONTRACTS)
    done = home.ok("memory", "context", "tea")
    assert "warning" not in done.stderr, done.stderr
    assert (home.config_dir / "session").read_text() == "cli"
    assert json.loads((home.config_dir / "mem.json").read_text()) == {"a": "ä"}
    assert home.ok("config", "get", "memory.providers.mem.kept").stdout == "1\n"


SWALLOWS = """
    def sync_turn(self, user, assistant, *, session_id=""):
        try:
            from gateway.config import load_gateway_config
        except Exception:
            return
"""


def test_a_module_that_is_not_offered_is_named_before_it_runs_and_is_never_swallowed(home: Home) -> None:
    directory = provider(home, SWALLOWS)
    name = "it uses gateway.config of hermes-agent, which is not offered here (__init__.py:"
    check = home.ok("memory", "check", directory, "--json").json()["checks"]
    assert [one["level"] for one in check if name in one["detail"]] == ["warning"]
    assert name in home.ok("memory", "setup", "mem", "--json").stderr
    assert name in home.ok("memory", "status", "--json").json()["provider"]["lacking"][0]
    done = home.fails(1, *RECORD, "--json", stdin=TURN)
    assert "provider mem: it imports gateway" in done.stderr
    message = done.error()["message"]
    assert message.startswith("the built-in store kept the turn, and the provider may not have kept it: ")
    assert "gateway" in message
    assert "green tea" in home.ok("memory", "context", "tea", "--thread", "t").stdout


def test_a_turn_for_a_provider_that_does_not_start_is_a_warning_unless_it_is_the_backend(home: Home) -> None:
    provider(home, "    def initialize(self, session_id, **kwargs):\n        raise OSError('no disk')\n")
    done = home.ok(*RECORD, "--json", stdin=TURN)
    assert done.json()["recorded"] is True
    assert "provider.mem does not start: no disk" in done.stderr
    assert "memory provider 'mem' was not given the turn: it does not start" in done.stderr
    error = home.fails(1, *RECORD, "--backend", "provider.mem", "--json", stdin=TURN).error()
    assert error["code"] == "provider_broken"


def test_nothing_is_downloaded_for_a_provider_that_cannot_load(home: Home) -> None:
    yaml = "name: mem\nversion: 1\npip_dependencies: [no-such-distribution-anywhere]\n"
    provider(home, "", "from gateway.config import load_gateway_config\n", yaml=yaml)
    error = home.fails(1, "memory", "setup", "mem", "--install-deps", "--json").error()
    assert "it needs gateway.config of hermes-agent" in error["message"]
    provider(home, "", "from tools.registry import tool_error\n", compat=False, yaml=yaml)
    error = home.fails(1, "memory", "setup", "mem", "--install-deps", "--json").error()
    assert error["hint"] == "`zeroclaw config set memory.providers_host.hermes_compat true` offers it"
    assert not (home.config_dir / "plugins" / ".deps").exists()


ASKS = """
    def get_config_schema(self):
        return [
            {"key": "mode", "default": "cloud", "choices": ["cloud", "local"]},
            {"key": "url", "default": "https://cloud", "when": {"mode": "cloud"}},
            {"key": "url", "default": "http://local", "when": {"mode": "local"}},
            {"key": "bank", "default": "main"},
        ]

    def save_config(self, values, hermes_home):
        import json
        with open(hermes_home + "/mem.json", "w") as file:
            json.dump(values, file)
"""


def test_setup_again_keeps_what_is_not_given_anew_and_a_key_may_come_twice(home: Home) -> None:
    provider(home, ASKS)
    home.config_file.write_text(COMPAT.replace('provider = "mem"', ""))

    def saved(*words: str) -> dict[str, str]:
        home.ok("memory", "setup", "mem", "--json", *words)
        found: dict[str, str] = json.loads((home.config_dir / "mem.json").read_text())
        return found

    assert saved("--set", "mode=local") == {"mode": "local", "url": "http://local", "bank": "main"}
    again = saved("--set", "bank=work", "--set", "url=http://mine")
    assert again == {"mode": "local", "url": "http://mine", "bank": "work"}
    assert saved() == again


def test_what_a_provider_logs_is_one_warning_without_a_traceback_or_a_secret(home: Home) -> None:
    body = "    def on_memory_write(self, action, target, content):\n        import logging, os\n        try:\n"
    body += "            raise OSError('no answer')\n        except OSError as e:\n"
    body += "            log = logging.getLogger(__name__)\n"
    body += "            log.warning('key %s\\n%s', os.environ['MEM_API_KEY'], e, exc_info=True)\n"
    provider(home, body)
    (home.config_dir / ".env").write_text("MEM_API_KEY=sk-0123456789abcdef\n")
    (line,) = home.ok("memory", "store", "a", "b").stderr.splitlines()
    assert line.startswith("warning: provider mem: key ")
    assert line.endswith(" no answer")
    assert "sk-0123456789abcdef" not in line


def test_why_a_provider_is_not_available_is_said_by_every_command_alike(home: Home) -> None:
    body = "    def is_available(self):\n        return False\n    def get_config_schema(self):\n"
    body += "        return [{'key': 'api_key', 'secret': True, 'required': True, 'env_var': 'MEM_API_KEY'}]\n"
    directory = provider(home, body)
    reason = "memory provider mem is not available: MEM_API_KEY is not set"
    assert home.fails(1, "memory", "status", "--json").json()["provider"]["problem"]["message"] == reason
    assert reason in home.ok("memory", "store", "a", "b").stderr
    assert reason in home.ok("memory", "check", directory).stdout
    done = home.ok("memory", "setup", "mem", "--secret-stdin", "api_key", "--json", stdin="x-123456")
    assert done.json()["reason"] == "memory provider mem is not available: it does not say why"


def test_an_entry_point_of_the_other_host_is_found_and_nothing_of_it_runs_before_trust(home: Home) -> None:
    site = home.path / "site"
    trap = f"open({str(home.path / 'sprung')!r}, 'w').close()\n"
    write_plugin(site, "vendor_pkg", trap)
    (site / "vendor_pkg" / "bridge.py").write_text("from .core import Provider\n" + REGISTER)
    (site / "vendor_pkg" / "core.py").write_text(PROVIDER.replace("NAME", "vendor"))
    (site / "vendor_pkg" / "tool.py").write_text("def register(ctx): pass\n")
    info = site / "vendor-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor\nVersion: 1.0\n")
    groups = "[hermes_agent.plugins]\nvendor = vendor_pkg.bridge\ntool = vendor_pkg.tool\n"
    (info / "entry_points.txt").write_text(
        f"{groups}[hermes_agent.memory_providers]\nfresh = vendor_pkg.core:Provider\n"
    )
    env = {"PYTHONPATH": str(site)}
    (site / "vendor_pkg" / "bridge.py").write_text(
        "from .core import Provider\n\n\ndef register(ctx):\n    ctx.register_memory_provider(Provider())\n"
    )
    found = home.ok("memory", "providers", "--json", env=env).json()["providers"]
    assert {one["name"] for one in found} == {"vendor", "fresh", "notebook"}
    assert not (home.path / "sprung").exists()
    for name in ("vendor", "fresh"):
        assert home.ok("memory", "setup", name, "--trust", "now", "--json", env=env).json()["available"] is True


def test_a_linked_provider_is_refused_with_the_command_that_copies_it(home: Home) -> None:
    target = write_plugin(home.path / "elsewhere", "mem")
    root = home.config_dir / "plugins" / "memory"
    root.mkdir(parents=True, mode=0o700)
    (root / "mem").symlink_to(target)
    error = home.fails(3, "memory", "setup", "mem", "--trust", "now", "--json").error()
    command = f"rm {root / 'mem'} && cp -R {target} {root / 'mem'}"
    assert f"`{command}`" in error["message"]


@pytest.fixture
def hermes_home(tmp_path: Path) -> Path:
    home = tmp_path / "hermes"
    (home / "memories").mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_text(
        "The server is called tarn.\n§\nTests run in two minutes.\nOn one core."
    )
    (home / "memories" / "USER.md").write_text("Ada drinks oolong.\n§\nAda drinks oolong.\n")
    (home / "config.yaml").write_text(
        "model: x\nmemory:\n  provider: mem0\n  mem0: {user_id: ada, rerank: true}\nplugins: {other: {a: 1}}\n"
    )
    (home / ".env").write_text("MEM0_API_KEY=m0-secret-key\nOTHER_KEY=x\n")
    (home / "mem0.json").write_text('{"agent_id": "hermes"}')
    return home


def test_the_notes_and_the_providers_settings_of_the_other_host_are_taken_over(home: Home, hermes_home: Path) -> None:
    before = {path: path.read_bytes() for path in hermes_home.rglob("*") if path.is_file()}
    for imported in ("first", "again"):
        done = home.ok("memory", "import", "--from-hermes", hermes_home, "--json")
        assert done.json()["imported"] == 3, imported
    entries = home.ok("memory", "list", "--json").json()["entries"]
    assert {(one["category"], one["content"]) for one in entries} == {
        ("core", "The server is called tarn."),
        ("core", "Tests run in two minutes.\nOn one core."),
        ("user", "Ada drinks oolong."),
    }
    assert home.ok("config", "get", "memory.providers.mem0.user_id").stdout == "ada\n"
    assert (home.config_dir / ".env").read_text() == "MEM0_API_KEY=m0-secret-key\n"
    assert json.loads((home.config_dir / "mem0.json").read_text()) == {"agent_id": "hermes"}
    assert "m0-secret-key" not in done.stdout + done.stderr
    assert home.ok("config", "get", "memory.provider").stdout.strip() == ""
    assert {path: path.read_bytes() for path in hermes_home.rglob("*") if path.is_file()} == before


def test_what_is_no_home_of_the_other_host_is_one_clear_error(home: Home, hermes_home: Path) -> None:
    assert home.fails(3, "memory", "import", "--from-hermes", home.path, "--json").error()["code"]
    home.fails(2, "memory", "import", "-", "--from-hermes", hermes_home, stdin="")
    (hermes_home / "config.yaml").write_text("memory: [")
    error = home.run("memory", "import", "--from-hermes", hermes_home, "--json").error()
    assert "config.yaml" in error["message"]
    assert home.ok("memory", "count").stdout.strip().startswith("0")
    agent = {"ZEROCLAW_AGENT": "1"}
    assert home.run("memory", "import", "--from-hermes", hermes_home, env=agent).code != 0
