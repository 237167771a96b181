from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.provider_plugins import approve, nested, provider_source, write_plugin
from tests.support.setup_providers import API_KEY, REGION, asking
from zeroclaw_cli.errors import ProviderUntrusted, SourceNotFound
from zeroclaw_cli.providers import check_run, trust
from zeroclaw_cli.providers.check import check as look
from zeroclaw_cli.providers.findings import Finding, Report

YAML = "name: mine\nversion: '1'\nkind: memory\ndescription: Mine\nnetwork: false\n"
README = "# mine\n\n## Setup\n\n## Config\n\n## Tools\n"


def check(directory: Path, home: Path, given: str | None = None) -> Report:
    """With all that it can try."""
    return look(directory, home, given, write_trial=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    return folder


def written(home: Path, init: str, *, yaml: str = YAML, **files: str) -> Path:
    named = {path.replace("__", "."): text for path, text in files.items()}
    return write_plugin(home / "work", "mine", init, yaml=yaml, files={"README.md": README, **named})


def schema_source(*fields: Mapping[str, object], more: str = "") -> str:
    return asking(*fields, name="mine", more=more)


def found(report: Report, id: str) -> list[Finding]:
    return [finding for finding in report.checks if finding.id == id and finding.level not in ("ok", "note")]


def problem(home: Path, init: str, id: str, *, run: bool = False, yaml: str = YAML, **files: str) -> Finding:
    """The one problem of that id."""
    report = check(written(home, init, yaml=yaml, **files), home, "now" if run else None)
    problems = found(report, id)
    assert len(problems) == 1, report.checks
    return problems[0]


GOOD = provider_source("mine").replace(
    "    def get_tool_schemas", "    def get_config_schema(self):\n        return []\n\n    def get_tool_schemas"
)


def test_a_good_provider_has_no_problem(home: Path) -> None:
    report = check(written(home, GOOD), home, "now")
    assert report.ok
    assert report.summary() == "0 errors, 0 warnings"


def test_code_of_a_stranger_is_not_run(home: Path) -> None:
    marker = home / "ran"
    report = check(written(home, f"open({str(marker)!r}, 'w')\n{GOOD}"), home)
    assert [finding.level for finding in report.checks if finding.id == "run"] == ["skipped"]
    assert not marker.exists()


def test_code_of_an_approved_provider_is_run(home: Path) -> None:
    directory = write_plugin(nested(home), "mine", GOOD, yaml=YAML, files={"README.md": README})
    approve(home, "mine")
    assert any(finding.id == "session" and finding.level == "ok" for finding in check(directory, home).checks)


def test_what_may_write_is_called_only_on_request(home: Path) -> None:
    marker = home / "wrote"
    hooks = ("save_config", "initialize", "sync_turn", "on_session_end", "queue_prefetch", "prefetch", "shutdown")
    more = "".join(
        f"    def {hook}(self, *args, **kwargs):\n        open({str(marker)!r}, 'a').write('{hook} ')\n"
        for hook in hooks
    )
    directory = written(home, schema_source({"key": "region", "default": "eu"}, more=more))
    report = look(directory, home, "now")
    assert not marker.exists()
    (session,) = [one for one in report.checks if one.id == "session"]
    assert (session.level, "--write-trial" in session.hint) == ("skipped", True)
    check(directory, home, "now")
    assert set(marker.read_text().split()) == set(hooks)


def test_a_digest_must_be_that_of_the_tree(home: Path) -> None:
    directory = written(home, GOOD)
    assert check(directory, home, trust.tree_digest(directory)).ok
    with pytest.raises(ProviderUntrusted, match="is not the tree that --trust names"):
        check(directory, home, "0" * 64)


def test_nothing_of_the_home_changes(home: Path) -> None:
    check(written(home, GOOD), home, "now")
    assert [path.name for path in home.iterdir()] == ["work"]


def test_a_folder_that_is_not_there_is_3(home: Path) -> None:
    with pytest.raises(SourceNotFound) as missing:
        check(home / "none", home)
    assert missing.value.exit_code == 3


@pytest.mark.parametrize(
    ("init", "id", "level", "words"),
    [
        ("def broken(:", "syntax", "error", "__init__.py, line 1"),
        ("x = 1", "register", "error", "neither register(ctx) nor a class"),
        (GOOD.partition("def register")[0], "register", "warning", "the class Provider is used"),
        (GOOD.replace("def is_available", "def other"), "members", "error", "lacks is_available"),
        (GOOD.replace('"mine"', '"builtin"'), "own-name", "error", "the built-in memory's name"),
        (GOOD.replace('"mine"', '"other"'), "own-name", "warning", "its folder is 'mine'"),
        (provider_source("mine"), "schema", "warning", "get_config_schema is missing"),
        (GOOD.replace("def initialize", "async def initialize"), "signature", "error", "is async"),
        (f"print('x')\n{GOOD}", "manners", "warning", "__init__.py:1: print()"),
        (f"import sys\nsys.exit(1)\n{GOOD}", "manners", "error", "sys.exit() ends the host's process"),
        (f"from pathlib import Path\nX = Path.home()\n{GOOD}", "manners", "warning", "leads out of the home"),
        (f"import requests\n{GOOD}", "network", "warning", "the code imports requests"),
        (f"import zeroclaw_cli\n{GOOD}", "imports", "error", "is not a name for plugins"),
    ],
)
def test_what_the_sources_tell(home: Path, init: str, id: str, level: str, words: str) -> None:
    finding = problem(home, init, id)
    assert (finding.level, words in finding.detail) == (level, True), finding
    assert finding.hint


def test_many_calls_of_one_kind_are_one_finding(home: Path) -> None:
    finding = problem(home, f"{GOOD}\ndef a():\n    print(1)\n    print(2)\n    print(3)\n", "manners")
    line = GOOD.count("\n") + 3
    assert finding.detail == f"__init__.py:{line} (and 2 more lines): print()"


def test_an_absolute_import_of_a_sibling_says_how_to_write_it(home: Path) -> None:
    finding = problem(home, f"from client import X\n{GOOD}", "imports", client__py="X = 1\n")
    assert finding.level == "error"
    assert finding.hint == "write `from .client import …`"


@pytest.mark.parametrize(
    ("cli", "level", "words"),
    [
        ("def other(): pass\n", "error", "has no register_cli"),
        ("def register_cli(subparser): pass\n", "warning", "has no handler"),
    ],
)
def test_what_the_commands_tell(home: Path, cli: str, level: str, words: str) -> None:
    finding = problem(home, GOOD, "commands", cli__py=cli)
    assert (finding.level, words in finding.detail) == (level, True)


@pytest.mark.parametrize(
    "cli",
    [
        "def register_cli(subparser): pass\ndef mine_command(args): pass\n",
        "def register_cli(subparser):\n    subparser.set_defaults(func=print)\n",
    ],
)
def test_either_kind_of_handler_is_enough(home: Path, cli: str) -> None:
    assert found(check(written(home, GOOD, cli__py=cli), home), "commands") == []


@pytest.mark.parametrize(
    ("yaml", "id", "words"),
    [
        ("name: [", "plugin.yaml", "plugin.yaml:"),
        (YAML.replace("name: mine", "name: other"), "plugin.yaml", "its name is 'other'"),
        (YAML.replace("kind: memory\n", ""), "plugin.yaml", "its kind is ''"),
        (YAML.replace("version: '1'\n", ""), "plugin.yaml", "has no version"),
        (YAML.replace("network: false\n", ""), "network", "does not say whether data leaves"),
        (YAML + "hooks: [prefetch]\n", "hooks", "lists prefetch, which Provider does not have"),
        (YAML + "hooks: [on_fire]\n", "hooks", "hooks that do not exist: on_fire"),
        (YAML + "requires_env: ['1X']\n", "plugin.yaml", "which is not a variable"),
        (YAML + "pip_dependencies: ['-e .']\n", "dependencies", "is never installed"),
        (YAML + "zeroclaw_memory_map: {paint: {}}\n", "memory-map", "'paint' is none of"),
    ],
)
def test_what_the_description_tells(home: Path, yaml: str, id: str, words: str) -> None:
    report = check(written(home, GOOD, yaml=yaml), home)
    assert any(words in finding.detail for finding in found(report, id)), report.checks


def test_a_readme_should_tell_of_setup_config_and_tools(home: Path) -> None:
    directory = written(home, GOOD)
    (directory / "README.md").write_text("# mine\n")
    assert "says nothing of setup, config, tools" in found(check(directory, home), "readme")[0].detail
    (directory / "README.md").unlink()
    assert "there is no README.md" in found(check(directory, home), "readme")[0].detail


def test_a_folder_without_description_and_package_is_an_error_and_no_crash(home: Path) -> None:
    (home / "mine").mkdir()
    report = check(home / "mine", home, "now")
    assert {finding.id for finding in report.checks if finding.level == "error"} == {"package", "plugin.yaml"}


def test_what_others_may_write_is_an_error(home: Path) -> None:
    directory = written(home, GOOD)
    (directory / "__init__.py").chmod(0o666)
    report = check(directory, home)
    assert found(report, "files")[0].level == "error"
    with pytest.raises(ProviderUntrusted):
        check(directory, home, "now")


def test_more_than_six_fields_are_a_warning(home: Path) -> None:
    fields = [{"key": f"k{number}", "env_var": f"MINE_{number}"} for number in range(7)]
    finding = problem(home, schema_source(*fields), "schema", run=True)
    assert (finding.level, finding.detail) == ("warning", "setup asks for 7 values")
    report = check(written(home, schema_source(*fields[:6])), home, "now")
    assert found(report, "schema") == []


@pytest.mark.parametrize(
    ("field", "level", "words"),
    [
        ({"key": "k", "secret": True}, "warning", "the secret 'k' names no env_var"),
        ({"key": "k", "env_var": "PATH"}, "error", "PATH is a variable that is not a provider's"),
        (dict(REGION), "warning", "it asks for values and has no save_config"),
        ({**API_KEY, "type": "colour", "minimum": "x"}, "warning", "minimum is not a number"),
    ],
)
def test_what_the_schema_tells(home: Path, field: dict[str, object], level: str, words: str) -> None:
    finding = problem(home, schema_source(field), "schema", run=True)
    assert (finding.level, words in finding.detail) == (level, True), finding


TOOLS = "    def get_tool_schemas(self):\n        return {tools}\n"


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("[{}]", "1 of its tools cannot be offered"),
        ("[{'name': 'a b'}]", "1 of its tools cannot be offered"),
        ("None", "0 of its tools cannot be offered"),
        ("[{'name': 'x'}, {'name': 'x'}]", "two of its tools have one name"),
        ("[{'name': 'memory_read'}]", "the tool memory_read is the host's"),
    ],
)
def test_what_the_tools_tell(home: Path, tools: str, words: str) -> None:
    finding = problem(home, schema_source(more=TOOLS.format(tools=tools)), "tools", run=True)
    assert (finding.level, words in finding.detail) == ("error", True), finding


def test_a_map_of_a_tool_that_is_not_there_is_an_error(home: Path) -> None:
    yaml = YAML + "zeroclaw_memory_map: {list: {tool: gone, items: notes}, fields: {key: id}}\n"
    assert "no tool 'gone'" in problem(home, GOOD, "memory-map", run=True, yaml=yaml).detail


HOSTILE = {
    "exits while it loads": ("import os\nos._exit(0)\n" + GOOD, "run", "it ends the process (SystemExit)"),
    "is killed while it loads": ("import os\nos.abort()\n" + GOOD, "run", "it ended the process in loading"),
    "ends the interpreter": ("raise SystemExit(0)\n" + GOOD, "run", "SystemExit"),
    "raises what nobody catches": ("raise BaseException('boo')\n" + GOOD, "run", "boo"),
    "kills itself later": (
        schema_source(more="    def initialize(self, session_id, **kwargs):\n        os.kill(os.getpid(), 9)\n"),
        "run",
        "it ended the process in initialize",
    ),
    "writes into the user's home": (
        schema_source(
            more="    def initialize(self, session_id, **kwargs):\n        open(os.environ['HOME'] + '/x', 'w')\n"
        ),
        "home",
        "it wrote x into the user's home",
    ),
    "writes into the current folder": (
        schema_source(more="    def shutdown(self):\n        open('stray', 'w')\n"),
        "home",
        "it wrote stray into the current folder",
    ),
    "returns no text": (
        schema_source(more="    def prefetch(self, query, session_id=''):\n        return 3\n"),
        "prefetch",
        "prefetch returns int",
    ),
    "fails in a hook": (
        schema_source(more="    def sync_turn(self, user, assistant, session_id=''):\n        raise OSError('x')\n"),
        "run",
        "fails in sync_turn: OSError: x",
    ),
    "blocks a turn": (
        schema_source(
            more="    def sync_turn(self, user, assistant, session_id=''):\n"
            "        import time\n        time.sleep(0.7)\n"
        ),
        "sync_turn",
        "sync_turn took 0.",
    ),
    "keeps data elsewhere": (
        schema_source(more="    def backup_paths(self):\n        return ['/var/lib/mine']\n"),
        "backup",
        "/var/lib/mine is outside of the home",
    ),
    "is not available": (
        schema_source(more="    def is_available(self):\n        return False\n"),
        "available",
        "does not say why",
    ),
    "replaces its name by a trap": (
        GOOD.replace('return "mine"', "raise RuntimeError('no name')"),
        "run",
        "RuntimeError: no name",
    ),
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_a_hostile_provider_is_a_finding(home: Path, shape: str) -> None:
    init, rule, words = HOSTILE[shape]
    report = check(written(home, init.replace("os._exit(0)", "getattr(os, '_exit')(0)")), home, "now")
    assert any(words in finding.detail for finding in found(report, rule)), report.checks


def test_a_provider_that_hangs_is_ended_with_what_it_started(home: Path) -> None:
    init = schema_source(
        more="    def initialize(self, session_id, **kwargs):\n"
        "        import subprocess, time\n"
        "        child = subprocess.Popen(['sleep', '60'])\n"
        f"        open({str(home / 'pid')!r}, 'w').write(str(child.pid))\n"
        "        time.sleep(60)\n"
    )
    directory = written(home, init)
    start = time.monotonic()
    from zeroclaw_cli.providers.check import _plugin
    from zeroclaw_cli.providers.plugin_yaml import read_plugin_yaml

    plugin = _plugin(directory, read_plugin_yaml(directory))
    findings = check_run.run(plugin, home, trust.tree_digest(directory), write_trial=True, within_s=6)
    assert time.monotonic() - start < 30
    assert "it did not come back from initialize within 6 seconds" in [finding.detail for finding in findings]
    pid = int((home / "pid").read_text())
    assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_provider_with_old_signatures_is_called_as_it_wants(home: Path) -> None:
    more = """
    def sync_turn(self, user_content, assistant_content):
        pass
    def queue_prefetch(self, query):
        pass
    def prefetch(self, query):
        return ""
"""
    report = check(written(home, schema_source(more=more)), home, "now")
    assert report.ok, report.checks
    assert sum(finding.id == "signature" and finding.level == "note" for finding in report.checks) == 3


ATTRIBUTES = """
from agent.memory_provider import MemoryProvider

from .base import Base


class Provider(Base, MemoryProvider):
    name = "mine"


def register(ctx):
    ctx.register_memory_provider(Provider())
"""
BASE = """
class Base:
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
    def get_config_schema(self): return []
"""


def test_a_name_that_is_an_attribute_and_members_of_a_base_count(home: Path) -> None:
    report = check(written(home, ATTRIBUTES, base__py=BASE), home, "now")
    assert report.summary() == "0 errors, 0 warnings"
    wrong = check(written(home, ATTRIBUTES.replace('"mine"', '"BuiltIn"'), base__py=BASE), home)
    assert [finding.id for finding in wrong.checks if finding.level == "error"] == ["own-name"]


def test_members_of_a_base_that_is_not_in_the_package_are_not_missed(home: Path) -> None:
    source = ATTRIBUTES.replace("from .base import Base", "from somewhere import Base")
    report = check(written(home, source), home)
    assert [finding.level for finding in report.checks if finding.id == "members"] == ["note"]
    assert found(report, "schema") == []


MAPPED = YAML + "zeroclaw_memory_map:\n  store: {tool: keep, args: {text: $content}}\n"
LATE_TOOLS = schema_source(
    more="    tools = []\n    def get_tool_schemas(self):\n        return self.tools\n"
    "    def initialize(self, session_id, **kwargs):\n        self.tools = [{'name': 'keep'}]\n"
)


def test_a_map_may_name_tools_that_are_there_after_the_start_and_no_others(home: Path) -> None:
    assert found(check(written(home, LATE_TOOLS, yaml=MAPPED), home, "now"), "memory-map") == []
    other = problem(home, LATE_TOOLS, "memory-map", run=True, yaml=MAPPED.replace("keep", "drop"))
    assert other.detail == "zeroclaw_memory_map: store: the provider has no tool 'drop'"


GUARDED = """
try:
    from client import get
except ImportError:
    from .client import get
try:
    import store
except (OSError, ModuleNotFoundError):
    store = None
"""
NOT_GUARDED = "try:\n    import client\nexcept OSError:\n    pass\n"


def test_an_import_that_may_fail_is_no_error(home: Path) -> None:
    files: dict[str, Any] = {"client__py": "def get(): pass\n", "store__py": ""}
    assert found(check(written(home, GUARDED + GOOD, **files), home), "imports") == []
    for code in (NOT_GUARDED, GUARDED.replace("store = None", "store = None\nimport client")):
        assert problem(home, code + GOOD, "imports", **files).level == "error"
