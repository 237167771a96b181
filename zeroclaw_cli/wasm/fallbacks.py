"""What the host does in place of an optional function that a plugin does not have (specs/zeroclaw.md §7.1).

Pure functions over entries that the plugin gave; instants are compared as instants.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.times import Instant, instant
from zeroclaw_cli.memory.types import Entry, ExportFilter


def of_agent(entry: Entry | None, agent_id: str) -> Entry | None:
    """For ``get-for-agent``: the entry if it is the agent's."""
    return entry if entry is not None and entry.agent_id == agent_id else None


def in_namespace(entries: Sequence[Entry], namespace: str, limit: int) -> list[Entry]:
    """For ``recall-namespaced``: the entries of the namespace, at most ``limit``, in their order."""
    return [entry for entry in entries if entry.namespace == namespace][:limit]


def exported(entries: Sequence[Entry], keep: ExportFilter) -> list[Entry]:
    """For ``export-entries``: what the filter keeps by namespace and time, oldest first.

    Category and session were the plugin's to filter. An entry whose timestamp is not RFC 3339 is kept when there is no
    bound, and comes last. Raises UsageError for a bound that is none.
    """
    since, until = _bound("since", keep.since), _bound("until", keep.until)
    dated: list[tuple[tuple[int, Instant], Entry]] = []
    for entry in entries:
        if keep.namespace is not None and entry.namespace != keep.namespace:
            continue
        at = _instant_of(entry)
        if at is None:
            if since is None and until is None:
                dated.append(((1, (0, 0)), entry))
        elif (since is None or at >= since) and (until is None or at <= until):
            dated.append(((0, at), entry))
    dated.sort(key=lambda pair: pair[0])
    return [entry for _, entry in dated]


def _bound(name: str, text: str | None) -> Instant | None:
    if text is None:
        return None
    try:
        return instant(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint="write it as in 2026-03-01T12:00:00Z") from None


def _instant_of(entry: Entry) -> Instant | None:
    try:
        return instant(entry.timestamp)
    except ValueError:
        return None
