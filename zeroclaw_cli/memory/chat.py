"""Messages of a turn from the JSON of the usual chat interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from zeroclaw_cli.errors import DocumentInput
from zeroclaw_cli.memory.documents import Role, TurnMessage

# Each role that is read -> whose words these are.
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
# Parts and items that are text, those that a tool answered with, and those in which nobody says anything.
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_RESULTS: Final = frozenset({"tool_result", "function_call_output"})
_CALLS: Final = frozenset({"function_call", "reasoning", "item_reference"})


def parse_messages(value: Any) -> list[TurnMessage]:
    """The messages of a turn from JSON: a list of objects with ``role``, ``content`` and perhaps ``name``, or an object
    that holds such a list as ``messages``.

    The content is a text, null, or a list of texts and parts. What a tool answered is a message of role ``tool``
    wherever it stands; calls of tools, pictures and unknown keys are left out. Raises DocumentInput ``bad_messages``
    that says which message is wrong.
    """
    rows = value.get("messages") if isinstance(value, Mapping) else value
    if not isinstance(rows, list):
        raise _bad_messages("the turn is not a list of messages")
    return [message for number, row in enumerate(rows, start=1) for message in _messages(number, row)]


def _messages(number: int, row: Any) -> Iterator[TurnMessage]:
    if isinstance(row, Mapping) and "role" not in row:
        if row.get("type") in _CALLS:
            return
        if row.get("type") in _RESULTS:
            yield TurnMessage("tool", _text(number, row.get("output")))
            return
    role = _ROLES.get(row["role"]) if isinstance(row, Mapping) and isinstance(row.get("role"), str) else None
    if role is None:
        raise _bad_messages(f"message {number} has none of the roles {', '.join(_ROLES)}")
    name = row.get("name")
    if name is not None and not isinstance(name, str):
        raise _bad_messages(f"message {number} has a name that is not a text")
    content = row["content"] if "content" in row else row.get("parts")
    results = []
    if isinstance(content, list):
        results = [part for part in content if isinstance(part, Mapping) and part.get("type") in _RESULTS]
        content = [part for part in content if part not in results]
    for part in results:
        yield TurnMessage("tool", _text(number, part.get("content")))
    # A message that carried nothing but the answers of tools is nobody's.
    if content or not results:
        yield TurnMessage(role, _text(number, content), name)


def _text(number: int, content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(part, str | Mapping) for part in content):
        raise _bad_messages(f"message {number} has a content that is neither a text nor a list of parts")
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif part.get("type") in _TEXTS or ("type" not in part and "text" in part):
            texts.append(part.get("text"))
        elif part.get("type") == "refusal":
            texts.append(part.get("refusal"))
    if not all(isinstance(text, str) for text in texts):
        raise _bad_messages(f"message {number} has a part without its text")
    return "\n".join(texts)


def _bad_messages(problem: str) -> DocumentInput:
    return DocumentInput(
        "bad_messages", problem, hint='give a JSON list such as [{"role": "user", "content": "hello"}, …]'
    )
