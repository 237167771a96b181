"""Completion in real shells, and the answers that it is made of."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home, is_installed

ROOT = Path(__file__).resolve().parents[2]


def answers(home: Home, *words: str, shell: str = "bash") -> list[str]:
    return home.ok(*words, env={"_ZEROCLAW_COMPLETE": shell}).stdout.splitlines()


@pytest.fixture
def installed(home: Home) -> Home:
    for name in ("notes", "nothing", "other"):
        folder = home.config_dir / "plugins" / name
        folder.mkdir(parents=True)
        (folder / "manifest.toml").write_text(f'name = "{name}"\n')
    (home.config_dir / "plugins" / ".staging-1").mkdir()
    return home


def test_commands_and_their_commands(home: Home) -> None:
    assert {"plugin", "memory", "config", "demo", "completion"} <= set(answers(home, ""))
    assert answers(home, "mem") == ["memory"]
    assert {"install", "list", "info"} <= set(answers(home, "plugin", ""))


def test_options(home: Home) -> None:
    assert "--backend" in answers(home, "memory", "recall", "--b")
    assert answers(home, "memory", "import", "x", "--on-conflict", "k") == ["keep"]


def test_installed_package_names(installed: Home) -> None:
    assert answers(installed, "plugin", "info", "no") == ["notes", "nothing"]
    assert answers(installed, "plugin", "remove", "") == ["notes", "nothing", "other"]
    assert answers(installed, "memory", "recall", "x", "--backend", "plugin.o") == ["plugin.other"]


def test_package_names_of_another_config_dir(installed: Home, tmp_path: Path) -> None:
    assert answers(installed, "--config-dir", str(tmp_path / "empty"), "plugin", "info", "") == []


def test_config_paths(home: Home) -> None:
    assert answers(home, "config", "get", "plugins.security.sig") == ["plugins.security.signature_mode"]
    assert "memory.backend" in answers(home, "config", "set", "memory.b")


def test_paths_are_left_to_the_shell(home: Home) -> None:
    assert answers(home, "plugin", "install", "./x")[-1] in {":file", ":dir"}


def test_descriptions_for_shells_that_show_them(home: Home) -> None:
    assert answers(home, "mem", shell="fish")[0].startswith("memory\t")
    assert answers(home, "mem", shell="bash") == ["memory"]


def test_a_damaged_config_never_reaches_the_prompt(installed: Home) -> None:
    installed.config_file.write_text("[[[\n")
    done = installed.run("plugin", "info", "", env={"_ZEROCLAW_COMPLETE": "bash"})
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def test_completion_creates_nothing(home: Home) -> None:
    answers(home, "plugin", "info", "")
    answers(home, "config", "get", "p")
    assert not home.config_dir.exists()


def _environment(home: Home) -> dict[str, str]:
    return {**home.env(), "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}


def test_bash(installed: Home) -> None:
    script = (
        f"source {ROOT}/completions/zeroclaw.bash; COMP_WORDS=(zeroclaw plugin info no); COMP_CWORD=3; _zeroclaw; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], env=_environment(installed), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["notes", "nothing"]
    assert done.stderr == ""


def test_bash_completes_names_of_files(installed: Home) -> None:
    (installed.path / "a folder").mkdir()
    script = (
        f"source {ROOT}/completions/zeroclaw.bash; COMP_WORDS=(zeroclaw plugin install a); COMP_CWORD=3; _zeroclaw; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env=_environment(installed),
        capture_output=True,
        text=True,
        check=True,
        cwd=installed.path,
    )
    assert "a folder" in done.stdout.splitlines()


@pytest.mark.skipif(not is_installed("fish"), reason="fish is not installed")
def test_fish(installed: Home) -> None:
    script = f"source {ROOT}/completions/zeroclaw.fish; complete -C 'zeroclaw plugin info no'"
    done = subprocess.run(
        ["fish", "-c", script], env=_environment(installed), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["notes", "nothing"]


@pytest.mark.skipif(not is_installed("zsh"), reason="zsh is not installed")
def test_zsh(installed: Home) -> None:
    pexpect = pytest.importorskip("pexpect")
    environment = {**_environment(installed), "ZDOTDIR": str(installed.path), "TERM": "dumb", "PS1": "READY> "}
    (installed.path / ".zshrc").write_text(
        f"fpath=({ROOT}/completions $fpath)\nautoload -U compinit && compinit -u -D\nPS1='READY> '\n"
    )
    shell = pexpect.spawn("zsh", ["-i"], env=environment, encoding="utf-8", timeout=20, dimensions=(24, 100))
    shell.expect("READY> ")
    shell.send("zeroclaw plugin info not\t\t")
    shell.expect("notes")
    shell.expect("nothing")
    shell.close(force=True)


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/zeroclaw"),
        ("zsh", ".local/share/zsh/site-functions/_zeroclaw"),
        ("fish", ".config/fish/completions/zeroclaw.fish"),
        ("powershell", ".config/powershell/zeroclaw.ps1"),
    ],
)
def test_install_puts_the_script_where_the_shell_looks(home: Home, shell: str, place: str) -> None:
    done = home.ok("completion", "install", shell)
    assert done.stdout == f"Installed {home.path / place}.\n"
    assert (home.path / place).read_text() == home.ok("completion", "show", shell).stdout
    assert done.stderr


def test_install_takes_the_shell_from_the_environment_and_says_when_it_cannot(home: Home) -> None:
    assert "fish" in home.ok("completion", "install", env={"SHELL": "/usr/bin/fish"}).stdout
    assert "name it: bash" in home.fails(2, "completion", "install", env={"SHELL": "/bin/odd"}).stderr


def test_the_generated_files_are_current() -> None:
    from zeroclaw_cli.cli.generate import main

    assert main(["--check"]) == 0


def test_the_command_of_the_active_provider(home: Home) -> None:
    assert "notebook" not in answers(home, "")
    home.ok("config", "set", "memory.provider", "notebook")
    assert answers(home, "note") == ["notebook"]
    assert answers(home, "note", shell="zsh")[0].startswith("notebook\t")
    # What comes behind it is the provider's own.
    assert answers(home, "notebook", "") == []


def test_providers_as_backends(home: Home) -> None:
    assert answers(home, "memory", "recall", "x", "--backend", "provider.") == ["provider.notebook"]
