"""Editing and forgetting a document as a person does it (specs/native-memory.md §6.6, §21)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote

from zeroclaw_cli.errors import DocumentConflict, DocumentInput, DocumentNotFound
from zeroclaw_cli.memory.documents import Documents, Forgotten, WriteRequest
from zeroclaw_cli.native.paths import (
    DAILY_LOG,
    check_document_path,
    check_local_path,
    check_not_reserved,
    check_write_target,
    is_timezone,
    resolve_target,
)


@dataclass
class Editing:
    """A document that is being edited: its text as it was read, and its hash, empty for one that is not there yet."""

    documents: Documents
    path: str
    content: str
    content_hash: str

    @property
    def file_name(self) -> str:
        """A name for the copy that the editor opens; its ending tells the editor what it is."""
        # ASCII, which a file can be called in every locale.
        name = re.sub(r"[^A-Za-z0-9._-]", "_", self.path.rpartition("/")[2])
        return name.lstrip(".-")[-64:] or "document"

    def save(self, text: str) -> bool:
        """Make ``text`` the document if it still is what was read; True. Raises DocumentConflict when it is not."""
        if not text.strip():
            raise DocumentInput(
                "empty_content",
                f"'{self.path}' would be empty",
                hint=f"`zeroclaw memory doc forget {quote(self.path)}` removes a document",
            )
        if self.content_hash:
            request = WriteRequest(
                target=self.path, content=text, append=False, expected_content_hash=self.content_hash
            )
            result = self.documents.write(request)
            if result.status == "conflict":
                raise self._conflict()
            self.content_hash = result.content_hash or ""
            return True
        written = self.documents.create(self.path, text)
        if written.status == "conflict":
            raise self._conflict()
        self.content_hash = written.content_hash or ""
        return True

    def _conflict(self) -> DocumentConflict:
        return DocumentConflict(
            "changed_meanwhile", f"'{self.path}' was changed by someone else while you were editing it"
        )


def path_of(documents: Documents, target: str) -> str:
    """The path that a write of ``target`` goes to now. Raises DocumentOperation ``corrupt_profile``."""
    timezone = documents.profile().timezone if target == DAILY_LOG else None
    known = timezone is not None and is_timezone(timezone)
    return resolve_target(target, timezone if known else None, datetime.now(UTC))


def begin_edit(documents: Documents, target: str) -> Editing:
    """Read the document of ``target`` (a path, or an alias such as ``memory``) to edit it; one that does not exist yet
    has an empty text. Raises DocumentInput or DocumentOperation for what nobody may write."""
    check_write_target(target)
    check_local_path(target)
    path = path_of(documents, target)
    check_not_reserved(path)
    check_document_path(path)
    try:
        found = documents.read(path)
    except DocumentNotFound:
        return Editing(documents, path, "", "")
    return Editing(documents, path, found.content, found.content_hash)


def forget_document(documents: Documents, path: str, *, with_history: bool) -> Forgotten:
    """Forget a document. Raises DocumentNotFound when there is none, nor a version of one that is to be forgotten."""
    gone = documents.forget(path, with_history=with_history)
    if not gone.forgotten:
        raise DocumentNotFound(
            "not_found", f"there is no document '{path}'", hint="`zeroclaw memory doc tree` shows what there is"
        )
    return gone
