"""The memory commands under a locale that knows ASCII alone, and with words that are not text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}


@pytest.fixture
def plain(tmp_path: Path) -> Home:
    folder = tmp_path / "hôme"
    folder.mkdir()
    return Home(folder, ASCII)


def test_every_word_of_a_store_comes_back(plain: Home) -> None:
    plain.ok(
        *("memory", "store", "clé", "thé vert ☕", "--category", "habitudé", "--session", "s☂", "--namespace", "né"),
        *("--agent", "zoë", "--kind", "goût"),
    )
    entry = plain.ok("memory", "get", "clé", "--agent", "zoë", "--json").json()
    assert (entry["key"], entry["content"], entry["category"]) == ("clé", "thé vert ☕", "habitudé")
    assert (entry["session_id"], entry["namespace"], entry["agent_alias"]) == ("s☂", "né", "zoë")
    utf8 = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    assert plain.ok("memory", "get", "clé", "--json", env=utf8).json() == entry
    assert plain.ok("memory", "recall", "vert", "--agent", "zoë", "--json").json()["entries"][0]["key"] == "clé"
    assert "th\\xe9 vert" in plain.ok("memory", "get", "clé").stdout
    plain.ok("memory", "forget", "clé")


def test_documents_mirror_and_daily_backup_work(plain: Home) -> None:
    plain.ok("memory", "doc", "write", "--target", "café/é.md", "--content", "crème")
    assert plain.ok("memory", "doc", "read", "café/é.md").stdout == "crème\n"
    memory = plain.config_dir / "data" / "memory"
    assert (memory / "mirror" / "_none" / "_none" / "café" / "é.md").read_text("utf-8") == "crème\n"
    assert len(list((memory / "backups").glob("native-*.db"))) == 1
    plain.ok("memory", "doc", "edit", "café/é.md", env={"EDITOR": "sed -i s/cr/CR/"})
    assert plain.ok("memory", "doc", "read", "café/é.md").stdout == "CRème\n"
    plain.ok("memory", "doc", "forget", "café/é.md", "--with-history")
    assert not list((memory / "mirror").rglob("*.md"))


def test_files_may_have_any_name(plain: Home) -> None:
    plain.ok("memory", "store", "clé", "thé")
    rows, archive = plain.path / "é.jsonl", plain.path / "é.zip"
    plain.ok("memory", "export", "--all", "--out", rows)
    plain.ok("memory", "backup", "--out", archive)
    plain.ok("memory", "clear", "--yes")
    assert plain.ok("memory", "import", rows, "--json").json() == {"imported": 1, "skipped": 0}
    plain.ok("memory", "restore", archive)
    assert json.loads(rows.read_text("utf-8"))["content"] == "thé"


@pytest.mark.parametrize("words", [[b"store", b"k", b"\xff"], [b"store", b"\xff", b"v"], [b"get", b"\xff"]])
@pytest.mark.parametrize("environment", [ASCII, {"PYTHONUTF8": "1"}])
def test_a_word_that_is_no_utf8_is_named(home: Home, words: list[bytes], environment: dict[str, str]) -> None:
    done = subprocess.run(
        [bytes(PROGRAM), b"memory", *words], env=home.env(environment), capture_output=True, check=False, timeout=60
    )
    name = b"content" if words[1] == b"k" else b"key"
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        b"error: the " + name + b" on the command line is not UTF-8 text",
    )
    assert not home.config_dir.exists()
