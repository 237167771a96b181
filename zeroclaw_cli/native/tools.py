"""The five tools of a memory provider: lenient parsing, and the guard in front of every call.

specs/native-memory.md §4, §5. Every provider's calls pass here, so all of them read their arguments alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.errors import (
    DocumentFailure,
    DocumentInput,
    DocumentOperation,
    FilesystemDenied,
    UndeclaredCapability,
    ZeroclawError,
)
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.native.manifest import Bundle, ToolSpec
from zeroclaw_cli.native.provider import MemoryProvider
from zeroclaw_cli.native.scope import Invocation
from zeroclaw_cli.native.search import MAX_LIMIT
from zeroclaw_cli.native.tree import MAX_DEPTH

READ: Final = "ironclaw.memory.read"
WRITE: Final = "ironclaw.memory.write"
SEARCH: Final = "ironclaw.memory.search"
TREE: Final = "ironclaw.memory.tree"
PROFILE_SET: Final = "ironclaw.memory.profile_set"
TOOL_IDS: Final = (READ, WRITE, SEARCH, TREE, PROFILE_SET)

MAX_OUTPUT_BYTES: Final = 1_048_576
DEFAULT_SEARCH_LIMIT: Final = 5
_QUERY_NAMES: Final = ("query", "q", "text", "pattern")


@dataclass(frozen=True, slots=True)
class MountGrant:
    """What the run may do under ``/memory``."""

    read: bool = False
    list: bool = False
    write: bool = False
    delete: bool = False


FULL_GRANT: Final = MountGrant(read=True, list=True, write=True, delete=True)


def call(
    bundle: Bundle,
    provider: MemoryProvider,
    tool_id: str,
    arguments: Mapping[str, Any],
    invocation: Invocation,
    mount: MountGrant,
) -> Any:
    """Carry out one tool call and return its JSON-like output.

    Checked in this order: the id is declared (UndeclaredCapability); the mount grants what the tool's effects need
    (FilesystemDenied); explicit nulls are taken out; the provider serves it; the output fits (DocumentOperation
    ``output_too_large``). Raises a DocumentFailure.
    """
    spec = bundle.manifest.tool(tool_id)
    if spec is None:
        raise UndeclaredCapability("undeclared_capability", "the bound memory provider declares no such tool")
    _check_mount(spec, mount)
    schema = json.loads(bundle.assets.resolve(spec.input_schema_ref, f"the input schema of {tool_id}"))
    cleaned = without_nulls(arguments, schema)
    if tool_id not in provider.served_tools:
        raise DocumentOperation("unserved_capability", f"the bound memory provider does not serve '{tool_id}'")
    output = provider.call_tool(tool_id, cleaned, invocation)
    if len(json.dumps(output, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MAX_OUTPUT_BYTES:
        raise DocumentOperation(
            "output_too_large", f"the answer is longer than {MAX_OUTPUT_BYTES} bytes", hint="ask for less of it"
        )
    return output


def _check_mount(spec: ToolSpec, mount: MountGrant) -> None:
    needs_write = spec.writes
    if not (mount.read and mount.list) or (needs_write and not (mount.write and mount.delete)):
        needed = "read, list, write and delete" if needs_write else "read and list"
        raise FilesystemDenied(
            "filesystem_denied", f"'{spec.id}' needs {needed} on /memory", hint="grant them to the run"
        )


def without_nulls(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """``arguments`` without the optional properties that are null or the text ``null``.

    A property that some branch of ``oneOf`` requires counts as required.
    """
    required = set(schema.get("required", ()))
    for branch in schema.get("oneOf", ()):
        required |= set(branch.get("required", ()))
    optional = set(schema.get("properties", {})) - required
    return {name: value for name, value in arguments.items() if not (name in optional and value in (None, "null"))}


def error_payload(error: ZeroclawError) -> dict[str, str]:
    """What a model is told of a failure: its kind, the fixed text of the kind, and the reason code."""
    if isinstance(error, DocumentFailure):
        return {"kind": error.kind, "message": error.fixed_text, "reason": error.reason}
    return {"kind": DocumentFailure.kind, "message": DocumentFailure.fixed_text, "reason": sanitised(error.code)}


_INTERNAL: Final = (
    *("no such table", "drop table", "sql", "sqlite", "libsql", "postgres error", "database error"),
    *("connection refused", "timeout", "host=", "port=", "reborn_memory_"),
    *("/tmp/", "/var/folders/", "/private/", "/workspace/", "/home/", "\\appdata\\"),  # noqa: S108 - what is hidden
)


def sanitised(reason: str) -> str:
    """``reason``, or a generic sentence where it tells of the inside of the machine."""
    lowered = reason.lower()
    return "The memory store could not complete the request." if any(w in lowered for w in _INTERNAL) else reason


# Parsing. Unknown keys are ignored, as models habitually add one; only profile_set refuses them.


def parse_read(arguments: Mapping[str, Any]) -> str:
    """The path to read. Raises DocumentInput."""
    if "version" in arguments or arguments.get("list_versions") is True:
        raise DocumentInput("versions_not_supported", "versions cannot be read by a tool", hint="leave version out")
    path = arguments.get("path")
    if not isinstance(path, str) or not path:
        raise DocumentInput("bad_path", "the path must be a text that is not empty", hint="for instance MEMORY.md")
    return path


def parse_write(arguments: Mapping[str, Any]) -> WriteRequest:
    """The write that the arguments ask for; wrongly typed optional values have their defaults. Raises DocumentInput."""
    target = arguments.get("target")
    if target is not None and not isinstance(target, str):
        raise DocumentInput("bad_target", "the target must be a text", hint="for instance memory or notes/tea.md")
    expected = arguments.get("expected_content_hash")
    if expected is not None and not isinstance(expected, str):
        # Falling back to the default would turn a conditional write into one that overwrites.
        raise DocumentInput(
            "bad_expected_hash", "expected_content_hash must be a text", hint="pass content_hash as read"
        )
    metadata = arguments.get("metadata")
    return WriteRequest(
        target="daily_log" if target is None else target,
        content=_string(arguments, "content"),
        append=_boolean(arguments, "append", default=True),
        old_string=_string(arguments, "old_string"),
        new_string=_string(arguments, "new_string"),
        replace_all=_boolean(arguments, "replace_all", default=False),
        metadata=metadata if isinstance(metadata, Mapping) else None,
        timezone=_string(arguments, "timezone"),
        expected_content_hash=expected,
    )


def parse_search(arguments: Mapping[str, Any]) -> tuple[str, int]:
    """The trimmed query and the limit (1 to 20). Raises DocumentInput ``empty_query``."""
    texts = (arguments.get(name) for name in _QUERY_NAMES)
    query = next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)
    if query is None:
        raise DocumentInput("empty_query", "there is nothing to search for", hint="give some words as query")
    return query, _count(arguments, "limit", default=DEFAULT_SEARCH_LIMIT, most=MAX_LIMIT)


def parse_tree(arguments: Mapping[str, Any]) -> tuple[str, int]:
    """The folder (empty: all) and the depth (1 to 10). Raises DocumentInput."""
    path = arguments.get("path")
    if path is not None and not isinstance(path, str):
        raise DocumentInput("bad_path", "the path must be a text", hint="leave it out to list everything")
    return path or "", _count(arguments, "depth", default=1, most=MAX_DEPTH)


def _string(arguments: Mapping[str, Any], name: str) -> str | None:
    value = arguments.get(name)
    return value if isinstance(value, str) else None


def _boolean(arguments: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = arguments.get(name)
    return value if isinstance(value, bool) else default


def _count(arguments: Mapping[str, Any], name: str, *, default: int, most: int) -> int:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return default
    return min(max(value, 1), most)
