"""A key names the entry that has it, never another one that only starts so."""

from __future__ import annotations

import pexpect
import pytest

from tests.support.command import PROGRAM, Home


@pytest.mark.parametrize("backend", ["native", "layers"])
def test_a_command_takes_the_exact_key(home: Home, backend: str) -> None:
    home.ok("config", "set", "memory.backend", backend)
    home.ok("memory", "store", "teapot", "a pot")
    for words in (["get", "teap"], ["forget", "teap"], ["clear", "--key", "teap", "--yes"]):
        error = home.fails(3, "memory", *words, "--json").error()
        assert error["code"] == "entry_not_found"
        assert "no entry 'teap'" in error["message"]
        assert error["hint"] == "keys that start with it: teapot"
    assert "teapot" in home.fails(3, "memory", "get", "teap").stderr
    assert home.ok("memory", "count").stdout == "1\n"


def test_on_a_terminal_get_takes_the_only_key_that_starts_so_and_says_so(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "store", "teapot", "a pot")

    def shown(*words: str) -> tuple[str, int | None]:
        child = pexpect.spawn(str(PROGRAM), ["memory", *words], env=home.env(), timeout=60, encoding="utf-8")
        child.expect(pexpect.EOF)
        child.close()
        return str(child.before), child.exitstatus

    text, code = shown("get", "teap")
    assert code == 0
    assert "there is no entry 'teap'; this is 'teapot'" in text
    assert "a pot" in text
    text, code = shown("get", "te")
    assert code == 3
    assert "keys that start with it: tea, teapot" in text
    assert shown("clear", "--key", "teap", "--yes")[1] == 3
    assert shown("get", "teap", "--json")[1] == 3
