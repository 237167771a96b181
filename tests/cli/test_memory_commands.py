"""The memory commands as a person runs them: installed command, real component, a process each."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import package

BACKEND = ("--backend", "plugin.notes")


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    return home


def test_what_one_process_stores_another_recalls(notes: Home) -> None:
    stored = notes.ok("memory", "store", "tea", "Ada drinks green tea.")
    assert stored.stdout == "Stored 'tea' in plugin.notes.\n"
    found = notes.ok("memory", "recall", "green", "--json").json()
    assert [(entry["key"], entry["content"]) for entry in found["entries"]] == [("tea", "Ada drinks green tea.")]
    assert notes.ok("memory", "count").stdout == "1\n"


def test_recall_for_people_shows_key_category_and_the_whole_text(notes: Home) -> None:
    notes.ok("memory", "store", "tea", "first line\nsecond line", "--category", "Daily")
    shown = notes.ok("memory", "recall", "second").stdout.splitlines()
    assert shown[0].startswith("- tea [daily] (score ")
    assert shown[1:] == ["    first line", "    second line"]


def test_store_json_is_the_contract(notes: Home) -> None:
    done = notes.ok("memory", "store", "tea", "x", "--json")
    assert done.json() == {"stored": "tea", "backend": "plugin.notes", "warnings": []}


def test_store_reads_stdin_when_there_is_no_content(notes: Home) -> None:
    notes.ok("memory", "store", "a", stdin="from stdin\n")
    notes.ok("memory", "store", "b", "-", stdin="from a dash")
    assert notes.ok("memory", "get", "a", "--json").json()["content"] == "from stdin"
    assert notes.ok("memory", "get", "b", "--json").json()["content"] == "from a dash"


@pytest.mark.parametrize("backend", ["plugin.notes", "native"])
@pytest.mark.parametrize(
    ("words", "stdin"), [([], ""), ([], "\n"), (["-"], " \n\t"), ([""], None), ([" \u00a0 "], None), ([], None)]
)
def test_an_empty_content_is_refused_and_the_entry_stays(
    notes: Home, backend: str, words: list[str], stdin: str | None
) -> None:
    notes.ok("memory", "store", "my key", "green", "--backend", backend)
    done = notes.fails(2, "memory", "store", "my key", *words, "--backend", backend, stdin=stdin)
    assert "the content is empty" in done.stderr
    assert "zeroclaw memory forget 'my key'" in done.stderr
    assert notes.ok("memory", "get", "my key", "--backend", backend, "--json").json()["content"] == "green"


def test_a_closed_stdin_is_no_content(notes: Home) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" memory store tea <&-', str(PROGRAM)],
        env=notes.env(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "the content is empty" in done.stderr


def test_content_that_is_not_utf_8_is_refused_and_nothing_is_stored(notes: Home) -> None:
    done = notes.run("memory", "store", "a", stdin=b"\xff\xfe")
    assert (done.code, done.stdout) == (2, "")
    assert "stdin is not UTF-8" in done.stderr
    assert notes.ok("memory", "count").stdout == "0\n"


def test_an_entry_has_the_twelve_fields(notes: Home) -> None:
    notes.ok(
        *("memory", "store", "tea", "green", "--category", "core", "--session", "s1"),
        *("--namespace", "kitchen", "--importance", "0.5", "--agent", "ada"),
    )
    entry = notes.ok("memory", "get", "tea", "--json").json()
    assert list(entry) == [
        *("id", "key", "content", "category", "timestamp", "session_id", "score", "namespace", "importance"),
        *("superseded_by", "agent_alias", "agent_id"),
    ]
    assert (entry["session_id"], entry["namespace"], entry["importance"]) == ("s1", "kitchen", 0.5)
    assert entry["agent_alias"] == "ada"
    assert entry["agent_id"]


def test_get_of_nothing_is_exit_3_with_the_command_that_shows_what_there_is(notes: Home) -> None:
    done = notes.fails(3, "memory", "get", "nothing")
    assert "error: plugin.notes has no entry 'nothing'" in done.stderr
    assert "zeroclaw memory list --backend plugin.notes" in done.stderr
    assert notes.fails(3, "memory", "get", "nothing", "--json").error()["code"] == "entry_not_found"


def test_list_pages_and_says_how_to_go_on(notes: Home) -> None:
    for number in range(3):
        notes.ok("memory", "store", f"k{number}", f"text {number}")
    done = notes.ok("memory", "list", "--limit", "2")
    assert done.stdout.startswith("Entries 1–2 of 3 in plugin.notes:\n")
    assert "more with --offset 2" in done.stderr
    page = notes.ok("memory", "list", "--offset", "2", "--json").json()
    assert (len(page["entries"]), page["total"]) == (1, 3)
    assert "no entries at offset 9" in notes.ok("memory", "list", "--offset", "9").stderr


def test_forget_removes_and_then_says_that_nothing_is_there(notes: Home) -> None:
    notes.ok("memory", "store", "tea", "x")
    assert notes.ok("memory", "forget", "tea", "--json").json() == {"forgotten": True, "rows": 1}
    assert notes.fails(3, "memory", "forget", "tea", "--json").error()["code"] == "entry_not_found"


def test_purge_needs_a_yes_and_names_the_option_without_a_terminal(notes: Home) -> None:
    notes.ok("memory", "store", "tea", "x", "--namespace", "kitchen")
    refused = notes.fails(2, "memory", "purge", "--namespace", "kitchen")
    assert "pass --yes" in refused.stderr
    assert notes.ok("memory", "count").stdout == "1\n"
    assert notes.ok("memory", "purge", "--namespace", "kitchen", "--yes", "--json").json()["deleted"] == 1


def test_purge_by_agent_and_session(notes: Home) -> None:
    for agent in ("ada", "bob"):
        notes.ok("memory", "store", "tea", agent, "--agent", agent, "--session", "s1")
    assert notes.ok("memory", "purge", "--session", "s1", "--agent", "ada", "--yes", "--json").json()["deleted"] == 1
    assert notes.ok("memory", "purge", "--agent", "bob", "--yes", "--json").json()["deleted"] == 1


def test_clear_counts_what_it_deleted(notes: Home) -> None:
    notes.ok("memory", "store", "a", "x", "--category", "daily")
    notes.ok("memory", "store", "b", "x")
    done = notes.ok("memory", "clear", "--category", "daily", "--yes", "--json")
    assert done.json() == {"deleted": 1, "selected": 1}
    assert notes.ok("memory", "clear", "--yes", "--json").json() == {"deleted": 1, "selected": 1}
    assert notes.ok("memory", "clear", "--json").json() == {"deleted": 0, "selected": 0}


def test_stats_and_health_and_reindex(notes: Home) -> None:
    notes.ok("memory", "store", "a", "x", "--category", "daily")
    stats = notes.ok("memory", "stats", "--json").json()
    assert list(stats) == ["backend", "healthy", "total", "categories", "capabilities", "journal"]
    assert (stats["backend"], stats["healthy"], stats["total"]) == ("plugin.notes", True, 1)
    assert stats["categories"] == {"daily": 1}
    assert len(stats["capabilities"]) == 11
    assert notes.ok("memory", "health").stdout == "healthy\n"
    assert notes.ok("memory", "reindex", "--json").json() == {"reindexed": 1}


def test_an_export_imports_losslessly_into_an_empty_memory(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "tea", "green", "--session", "s", "--namespace", "kitchen", "--importance", "0.5")
    notes.ok("memory", "store", "dog", "Byron ☂", "--agent", "ada")
    out = tmp_path / "out.jsonl"
    assert "exported 2 entries" in notes.ok("memory", "export", "--out", out).stderr
    before = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    notes.ok("memory", "clear", "--yes")
    assert notes.ok("memory", "import", out, "--json").json() == {"imported": 2, "skipped": 0}
    after = [json.loads(line) for line in notes.ok("memory", "export").stdout.splitlines()]
    lost = {"id", "superseded_by"}
    assert [{k: v for k, v in row.items() if k not in lost} for row in after] == [
        {k: v for k, v in row.items() if k not in lost} for row in before
    ]


def test_import_keeps_or_refuses_what_is_there(notes: Home) -> None:
    line = '{"key": "tea", "content": "black", "timestamp": "2020-01-01T00:00:00Z"}\n'
    notes.ok("memory", "store", "tea", "green")
    kept = notes.ok("memory", "import", "-", "--on-conflict", "keep", "--json", stdin=line)
    assert kept.json() == {"imported": 0, "skipped": 1}
    assert notes.fails(1, "memory", "import", "-", "--on-conflict", "error", "--json", stdin=line).error()["code"] == (
        "conflict"
    )
    notes.ok("memory", "import", "-", stdin=line)
    entry = notes.ok("memory", "get", "tea", "--json").json()
    assert entry["content"] == "black"
    assert entry["timestamp"].startswith("2020-01-01T00:00:00")


def test_recall_bounds_may_be_ages_and_dates(notes: Home) -> None:
    notes.ok("memory", "store", "tea", "green")
    assert len(notes.ok("memory", "recall", "green", "--since", "1h", "--json").json()["entries"]) == 1
    assert notes.ok("memory", "recall", "green", "--until", "2020-01-01", "--json").json()["entries"] == []
    assert "--since" in notes.fails(2, "memory", "recall", "green", "--since", "soon").stderr


def test_an_empty_backend_is_none_and_the_command_that_chooses_one_is_named(home: Home) -> None:
    empty = {"ZEROCLAW_memory__backend": ""}
    done = home.fails(2, "memory", "recall", "x", env=empty)
    assert "error: no memory backend is chosen" in done.stderr
    assert "zeroclaw config set memory.backend native" in done.stderr
    assert home.fails(2, "memory", "count", "--json", env=empty).error()["code"] == "no_backend"
    assert home.fails(2, "memory", "count", "--backend", "", "--json").error()["code"] == "no_backend"
    assert not home.config_dir.exists()


def test_a_backend_that_is_not_installed_says_so(notes: Home) -> None:
    error = notes.fails(3, "memory", "count", "--backend", "plugin.note", "--json").error()
    assert error["code"] == "plugin_not_found"
    assert "notes" in error["hint"]


def test_a_backend_while_plugins_are_off_names_the_switch(notes: Home) -> None:
    notes.ok("config", "set", "plugins.enabled", "false")
    error = notes.fails(4, "memory", "count", "--json").error()
    assert error["code"] == "gate_off"
    assert "zeroclaw config set plugins.enabled true" in error["hint"]


def test_a_disabled_backend_names_the_command_that_enables_it(notes: Home) -> None:
    notes.ok("plugin", "disable", "notes")
    error = notes.fails(4, "memory", "count", "--json").error()
    assert error["code"] == "gate_off"
    assert "zeroclaw plugin enable notes" in error["hint"]


def test_a_backend_that_policy_refuses_says_which_policy(notes: Home) -> None:
    notes.ok("config", "set", "plugins.security.signature_mode", "strict")
    error = notes.fails(4, "memory", "count", "--json").error()
    assert error["code"] == "unsigned_plugin"
    assert error["hint"]


def test_a_package_without_memory_is_no_backend(notes: Home, tmp_path: Path) -> None:
    skills = tmp_path / "writer"
    (skills / "skills" / "prose").mkdir(parents=True)
    (skills / "skills" / "prose" / "SKILL.md").write_text("---\nname: prose\ndescription: writes\n---\nText\n")
    (skills / "manifest.toml").write_text('name = "writer"\nversion = "1"\ncapabilities = ["skill"]\n')
    notes.ok("plugin", "install", skills)
    error = notes.fails(4, "memory", "count", "--backend", "plugin.writer", "--json").error()
    assert error["code"] == "backend_not_memory"


@pytest.mark.parametrize(
    ("backend", "code", "exit_code"),
    [
        ("none", "backend_disabled", 4),
        ("markdown", "unknown_backend", 1),
        ("notes", "unknown_backend", 1),
        ("plugin.", "unknown_backend", 1),
        ("NATIVE.x", "unknown_backend", 1),
        ("postgres", "not_supported", 1),
        ("provider.x", "provider_not_found", 3),
        ("elephant", "unknown_backend", 1),
    ],
)
def test_another_word_is_an_error_and_never_a_fallback(notes: Home, backend: str, code: str, exit_code: int) -> None:
    assert notes.fails(exit_code, "memory", "count", "--backend", backend, "--json").error()["code"] == code


def test_a_bare_package_name_is_answered_with_the_right_spelling(notes: Home) -> None:
    assert "plugin.notes" in notes.fails(1, "memory", "count", "--backend", "notes").stderr


def test_a_closed_pipe_ends_quietly(notes: Home) -> None:
    import subprocess

    lines = "".join(
        json.dumps({"key": f"k{number}", "content": "x" * 2_000, "timestamp": "2020-01-01T00:00:00Z"}) + "\n"
        for number in range(200)
    )
    notes.ok("memory", "import", "-", stdin=lines)
    from tests.support.command import PROGRAM

    done = subprocess.run(
        ["bash", "-c", f"'{PROGRAM}' memory export {' '.join(BACKEND)} | head -n 1; echo ${{PIPESTATUS[0]}}"],
        env=notes.env(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stderr == ""
