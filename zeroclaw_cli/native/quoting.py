"""What was derived from an entry and goes with it (specs/native-memory.md §21): transcripts that quote it."""

from __future__ import annotations

from collections.abc import Sequence

from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.owners import document_scopes
from zeroclaw_cli.native.paths import in_threads
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.service import NativeDocuments
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.native.transcripts import quotes_of


def forget_transcripts(store: Store, of: Scope, contents: Sequence[str]) -> tuple[str, ...]:
    """Remove the user's transcripts that hold a line of one of ``contents``, of every agent; returns their paths."""
    quotes = {quote for content in contents for quote in quotes_of(content)}
    if not quotes:
        return ()
    gone = []
    for scope in document_scopes(store, of):
        # Shares the store, which its owner closes.
        documents = NativeDocuments(store, scope, NativeSettings(mirror="off"))
        for path in documents.paths():
            if in_threads(path) and any(quote in documents.read(path).content for quote in quotes):
                documents.forget(path, with_history=True)
                gone.append(path)
    return tuple(gone)
