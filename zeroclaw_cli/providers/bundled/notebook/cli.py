"""Commands for the notes, there while this is the active provider.

The host imports this module without the package's own ``__init__``, so a command starts fast.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Final

from vibeos_constants import get_vibeos_home

from .store import NewNote, Note, NoteStore


def register_cli(subparser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands."""
    commands = subparser.add_subparsers(dest="notebook_action", metavar="COMMAND", required=True)
    add = commands.add_parser("add", help="keep a note")
    add.add_argument("text", help="what to remember")
    add.add_argument("--key", default="", help="a name to find or replace it by")
    add.add_argument("--category", default="general", help="a word that groups notes")
    search = commands.add_parser("search", help="find notes by words")
    search.add_argument("query", help="words to look for")
    search.add_argument("--limit", type=_positive, default=10, help="most notes to print")
    listing = commands.add_parser("list", help="list notes, the newest first")
    listing.add_argument("--limit", type=_positive, default=10, help="most notes to print")
    listing.add_argument("--category", default="", help="only this category")
    remove = commands.add_parser("remove", help="remove a note")
    remove.add_argument("key", help="the key of the note")
    commands.add_parser("path", help="print where the notes are")


def notebook_command(args: argparse.Namespace) -> int:
    """Run the sub-command that was parsed; returns the exit code."""
    file = get_vibeos_home() / "notebook" / "notes.db"
    if args.notebook_action == "path":
        print(file)
        return 0
    if args.notebook_action != "add" and not file.exists():
        # Reading makes nothing.
        print("there are no notes yet", file=sys.stderr)
        return 1 if args.notebook_action == "remove" else 0
    with contextlib.closing(NoteStore(file)) as store:
        return _ACTIONS[args.notebook_action](store, args)


def _add(store: NoteStore, args: argparse.Namespace) -> int:
    print(store.add(NewNote(args.text, key=args.key, category=args.category)).key)
    return 0


def _search(store: NoteStore, args: argparse.Namespace) -> int:
    return _print(store.search(args.query, args.limit))


def _list(store: NoteStore, args: argparse.Namespace) -> int:
    return _print(store.newest(args.limit, category=args.category))


def _remove(store: NoteStore, args: argparse.Namespace) -> int:
    if store.remove(args.key):
        print(f"removed {args.key}")
        return 0
    print(f"there is no note {args.key}", file=sys.stderr)
    return 1


_ACTIONS: Final[Mapping[str, Callable[[NoteStore, argparse.Namespace], int]]] = {
    "add": _add,
    "search": _search,
    "list": _list,
    "remove": _remove,
}


def _print(notes: list[Note]) -> int:
    for note in notes:
        text = " ".join(note.content.split())
        # A note came from a conversation: no terminal sequence in it may run.
        shown = "".join(character if character.isprintable() else "?" for character in text)
        print(f"{note.created_at[:10]}  {note.category}  {note.key}  {shown}")
    return 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
