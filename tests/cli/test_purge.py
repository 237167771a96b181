"""``memory purge`` leaves nothing of an agent or a session that ``context``, ``recall`` or a file still shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.command import Home

WHEN = "2026-03-01T12:00:00Z"


def entry(agent: str | None, word: str, **more: Any) -> dict[str, Any]:
    return {"key": word, "content": f"{word} saffron", "session_id": "s1", "agent_alias": agent, **more}


def document(agent: str | None, path: str, text: str | None, *past: str) -> dict[str, Any]:
    versions = [{"number": n, "content": text, "changed_by": "x", "at": WHEN} for n, text in enumerate(past, start=1)]
    at = "" if text is None else WHEN
    row = {"document": path, "content": text, "metadata": None, "created_at": at, "updated_at": at, "agent": agent}
    return {**row, "versions": versions} if past else row


def rows() -> Iterator[dict[str, Any]]:
    for agent, word in (("ada", "adasecret"), ("bob", "bobsecret"), (None, "nonesecret")):
        yield entry(agent, word)
        yield document(agent, "threads/s1/r1.md", f"## user\nthe {word} saffron belongs into rice\n")
    yield document("ada", "threads/s10/r1.md", "## user\nadasecret saffron again and again\n")
    yield document("ada", "notes/spice.md", "adasecret saffron note\n", "adasecret draft\n")
    yield document("ada", "notes/old.md", None, "adasecret forgotten saffron\n")
    yield entry(None, "namedsecret", namespace="kitchen", session_id=None)


@pytest.fixture
def kitchen(home: Home) -> Home:
    home.config_dir.mkdir(mode=0o700)
    home.config_file.write_text('[memory.native]\nmirror = "export"\n')
    home.config_file.chmod(0o600)
    home.ok("memory", "import", "-", stdin="".join(json.dumps(row) + "\n" for row in rows()))
    return home


def files_hold(home: Home, word: str) -> list[str]:
    memory = home.config_dir / "data" / "memory"
    files = [path for path in memory.rglob("*") if path.is_file() and "backups" not in path.parts]
    return [str(path) for path in files if word.encode() in path.read_bytes()]


def purge(home: Home, *target: str) -> Any:
    return home.ok("memory", "purge", *target, "--yes", "--json").json()


def test_an_agent_goes_with_its_documents_and_turns(kitchen: Home) -> None:
    assert purge(kitchen, "--agent", "ada") == {"deleted": 1, "documents": 2, "turns": 2}
    assert files_hold(kitchen, "adasecret") == []
    assert files_hold(kitchen, "bobsecret")
    shown = kitchen.ok("memory", "context", "saffron", "--thread", "s1", "--agent", "ada").stdout
    assert "adasecret" not in shown


def test_a_session_of_an_agent_goes_with_its_turns_alone(kitchen: Home) -> None:
    done = kitchen.ok("memory", "purge", "--session", "s1", "--agent", "ada", "--yes")
    assert done.stdout == "Deleted 1 entry and 1 recorded turn from native.\n"
    left = kitchen.ok("memory", "export", "--all").stdout
    assert "threads/s10/r1.md" in left
    assert left.count("adasecret") == 4
    assert left.count("bobsecret") == left.count("nonesecret") == 3


def test_a_session_goes_with_the_turns_of_every_agent(kitchen: Home) -> None:
    assert purge(kitchen, "--session", "s1") == {"deleted": 3, "documents": 0, "turns": 3}
    assert files_hold(kitchen, "bobsecret") == files_hold(kitchen, "nonesecret") == []


def test_a_purge_through_the_layers_takes_as_much(kitchen: Home) -> None:
    kitchen.config_file.write_text('[memory]\nbackend = "layers"\n')
    assert purge(kitchen, "--agent", "ada") == {"deleted": 1, "documents": 2, "turns": 2}
    assert files_hold(kitchen, "adasecret") == []


def test_a_namespace_takes_neither_documents_nor_turns(kitchen: Home) -> None:
    assert purge(kitchen, "--namespace", "kitchen") == {"deleted": 1, "documents": 0, "turns": 0}
    assert files_hold(kitchen, "namedsecret") == []
