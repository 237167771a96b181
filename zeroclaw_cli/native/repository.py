"""The protocol of a store of documents, and its values (specs/native-memory.md §2, §6, §15, §18).

``context`` is the scope that the caller may touch; each call refuses a path of another scope. All that a write changes
(body, metadata, version, parts for search) changes together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Protocol

from zeroclaw_cli.errors import DocumentConflict
from zeroclaw_cli.memory.documents import Version
from zeroclaw_cli.memory.export_rows import PastText
from zeroclaw_cli.native.capabilities import Capabilities
from zeroclaw_cli.native.safety import Operation
from zeroclaw_cli.native.scope import DocumentPath, Scope

MAX_BODY_BYTES = 1_048_576


class Expect(Enum):
    """What a write expects to find: anything, or no document. A content hash (str) expects exactly that body."""

    ANYTHING = "anything"
    ABSENT = "absent"


class HashConflict(DocumentConflict):
    """The body is not the expected one; ``current`` is its hash, empty when there is no document."""

    def __init__(self, current: str) -> None:
        super().__init__(
            "conflict",
            "the document changed since it was read" if current else "the document does not exist",
            hint="read it again and repeat the change on its current text",
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored document: its bytes, their hash, its own metadata as it was given (None: it has none of its own), and
    the RFC 3339 times of its creation and last change (empty where the store keeps none)."""

    path: DocumentPath
    body: bytes
    content_hash: str
    metadata: Mapping[str, Any] | None = None
    created_at: str = field(default="", compare=False, repr=False)
    updated_at: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a write is judged and recorded. ``overlay`` is merged over the stored metadata; ``allowance`` is good for
    this write alone, and only where its path is protected. ``created_at`` and ``updated_at`` are RFC 3339 times that
    an import brings along, empty means now; ``history`` are the versions that come with them."""

    operation: Operation = "write"
    overlay: Mapping[str, Any] | None = None
    allowance: str | None = None
    source: str = "native"
    audit_context: str = ""
    created_at: str = ""
    updated_at: str = ""
    history: Sequence[PastText] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left behind. ``changed`` is false when the body is what it was."""

    content_hash: str
    size: int
    changed: bool
    archived: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A document found by a search: its best part as it is, and its score, 1.0 for the first.

    An entry is found under ``entries/<key>`` with ``is_entry``. The hits of two searches for the halves of one question
    (:class:`Query`, ``given``), sorted together by ``rank``, are in the order of one search for both; its first item
    is how well the hit answers, the lower the better. ``at`` is the time of its last change, and ``shared`` says that
    the entry belongs to no agent where an agent's were asked for.
    """

    path: DocumentPath
    text: str
    score: float
    is_entry: bool = False
    rank: tuple[float, int, int] = (0.0, 0, 0)
    at: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A search. ``limit`` is clamped to 1..1000, ``candidates`` (looked at before documents are told apart) to
    ``limit``..5000. ``threads`` says which transcripts may be found: ``none``, ``all``, those of ``thread_id`` beside
    everything else (``own``), or those alone (``only``). ``entries`` adds entries of the store's other half: the
    ``durable`` ones (core, daily and pinned), or those of the conversation ``thread_id`` (``thread``). ``given`` leaves
    all of this to be ranked together, and has the limits hold for the documents, or the entries, which alone are found.
    Hits below ``min_score`` (0 to 1, after the first has got 1.0) are left out. ``fusion`` says how a store that ranks
    by words and by vectors joins the two; one that has words alone does not look at it."""

    text: str
    limit: int = 5
    candidates: int = 20
    threads: Literal["none", "own", "only", "all"] = "none"
    thread_id: str | None = None
    entries: Literal["none", "durable", "thread"] = "none"
    given: Literal["all", "documents", "entries"] = "all"
    full_text: bool = True
    vector: bool = False
    min_score: float = 0.0
    fusion: Literal["reciprocal_rank", "weighted_rank"] = "reciprocal_rank"


# The new body from the present one (None: no document); may raise to leave everything as it is.
Change = Callable[[Stored | None], bytes]


class Repository(Protocol):
    """A store of documents. Safe for use from several threads at once."""

    @property
    def capabilities(self) -> Capabilities: ...

    def read(self, context: Scope, path: DocumentPath) -> Stored | None: ...

    def update(
        self,
        context: Scope,
        path: DocumentPath,
        change: Change,
        *,
        expect: Expect | str = Expect.ANYTHING,
        options: WriteOptions = WriteOptions(),
    ) -> Written:
        """Replace the body by what ``change`` makes of it.

        Raises HashConflict when the body is not the expected one; DocumentOperation ``scope_mismatch``,
        ``path_conflict``, ``schema_validation`` or a reason of the safety check; DocumentInput ``too_large``.
        """
        ...

    def delete(
        self,
        context: Scope,
        path: DocumentPath,
        *,
        with_history: bool = False,
        expect: Expect | str = Expect.ANYTHING,
    ) -> tuple[bool, int]:
        """Remove a document; whether it was there, and how many versions went with it.

        Raises HashConflict when the body is not the expected one.
        """
        ...

    def list_paths(self, context: Scope, scope: Scope) -> list[str]:
        """Every document path of the scope, by code point."""
        ...

    def search(self, context: Scope, scope: Scope, query: Query) -> list[Hit]:
        """The best documents, score descending, then path.

        Raises DocumentOperation ``search_unsupported`` when the store has no full-text search or is asked for vectors.
        """
        ...

    def versions(self, context: Scope, path: DocumentPath) -> list[Version]: ...
    def read_version(self, context: Scope, path: DocumentPath, number: int) -> bytes | None: ...
    def forgotten_paths(self, context: Scope, scope: Scope) -> list[str]:
        """The paths, by code point, of documents that were forgotten without their versions."""
        ...

    def bring_history(self, context: Scope, path: DocumentPath, history: Sequence[PastText]) -> int:
        """Give a path the versions of a document that was forgotten elsewhere; how many were not there yet."""
        ...

    def chunks(self, context: Scope, path: DocumentPath) -> list[str]:
        """The parts of a document that search sees, in order."""
        ...

    def replace_chunks(self, context: Scope, path: DocumentPath, content_hash: str, chunks: Sequence[str]) -> bool:
        """Replace the parts if the body still has ``content_hash`` and may be indexed; whether it was done."""
        ...

    def clear_unindexed(self, context: Scope, path: DocumentPath) -> int:
        """Remove the parts of what ``path`` (a document, or a folder's ``.config``) keeps out of the search.

        Returns how many documents lost their parts: none when ``path`` does not exist.
        """
        ...

    def reindex(self, context: Scope, scope: Scope) -> int:
        """Rebuild the parts of every document of the scope; returns how many documents there are."""
        ...


def write(
    repository: Repository,
    context: Scope,
    path: DocumentPath,
    body: bytes,
    *,
    expect: Expect | str = Expect.ANYTHING,
    options: WriteOptions = WriteOptions(),
) -> Written:
    """Make ``body`` the whole document; raises as :meth:`Repository.update`."""
    return repository.update(context, path, lambda _: body, expect=expect, options=options)
