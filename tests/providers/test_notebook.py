"""The bundled provider, as the host runs it."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.providers import discovery, loading
from zeroclaw_cli.providers.home import using_home

TOOLS = ["notebook_add", "notebook_search", "notebook_list", "notebook_remove"]


def load(home: Path) -> Any:
    return loading.load(discovery.find(home, "notebook", {}, home), home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def notebook(home: Path) -> Iterator[Any]:
    provider = load(home)
    provider.initialize(session_id="s1", vibeos_home=str(home), platform="cli", agent_context="primary")
    yield provider
    provider.shutdown()


def call(provider: Any, tool: str, **args: Any) -> Any:
    return json.loads(provider.handle_tool_call(f"notebook_{tool}", args))


def test_a_note_comes_back_whole(notebook: Any) -> None:
    text = "Ada drinks green tea\nwith ☂ and 抹茶"
    added = call(notebook, "add", content=text, key="tea", category="core", session="s9")
    assert added["key"] == "tea"
    (found,) = call(notebook, "list")["notes"]
    assert found == added
    assert (found["content"], found["category"], found["session"]) == (text, "core", "s9")
    assert found["created_at"].endswith("Z")


def test_the_same_key_replaces_and_is_not_found_by_its_old_words(notebook: Any) -> None:
    call(notebook, "add", content="green tea", key="tea")
    call(notebook, "add", content="black coffee", key="tea")
    assert call(notebook, "list")["total"] == 1
    assert call(notebook, "search", query="green")["notes"] == []
    assert [note["key"] for note in call(notebook, "search", query="coffee")["notes"]] == ["tea"]


def test_a_key_has_a_note_for_each_agent(notebook: Any) -> None:
    for agent in ("", "a", "b"):
        call(notebook, "add", content=f"of {agent}", key="tea", agent=agent, namespace="kitchen", importance=0.5)
    call(notebook, "add", content="of a, later", key="tea", agent="a")
    notes = call(notebook, "list")["notes"]
    assert [(note["agent"], note["content"]) for note in notes] == [("a", "of a, later"), ("b", "of b"), (None, "of ")]
    assert (notes[1]["namespace"], notes[1]["importance"]) == ("kitchen", 0.5)
    assert call(notebook, "remove", key="tea", agent="a")["removed"]
    assert call(notebook, "list")["total"] == 2
    assert call(notebook, "remove", key="tea")["removed"]
    assert call(notebook, "list")["total"] == 0


def test_a_removal_without_a_key_removes_nothing(notebook: Any) -> None:
    call(notebook, "add", content="x")
    assert "key is empty" in call(notebook, "remove")["error"]
    assert not notebook._store.remove("")
    assert call(notebook, "list")["total"] == 1


def test_a_removed_note_is_gone_from_everything(notebook: Any) -> None:
    call(notebook, "add", content="green tea", key="tea")
    assert call(notebook, "remove", key="tea") == {"removed": True}
    assert call(notebook, "remove", key="tea") == {"removed": False}
    assert call(notebook, "search", query="tea") == {"notes": [], "count": 0}


def test_the_best_match_is_first_and_the_newest_without_words(notebook: Any) -> None:
    call(notebook, "add", content="tea and many other things besides that nobody asked about", key="weak")
    call(notebook, "add", content="green tea", key="strong")
    call(notebook, "add", content="something else", key="new")
    assert [note["key"] for note in call(notebook, "search", query="green tea")["notes"]] == ["strong", "weak"]
    for query in ("", "*", " ?! "):
        assert [note["key"] for note in call(notebook, "search", query=query, limit=2)["notes"]] == ["new", "strong"]


def test_list_pages_and_counts_what_it_filters(notebook: Any) -> None:
    for number in range(5):
        call(notebook, "add", content=f"n{number}", key=f"k{number}", category="a" if number % 2 else "b")
    page = call(notebook, "list", category="b", limit=2, offset=1)
    assert ([note["key"] for note in page["notes"]], page["total"]) == (["k2", "k0"], 3)


@pytest.mark.parametrize(
    ("tool", "args", "error"),
    [
        ("add", {}, "content is empty"),
        ("add", {"content": 3}, "content must be a string"),
        ("add", {"content": "x", "importance": "high"}, "importance must be a number"),
        ("add", {"content": "x", "importance": float("inf")}, "importance must be a number"),
        ("search", {"query": "x", "limit": 0}, "limit must be an integer of at least 1"),
        ("list", {"limit": True}, "limit must be an integer"),
        ("list", {"offset": -1}, "offset must be an integer of at least 0"),
        ("list", {"limit": 2**70}, "limit must be an integer"),
        ("paint", {}, "there is no tool notebook_paint"),
    ],
)
def test_a_call_that_makes_no_sense_is_an_error_object(
    notebook: Any, tool: str, args: dict[str, Any], error: str
) -> None:
    assert error in call(notebook, tool, **args)["error"]


def test_before_and_after_its_life_it_serves_nothing_and_raises_nothing(home: Path) -> None:
    provider = load(home)
    assert "not open" in call(provider, "list")["error"]
    assert provider.prefetch("tea") == ""
    provider.sync_turn("q", "a")
    provider.on_memory_write("add", "memory", "x")
    provider.initialize(session_id="s", vibeos_home=str(home))
    provider.shutdown()
    provider.shutdown()
    assert "not open" in call(provider, "list")["error"]
    assert provider.prefetch("tea") == ""


def test_looking_at_it_makes_no_file(home: Path) -> None:
    with using_home(home):
        provider = load(home)
        assert provider.is_available()
        assert [schema["name"] for schema in provider.get_tool_schemas()] == TOOLS
        provider.get_config_schema()
        provider.get_status_config({})
        assert provider.backup_paths() == []
    assert list(home.iterdir()) == []


def test_a_prefetch_gives_matching_notes_and_how_many(notebook: Any) -> None:
    assert notebook.prefetch("anything at all") == ""
    assert notebook.recall_status() is None
    call(notebook, "add", content="Ada drinks\ngreen tea", category="core")
    text = notebook.prefetch("what does Ada drink?")
    assert text.startswith("- Ada drinks green tea (core, ")
    assert notebook.recall_status().count == 1
    assert notebook.prefetch("thanks!") == ""


def test_a_long_note_does_not_fill_the_prompt(notebook: Any) -> None:
    call(notebook, "add", content="tea " * 5_000)
    assert len(notebook.prefetch("tell me about tea")) < 700


def test_the_recall_limit_holds(home: Path) -> None:
    provider = load(home)
    provider.save_config({"recall_limit": 2}, str(home))
    provider.initialize(session_id="s", vibeos_home=str(home))
    for number in range(4):
        call(provider, "add", content=f"tea {number}")
    assert len(provider.prefetch("which tea").splitlines()) == 2
    provider.shutdown()


def test_turns_are_kept_with_their_session(notebook: Any) -> None:
    notebook.sync_turn("which tea?", "green")
    notebook.on_session_switch("s2", reset=True, reason="new_session")
    notebook.sync_turn("and now?", "black")
    notebook.sync_turn("named", "session", session_id="s7", messages=[])
    notes = call(notebook, "list", category="conversation")["notes"]
    assert [note["session"] for note in notes] == ["s7", "s2", "s1"]
    assert notes[2]["content"] == "User: which tea?\nAssistant: green"


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_turns_of_others_than_the_person_are_not_kept(home: Path, context: str) -> None:
    provider = load(home)
    provider.initialize(session_id="s", vibeos_home=str(home), agent_context=context)
    provider.sync_turn("q", "a")
    assert call(provider, "list")["total"] == 0
    provider.shutdown()


def test_turns_are_not_kept_when_it_is_told_so(home: Path) -> None:
    provider = load(home)
    provider.save_config({"keep_turns": False}, str(home))
    provider.initialize(session_id="s", vibeos_home=str(home))
    provider.sync_turn("q", "a")
    assert call(provider, "list")["total"] == 0
    provider.shutdown()


def test_built_in_writes_are_mirrored_once_and_follow_changes(notebook: Any) -> None:
    notebook.on_memory_write("add", "user", "likes tea", {"session_id": "s1"})
    notebook.on_memory_write("add", "user", "likes tea")
    notebook.on_memory_write("add", "memory", "uses git")
    notebook.on_memory_write("replace", "user", "likes coffee", {"old_text": "likes tea"})
    notebook.on_memory_write("remove", "memory", "uses git")
    notes = call(notebook, "list")["notes"]
    assert [(note["category"], note["content"]) for note in notes] == [("builtin-user", "likes coffee")]


def mirrored(provider: Any) -> list[str]:
    return sorted(note["content"] for note in call(provider, "list", limit=100)["notes"])


def test_a_forgotten_row_takes_its_own_note_and_no_other(notebook: Any) -> None:
    rows = {"a": "tea", "b": "Ada drinks green tea.", "c": "tea", "%": "tea"}
    for key, text in rows.items():
        notebook.on_memory_write("add", "memory", text, {"key": key})
    notebook.on_memory_write("add", "memory", "tea", {"key": "a", "agent": "ada"})
    notebook.on_memory_write("add", "memory", "tea", {"key": "a", "project": "p"})
    notebook.on_memory_write("add", "memory", "the tool's tea")
    call(notebook, "add", content="my own tea", key="a")
    notebook.on_memory_write("remove", "memory", "tea", {"key": "a"})
    assert mirrored(notebook) == sorted([*list(rows.values())[1:], "tea", "tea", "the tool's tea", "my own tea"])
    notebook.on_memory_write("replace", "user", "coffee", {"key": "c", "old_text": "tea"})
    assert mirrored(notebook).count("tea") == 3
    (replaced,) = call(notebook, "search", query="coffee")["notes"]
    assert (replaced["key"], replaced["category"]) == ("builtin:c", "builtin-user")


def test_a_note_of_a_row_has_what_the_row_has(notebook: Any) -> None:
    about = {"key": "k", "agent": "ada", "session_id": "s9", "namespace": "kitchen", "importance": 0.5}
    notebook.on_memory_write("add", "memory", "tea", about)
    (note,) = call(notebook, "list")["notes"]
    assert [note[name] for name in ("agent", "session", "namespace", "importance")] == ["ada", "s9", "kitchen", 0.5]


def test_no_line_of_a_document_outlives_the_document(notebook: Any) -> None:
    here = {"path": "MEMORY.md"}
    notebook.on_memory_write("add", "memory", "likes tea\n\nlives in Graz", here)
    notebook.on_memory_write("add", "memory", "likes tea", {"path": "other.md"})
    notebook.on_memory_write("add", "memory", "has a cat", here)
    changed = {**here, "old_text": "tea", "document": "likes coffee\n\nlives in Graz\n\nhas a cat\n"}
    notebook.on_memory_write("replace", "memory", "coffee", changed)
    assert mirrored(notebook) == ["has a cat", "likes coffee", "likes tea", "lives in Graz"]
    whole = {**here, "old_text": "likes coffee\n\nlives in Graz\n\nhas a cat\n"}
    notebook.on_memory_write("replace", "memory", "lives in Linz", whole)
    assert mirrored(notebook) == ["likes tea", "lives in Linz"]
    notebook.on_memory_write("remove", "memory", "lives in Linz\n", here)
    assert mirrored(notebook) == ["likes tea"]


def test_a_text_alone_removes_a_note_only_when_it_is_the_only_one(notebook: Any) -> None:
    for text in ("likes tea", "likes green tea", "tea"):
        notebook.on_memory_write("add", "user", text)
    notebook.on_memory_write("remove", "user", "tea")
    assert mirrored(notebook) == ["likes green tea", "likes tea"]
    with pytest.raises(ValueError, match="2 notes have the text"):
        notebook.on_memory_write("replace", "user", "likes coffee", {"old_text": "likes"})
    notebook.on_memory_write("remove", "user", "", {"old_text": "green"})
    assert mirrored(notebook) == ["likes coffee", "likes tea"]


def test_notes_of_a_notebook_that_knew_rows_by_their_texts_go_with_the_rows(notebook: Any) -> None:
    for text in ("Ada drinks tea", "tea", "a line"):
        notebook.on_memory_write("add", "memory", text)
    notebook.on_memory_write("remove", "memory", "tea", {"key": "a"})
    assert mirrored(notebook) == ["Ada drinks tea", "a line"]
    notebook.on_memory_write("replace", "memory", "new", {"path": "MEMORY.md", "old_text": "x\na line\n"})
    assert mirrored(notebook) == ["Ada drinks tea", "new"]


def test_notes_of_a_notebook_that_knew_documents_by_their_texts_go_with_what_is_gone(notebook: Any) -> None:
    for text in ("Ada lives in Berlin.", "Graz", "has a cat\n\nhas a dog", "Ada lives in Linz."):
        notebook.on_memory_write("add", "memory", text)
    notebook.on_memory_write("add", "user", "timezone: Europe/Berlin\nlocation: Berlin")
    here = {"path": "MEMORY.md"}
    before = "Ada lives in Berlin.\n\nborn in Graz\n\nhas a cat\n\nhas a dog\n"
    after = before.replace("Berlin", "Berlin-Mitte")
    patch = {**here, "old_text": "Berlin", "document_before": before, "document": after}
    notebook.on_memory_write("replace", "memory", "Berlin-Mitte", patch)
    assert "Ada lives in Berlin." not in mirrored(notebook)
    notebook.on_memory_write("add", "memory", "likes tea", here)
    notebook.on_memory_write("remove", "memory", f"{after}\nlikes tea\n", here)
    assert mirrored(notebook) == ["Ada lives in Linz.", "timezone: Europe/Berlin\nlocation: Berlin"]
    profile = {"path": "profile", "old_text": "timezone: Europe/Berlin\nlocale: de\nlocation: Berlin"}
    notebook.on_memory_write("replace", "user", "location: Linz", profile)
    assert mirrored(notebook) == ["Ada lives in Linz.", "location: Linz"]


def test_many_changes_at_once_are_written_through_now_and_then_and_at_the_end(
    notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = notebook._store
    module = sys.modules[type(store).__module__]
    synced: list[str] = []
    monkeypatch.setattr(module, "_sync", lambda file: synced.append(file.name))
    monkeypatch.setattr(module, "_BULK_SYNC_S", 3600.0)
    modes = []
    store._connection.set_trace_callback(lambda sql: modes.append(sql) if "synchronous" in sql else None)
    for number in range(20):
        notebook.on_memory_write("add", "memory", f"row {number}", {"key": f"k{number}"})
    assert [mode.rpartition(" ")[2] for mode in modes] == ["NORMAL"] * 20
    assert synced == []
    call(notebook, "remove", key="nothing")
    assert synced == ["notes.db-wal"]
    notebook.on_memory_write("add", "memory", "last", {"key": "last"})
    notebook.shutdown()
    assert synced == ["notes.db-wal"] * 2


def test_a_single_change_is_on_the_disk_when_it_is_told(notebook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[type(notebook._store).__module__], "_BULK_SYNC_S", 0.0)
    modes: list[str] = []
    notebook._store._connection.set_trace_callback(modes.append)
    notebook.on_memory_write("add", "memory", "tea", {"key": "k"})
    assert "PRAGMA synchronous = FULL" in modes


def test_a_sub_agent_adds_nothing_and_what_it_removes_is_gone(home: Path, notebook: Any) -> None:
    notebook.on_memory_write("add", "memory", "old", {"key": "k"})
    other = load(home)
    other.initialize(session_id="s", vibeos_home=str(home), agent_context="subagent")
    other.on_memory_write("add", "memory", "hers", {"key": "m"})
    other.on_memory_write("replace", "memory", "hers", {"key": "k", "old_text": "old"})
    assert mirrored(other) == []
    other.shutdown()


def test_files_are_for_the_user_alone_and_below_the_home(notebook: Any, home: Path) -> None:
    notebook.save_config({"recall_limit": 3}, str(home))
    notebook.sync_turn("q", "a")
    assert [path.name for path in home.iterdir()] == ["notebook"]
    for path in (home / "notebook").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE((home / "notebook").stat().st_mode) == 0o700


def test_saving_one_value_keeps_the_others(home: Path) -> None:
    with using_home(home):
        provider = load(home)
        provider.save_config({"recall_limit": 3}, str(home))
        provider.save_config({"keep_turns": False}, str(home))
        assert provider.get_status_config({}) == {"keep_turns": False, "recall_limit": 3}
        assert [field["default"] for field in provider.get_config_schema()] == [False, 3]


@pytest.mark.parametrize("text", ["{", "[]"])
def test_damaged_settings_are_named(home: Path, text: str) -> None:
    (home / "notebook").mkdir()
    (home / "notebook" / "config.json").write_text(text)
    with pytest.raises(ValueError, match=r"config\.json"):
        load(home).initialize(session_id="s", vibeos_home=str(home))


def test_a_damaged_store_is_an_error_and_is_not_replaced(home: Path) -> None:
    (home / "notebook").mkdir()
    file = home / "notebook" / "notes.db"
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError):
        load(home).initialize(session_id="s", vibeos_home=str(home))
    assert file.read_bytes() == b"no database" * 1000


def test_two_homes_share_nothing(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        home = tmp_path / name
        home.mkdir()
        provider = load(home)
        provider.initialize(session_id="s", vibeos_home=str(home))
        call(provider, "add", content=name)
        found.append(provider)
    assert type(found[0]) is not type(found[1])
    assert [note["content"] for note in call(found[1], "list")["notes"]] == ["two"]
    for provider in found:
        provider.shutdown()


def test_the_calls_of_all_threads_at_once_lose_nothing(notebook: Any) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(25):
                notebook.sync_turn(f"question {number} {turn}", "answer")
                notebook.prefetch(f"question number {turn}")
                call(notebook, "add", content=f"note {number} {turn}", key=f"{number}-{turn}")
                call(notebook, "list", limit=5)
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert call(notebook, "list")["total"] == 6 * 25 * 2


def test_a_shutdown_amid_calls_raises_nothing_but_a_closed_store(home: Path) -> None:
    provider = load(home)
    provider.initialize(session_id="s", vibeos_home=str(home))
    unexpected: list[BaseException] = []
    started = threading.Event()

    def work() -> None:
        for turn in range(2_000):
            try:
                provider.sync_turn(f"q{turn}", "a")
                started.set()
            except sqlite3.ProgrammingError:
                return
            except BaseException as failure:  # noqa: BLE001
                unexpected.append(failure)
                return

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(10)
    provider.shutdown()
    thread.join()
    assert unexpected == []


WRITER = """
import json, sys
from pathlib import Path
from zeroclaw_cli.providers import discovery, loading
home = Path(sys.argv[1])
provider = loading.load(discovery.find(home, "notebook", {}, home), home)
provider.initialize(session_id=sys.argv[2], vibeos_home=str(home))
for turn in range(40):
    provider.sync_turn(f"q{turn}", "a")
provider.shutdown()
"""


def test_processes_write_side_by_side(home: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(home), f"p{number}"]) for number in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    provider = load(home)
    provider.initialize(session_id="s", vibeos_home=str(home))
    assert [call(provider, "list", session=f"p{number}")["total"] for number in range(3)] == [40, 40, 40]
    provider.shutdown()


def test_nothing_appears_in_the_users_home(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    env = {**os.environ, "HOME": str(empty), "XDG_CONFIG_HOME": str(empty), "XDG_DATA_HOME": str(empty)}
    subprocess.run([sys.executable, "-c", WRITER, str(home), "s"], env=env, cwd=empty, check=True, timeout=60)
    assert list(empty.iterdir()) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.text(), st.text(min_size=1))
def test_any_query_over_any_text_is_no_error(notebook: Any, query: str, content: str) -> None:
    try:
        content.encode("utf-8")
        query.encode("utf-8")
    except UnicodeEncodeError:
        return
    call(notebook, "add", content=content, key="k")
    found = call(notebook, "search", query=query)
    assert "error" not in found
    assert found["count"] <= 1


@given(st.lists(st.tuples(st.sampled_from(["add", "remove"]), st.sampled_from("abc"), st.sampled_from("xyz"))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_history_leaves_what_a_dict_would_and_an_index_that_agrees(
    notebook: Any, history: list[tuple[str, str, str]]
) -> None:
    for key in "abc":
        call(notebook, "remove", key=key)
    model: dict[str, str] = {}
    for action, key, word in history:
        if action == "add":
            call(notebook, "add", content=word, key=key)
            model[key] = word
        else:
            assert call(notebook, "remove", key=key)["removed"] == (model.pop(key, None) is not None)
    assert {note["key"]: note["content"] for note in call(notebook, "list", limit=100)["notes"]} == model
    for word in "xyz":
        found = {note["key"] for note in call(notebook, "search", query=word)["notes"]}
        assert found == {key for key, content in model.items() if content == word}
