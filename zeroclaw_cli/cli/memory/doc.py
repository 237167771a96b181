"""``memory doc``: the documents of the built-in store."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.arguments import DocumentPath, Thread, WithHistory
from zeroclaw_cli.cli.inputs import stdin_text, text_or_stdin
from zeroclaw_cli.cli.memory.common import Backend, Owner, Project, opened_documents, thread_of
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.memory.documents import TreeNode, WriteRequest, WriteResult


def add(group: typer.Typer) -> None:
    documents = new_typer("Read and write the documents of the built-in store.")
    for name, command in (
        ("read", read),
        ("write", write),
        ("search", search),
        ("tree", tree),
        ("versions", versions),
        ("edit", edit),
        ("archive", archive),
        ("forget", forget),
    ):
        documents.command(name)(command)
    group.add_typer(documents, name="doc")


@anybody
def read(
    ctx: typer.Context,
    path: DocumentPath,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", min=1, help="An older version instead, by its number.")
    ] = None,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Print a document exactly as it is kept."""
    with opened_documents(ctx, backend, agent, project) as (_, documents):
        if version is None:
            found = documents.read(path)
            body, content = found.to_json(), found.content
        else:
            content = documents.read_version(path, version)
            body = {"path": path, "version": version, "content": content}
    if json:
        output.say_json(body)
    elif output.is_terminal():
        output.say_text(content.removesuffix("\n"))
    else:
        # To a file or a program byte for byte, whatever the terminal's encoding is.
        sys.stdout.flush()
        sys.stdout.buffer.write(content.encode("utf-8"))


@anybody
def write(
    ctx: typer.Context,
    stdin: Annotated[str | None, typer.Argument(metavar="[-]", help="Read the text from stdin.")] = None,
    target: Annotated[
        str,
        typer.Option("--target", metavar="T", help="A path, or memory, daily_log, heartbeat or bootstrap (cleared)."),
    ] = "daily_log",
    content: Annotated[str | None, typer.Option("--content", metavar="TEXT", help="The text; - for stdin.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Make the text the whole document.")] = False,
    old: Annotated[
        str | None,
        typer.Option("--old", metavar="TEXT", help="Replace this text, exactly as it stands …", callback=text_or_stdin),
    ] = None,
    new: Annotated[
        str | None, typer.Option("--new", metavar="TEXT", help="… by this one.", callback=text_or_stdin)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Replace every occurrence, not only the first.")] = False,
    expect: Annotated[
        str | None, typer.Option("--expect", metavar="HASH", help="With --replace: only if it still has this hash.")
    ] = None,
    metadata: Annotated[
        str | None,
        typer.Option("--metadata", metavar="JSON", help="An object merged over its metadata.", callback=text_or_stdin),
    ] = None,
    timezone: Annotated[
        str | None, typer.Option("--timezone", metavar="TZ", help="Whose day daily_log means; UTC by default.")
    ] = None,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Append to a document, replace it, or change a part of it.

    Without --replace or --old the text is appended.
    """
    from zeroclaw_cli.memory.documents import WriteRequest

    _check_mode(stdin, content, old, new, every=every)
    if content == "-" or (old is None and target != "bootstrap" and content is None):
        content = stdin_text(session(ctx))
    request = WriteRequest(
        target=target,
        content=content,
        append=not replace,
        old_string=old,
        new_string=new,
        replace_all=every,
        metadata=None if metadata is None else _object(metadata),
        timezone=timezone,
        expected_content_hash=expect,
    )
    with opened_documents(ctx, backend, agent, project) as (this, documents):
        for option, reason in _unheeded(request):
            this.warn(f"{option} was not looked at: {reason}")
        result = documents.write(request)
        if metadata is None and result.path.rpartition("/")[2] == ".config" and result.status != "conflict":
            this.warn(
                f"the text of '{result.path}' configures nothing: --metadata configures its folder, "
                """for instance --metadata '{"skip_indexing": true}'"""
            )
        if json:
            output.say_json(result.to_json())
        elif result.status == "conflict":
            _say_conflict(this, result)
        else:
            output.say(_written(result))
    if result.status == "conflict":
        raise typer.Exit(1)


@anybody
def search(
    ctx: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY|-", help="What to look for; - for stdin.", callback=text_or_stdin)
    ],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=20, help="At most so many.")] = 5,
    thread: Thread = None,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Find the documents that answer QUERY, best first."""
    thread = thread_of(thread)
    with opened_documents(ctx, backend, agent, project) as (this, documents):
        found = documents.search(query, limit, thread_id=thread)
    if json:
        output.say_json(found.to_json())
        return
    for hit in found.results:
        output.say(f"- {hit.path} (score {hit.score:.3g})")
        output.say_text(hit.content.rstrip("\n"), "    ")
    if not found.results:
        this.note("nothing matches")


@anybody
def tree(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="The folder to begin at.")] = "",
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=1, max=10, help="How many levels.")] = 1,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """List the documents below PATH."""
    with opened_documents(ctx, backend, agent, project) as (this, documents):
        found = documents.tree(path, depth)
    if json:
        output.say_json(found)
        return
    _say_tree(found, 0)
    if not found:
        this.note("there is no document" + (f" below {path}" if path else ""))


@anybody
def versions(
    ctx: typer.Context,
    path: DocumentPath,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """List the older versions of a document, newest first."""
    with opened_documents(ctx, backend, agent, project) as (this, documents):
        found = documents.versions(path)
    if json:
        output.say_json({"path": path, "versions": [version.to_json() for version in found]})
        return
    for version in found:
        output.say(f"{version.number:>4}  {version.at}  {counted(version.size, 'byte')}  {version.content_hash[:19]}…")
    if found:
        from shlex import quote

        this.note(f"`zeroclaw memory doc read {quote(path)} --version {found[0].number}` shows the newest of them")
    else:
        this.note("there is no older version")


@anybody
def edit(
    ctx: typer.Context,
    path: DocumentPath,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Edit a document in $VISUAL or $EDITOR.

    What somebody else wrote meanwhile is never overwritten.
    """
    from zeroclaw_cli.cli.editor import edit_text, require_editing
    from zeroclaw_cli.operations.documents import begin_edit

    require_editing(os.environ)
    with opened_documents(ctx, backend, agent, project) as (_, documents):
        editing = begin_edit(documents, path)
        changed = edit_text(
            editing.content,
            editing.save,
            os.environ,
            name=editing.file_name,
            command="zeroclaw memory doc edit",
        )
        if json:
            output.say_json({"path": editing.path, "changed": changed, "content_hash": editing.content_hash})
        else:
            output.say(f"Saved '{editing.path}'." if changed else "Nothing was changed.")


@anybody
def archive(
    ctx: typer.Context,
    path: DocumentPath,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Move a document below archive/, where it stays readable."""
    with opened_documents(ctx, backend, agent, project) as (_, documents):
        place = documents.archive(path)
        if json:
            output.say_json({"path": path, "archived": place})
        else:
            output.say(f"Moved '{path}' to '{place}'.")


@anybody
def forget(
    ctx: typer.Context,
    path: DocumentPath,
    with_history: WithHistory = False,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Forget a document."""
    from zeroclaw_cli.operations.documents import forget_document

    with opened_documents(ctx, backend, agent, project) as (this, documents):
        gone = forget_document(documents, path, with_history=with_history)
        if json:
            output.say_json(gone.to_json())
        else:
            also = [counted(gone.versions, "version")] if gone.versions else []
            also += [f"{counted(len(gone.transcripts), 'transcript')} that quoted it"] if gone.transcripts else []
            output.say(f"Forgot '{path}'" + "".join(f", and {part}" for part in also) + ".")
        if with_history:
            this.note("backups that were made before still hold it")


def _check_mode(stdin: str | None, content: str | None, old: str | None, new: str | None, *, every: bool) -> None:
    if stdin not in {None, "-"}:
        raise UsageError(f"unexpected argument {stdin!r}", hint="pass the text as --content TEXT, or - for stdin")
    if stdin is not None and content is not None:
        raise UsageError("--content and - do not go together", hint="pass one of them")
    if old is None and (new is not None or every):
        raise UsageError("--new and --all go with --old", hint="name the text to replace with --old")
    if old is not None and new is None:
        raise UsageError("--old goes with --new", hint="give the text to put in its place with --new")
    if old is not None and (content is not None or stdin is not None):
        raise UsageError("--old and --new change a part; a content goes with neither", hint="leave one of them out")


def _unheeded(request: WriteRequest) -> Iterator[tuple[str, str]]:
    """The options that such a write takes no notice of, and why."""
    clears, changes, logs = request.target == "bootstrap", request.old_string is not None, request.target == "daily_log"
    if clears:
        for option, value in (
            ("--content", request.content),
            ("--old", request.old_string),
            ("--metadata", request.metadata),
            ("--replace", None if request.append else True),
        ):
            if value is not None:
                yield option, "the target bootstrap is always cleared"
    elif not request.append and (changes or logs):
        yield "--replace", "--old and --new change a part" if changes else "a day's log is only appended to"
    if request.timezone is not None and not logs:
        yield "--timezone", "only daily_log has a day"
    if request.expected_content_hash is not None and (request.append or clears or changes or logs):
        yield "--expect", "only --replace is conditional"


def _object(text: str) -> dict[str, Any]:
    import json

    from zeroclaw_cli.native.metadata import wrong_field

    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--metadata is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("--metadata is not a JSON object", hint='write for instance {"skip_indexing": true}')
    problem = wrong_field(value)
    if problem is not None:
        raise UsageError(
            f"--metadata: {problem}", hint="nothing was written: metadata with a wrong field has no effect"
        )
    return value


def _written(result: WriteResult) -> str:
    path = f"'{result.path}'"
    if result.status == "patched":
        return f"Changed {path} in {counted(result.replacements or 0, 'place')}."
    if result.status == "cleared":
        return f"Cleared {path}."
    size = counted(result.content_length or 0, "byte")
    return f"Appended {size} to {path}." if result.append else f"Wrote {path} ({size})."


def _say_conflict(this: Session, result: WriteResult) -> None:
    from shlex import quote

    path = result.path
    has = f"its hash is {result.content_hash}" if result.content_hash else "no such document"
    output.talk(f"error: '{path}' is not what --expect says: {has}; nothing was written")
    output.talk(f"hint: read it with `zeroclaw memory doc read {quote(path)}` and write again with its hash")


def _say_tree(nodes: list[TreeNode], level: int) -> None:
    for node in nodes:
        if isinstance(node, str):
            output.say("  " * level + node)
            continue
        for name, children in node.items():
            output.say("  " * level + name)
            _say_tree(children, level + 1)
