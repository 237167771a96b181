"""The functions of P-08, and that bundled providers stay inside their home (P-53)."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.provider_plugins import PROVIDER, REGISTER, install, nested, write_plugin
from zeroclaw_cli.providers import aliases, discovery, upstream
from zeroclaw_cli.providers.home import using_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Two names: the fixture of the commands is another `home`.
    monkeypatch.setattr(discovery, "BUNDLED", tmp_path / "bundled")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "profile"
    folder.mkdir()
    with using_home(folder):
        yield folder
    aliases.remove()


def test_p08_names_and_folders_are_found_without_importing(home: Path) -> None:
    trap = f"open({str(home / 'sprung')!r}, 'w').close()\n"
    directory = write_plugin(nested(home), "beta", trap)
    write_plugin(nested(home), "alpha", trap)
    assert upstream.list_memory_provider_names() == ["alpha", "beta"]
    assert upstream.find_provider_dir("beta") == directory
    assert upstream.find_provider_dir("gamma") is None
    assert upstream.find_provider_dir("../beta") is None
    assert not (home / "sprung").exists()


def test_p08_what_cannot_be_loaded_is_none_with_a_warning(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(home, "good")
    install(home, "bad", "raise SystemExit\n")
    write_plugin(nested(home), "strange")
    assert upstream.load_memory_provider("good") is not None
    with caplog.at_level(logging.WARNING):
        for name, words in (
            ("bad", "SystemExit"),
            ("strange", "its code has not been approved"),
            ("gone", "not found"),
        ):
            caplog.clear()
            assert upstream.load_memory_provider(name) is None
            assert words in caplog.text


def test_p08_availability_is_asked_of_trusted_providers_only(home: Path) -> None:
    install(home, "yes")
    install(home, "no", PROVIDER.replace("NAME", "no").replace("return True", "return False") + REGISTER)
    install(home, "bad", "raise ValueError\n")
    install(home, "fails", PROVIDER.replace("NAME", "fails").replace("return True", "raise SystemExit") + REGISTER)
    write_plugin(nested(home), "strange", f"open({str(home / 'sprung')!r}, 'w').close()\n")
    assert upstream.discover_memory_providers() == [
        ("bad", "The bad memory", False),
        ("fails", "The fails memory", False),
        ("no", "The no memory", False),
        ("strange", "The strange memory", None),
        ("yes", "The yes memory", True),
    ]
    assert not (home / "sprung").exists()


def test_discovering_commands_gives_at_most_the_active_providers(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    cli = "def register_cli(subparser): subparser.add_argument('x')\ndef my_mem_command(args): return 3\n"
    init = "raise SystemExit('the package must not run')\n"
    install(home, "my-mem", init, files={"cli.py": cli})
    install(home, "other", init, files={"cli.py": cli})
    assert upstream.discover_plugin_cli_commands() == []
    (home / "config.toml").write_text('[memory]\nprovider = "my-mem"\n')
    (found,) = upstream.discover_plugin_cli_commands()
    assert set(found) == {"name", "help", "description", "setup_fn", "handler_fn", "plugin"}
    assert (found["name"], found["plugin"], found["help"]) == ("my-mem", "my-mem", "The my-mem memory")
    assert found["handler_fn"](None) == 3
    install(home, "my-mem", init, files={"cli.py": "raise ValueError('broken')\n"})
    with caplog.at_level(logging.WARNING):
        assert upstream.discover_plugin_cli_commands() == []
    assert "broken" in caplog.text
    (home / "config.toml").write_text('[memory]\nprovider = "doctor"\n')
    with caplog.at_level(logging.WARNING):
        assert upstream.discover_plugin_cli_commands() == []
    assert "'doctor', which is a command of this program" in caplog.text


BUNDLED = sorted(
    path.name for path in discovery.BUNDLED.glob("*") if (path / "__init__.py").is_file() and path.name[0] not in "._"
)
USE = """
import os, sys
from pathlib import Path
from zeroclaw_cli.providers import discovery, loading
from zeroclaw_cli.providers.initialization import initialize_kwargs
home = Path(sys.argv[2])
for profile in (home, home.with_name("second")):
    plugin = discovery.find(profile, sys.argv[1], {}, Path.cwd())
    assert plugin.origin == "bundled", plugin
    provider = loading.load(plugin, profile)
    provider.is_available()
    provider.get_tool_schemas()
    assert all(Path(path).is_relative_to(profile) for path in provider.backup_paths())
    provider.initialize(session_id="s", **initialize_kwargs(profile, {}))
    provider.sync_turn("The user likes " + profile.name, "Noted", session_id="s")
    provider.on_memory_write("add", "memory", "a fact of " + profile.name, {})
    provider.prefetch("likes " + profile.name, session_id="s")
    provider.on_session_end([{"role": "user", "content": "x"}])
    provider.shutdown()
"""


@pytest.mark.parametrize("name", BUNDLED)
def test_p53_a_bundled_provider_writes_below_its_home_alone(tmp_path: Path, name: str) -> None:
    for folder in ("empty", "work", "profile", "temporary"):
        (tmp_path / folder).mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "empty"), "TMPDIR": str(tmp_path / "temporary")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", USE, name, str(tmp_path / "profile")],
        env=environment,
        cwd=tmp_path / "work",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert [list((tmp_path / folder).iterdir()) for folder in ("empty", "work", "temporary")] == [[], [], []]
    assert list((tmp_path / "profile").iterdir())
    assert list((tmp_path / "second").iterdir())


def test_there_is_a_bundled_provider() -> None:
    assert BUNDLED
