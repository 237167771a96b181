"""A memory provider that keeps notes in one searchable SQLite file below the home.

Calls come from the agent's thread, from the thread of a prefetch and from the worker that syncs turns, at the same
time: what they share is the store, which locks, and values that are replaced whole and never changed in place. A method
that uses the store twice takes it once, since ``shutdown`` may come in between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from agent.memory_provider import MemoryProvider, RecallStatus, is_trivial_prompt
from vibeos_constants import get_vibeos_home

from .mirror import Change, follow
from .store import NewNote, NoteStore, read_settings, supports_full_text, write_settings

_NAME: Final = "notebook"
_DEFAULTS: Final[Mapping[str, Any]] = {"keep_turns": True, "recall_limit": 5}
# A prompt has room for the gist of a note; the tools give the whole of it.
_LONGEST_IN_PROMPT: Final = 600

_KEY: Final = {"type": "string", "description": "The note's key."}
_AGENT: Final = {"type": "string", "description": "The agent whose note it is; none by default."}
_CATEGORY: Final = {"type": "string", "description": "Only this category."}
_SESSION: Final = {"type": "string", "description": "Only this session."}
_LIMIT: Final = {"type": "integer", "minimum": 1, "description": "Most notes to return; 10 by default."}
_TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "notebook_add",
        "description": "Keep a note for later conversations. The same key again replaces the note.",
        "parameters": {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "What to remember, understandable on its own."},
                "key": {"type": "string", "description": "A name to find or replace it by; made up when left out."},
                "category": {"type": "string", "description": "A word that groups notes; general by default."},
                "session": {"type": "string", "description": "The session that it belongs to; none by default."},
                "namespace": {"type": "string", "description": "A part of the notes to keep it in; none by default."},
                "importance": {"type": "number", "description": "From 0 to 1; none by default."},
                "agent": _AGENT,
            },
            "required": ["content"],
        },
    },
    {
        "name": "notebook_search",
        "description": "Find notes by words, the best match first.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to look for; empty for the newest notes."},
                "limit": _LIMIT,
                "category": _CATEGORY,
                "session": _SESSION,
            },
            "required": ["query"],
        },
    },
    {
        "name": "notebook_list",
        "description": "List notes, the newest first, and say how many there are.",
        "parameters": {
            "type": "object",
            "properties": {
                "limit": _LIMIT,
                "offset": {"type": "integer", "minimum": 0, "description": "How many to leave out; 0 by default."},
                "category": _CATEGORY,
                "session": _SESSION,
            },
        },
    },
    {
        "name": "notebook_remove",
        "description": "Remove the notes of a key, or only that of one agent.",
        "parameters": {"type": "object", "properties": {"key": _KEY, "agent": _AGENT}, "required": ["key"]},
    },
]


class NotebookProvider(MemoryProvider):
    """Notes that outlive a session. Nothing is read or written before ``initialize``."""

    def __init__(self) -> None:
        self._store: NoteStore | None = None
        self._settings: Mapping[str, Any] = _DEFAULTS
        self._session = ""
        self._writes = False
        self._recalled = 0

    @property
    def name(self) -> str:
        return _NAME

    def is_available(self) -> bool:
        return supports_full_text()

    def unavailable_reason(self) -> str:
        return "" if supports_full_text() else "the SQLite of this Python has no full-text search (FTS5)"

    def get_config_schema(self) -> list[dict[str, Any]]:
        # What is set now is the default, so that setting one value up anew keeps the others.
        present = _settings(get_vibeos_home())
        return [
            {
                "key": "keep_turns",
                "description": "Keep every finished turn as a note",
                "type": "boolean",
                "default": present["keep_turns"],
            },
            {
                "key": "recall_limit",
                "description": "Most notes that are added to a prompt",
                "type": "integer",
                "default": present["recall_limit"],
                "minimum": 1,
                "maximum": 20,
            },
        ]

    def save_config(self, values: dict[str, Any], vibeos_home: str) -> None:
        write_settings(_folder(vibeos_home) / "config.json", {**_settings(vibeos_home), **values})

    def get_status_config(self, provider_config: dict[str, Any]) -> dict[str, Any]:
        """What status shows as this provider's settings."""
        return _settings(get_vibeos_home())

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        home = kwargs["vibeos_home"]
        self._settings = _settings(home)
        self._session = session_id
        # What a sub-agent or a timer says is not a conversation with the person.
        self._writes = kwargs.get("agent_context", "primary") == "primary"
        self._store = NoteStore(_folder(home) / "notes.db")

    def system_prompt_block(self) -> str:
        return (
            "You have a notebook that outlives this conversation. Search it with notebook_search before you say that "
            "you do not know something about the person or the project; keep lasting facts with notebook_add."
        )

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        store = self._store
        self._recalled = 0
        if store is None or is_trivial_prompt(query):
            return ""
        notes = store.search(query, int(self._settings["recall_limit"]))
        self._recalled = len(notes)
        return "\n".join(f"- {_gist(note.content)} ({note.category}, {note.created_at[:10]})" for note in notes)

    def recall_status(self) -> RecallStatus | None:
        return RecallStatus(self.name, self._recalled) if self._recalled else None

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        # A local insert takes about a millisecond. Work that may take longer belongs on a daemon thread
        # (agent.memory_provider.spawn_context_thread) that joins the one before it for at most five seconds.
        store = self._store
        if store is None or not self._writes or not self._settings["keep_turns"]:
            return
        text = f"User: {user_content}\nAssistant: {assistant_content}"
        store.add(NewNote(text, category="conversation", session=session_id or self._session))

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._session = new_session_id

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        store = self._store
        if store is not None:
            # What is gone must go here too, whoever removed it.
            follow(store, Change(action, target, content, metadata or {}, self._session), keeps=self._writes)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return list(_TOOLS)

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        store, handler = self._store, _HANDLERS.get(tool_name)
        if handler is None:
            return _json({"error": f"there is no tool {tool_name}"})
        if store is None:
            return _json({"error": "the notebook is not open"})
        try:
            return _json(handler(store, args))
        except ValueError as error:
            return _json({"error": str(error)})

    def backup_paths(self) -> list[str]:
        # Everything lies below the home, which a backup holds anyway.
        return []

    def shutdown(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()


def register(ctx: Any) -> None:
    """Hand the provider to the host."""
    ctx.register_memory_provider(NotebookProvider())


def _add(store: NoteStore, args: Mapping[str, Any]) -> dict[str, Any]:
    content = _text(args, "content")
    if not content:
        raise ValueError("content is empty")
    note = NewNote(
        content,
        key=_text(args, "key"),
        agent=_text(args, "agent"),
        category=_text(args, "category") or "general",
        session=_text(args, "session"),
        namespace=_text(args, "namespace"),
        importance=_real(args, "importance"),
    )
    return store.add(note).to_json()


def _search(store: NoteStore, args: Mapping[str, Any]) -> dict[str, Any]:
    category, session = _text(args, "category"), _text(args, "session")
    notes = store.search(_text(args, "query"), _number(args, "limit", 10, 1), category=category, session=session)
    return {"notes": [note.to_json() for note in notes], "count": len(notes)}


def _list(store: NoteStore, args: Mapping[str, Any]) -> dict[str, Any]:
    category, session = _text(args, "category"), _text(args, "session")
    notes = store.newest(
        _number(args, "limit", 10, 1), category=category, session=session, offset=_number(args, "offset", 0, 0)
    )
    total = store.count(category=category, session=session)
    return {"notes": [note.to_json() for note in notes], "total": total}


def _remove(store: NoteStore, args: Mapping[str, Any]) -> dict[str, Any]:
    key = _text(args, "key")
    if not key:
        raise ValueError("key is empty")
    return {"removed": store.remove(key, _text(args, "agent"))}


_HANDLERS: Final[Mapping[str, Callable[[NoteStore, Mapping[str, Any]], dict[str, Any]]]] = {
    "notebook_add": _add,
    "notebook_search": _search,
    "notebook_list": _list,
    "notebook_remove": _remove,
}


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} must be a string")
    return value or ""


def _number(args: Mapping[str, Any], name: str, default: int, minimum: int) -> int:
    value = args.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value < 2**63:
        raise ValueError(f"{name} must be an integer of at least {minimum}")
    return value


def _real(args: Mapping[str, Any], name: str) -> float | None:
    value = args.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1")
    return float(value)


def _folder(vibeos_home: str | Path) -> Path:
    return Path(vibeos_home) / _NAME


def _settings(vibeos_home: str | Path) -> dict[str, Any]:
    return {**_DEFAULTS, **read_settings(_folder(vibeos_home) / "config.json")}


def _gist(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= _LONGEST_IN_PROMPT else f"{line[: _LONGEST_IN_PROMPT - 1]}…"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
