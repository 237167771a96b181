"""Editing a text in the person's editor, on a copy that is never lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from zeroclaw_cli.cli import output
from zeroclaw_cli.errors import UsageError, ZeroclawError
from zeroclaw_cli.fsio import write_new

_FALLBACKS = ("sensible-editor", "vi", "nano")


def edit_text(
    text: str,
    replace: Callable[[str], bool],
    env: Mapping[str, str],
    *,
    name: str = "config.toml",
    command: str = "zeroclaw config edit",
) -> bool:
    """Let the person edit ``text`` and hand the result to ``replace``; return what it returns, False when unedited.

    The copy is called ``name``, from whose ending an editor tells what it is; ``command`` is what to run again.
    When ``replace`` refuses, the person is asked whether to edit again; otherwise the error says where the edited copy
    is. Raises UsageError without an editor, ZeroclawError when the editor fails.
    """
    from tempfile import mkdtemp

    editor = _editor(env)
    folder = Path(mkdtemp(prefix="zeroclaw-edit-"))
    copy = folder / name
    write_new(copy, text.encode("utf-8"))
    kept = False
    try:
        while True:
            _run(editor, copy, command)
            try:
                edited = copy.read_bytes().decode("utf-8")
                return edited != text and replace(edited)
            except UnicodeDecodeError:
                error = ZeroclawError("the edited text is not UTF-8")
            except ZeroclawError as refused:
                error = refused
            kept = True
            if not _again(error):
                error.hint = f"nothing was changed; your edited copy is {copy}"
                raise error
            kept = False
    finally:
        if not kept:
            _discard(folder)


def require_editing(env: Mapping[str, str]) -> None:
    """Raise UsageError where neither an editor is named nor a person could use one of ours to choose: it would wait
    for keys that never come."""
    if not any(env.get(name, "").strip() for name in ("VISUAL", "EDITOR")) and not output.can_ask():
        raise UsageError("there is no terminal to edit on", hint="set VISUAL or EDITOR to a command that needs none")


def _editor(env: Mapping[str, str]) -> list[str]:
    import shlex
    import shutil

    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(env.get(name, ""))
        except ValueError as error:
            raise UsageError(f"${name} is not a command: {error}", hint=f"set {name} to a command") from None
        if words:
            return words
    for name in _FALLBACKS:
        found = shutil.which(name)
        if found is not None:
            return [found]
    raise UsageError("there is no editor", hint="set VISUAL or EDITOR to the command of one")


def _run(editor: list[str], copy: Path, again: str) -> None:
    import subprocess

    try:
        code = subprocess.run([*editor, str(copy)], check=False).returncode
    except OSError as error:
        raise UsageError(
            f"the editor {editor[0]!r} does not start: {error.strerror}",
            hint="set VISUAL or EDITOR to another command",
        ) from None
    if code:
        raise ZeroclawError(
            f"the editor {editor[0]!r} ended with exit code {code}, so nothing was changed",
            hint=f"run `{again}` again",
        )


def _again(error: ZeroclawError) -> bool:
    if not output.can_ask():
        return False
    output.talk(f"error: {error.message}")
    return output.confirm("Edit again?", option="--yes")


def _discard(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
