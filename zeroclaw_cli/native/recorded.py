"""Which messages of a thread are recorded already, for hosts that hand over a whole conversation after each turn.

Of each thread the store keeps short digests of the latest messages, in order and never their text. They outlive the
transcripts, so that a turn that was forgotten does not come back with the next one.

Beside them stand the runs that a provider has still to be given: it may fail, or the process may end, after the store
has kept a turn.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from zeroclaw_cli.memory.documents import TurnMessage
from zeroclaw_cli.native.fence import without_blocks
from zeroclaw_cli.native.scope import Scope

# Hex digits of one digest, and how many digests of a thread are kept.
_DIGITS: Final = 16
_MOST: Final = 2_000
# How many runs of a thread are noted for one provider, of those that are owed and of those that were given.
_MOST_OWED: Final = 50


def run_id(thread_id: str, messages: Sequence[TurnMessage]) -> str:
    """The id of a turn that was given none: the same for the same messages of the same thread."""
    text = "\n".join([thread_id, *map(_digest, messages)])
    return f"auto-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


class Thread:
    """What is recorded of one thread, inside an open transaction."""

    def __init__(self, transaction: sqlite3.Connection, scope: Scope, thread_id: str) -> None:
        self._transaction = transaction
        self._name = "\x1f".join(("recorded", *scope.key, thread_id))

    def unrecorded(self, messages: Sequence[TurnMessage]) -> int:
        """The place in ``messages`` behind the last message that is recorded; 0 where they follow on nothing."""
        return _overlap([_digest(message) for message in messages], messages, self._known())

    def add(self, messages: Sequence[TurnMessage]) -> None:
        """Note that ``messages`` are recorded now; those that were before are not counted twice."""
        known = self._known()
        digests = [_digest(message) for message in messages]
        known += digests[_overlap(digests, messages, known) :]
        self._transaction.execute(
            "INSERT OR REPLACE INTO schema_meta (name, value) VALUES (?, ?)", (self._name, "".join(known[-_MOST:]))
        )

    def _known(self) -> list[str]:
        row = self._transaction.execute("SELECT value FROM schema_meta WHERE name = ?", (self._name,)).fetchone()
        text = "" if row is None else str(row[0])
        return [text[start : start + _DIGITS] for start in range(0, len(text), _DIGITS)]


class Owed:
    """What one receiver has still to be given of a thread, run by run, inside an open transaction; and what it was
    given last, so that nothing is given twice."""

    def __init__(self, transaction: sqlite3.Connection, scope: Scope, thread_id: str, receiver: str) -> None:
        self._transaction = transaction
        self._name = "\x1f".join(("owed", receiver, *scope.key, thread_id))

    def add(self, run: str, messages: Sequence[TurnMessage]) -> None:
        """Note that ``messages`` of ``run`` are kept and have to be given, unless the receiver has them."""
        owed, given = self._read()
        digests = [_digest(message) for message in messages]
        if given.get(run) != digests:
            self._write({**owed, run: digests}, given)

    def settle(self, run: str) -> None:
        """Note that ``run`` is owed no longer: it was given, or is not to be."""
        owed, given = self._read()
        if run in owed:
            given = {name: digests for name, digests in given.items() if name != run}
            self._write(owed, {**given, run: owed.pop(run)})

    def among(self, messages: Sequence[TurnMessage]) -> list[tuple[str, list[TurnMessage]]]:
        """The owed runs whose messages are all among ``messages``, each with them, oldest first."""
        known = {_digest(message): message for message in messages}
        return [
            (run, [known[digest] for digest in digests])
            for run, digests in self._read()[0].items()
            if all(digest in known for digest in digests)
        ]

    def _read(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        row = self._transaction.execute("SELECT value FROM schema_meta WHERE name = ?", (self._name,)).fetchone()
        found = {} if row is None else json.loads(row[0])
        return found.get("owed", {}), found.get("given", {})

    def _write(self, owed: dict[str, list[str]], given: dict[str, list[str]]) -> None:
        value = {
            "owed": dict(list(owed.items())[-_MOST_OWED:]),
            "given": dict(list(given.items())[-_MOST_OWED:]),
        }
        self._transaction.execute(
            "INSERT OR REPLACE INTO schema_meta (name, value) VALUES (?, ?)", (self._name, json.dumps(value))
        )


def _digest(message: TurnMessage) -> str:
    # Memory that a host put before the words of the user is not in the next transcript.
    text = "\x1f".join((message.role, message.name or "", without_blocks(message.content).strip()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _overlap(digests: Sequence[str], messages: Sequence[TurnMessage], known: Sequence[str]) -> int:
    """Where the new part of a conversation begins: behind the longest part that ends as what is known does.

    A single message that looks like the last known one ("ok") proves nothing unless the conversation begins with it:
    what is taken for known holds a whole turn, or all that is given up to there, or all that is known. Among equally
    long parts the first is taken, since keeping a turn twice loses nothing.
    """
    best, longest = 0, 0
    for end in range(1, len(digests) + 1):
        length = 0
        while length < min(end, len(known)) and digests[end - 1 - length] == known[-1 - length]:
            length += 1
        if length <= longest:
            continue
        roles = {message.role for message in messages[end - length : end]}
        if length in (end, len(known)) or {"user", "assistant"} <= roles:
            best, longest = end, length
    return best
