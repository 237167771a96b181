"""``memory setup`` and ``memory trust`` on a real terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from tests.support.command import PROGRAM, Home
from tests.support.provider_plugins import nested, write_plugin
from tests.support.setup_providers import API_KEY, DAYS, REGION, asking

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

SECRET = "sk-never-shown"
CTRL_D = "\x04"
ESC = "\x1b"


@contextmanager
def terminal(home: Home, *words: str, env: Mapping[str, str] | None = None) -> Iterator[pexpect.spawn[str]]:
    child = pexpect.spawn(
        str(PROGRAM), list(words), env=home.env({"TERM": "dumb", **(env or {})}), encoding="utf-8", timeout=30
    )
    child.logfile_read = Seen()
    try:
        yield child
    finally:
        child.close(force=True)


class Seen:
    """All that a person saw."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def ends(child: pexpect.spawn[str]) -> tuple[int | None, str]:
    """The exit code and everything that was seen."""
    child.expect(pexpect.EOF)
    child.close()
    seen = child.logfile_read
    assert isinstance(seen, Seen)
    return child.exitstatus, seen.text


def install(home: Home, source: str) -> None:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    write_plugin(nested(home.config_dir), "asking", source)


def written(home: Home) -> set[str]:
    found = home.config_dir.rglob("*")
    return {
        path.relative_to(home.config_dir).as_posix() for path in found if path.is_file() and "memory" not in path.parts
    }


def test_a_person_picks_trusts_answers_and_confirms(home: Home) -> None:
    install(home, asking(REGION, DAYS, API_KEY))
    with terminal(home, "memory", "setup") as child:
        child.expect_exact("1. asking  (not trusted yet)")
        child.expect_exact("3. built-in only")
        child.expect_exact("Memory provider [3]: ")
        child.sendline("1")
        child.expect_exact("Nothing here is a sandbox")
        child.expect_exact("Type yes: ")
        child.sendline("yes")
        child.expect_exact("Region [2]: ")
        child.sendline("eu")
        child.expect_exact("Days [7]: ")
        child.sendline("99")
        child.expect_exact("days must be at most 30")
        child.expect_exact("Days [7]: ")
        child.sendline("")
        child.expect_exact("API key: ")
        child.sendline(SECRET)
        child.expect_exact("Save this and use asking? [Y/n] ")
        child.sendline("")
        code, seen = ends(child)
    assert code == 0
    assert SECRET not in seen
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"region": "eu", "days": 7}
    assert (home.config_dir / ".env").read_text() == f"ASKING_API_KEY={SECRET}\n"
    assert home.ok("config", "get", "memory.provider").stdout == "asking\n"


def test_a_blank_line_keeps_a_secret_and_shows_only_its_end(home: Home) -> None:
    install(home, asking(API_KEY))
    home.ok("memory", "setup", "asking", "--trust", "now", "--secret-stdin", "api_key", stdin=SECRET)
    with terminal(home, "memory", "setup", "asking", "--yes") as child:
        child.expect_exact("API key (...hown; blank keeps it): ")
        child.sendline("")
        code, seen = ends(child)
    assert code == 0
    assert SECRET not in seen
    assert (home.config_dir / ".env").read_text() == f"ASKING_API_KEY={SECRET}\n"


PROMPTS = [
    ("Memory provider [3]: ", "asking"),
    ("Type yes: ", "yes"),
    ("Region [2]: ", ""),
    ("API key: ", SECRET),
    ("[Y/n] ", None),
]


@pytest.mark.parametrize("key", ["ctrl-c", "esc", "eof"])
@pytest.mark.parametrize("step", range(len(PROMPTS)))
def test_giving_up_at_any_question_writes_nothing_and_is_130(home: Home, step: int, key: str) -> None:
    install(home, asking(REGION, API_KEY))
    before = written(home)
    with terminal(home, "memory", "setup") as child:
        for prompt, reply in PROMPTS[:step]:
            child.expect_exact(prompt)
            child.sendline(reply)
        child.expect_exact(PROMPTS[step][0])
        if key == "ctrl-c":
            child.sendintr()
        else:
            child.send(ESC if key == "esc" else CTRL_D)
        code, seen = ends(child)
    assert code == 130
    assert "nothing was changed" in seen
    assert "Traceback" not in seen
    assert SECRET not in seen
    assert written(home) == before


def test_esc_after_some_letters_gives_up_too(home: Home) -> None:
    install(home, asking(DAYS))
    with terminal(home, "memory", "setup", "asking", "--trust", "now") as child:
        child.expect_exact("Days [7]: ")
        child.send("12" + ESC)
        code, _ = ends(child)
    assert code == 130
    assert written(home) == set()


def test_a_key_that_moves_the_cursor_is_not_taken_for_esc(home: Home) -> None:
    install(home, asking(DAYS))
    with terminal(home, "memory", "setup", "asking", "--trust", "now", "--yes") as child:
        child.expect_exact("Days [7]: ")
        child.send("1" + ESC + "[D")
        child.expect_exact("type it again")
        child.expect_exact("Days [7]: ")
        child.sendline("12")
        code, _ = ends(child)
    assert code == 0
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"days": 12}


def test_a_choice_is_a_number_or_a_word_and_is_asked_again_otherwise(home: Home) -> None:
    install(home, asking(REGION))
    with terminal(home, "memory", "setup", "asking", "--trust", "now", "--yes") as child:
        child.expect_exact("Region [2]: ")
        child.sendline("9")
        child.expect_exact("type a number from 1 to 2")
        child.expect_exact("Region [2]: ")
        child.sendline("eu")
        code, _ = ends(child)
    assert code == 0
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"region": "eu"}


def test_letters_of_any_script_are_read_and_backspace_works(home: Home) -> None:
    install(home, asking({"key": "name", "description": "Name"}))
    with terminal(home, "memory", "setup", "asking", "--trust", "now", "--yes", env={"LC_ALL": "C.UTF-8"}) as child:
        child.expect_exact("Name: ")
        child.sendline("記憶x\x7f")
        code, _ = ends(child)
    assert code == 0
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"name": "記憶"}


def test_a_typed_y_is_no_consent(home: Home) -> None:
    install(home, asking())
    with terminal(home, "memory", "trust", "asking") as child:
        child.expect_exact("Type yes: ")
        child.sendline("y")
        code, seen = ends(child)
    assert code == 4
    assert "is not trusted" in seen
    assert written(home) == set()


def test_a_typed_yes_is_consent(home: Home) -> None:
    install(home, asking())
    with terminal(home, "memory", "trust", "asking") as child:
        child.expect_exact("Type yes: ")
        child.sendline("YES")
        code, seen = ends(child)
    assert code == 0
    assert "asking is now trusted: sha256 " in seen


@pytest.mark.parametrize("key", ["ctrl-c", "esc", "eof"])
def test_giving_up_on_consent_is_130(home: Home, key: str) -> None:
    install(home, asking())
    with terminal(home, "memory", "trust", "asking") as child:
        child.expect_exact("Type yes: ")
        child.send({"ctrl-c": "\x03", "esc": ESC, "eof": CTRL_D}[key])
        code, _ = ends(child)
    assert code == 130
    assert written(home) == set()


def test_no_interactive_asks_nothing_on_a_terminal(home: Home) -> None:
    install(home, asking(API_KEY))
    with terminal(home, "memory", "setup", "asking", "--trust", "now", "--no-interactive") as child:
        code, seen = ends(child)
    assert code == 2
    assert "--secret-stdin api_key" in seen


def test_the_terminal_is_as_it_was_afterwards(home: Home, tmp_path: Path) -> None:
    install(home, asking(API_KEY))
    script = f"stty -a > before; '{PROGRAM}' memory setup asking --trust now; stty -a > after"
    child = pexpect.spawn(
        "/bin/sh", ["-c", script], env=home.env({"TERM": "dumb"}), encoding="utf-8", timeout=30, cwd=str(tmp_path)
    )
    child.expect_exact("API key: ")
    child.send(ESC)
    child.expect(pexpect.EOF)
    child.close()
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


SAYS = """
    def initialize(self, session_id, **kwargs):
        kwargs["warning_callback"]("the index \\x1b[31mis old")
        kwargs["status_callback"]("reading the index")
    def on_memory_write(self, *args, **kwargs):
        pass
"""


def test_what_a_provider_says_while_it_starts_reaches_a_person_at_a_terminal(home: Home) -> None:
    install(home, asking(more=SAYS))
    home.config_file.write_text('[memory]\nprovider = "asking"\n')
    home.config_file.chmod(0o600)
    home.ok("memory", "trust", "asking", "--trust", "now")
    with terminal(home, "memory", "store", "tea", "green") as child:
        code, seen = ends(child)
    assert code == 0
    assert "warning: the index \\x1b[31mis old" in seen
    assert "reading the index" in seen
    with terminal(home, "-q", "memory", "store", "tea", "black") as child:
        assert "index" not in ends(child)[1]
