"""Histories of documents: any sequence of calls on both stores, and writers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.dict_documents import DictDocuments
from tests.support.memory_providers import safe_guard
from zeroclaw_cli.errors import DocumentFailure
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.native.chunking import chunk
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.opening import open_store
from zeroclaw_cli.native.repository import Query, Repository
from zeroclaw_cli.native.scope import DocumentPath, Scope
from zeroclaw_cli.native.write import write

HOME = Scope()
PATHS = st.sampled_from(["a", "a/b", "a/c.md", ".config", "a/.config", "MEMORY.md", "memory"])
TEXTS = st.sampled_from(["", " ", "tea", "green tea\n", "ignore all", "previous", "coffee\ncoffee"])
METADATA = st.none() | st.dictionaries(
    st.sampled_from(["skip_indexing", "skip_versioning", "tag"]), st.sampled_from([True, False, None, "x"]), max_size=2
)


class BothStores(RuleBasedStateMachine):
    """The store in SQLite and the one of dictionaries answer every call alike."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Path(self.folder.name))
        self.stores: list[Repository] = [
            SqliteDocuments(self.store, guard=safe_guard(), keep_versions=3),
            DictDocuments(guard=safe_guard(), keep_versions=3),
        ]

    def both(self, act: Any) -> None:
        seen = []
        for repository in self.stores:
            try:
                seen.append(repr(act(repository)))
            except DocumentFailure as failure:
                seen.append(f"{failure.kind}/{failure.reason}")
        assert seen[0] == seen[1]

    @rule(path=PATHS, text=TEXTS, append=st.booleans(), metadata=METADATA)
    def put(self, path: str, text: str, append: bool, metadata: dict[str, Any] | None) -> None:
        self.both(lambda r: write(r, HOME, WriteRequest(path, text, append=append, metadata=metadata)))

    @rule(path=PATHS, old=TEXTS, new=TEXTS, every=st.booleans())
    def patch(self, path: str, old: str, new: str, every: bool) -> None:
        request = WriteRequest(path, old_string=old, new_string=new, replace_all=every)
        self.both(lambda r: write(r, HOME, request))

    @rule(path=PATHS, text=TEXTS, known=st.sampled_from(["", "tea", "tea\n", "green tea\n"]))
    def rewrite(self, path: str, text: str, known: str) -> None:
        expected = content_hash(known.encode())
        request = WriteRequest(path, text, append=False, expected_content_hash=expected)
        self.both(lambda r: write(r, HOME, request))

    @rule(path=PATHS, with_history=st.booleans())
    def forget(self, path: str, with_history: bool) -> None:
        self.both(lambda r: r.delete(HOME, DocumentPath(HOME, path), with_history=with_history))

    @rule()
    def reindex(self) -> None:
        self.both(lambda r: r.reindex(HOME, HOME))

    @invariant()
    def same(self) -> None:
        if not hasattr(self, "stores"):
            return
        self.both(lambda r: r.list_paths(HOME, HOME))
        for path in self.stores[1].list_paths(HOME, HOME):
            where = DocumentPath(HOME, path)
            self.both(lambda r, where=where: r.read(HOME, where))
            self.both(lambda r, where=where: r.chunks(HOME, where))
            self.both(lambda r, where=where: [(v.number, v.content_hash) for v in r.versions(HOME, where)])
        self.both(lambda r: sorted(hit.path.relative for hit in r.search(HOME, HOME, Query("coffee", limit=20))))

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()


BothStores.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestBothStores = BothStores.TestCase

WRITER = """
import sys
from pathlib import Path
from zeroclaw_cli.native.opening import open_documents
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.memory.documents import TurnMessage, WriteRequest
with open_documents(Path(sys.argv[1]), Scope(), NativeSettings()) as documents:
    for number in range(1_000_000):
        documents.write(WriteRequest("memory", f"fact {number}"))
        documents.write(WriteRequest("notes/a.md", f"text {number}", append=False, metadata={"number": number}))
        documents.record([TurnMessage("user", f"turn {number}")], thread_id="t", run_id=f"r{number}")
        print(number, flush=True)
"""


def check_whole(data: Path, acknowledged: int) -> None:
    """Nothing that was acknowledged is lost, and nothing is half there."""
    with open_store(data) as store:
        repository = SqliteDocuments(store, guard=safe_guard())
        paths = repository.list_paths(HOME, HOME)
        for path in paths:
            where = DocumentPath(HOME, path)
            stored = repository.read(HOME, where)
            assert stored is not None
            assert stored.content_hash == content_hash(stored.body)
            assert repository.chunks(HOME, where) == chunk(stored.body.decode())
        standing = repository.read(HOME, DocumentPath(HOME, "MEMORY.md"))
        note = repository.read(HOME, DocumentPath(HOME, "notes/a.md"))
        assert standing is not None and note is not None
        lines = standing.body.decode().splitlines()
        assert lines == [f"fact {number}" for number in range(len(lines))]
        assert len(lines) > acknowledged
        number = (note.metadata or {})["number"]
        assert note.body == f"text {number}".encode()
        assert number >= acknowledged
        assert len([path for path in paths if path.startswith("threads/t/")]) > acknowledged
        kept = repository.versions(HOME, DocumentPath(HOME, "notes/a.md"))
        assert [version.number for version in kept] == list(range(number, max(number - 50, 0), -1))
        assert store.take_warnings() == []


@pytest.mark.parametrize("rounds", [2, pytest.param(25, marks=pytest.mark.reliability)])
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path, rounds: int) -> None:
    for number in range(rounds):
        data = tmp_path / str(number)
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(data)], stdout=subprocess.PIPE, text=True, env=environment
        ) as writer:
            assert writer.stdout is not None
            last = int(writer.stdout.readline())
            time.sleep(0.05 + 0.013 * number)
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split("\n")
            acknowledged = [int(line) for line in rest[:-1] if line]
        check_whole(data, acknowledged[-1] if acknowledged else last)
