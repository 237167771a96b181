"""What a store of documents can do: inputs of enforcement, not authority (specs/native-memory.md §18)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from zeroclaw_cli.errors import DocumentOperation


class Flag(StrEnum):
    FILE_DOCUMENTS = "file_documents"
    METADATA = "metadata"
    VERSIONING = "versioning"
    PROMPT_WRITE_SAFETY = "prompt_write_safety"
    DELETE = "delete"
    FULL_TEXT_SEARCH = "full_text_search"
    VECTOR_SEARCH = "vector_search"
    EMBEDDINGS = "embeddings"
    GRAPH_MEMORY = "graph_memory"
    TRANSACTIONS = "transactions"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The matrix of a store. The native one has no full-text search where SQLite was built without FTS5."""

    file_documents: bool = True
    metadata: bool = True
    versioning: bool = True
    prompt_write_safety: bool = True
    delete: bool = True
    full_text_search: bool = True
    vector_search: bool = False
    embeddings: bool = False
    graph_memory: bool = False
    transactions: bool = True

    def has(self, flag: Flag) -> bool:
        return bool(getattr(self, flag.value))


def require(capabilities: Capabilities, flag: Flag) -> None:
    """Raise DocumentOperation before any side effect when the store lacks ``flag``.

    The reason is ``search_unsupported`` for the searches and ``unsupported`` for anything else.
    """
    if capabilities.has(flag):
        return
    searching = flag in (Flag.FULL_TEXT_SEARCH, Flag.VECTOR_SEARCH)
    raise DocumentOperation(
        "search_unsupported" if searching else "unsupported",
        f"this memory store has no {flag.value.replace('_', ' ')}",
        hint="ask for full text, without vectors" if flag is Flag.VECTOR_SEARCH else None,
    )
