"""What the notebook keeps of the host's own memory: a note for each row, notes for each document.

The host names what it changes: a row by its ``key``, a document by its ``path``, each with ``agent`` and ``project``
where it has them. What is named is found again by that name, so that a removal takes it and nothing else. A host that
names nothing, only a text, removes the one note that has it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from .store import NewNote, NoteStore

_TARGETS: Final = ("memory", "user")


class Change(NamedTuple):
    """One change of the host's memory, as ``on_memory_write`` is told of it. ``session`` is the running one."""

    action: str
    target: str
    content: str
    metadata: Mapping[str, Any]
    session: str

    @property
    def removes(self) -> bool:
        return self.action in ("replace", "remove")

    @property
    def adds(self) -> bool:
        return self.action in ("add", "replace")

    @property
    def category(self) -> str:
        return f"builtin-{self.target}"

    @property
    def gone(self) -> str:
        """The text that is no longer there; empty when it is not known, or nothing is gone."""
        if not self.removes:
            return ""
        return self.word("old_text") or (self.content if self.action == "remove" else "")

    def word(self, name: str) -> str:
        value = self.metadata.get(name)
        return value if isinstance(value, str) else ""


def follow(store: NoteStore, change: Change, *, keeps: bool) -> None:
    """Let the notes follow ``change``. Without ``keeps`` what is gone there goes here too, and nothing is added.

    Raises ValueError, what is new added all the same, when a text alone names several notes.
    """
    if change.word("path"):
        _follow_document(store, change, keeps=keeps)
    elif change.word("key"):
        _follow_row(store, change, keeps=keeps)
    else:
        _follow_text(store, change, keeps=keeps)


def _follow_row(store: NoteStore, change: Change, *, keeps: bool) -> None:
    agent, project = change.word("agent"), change.word("project")
    # No name of a project has a colon.
    key = f"builtin{f'@{project}' if project else ''}:{change.word('key')}"
    drop = [(key, agent)]
    if change.removes and not store.has(key, agent):
        drop += [(f"builtin-{target}-{_digest(change.gone)}", "") for target in _TARGETS]
    new = [_note(change, key, change.content)] if keeps and change.adds else []
    store.change(drop=drop if change.removes or new else [], add=new, bulk=True)


def _follow_document(store: NoteStore, change: Change, *, keeps: bool) -> None:
    agent, place = change.word("agent"), f"{change.word('project')}:{change.word('path')}"
    start = f"builtin-document:{_digest(place)}:"
    # Of a change within it the host tells the whole document too, as it was and as it is.
    before = change.word("document_before") or change.gone
    after = change.word("document") or (change.content if change.adds else "")
    drop = [(key, agent) for key in store.keys_beginning(start, agent)] if change.removes else []
    drop += [(key, "") for key in _of_an_older_version(store, before, after)] if change.removes else []
    parts = _paragraphs(after) if keeps and change.adds else ()
    new = [_note(change, f"{start}{_digest(part)}", part) for part in parts]
    store.change(drop=drop, add=new, bulk=True)


def _follow_text(store: NoteStore, change: Change, *, keeps: bool) -> None:
    start = f"{change.category}-"
    found = store.keys_with_text(change.gone, start) if change.gone else []
    # One note for one text, however often it is handed over.
    new = [_note(change, f"{start}{_digest(change.content)}", change.content)] if keeps and change.adds else []
    store.change(drop=[(key, "") for key in found if len(found) == 1], add=new, bulk=True)
    if len(found) > 1:
        raise ValueError(f"{len(found)} notes have the text that is gone, and none of them was removed")


def _note(change: Change, key: str, content: str) -> NewNote:
    importance = change.metadata.get("importance")
    return NewNote(
        key=key,
        content=content,
        agent=change.word("agent"),
        category=change.category,
        session=change.word("session_id") or change.session,
        namespace=change.word("namespace"),
        importance=importance if isinstance(importance, float) else None,
    )


def _of_an_older_version(store: NoteStore, before: str, after: str) -> Iterator[str]:
    """The keys of the notes that an older version of the notebook, which knew documents by their texts alone, made of
    what was in a document and is there no longer."""
    for target in _TARGETS:
        for key, content in store.texts_beginning(f"builtin-{target}-", ""):
            lines = _lines(content)
            # What was put into the middle of a line was a note too.
            if lines and all(line in before for line in lines) and not lines <= _lines(after):
                yield key


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()} - {""}


def _paragraphs(text: str) -> Iterator[str]:
    # Each once, since its text is its key.
    yield from dict.fromkeys(part.strip() for part in re.split(r"\n\s*\n", text) if part.strip())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
