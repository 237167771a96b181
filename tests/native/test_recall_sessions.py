"""A recall in a session: its rows and those of no session (specs/native-memory.md §22.3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.memory.requests import RecallRequest
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.native.memory import NativeMemory, open_memory
from zeroclaw_cli.native.opening import open_documents
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.settings import NativeSettings


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[NativeMemory]:
    with open_memory(tmp_path) as opened:
        opened.store_with_agent("here", "green tea", "core", "s1", None, None, "ana")
        opened.store_with_agent("there", "green tea", "core", "s2", "kitchen", None, "ana")
        opened.store_with_agent("nowhere", "green tea", "core", None, "kitchen", None, "ana")
        yield opened


def keys(entries: list[Entry]) -> list[str]:
    return sorted(entry.key for entry in entries)


@pytest.mark.parametrize("query", ["green", "", "*"])
def test_rows_of_no_session_come_too_and_those_of_another_never(memory: NativeMemory, query: str) -> None:
    assert keys(memory.recall(query, 9, "s1", None, None)) == ["here", "nowhere"]
    assert keys(memory.recall(query, 9, "s3", None, None)) == ["nowhere"]
    assert keys(memory.recall(query, 9, None, None, None)) == ["here", "nowhere", "there"]
    assert keys(memory.recall_for_agents(["ana"], query, 9, "s1", None, None)) == ["here", "nowhere"]
    assert keys(memory.recall_for_agents(["bob"], query, 9, "s1", None, None)) == []
    assert keys(memory.recall_namespaced("kitchen", query, 9, "s1", None, None)) == ["nowhere"]
    explained = memory.ranked(RecallRequest(query, 9, "s2", namespace="kitchen"))
    assert keys([found.entry for found in explained]) == ["nowhere", "there"]


def test_a_list_an_export_and_a_purge_take_the_session_alone(memory: NativeMemory) -> None:
    assert keys(memory.list_entries(None, "s1")) == ["here"]
    assert keys(list(memory.page(None, "s1", limit=9).entries)) == ["here"]
    assert keys(memory.export_entries(ExportFilter(session_id="s1"))) == ["here"]
    assert memory.purge_session("s1") == 1
    assert keys(memory.list_entries(None, None)) == ["nowhere", "there"]


def test_documents_belong_to_no_session(memory: NativeMemory, tmp_path: Path) -> None:
    with open_documents(tmp_path, Scope(), NativeSettings(mirror="off")) as documents:
        documents.write(WriteRequest("notes/tea.md", "green tea of the garden", append=False))
    assert keys(memory.recall("green", 9, "s1", None, None)) == ["here", "notes/tea.md", "nowhere"]


def test_conversations_of_other_threads_and_of_none_are_no_context(memory: NativeMemory, tmp_path: Path) -> None:
    memory.store("mine", "mine of the walrus", "conversation", "t1")
    memory.store("loose", "loose of the walrus", "conversation", None)
    memory.store("other", "other of the walrus", "conversation", "t2")
    with open_documents(tmp_path, Scope(), NativeSettings(mirror="off")) as documents:
        block = documents.context("walrus", thread_id="t1")
    assert [snippet.path for snippet in block.snippets] == ["entries/mine"]
