"""`zeroclaw <provider> …` through the installed command (specs/memory-providers.md §13)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.provider_plugins import approve, install, nested, write_plugin
from zeroclaw_cli.providers.command_run import load_command
from zeroclaw_cli.providers.commands import find_command
from zeroclaw_cli.providers.loading import load
from zeroclaw_cli.providers.names import COMMANDS

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

CLI = """
import json
import sys


def register_cli(subparser):
    commands = subparser.add_subparsers(dest="command")
    show = commands.add_parser("show", help="Show it")
    show.add_argument("--json", action="store_true")
    show.add_argument("-c", "--count", type=int, default=1)
    show.add_argument("words", nargs="*")
    code = commands.add_parser("code")
    code.add_argument("what")


def mem_command(args):
    from .store import WORD
    if args.command == "show":
        print(json.dumps({"count": args.count, "words": args.words, "from": WORD}))
    elif args.command == "code":
        if args.what == "raise":
            raise ValueError("first line\\nsecond \\x1b[31mline")
        if args.what == "exit":
            sys.exit(9)
        if args.what == "text":
            sys.exit("it did not work")
        if args.what == "base":
            raise BaseException("odd")
        if args.what == "home":
            import os, threading
            from vibeos_constants import get_vibeos_home
            found = []
            thread = threading.Thread(target=lambda: found.append(get_vibeos_home()))
            thread.start()
            thread.join()
            print(get_vibeos_home(), found[0], os.environ.get("MEM_TOKEN"))
            return None
        return int(args.what)
"""
STORE = "WORD = 'store'\n"


def activate(home: Home, name: str, text: str = "") -> None:
    home.config_dir.mkdir(exist_ok=True)
    home.config_file.write_text(f'[memory]\nprovider = "{name}"\n{text}')


def trapped(home: Home) -> str:
    return f"open({str(home.path / 'sprung')!r}, 'w').close()\n"


def with_commands(home: Home, cli: str = CLI, name: str = "mem", init: str | None = None) -> Path:
    home.config_dir.mkdir(exist_ok=True)
    init = trapped(home) + "raise SystemExit\n" if init is None else init
    plugin = install(home.config_dir, name, init, files={"cli.py": cli, "store.py": STORE})
    activate(home, name)
    return plugin.directory


def test_p48_p49_help_lists_the_active_providers_command_and_imports_nothing(home: Home) -> None:
    write_plugin(nested(home.config_dir), "mem", trapped(home), files={"cli.py": trapped(home)})
    write_plugin(nested(home.config_dir), "other", trapped(home), files={"cli.py": trapped(home)})
    for words in (["--help"], ["-h"], ["--help", "mem"]):
        assert "mem " not in home.run(*words).stdout
    activate(home, "mem")
    for words in (["--help"], ["-h"], ["--help", "mem"], ["--config-dir", str(home.config_dir), "--help"]):
        done = home.run(*words)
        assert done.code == 0
        assert "mem  " in done.stdout
        assert "The mem memory" in done.stdout
        assert "doctor" in done.stdout
        assert "other" not in done.stdout
        assert done.stderr == ""
    bare = home.run()
    assert (bare.code, "The mem memory" in bare.stdout + bare.stderr) == (2, True)
    assert not (home.path / "sprung").exists()


def test_p48_without_a_description_the_help_is_a_general_one(home: Home) -> None:
    write_plugin(nested(home.config_dir), "mem", "", yaml="name: mem\n", files={"cli.py": ""})
    activate(home, "mem")
    assert "Manage mem memory plugin" in home.run("--help").stdout


def test_the_environment_can_choose_the_provider(home: Home) -> None:
    with_commands(home)
    home.config_file.unlink()
    chosen = {"ZEROCLAW_memory__provider": "mem"}
    assert "The mem memory" in home.run("--help", env=chosen).stdout
    assert home.run("mem", "code", "4", env=chosen).code == 4
    assert home.run("mem", "code", "4").code == 2


def test_p48_a_command_of_a_provider_that_is_not_active_does_not_exist(home: Home) -> None:
    with_commands(home)
    install(home.config_dir, "other", files={"cli.py": trapped(home)})
    install(home.config_dir, "silent")
    lines = [("mem", "other"), ("", "mem"), ("none", "mem"), ("silent", "silent"), ("gone", "gone"), ("mem", "x")]
    for active, word in lines:
        activate(home, active)
        done = home.run(word, "show", "--json")
        assert done.code == 2
        assert done.error()["code"] == "usage"
        assert "No such command" in done.error()["message"].replace("no such", "No such")
    assert not (home.path / "sprung").exists()


def test_p49_the_command_runs_without_the_packages_init_and_its_words_are_its_own(home: Home) -> None:
    with_commands(home)
    done = home.run("mem", "show", "--json", "-c", "3", "a", "--", "-b", "--help")
    assert done.code == 0, done.stderr
    assert done.json() == {"count": 3, "words": ["a", "-b", "--help"], "from": "store"}
    assert done.stderr == ""
    done = home.run("--config-dir", home.config_dir, "-q", "mem", "show", "mem")
    assert done.json()["words"] == ["mem"]
    assert not (home.path / "sprung").exists()


def test_p49_help_of_the_command_is_the_providers_own(home: Home) -> None:
    with_commands(home)
    done = home.run("mem", "--help")
    assert done.code == 0
    assert done.stdout.startswith("usage: zeroclaw mem [-h]")
    assert "Show it" in done.stdout
    assert "usage: zeroclaw mem show" in home.run("mem", "show", "-h").stdout


@pytest.mark.parametrize(
    ("what", "code", "error"),
    [
        ("0", 0, ""),
        ("5", 5, ""),
        ("exit", 9, ""),
        ("raise", 1, "error: mem: ValueError: first line second \\x1b[31mline (cli.py, line 22)"),
        ("text", 1, "error: mem: it did not work"),
        ("base", 1, "error: mem: BaseException: odd (cli.py, line 28)"),
    ],
)
def test_p50_what_the_handler_does_is_the_exit_code(home: Home, what: str, code: int, error: str) -> None:
    with_commands(home)
    done = home.run("mem", "code", what)
    assert done.code == code, done.stderr
    assert done.stderr.splitlines()[:1] == ([error] if error else [])
    assert done.stdout == ""


def test_p50_wrong_arguments_are_a_usage_error(home: Home) -> None:
    with_commands(home)
    done = home.run("mem", "show", "--count", "many", "--json")
    assert done.code == 2
    assert done.error()["code"] == "usage"
    assert "invalid int value: 'many'" in done.error()["message"]
    assert done.error()["hint"] == "run `zeroclaw mem show --help`"
    assert home.run("mem", "nothing").code == 2


def test_p50_the_traceback_is_shown_on_demand(home: Home) -> None:
    with_commands(home)
    done = subprocess.run(
        [str(PROGRAM), "mem", "code", "raise"],
        env=home.env({"ZEROCLAW_DEBUG": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" in done.stderr
    assert 'raise ValueError("first line' in done.stderr


@pytest.mark.parametrize(
    ("cli", "words", "code", "out"),
    [
        ("def register_cli(p):\n    p.set_defaults(func=lambda args: 6)\n", [], 6, ""),
        ("def register_cli(p):\n    p.add_argument('--x')\n", [], 2, "usage: zeroclaw mem"),
        ("def register_cli(p): pass\ndef mem_command(args):\n    return 'text'\n", [], 0, ""),
        ("def register_cli(p): pass\ndef mem_command(args):\n    return True\n", [], 0, ""),
        ("def register_cli(p): pass\nmem_command = 5\n", [], 2, "usage: zeroclaw mem"),
    ],
)
def test_p50_the_handler_is_the_named_function_else_what_was_set_else_help(
    home: Home, cli: str, words: list[str], code: int, out: str
) -> None:
    with_commands(home, cli)
    done = home.run("mem", *words)
    assert (done.code, done.stdout[: len(out)]) == (code, out), done.stderr


def test_p50_hyphens_of_the_name_are_underscores_of_the_function(home: Home) -> None:
    with_commands(home, "def register_cli(p): pass\ndef my_mem_2_command(args):\n    return 8\n", name="my-mem-2")
    assert home.run("my-mem-2").code == 8


@pytest.mark.parametrize(
    ("cli", "words"),
    [
        ("raise ValueError('broken')\n", "ValueError: broken (cli.py, line 1)"),
        ("import sys\nsys.exit(0)\n", "it ends the process"),
        ("def broken(:\n", "SyntaxError"),
        ("x = 1\n", "without a function register_cli"),
        ("from . import Provider\n", "ImportError"),
        ("from store import WORD\n", "No module named 'store'"),
        ("import sys\nsys.modules['zeroclaw_cli.errors'] = 1\n", "replaces modules of its host"),
        ("def register_cli(p): raise ValueError('in setup')\n", "ValueError: in setup"),
    ],
)
def test_p51_a_broken_command_is_one_error_and_everything_else_works(home: Home, cli: str, words: str) -> None:
    with_commands(home, cli)
    done = home.run("mem")
    assert done.code == 1
    assert words in done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) <= 2
    assert home.run("--help").code == 0
    assert home.run("config", "path").code == 0


def test_p51_trust_holds_for_commands_too(home: Home) -> None:
    directory = with_commands(home)
    (directory / "cli.py").write_text(trapped(home) + CLI)
    done = home.run("mem", "code", "0", "--json")
    assert (done.code, done.error()["code"]) == (4, "provider_untrusted")
    assert "changed cli.py" in done.error()["message"]
    assert not (home.path / "sprung").exists()
    approve(home.config_dir, "mem")
    assert home.run("mem", "code", "0").code == 0
    (directory / "cli.py").chmod(0o666)
    assert home.run("mem", "code", "0").code == 4


@pytest.mark.parametrize("name", ["config", "memory", "doctor", "mcp"])
def test_p51_the_name_of_a_command_is_refused_with_a_warning(home: Home, name: str) -> None:
    write_plugin(nested(home.config_dir), name, trapped(home), files={"cli.py": trapped(home)})
    activate(home, name)
    done = home.run("--help")
    assert done.code == 0
    assert f"warning: memory.provider names '{name}', which is a command of this program" in done.stderr
    assert "zeroclaw memory off" in done.stderr
    assert home.run("-q", "--help").stderr == ""
    assert "usage" in home.run("config", "--help").stdout.lower()
    assert not (home.path / "sprung").exists()


def test_a_damaged_config_leaves_help_working(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text("[memory]\nprovider = \n")
    done = home.run("--help")
    assert done.code == 0
    assert "warning: " in done.stderr
    assert "config.toml: line 2" in done.stderr
    assert home.run("mem").code == 2


def test_the_command_has_its_home_and_its_secrets(home: Home) -> None:
    with_commands(home)
    (home.config_dir / ".env").write_text("MEM_TOKEN=from-file\n")
    done = home.run("mem", "code", "home")
    assert done.stdout == f"{home.config_dir} {home.config_dir} from-file\n"
    done = home.run("mem", "code", "home", env={"MEM_TOKEN": "real"})
    assert done.stdout.endswith(" real\n")


def test_what_a_command_prints_while_it_is_imported_is_talk(home: Home) -> None:
    with_commands(home, "print('noise')\n" + CLI)
    done = home.run("mem", "show")
    assert done.json()["count"] == 1
    assert done.stderr == "noise\n"


def test_p49_the_provider_can_be_loaded_after_its_command_was_imported(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem", PROVIDER_INIT, files={"cli.py": "from . import store\n" + CLI, "store.py": STORE})
    command, warning = find_command(tmp_path, "mem", {}, tmp_path)
    assert command is not None
    assert warning is None
    loaded = load_command(command, tmp_path)
    provider = load(plugin, tmp_path)
    assert provider.word == "store"  # type: ignore[attr-defined]
    assert load_command(command, tmp_path).setup is loaded.setup
    assert sys.modules[loaded.setup.__module__.removesuffix(".cli") + ".store"].WORD is provider.word  # type: ignore[attr-defined]


PROVIDER_INIT = """
from .store import WORD
from agent.memory_provider import MemoryProvider

class Provider(MemoryProvider):
    name = "mem"
    word = WORD
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
"""


def test_every_command_word_of_the_program_is_known_to_the_rules(home: Home) -> None:
    shown = home.run("--help").stdout.partition("Commands:")[2].split("\n")
    assert {line.split()[0] for line in shown if line.startswith("  ") and not line.startswith("   ")} <= COMMANDS


@pytest.mark.parametrize("while_importing", [False, True])
@pytest.mark.parametrize(
    ("number", "code", "talk"), [(signal.SIGINT, 130, "error: interrupted\n"), (signal.SIGTERM, 143, "")]
)
def test_a_signal_ends_a_command_as_it_ends_every_other(
    home: Home, number: int, code: int, talk: str, while_importing: bool
) -> None:
    ready = home.path / "ready"
    cli = (
        "import pathlib, time\ndef register_cli(p): pass\ndef mem_command(args):\n"
        f"    pathlib.Path({str(ready)!r}).touch()\n    time.sleep(30)\n"
    )
    if while_importing:
        cli += "mem_command(None)\n"
    with_commands(home, cli)
    process = subprocess.Popen([str(PROGRAM), "mem"], env=home.env(), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (code, talk)


def test_a_start_without_a_provider_loads_nothing_of_the_room(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text("[plugins]\nenabled = true\n")
    probe = (
        "import sys\nfrom zeroclaw_cli.cli.app import run\n"
        "code = run(sys.argv[1:])\n"
        "watched = ('zeroclaw_cli.providers', 'yaml', 'packaging', 'argparse', 'zeroclaw_cli.config.load')\n"
        "sys.stderr.write(' '.join(name for name in sys.modules if name.startswith(watched)))"
    )
    for words in (["--help"], ["config", "path"], ["--version"]):
        done = subprocess.run(
            [sys.executable, "-c", probe, *words], env=home.env(), capture_output=True, text=True, check=True
        )
        loaded = done.stderr.split()
        if words != ["config", "path"]:
            assert loaded == []
        assert not [name for name in loaded if name.startswith(("zeroclaw_cli.providers", "yaml", "packaging"))]
