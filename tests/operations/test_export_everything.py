"""An export of everything and its import, for whatever a store may hold."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.native import as_native
from tests.support.packages import config_in
from zeroclaw_cli.backends import open_documents, open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.memory.types import ExportFilter
from zeroclaw_cli.operations.transfer import Imported, export_everything, import_rows, json_lines, read_rows
from zeroclaw_cli.wasm.host import HostOptions

PROJECTS = ("", "home", "work")
# Whatever text can be written: NUL, separators of lines, both ends of the planes, no half of a pair.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a\x00b", "\u2028\r\n", "日本語と tea", "\ufeff", "'; DROP TABLE entries; --", '{"document": 1}', "é" * 40]
)
WORD = TEXT.filter(bool)


class Row(NamedTuple):
    project: str
    key: str
    content: str
    category: str
    session_id: str | None
    namespace: str | None
    importance: float | None
    alias: str | None
    kind: str | None
    pinned: bool


class Page(NamedTuple):
    project: str
    agent: str | None
    path: str
    texts: list[str]
    metadata: dict[str, Any] | None
    forgotten: bool


ROWS = st.builds(
    Row,
    st.sampled_from(PROJECTS),
    WORD,
    TEXT,
    # What a model reads every turn is judged, which is another matter.
    st.sampled_from(["daily", "conversation", "Ωmega", "a b"]),
    st.none() | WORD,
    st.none() | WORD,
    st.none() | st.floats(0, 1),
    st.sampled_from([None, "ada", "bob"]),
    st.none() | WORD,
    st.just(False),
)
PAGES = st.builds(
    Page,
    st.sampled_from(PROJECTS),
    st.sampled_from([None, "ada", "bob"]),
    st.sampled_from(["notes/a.md", "notes/b c.txt", "日本.md", "x/y/z"]),
    st.lists(WORD.filter(lambda text: bool(text.strip())), min_size=1, max_size=4),
    st.none() | st.dictionaries(st.sampled_from(["tag", "skip_indexing"]), st.booleans()),
    st.booleans(),
)


def at(home: Path, project: str) -> Config:
    config = config_in(home)
    native = config.memory.native._replace(project=project)
    return dataclasses.replace(config, memory=dataclasses.replace(config.memory, native=native))


def fill(home: Path, rows: Sequence[Row], pages: Sequence[Page]) -> None:
    for row in rows:
        with open_memory(at(home, row.project), "native", HostOptions()) as memory:
            native = as_native(memory)
            agent = None if row.alias is None else native.ensure_agent_uuid(row.alias)
            about = (row.key, row.content, row.category, row.session_id, row.namespace, row.importance, agent)
            native.store_with_agent(*about, kind=row.kind, pinned=row.pinned)
    for page in pages:
        with open_documents(at(home, page.project), page.agent) as documents:
            for text in page.texts:
                documents.write(WriteRequest(page.path, text, append=False, metadata=page.metadata))
            if page.forgotten:
                documents.forget(page.path)


def exported(home: Path, project: str) -> list[str]:
    config = at(home, project)
    with open_memory(config, "native", HostOptions()) as memory:
        found = export_everything(memory, ExportFilter())
    assert not found.warnings
    return list(json_lines([*found.entries, *found.documents]))


def imported(home: Path, project: str, lines: Sequence[str], on_conflict: OnConflict) -> Imported:
    config = at(home, project)
    rows = read_rows("".join(line + "\n" for line in lines), source="x")
    with open_memory(config, "native", HostOptions()) as memory:
        return import_rows(memory, rows, on_conflict)


def whole(lines: Sequence[str]) -> list[str]:
    """The rows in an order of their own: projects are named only in the exports of others."""
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in lines)


@settings(max_examples=25, deadline=None)
@given(st.lists(ROWS, max_size=6), st.lists(PAGES, max_size=4), st.sampled_from(PROJECTS))
def test_an_export_of_everything_loses_nothing(rows: list[Row], pages: list[Page], project: str) -> None:
    with TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "there")
        fill(here, rows, pages)
        lines = exported(here, project)
        done = imported(there, project, lines, OnConflict.ERROR)
        assert (done.imported, done.skipped, done.warnings) == (len(lines), 0, ())
        assert exported(there, project) == lines
        for other in PROJECTS:
            assert whole(exported(there, other)) == whole(exported(here, other))
        again = imported(there, project, lines, OnConflict.KEEP)
        assert again.imported == 0
        imported(there, project, lines, OnConflict.REPLACE)
        assert exported(there, project) == lines
