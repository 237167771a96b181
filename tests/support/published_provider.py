"""A memory provider as one is published for another host: written to its interface of some time ago, and not for this
program. Its parts are the files of a plugin folder."""

from __future__ import annotations

from typing import Final

PLUGIN_YAML: Final = """\
name: recollect
version: 0.4.2
description: "Recollect: facts out of conversations, kept by a local service"
pip_dependencies: []
hooks:
  - on_session_end
  - on_memory_write
"""

INIT: Final = '''\
"""Recollect memory plugin: MemoryProvider for a store of facts.

Config in $HERMES_HOME/recollect.json:
  bank     name of the bank of facts
  budget   how many facts a recall brings
"""

from __future__ import annotations

import json
import logging
import os
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional

from agent.memory_provider import MemoryProvider
from tools.registry import tool_error

from .client import RecollectClient
from .settings import DEFAULTS, load_settings, settings_path

logger = logging.getLogger(__name__)

_SYNC_JOIN_S = 5.0

SEARCH_SCHEMA = {
    "type": "function",
    "function": {
        "name": "recollect_search",
        "description": "Search the facts that were kept.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    },
}
RETAIN_SCHEMA = {
    "type": "function",
    "function": {
        "name": "recollect_retain",
        "description": "Keep a fact.",
        "parameters": {"type": "object", "properties": {"fact": {"type": "string"}}, "required": ["fact"]},
    },
}


class RecollectMemoryProvider(MemoryProvider):
    """Facts with a background thread for writing and one for the next turn's recall."""

    def __init__(self):
        self._client: Optional[RecollectClient] = None
        self._settings: Dict[str, Any] = {}
        self._session_id = ""
        self._writes_enabled = True
        self._prefetch_result = ""
        self._prefetch_lock = threading.Lock()
        self._prefetch_thread: Optional[threading.Thread] = None
        self._sync_thread: Optional[threading.Thread] = None

    @property
    def name(self) -> str:
        return "recollect"

    def is_available(self) -> bool:
        return bool(os.environ.get("RECOLLECT_API_KEY"))

    def get_config_schema(self) -> List[Dict[str, Any]]:
        return [
            {"key": "api_key", "description": "Recollect API key", "secret": True, "env_var": "RECOLLECT_API_KEY"},
            {"key": "bank", "description": "Bank of facts", "default": DEFAULTS["bank"]},
        ]

    def save_config(self, values, hermes_home):
        path = settings_path(hermes_home)
        existing = json.loads(path.read_text()) if path.exists() else {}
        existing.update(values)
        path.write_text(json.dumps(existing, indent=2))

    def post_setup(self, hermes_home: str, config: dict) -> None:
        from hermes_cli.config import save_config

        print("\\n  Configuring Recollect memory:\\n")
        bank = os.environ.get("RECOLLECT_BANK", DEFAULTS["bank"])
        self.save_config({"bank": bank, "budget": 5}, hermes_home)
        with open(Path(hermes_home) / ".env", "a") as env:
            env.write("RECOLLECT_API_KEY=rk-0123456789abcdef\\n")
        config["memory"]["provider"] = "recollect"
        config["memory"].setdefault("recollect", {})["bank"] = bank
        save_config(config)
        print("  Recollect is ready.\\n")

    def get_status_config(self, provider_config: Dict[str, Any]) -> Dict[str, Any]:
        return {**load_settings(), "api_key": os.environ.get("RECOLLECT_API_KEY", "")}

    def initialize(self, session_id: str, **kwargs) -> None:
        home = kwargs["hermes_home"]
        self._writes_enabled = kwargs.get("agent_context", "primary") == "primary"
        self._session_id = session_id
        self._settings = load_settings(home)
        self._client = RecollectClient(Path(home) / "recollect" / f"{self._settings['bank']}.jsonl")

    def system_prompt_block(self) -> str:
        return f"# Recollect\\nActive. Bank: {self._settings.get('bank')}. Use recollect_search to look facts up."

    def prefetch(self, query: str) -> str:
        if self._prefetch_thread and self._prefetch_thread.is_alive():
            self._prefetch_thread.join(timeout=3.0)
        with self._prefetch_lock:
            result, self._prefetch_result = self._prefetch_result, ""
        facts = result or self._render(self._client.search(query, self._settings["budget"]))
        return f"## Recollect\\n{facts}" if facts else ""

    def queue_prefetch(self, query: str) -> None:
        def _run():
            try:
                found = self._render(self._client.search(query, self._settings["budget"]))
                with self._prefetch_lock:
                    self._prefetch_result = found
            except Exception as e:
                logger.debug("Recollect prefetch failed: %s", e)

        self._prefetch_thread = threading.Thread(target=_run, daemon=True, name="recollect-prefetch")
        self._prefetch_thread.start()

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "") -> None:
        if not self._writes_enabled:
            return
        sid = session_id or self._session_id

        def _sync():
            try:
                self._client.retain(f"user: {user_content}", sid)
                self._client.retain(f"assistant: {assistant_content}", sid)
            except Exception as e:
                logger.warning("Recollect sync failed: %s", e)

        if self._sync_thread and self._sync_thread.is_alive():
            self._sync_thread.join(timeout=_SYNC_JOIN_S)
        self._sync_thread = threading.Thread(target=_sync, daemon=True, name="recollect-sync")
        self._sync_thread.start()

    def on_memory_write(self, action: str, target: str, content: str) -> None:
        if action == "add" and content and self._writes_enabled:
            self._client.retain(f"[{target}] {content}", self._session_id)

    def on_session_end(self, messages: List[Dict[str, Any]]) -> None:
        self._client.retain(f"session of {len(messages)} messages", self._session_id)

    def get_tool_schemas(self) -> List[Dict[str, Any]]:
        return [SEARCH_SCHEMA, RETAIN_SCHEMA]

    def handle_tool_call(self, tool_name: str, args: Dict[str, Any], **kwargs) -> str:
        if tool_name == "recollect_search":
            facts = self._client.search(args.get("query", ""), int(args.get("limit") or 5))
            return json.dumps({"results": facts, "count": len(facts)})
        if tool_name == "recollect_retain":
            if not args.get("fact"):
                return tool_error("fact is required")
            self._client.retain(args["fact"], self._session_id)
            return json.dumps({"result": "Fact stored."})
        return tool_error(f"Unknown tool: {tool_name}")

    def shutdown(self) -> None:
        for t in (self._prefetch_thread, self._sync_thread):
            if t and t.is_alive():
                t.join(timeout=_SYNC_JOIN_S)

    @staticmethod
    def _render(facts: List[Dict[str, Any]]) -> str:
        return "\\n".join(f"- {fact['text']}" for fact in facts)


def register(ctx) -> None:
    """Register Recollect as a memory provider plugin."""
    ctx.register_memory_provider(RecollectMemoryProvider())
'''

CLIENT: Final = """\
from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path


class RecollectClient:
    def __init__(self, path: Path):
        self._path = path
        self._lock = threading.RLock()
        path.parent.mkdir(parents=True, exist_ok=True)

    def retain(self, text: str, session: str) -> None:
        with self._lock, open(self._path, "a", encoding="utf-8") as f:
            f.write(json.dumps({"text": text, "session": session, "at": time.time()}, ensure_ascii=False) + "\\n")

    def facts(self) -> list[dict]:
        with self._lock:
            if not self._path.exists():
                return []
            return [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines()]

    def search(self, query: str, limit: int) -> list[dict]:
        words = set(re.findall(r"\\w+", query.lower()))
        hits = [fact for fact in self.facts() if words & set(re.findall(r"\\w+", fact["text"].lower()))]
        return hits[-limit:]
"""

SETTINGS: Final = """\
from __future__ import annotations

import json
from pathlib import Path

DEFAULTS = {"bank": "default", "budget": 5}


def settings_path(home) -> Path:
    return Path(home) / "recollect.json"


def load_settings(home=None) -> dict:
    from hermes_constants import get_hermes_home

    path = settings_path(home or get_hermes_home())
    return {**DEFAULTS, **(json.loads(path.read_text()) if path.exists() else {})}
"""

CLI: Final = '''\
"""hermes recollect: look at the facts."""

from __future__ import annotations

import sys


def register_cli(subparser) -> None:
    subs = subparser.add_subparsers(dest="recollect_command")
    subs.add_parser("status", help="Where the facts are, and how many")
    find = subs.add_parser("search", help="Search the facts")
    find.add_argument("query")
    subparser.set_defaults(func=recollect_command)


def recollect_command(args) -> None:
    from hermes_constants import get_hermes_home

    from .client import RecollectClient
    from .settings import load_settings

    bank = load_settings()["bank"]
    client = RecollectClient(get_hermes_home() / "recollect" / f"{bank}.jsonl")
    if args.recollect_command == "search":
        for fact in client.search(args.query, 10):
            print(fact["text"])
    elif args.recollect_command == "status":
        print(f"bank {bank}: {len(client.facts())} facts")
    else:
        print("Usage: hermes recollect <status|search>", file=sys.stderr)
        sys.exit(2)
'''

FILES: Final = {
    "client.py": CLIENT,
    "settings.py": SETTINGS,
    "cli.py": CLI,
    "README.md": "# Recollect\n\nSetup, config and tools.\n",
}
