"""Writing a document: plain, append, patch, conditional rewrite and the clearing of the bootstrap notes.

specs/native-memory.md §6. Each mode is a change from the present body to the next one, carried out by the repository in
one transaction, so two writers never lose each other's text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from zeroclaw_cli.errors import DocumentArgument, DocumentInput, DocumentNotFound, DocumentOperation
from zeroclaw_cli.memory.documents import WriteRequest, WriteResult
from zeroclaw_cli.memory.measures import byte_length, has_lone_surrogate, is_blank
from zeroclaw_cli.native.paths import (
    BOOTSTRAP,
    DAILY_LOG,
    check_document_path,
    check_local_path,
    check_not_reserved,
    check_write_target,
    resolve_target,
)
from zeroclaw_cli.native.profile import timezone_of
from zeroclaw_cli.native.repository import Expect, HashConflict, Repository, Stored, WriteOptions
from zeroclaw_cli.native.repository import write as write_document
from zeroclaw_cli.native.retries import with_retries
from zeroclaw_cli.native.safety import EMPTY_CLEAR
from zeroclaw_cli.native.scope import DocumentPath, Scope


def utc_now() -> datetime:
    return datetime.now(UTC)


def write(
    repository: Repository,
    scope: Scope,
    request: WriteRequest,
    *,
    now: Callable[[], datetime] = utc_now,
    source: str = "native",
    audit_context: str = "",
) -> WriteResult:
    """Carry out one write in ``scope``.

    A failed expectation is the result ``conflict``. Raises DocumentInput, DocumentNotFound or DocumentOperation with
    the reason codes of specs/native-memory.md §6; then nothing changed.
    """
    check_write_target(request.target)
    check_local_path(request.target)
    path = resolve_target(request.target, _timezone(repository, scope, request), now())
    check_not_reserved(path)
    check_document_path(path)
    where = DocumentPath(scope, path)
    options = WriteOptions(overlay=request.metadata, source=source, audit_context=audit_context)
    if request.target == "bootstrap":
        return _clear_bootstrap(repository, scope, options)
    if request.old_string is not None:
        return _patch(repository, scope, where, request, replace(options, operation="patch"))
    content = _content(request)
    if request.append or request.target == DAILY_LOG:
        return _append(repository, scope, where, content, replace(options, operation="append"))
    return _plain(repository, scope, where, content, request.expected_content_hash, options)


def _timezone(repository: Repository, scope: Scope, request: WriteRequest) -> str | None:
    """The timezone whose day the log is of: that of the request, else of the user's profile."""
    if request.timezone is not None or request.target != DAILY_LOG:
        return request.timezone
    return timezone_of(repository, scope)


def _content(request: WriteRequest) -> str:
    content = request.content or ""
    if is_blank(content):
        raise DocumentInput(
            "empty_content",
            "there is nothing to write",
            hint="pass the text as content: --content TEXT, or - for stdin",
        )
    return _encodable(content)


def _encodable(text: str) -> str:
    if has_lone_surrogate(text):
        raise DocumentInput("content_not_utf8", "the text is not valid Unicode", hint="give it as UTF-8")
    return text


def _clear_bootstrap(repository: Repository, scope: Scope, options: WriteOptions) -> WriteResult:
    options = replace(options, overlay=None, allowance=EMPTY_CLEAR)
    write_document(repository, scope, DocumentPath(scope, BOOTSTRAP), b"", options=options)
    return WriteResult("cleared", BOOTSTRAP, message="The bootstrap notes are cleared.")


def _plain(
    repository: Repository, scope: Scope, where: DocumentPath, content: str, expected: str | None, options: WriteOptions
) -> WriteResult:
    body = content.encode("utf-8")
    try:
        written = write_document(
            repository, scope, where, body, expect=Expect.ANYTHING if expected is None else expected, options=options
        )
    except HashConflict as conflict:
        return WriteResult("conflict", where.relative, content_hash=conflict.current, message=conflict.message)
    return WriteResult(
        "written", where.relative, append=False, content_length=len(body), content_hash=written.content_hash
    )


def append_entry(present: bytes, entry: str) -> bytes:
    """The body with ``entry`` (ending in a newline) after it, on a line of its own whatever the body ends with."""
    separator = b"\n" if present and not present.endswith(b"\n") else b""
    return present + separator + entry.encode("utf-8")


def _append(
    repository: Repository, scope: Scope, where: DocumentPath, content: str, options: WriteOptions
) -> WriteResult:
    entry = content.rstrip() + "\n"

    def change(stored: Stored | None) -> bytes:
        return append_entry(b"" if stored is None else stored.body, entry)

    written = with_retries(lambda: repository.update(scope, where, change, options=options))
    return WriteResult(
        "written",
        where.relative,
        append=True,
        content_length=byte_length(entry),
        content_hash=written.content_hash,
    )


def _patch(
    repository: Repository, scope: Scope, where: DocumentPath, request: WriteRequest, options: WriteOptions
) -> WriteResult:
    old, new = _encodable(request.old_string or ""), _encodable(request.new_string or "")
    if not old:
        raise DocumentArgument("empty_old_string", "the text to replace is empty", hint="give it exactly as it stands")
    if not new:
        raise DocumentArgument(
            "empty_new_string", "a patch cannot delete text", hint="write the whole document without it instead"
        )
    counted = 0

    def change(stored: Stored | None) -> bytes:
        nonlocal counted
        body, counted = _patched(stored, where.relative, old, new, every=request.replace_all)
        return body

    written = with_retries(lambda: repository.update(scope, where, change, options=options))
    return WriteResult(
        "patched",
        where.relative,
        replacements=counted,
        content_length=written.size,
        content_hash=written.content_hash,
    )


def _patched(stored: Stored | None, path: str, old: str, new: str, *, every: bool) -> tuple[bytes, int]:
    if stored is None:
        raise not_found(path)
    text = text_of(stored)
    found = text.count(old)
    if not found:
        raise DocumentInput(
            "no_match", f"'{path}' does not contain the text to replace", hint="read it and give the text exactly"
        )
    count = found if every else 1
    return text.replace(old, new, count).encode("utf-8"), count


def text_of(stored: Stored) -> str:
    """The body as text; raises DocumentOperation ``not_utf8``."""
    try:
        return stored.body.decode("utf-8")
    except UnicodeDecodeError:
        raise DocumentOperation("not_utf8", f"'{stored.path.relative}' is not UTF-8 text") from None


def not_found(path: str) -> DocumentNotFound:
    return DocumentNotFound("not_found", f"there is no document '{path}'", hint="see `zeroclaw memory doc tree`")
