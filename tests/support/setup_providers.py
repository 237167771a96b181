"""Providers that ask for something, and a person who answers from a list; for the tests of setup."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from zeroclaw_cli.providers.setup.answers import Cancelled, Choice

ASKING = """
import json
import os
from pathlib import Path

from agent.memory_provider import MemoryProvider

FIELDS = {fields!r}


class Asking(MemoryProvider):
    @property
    def name(self):
        return {name!r}

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        pass

    def get_tool_schemas(self):
        return []

    def get_config_schema(self):
        return FIELDS
{more}

def register(ctx):
    ctx.register_memory_provider(Asking())
"""

SAVES = """
    def save_config(self, values, vibeos_home):
        Path(vibeos_home, "asking.json").write_text(json.dumps(values))
"""

REGION = {"key": "region", "description": "Region", "choices": ["eu", "us"], "default": "us"}
API_KEY = {
    "key": "api_key",
    "description": "API key",
    "secret": True,
    "required": True,
    "env_var": "ASKING_API_KEY",
    "url": "https://example.invalid/keys",
}
DAYS = {"key": "days", "description": "Days", "type": "integer", "default": 7, "minimum": 1, "maximum": 30}


def asking(*fields: Mapping[str, object], name: str = "asking", more: str = SAVES) -> str:
    """The source of a provider that asks for ``fields``; ``more`` is the rest of its class."""
    return ASKING.format(fields=[dict(field) for field in fields], name=name, more=more)


Answer = str | int | bool | type[BaseException] | BaseException


@dataclass
class Person:
    """Answers from a list, in order, and keeps the questions. An exception in the list is raised."""

    replies: Sequence[Answer]
    questions: list[str] = field(default_factory=list)
    offered: list[list[Choice]] = field(default_factory=list)
    preselected: list[int] = field(default_factory=list)
    before_reply: Callable[[str], object] | None = None
    _next: int = 0

    def choose(self, question: str, choices: Sequence[Choice], preselected: int) -> int:
        self.offered.append(list(choices))
        self.preselected.append(preselected)
        reply = self._reply(question)
        if reply == "":
            return preselected
        if isinstance(reply, str):
            return [choice.label for choice in choices].index(reply)
        assert isinstance(reply, int)
        return reply

    def ask(self, question: str, default: str) -> str:
        reply = self._reply(f"{question} [{default}]")
        assert isinstance(reply, str)
        return reply or default

    def ask_secret(self, question: str) -> str:
        reply = self._reply(question)
        assert isinstance(reply, str)
        return reply

    def confirm(self, question: str, *, default: bool) -> bool:
        reply = self._reply(question)
        assert isinstance(reply, bool)
        return reply

    def _reply(self, question: str) -> str | int | bool:
        self.questions.append(question)
        if self.before_reply is not None:
            self.before_reply(question)
        if self._next >= len(self.replies):
            raise Cancelled
        reply = self.replies[self._next]
        self._next += 1
        if isinstance(reply, BaseException) or (isinstance(reply, type) and issubclass(reply, BaseException)):
            raise reply
        return reply
