"""What recall finds and in which order, and which time and which day are meant: installed command, a process each."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.support.command import Home


def row(key: str, content: str, at: str, **fields: object) -> str:
    return json.dumps({"key": key, "content": content, "category": "core", "timestamp": at, **fields})


def keys(home: Home, *words: str) -> list[str]:
    return [entry["key"] for entry in home.ok("memory", *words, "--json").json()["entries"]]


def test_scripts_without_spaces_emoji_and_function_words_are_found(home: Home) -> None:
    texts = {
        "thai": "ฉันชอบดื่มน้ำชาเขียวทุกเช้า",
        "lao": "ຂ້ອຍມັກດື່ມຊາຂຽວ",
        "khmer": "ខ្ញុំចូលចិត្តតែបៃតង",
        "burmese": "ကျွန်တော်လက်ဖက်ရည်ကြိုက်တယ်",
        "tibetan": "ང་ལ་ཇ་དགའ་པོ་ཡོད།",
        "party": "the plan for Sunday 🎉",
        "heart": "likes ❤️ and dogs",
        "band": "A record of The Who is on the shelf",
        "play": "to be or not to be",
    }
    rows = "\n".join(row(key, text, "2026-01-02T03:04:05Z") for key, text in texts.items())
    home.ok("memory", "import", "-", stdin=rows)
    asked = {
        "น้ำชา": ["thai"],
        "ຊາຂຽວ": ["lao"],
        "បៃតង": ["khmer"],
        "လက်ဖက်ရည်": ["burmese"],
        "དགའ་པོ": ["tibetan"],
        "🎉": ["party"],
        "❤": ["heart"],
        "\ufe0f": [],
        "the who": ["band", "party"],
        "to be or not to be": ["play"],
    }
    assert {query: keys(home, "recall", query) for query in asked} == asked
    home.ok("memory", "doc", "write", "--content", "not for now", "--target", "notes/when.md")
    found = home.ok("memory", "doc", "search", "for now", "--json").json()
    assert [hit["path"] for hit in found["results"]] == ["notes/when.md"]


def test_times_are_those_of_the_text(home: Home) -> None:
    home.ok("memory", "import", "-", stdin=row("tea", "green tea", "2020-05-01T00:00:00Z"))
    assert keys(home, "recall", "tea", "--until", "2021-01-01T00:00:00Z") == ["tea"]
    home.ok("memory", "store", "tea", "black tea")
    assert keys(home, "recall", "tea", "--since", "2026-01-01T00:00:00Z") == ["tea"]
    assert keys(home, "recall", "tea", "--until", "2021-01-01T00:00:00Z") == []
    assert "tea" in home.ok("memory", "export", "--since", "2026-01-01T00:00:00Z").stdout
    assert home.ok("memory", "export", "--until", "2021-01-01T00:00:00Z").stdout == ""
    shown = home.ok("memory", "get", "tea").stdout
    assert "Timestamp: 2020-05-01T00:00:00Z" in shown
    assert "Updated: 20" in shown


def test_the_context_of_an_agent_dates_its_rows_and_marks_those_of_nobody(home: Home) -> None:
    rows = [
        row("old", "the harbour opens at eight", "2026-01-02T03:04:05Z"),
        row("new", "the harbour opens at seven", "2026-03-01T03:04:05Z"),
    ]
    home.ok("memory", "import", "-", stdin="\n".join(rows))
    home.ok("memory", "store", "own", "the harbour is far", "--agent", "alice")
    home.ok("memory", "store", "other", "the harbour is near", "--agent", "bob")
    block = home.ok("memory", "context", "harbour", "--agent", "alice", "--json").json()
    shown = {snippet["path"]: (snippet["date"], snippet["text"]) for snippet in block["snippets"]}
    assert set(shown) == {"entries/own", "entries/old", "entries/new"}
    assert shown["entries/new"] == (
        "2026-03-01",
        "Untrusted memory content: (2026-03-01, shared) the harbour opens at seven",
    )
    paths = [snippet["path"] for snippet in block["snippets"]]
    assert paths.index("entries/new") < paths.index("entries/old")
    assert "shared" not in shown["entries/own"][1]


def test_the_timezone_of_the_profile_names_the_day_of_the_log(home: Home) -> None:
    now = datetime.now(UTC)
    # One of the two is in another day than UTC at any hour.
    zone = next(
        name for name in ("Pacific/Kiritimati", "Pacific/Niue") if now.astimezone(ZoneInfo(name)).day != now.day
    )
    home.ok("memory", "profile", "set", "--timezone", zone)
    done = home.ok("memory", "doc", "write", "--content", "a note", "--json").json()
    assert done["path"] in {f"daily/{at.astimezone(ZoneInfo(zone)):%Y-%m-%d}.md" for at in (now, datetime.now(UTC))}
    assert (
        home.ok("memory", "doc", "write", "--content", "a note", "--timezone", "UTC", "--json").json()["path"]
        != done["path"]
    )


def test_importance_is_from_0_to_1_at_every_door(home: Home) -> None:
    for value in ("2", "-0.1", "nan"):
        home.fails(2, "memory", "store", "k", "text", "--importance", value)
    for given in (2, -1, "0.5", True):
        line = row("k", "text", "2026-01-02T03:04:05Z", importance=given)
        done = home.run("memory", "import", "-", stdin=line)
        assert done.code != 0
        assert "importance must be a number from 0 to 1" in done.stderr
    assert home.ok("memory", "count").stdout.strip() == "0"


def test_an_index_of_the_format_before_is_read_and_rebuilt_by_the_first_write(home: Home) -> None:
    home.ok("memory", "store", "thai", "ฉันชอบน้ำชา and tea")
    database = next(home.path.rglob("native.db"))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("DROP TABLE chunks_fts")
        connection.execute("UPDATE chunks SET body = ' ฉันชอบน้ําชา  tea '")
        connection.execute(
            "CREATE VIRTUAL TABLE chunks_fts USING fts5 (body, label, dates, speaker, content = 'chunks', "
            "content_rowid = 'id', tokenize = \"porter unicode61 remove_diacritics 2 categories 'L* M* N* Co Cn'\")"
        )
        connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("COMMIT")
    assert keys(home, "recall", "tea") == ["thai"]
    assert keys(home, "recall", "น้ำชา") == []
    home.ok("memory", "store", "other", "coffee 🎉")
    assert keys(home, "recall", "น้ำชา") == ["thai"]
    assert keys(home, "recall", "🎉") == ["other"]
    home.ok("doctor")


def test_a_document_that_the_wake_cannot_carry_is_said_at_the_write(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("config", "set", "memory.kernel.max_wake_characters", "2000")
    text = "a line that is remembered\n" * 100
    done = home.ok("memory", "doc", "write", "--content", text, "--target", "memory")
    assert "MEMORY.md has 2600 characters and the wake may have 2000" in done.stderr
    done = home.ok("memory", "doc", "write", "--content", "short", "--replace", "--target", "memory")
    assert "wake" not in done.stderr
