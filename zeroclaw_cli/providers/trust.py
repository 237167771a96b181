"""Which providers the user approved (specs/memory-providers.md §12, P-40, P-41).

An approval is for one exact tree at one place. A provider is arbitrary Python with all rights of the user; nothing
here is a sandbox.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, ProviderUntrusted, TrustDamaged
from zeroclaw_cli.os_errors import access_failure
from zeroclaw_cli.providers.discovery import ProviderPlugin
from zeroclaw_cli.providers.tree import Tree, UnsafeTree, read_tree

State = Literal["bundled", "trusted", "untrusted", "changed", "unsafe"]

_VERSION: Final = 1
_LOCK_TIMEOUT_S: Final = 30.0
_SHOWN: Final = 5
# Name and digest of what is approved in this context without being recorded.
_approving: Final[ContextVar[tuple[str, str] | None]] = ContextVar("zeroclaw_approving", default=None)


@dataclass(frozen=True, slots=True)
class TrustVerdict:
    """``digest`` is that of the tree as it is now, empty when it is unsafe. ``reason`` and ``hint`` are for a person,
    empty for what may be loaded; ``changed`` holds lines such as ``changed store.py``, sorted by path."""

    state: State
    digest: str
    reason: str = ""
    changed: tuple[str, ...] = ()
    hint: str = ""

    @property
    def loadable(self) -> bool:
        return self.state in ("bundled", "trusted")


@dataclass(frozen=True, slots=True)
class _Approval:
    name: str
    path: str
    digest: str
    time: str
    files: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "path": self.path,
            "digest": self.digest,
            "time": self.time,
            "files": dict(sorted(self.files.items())),
        }


def trust_file(home: Path) -> Path:
    """Where the approvals of ``home`` are."""
    return home / "plugins" / "trust.json"


def tree_digest(directory: Path) -> str:
    """SHA-256 (64 hex digits) over the files of a provider, ``__pycache__`` apart. Raises ProviderUntrusted when the
    tree is unsafe."""
    try:
        return read_tree(directory, keep=False).digest
    except UnsafeTree as unsafe:
        raise ProviderUntrusted(unsafe.reason, hint=unsafe.hint) from None


def verdict(home: Path, plugin: ProviderPlugin) -> TrustVerdict:
    """Whether ``plugin`` may be loaded in ``home``, from all of its bytes. Runs nothing and raises nothing."""
    try:
        return _judge(home, plugin, keep=False)[0]
    except TrustDamaged as damaged:
        return TrustVerdict("unsafe", "", damaged.message, hint=damaged.hint or "")


def require(home: Path, plugin: ProviderPlugin) -> str:
    """The digest of a provider that may be loaded. Raises ProviderUntrusted, and TrustDamaged when the approvals
    cannot be read."""
    return approved_tree(home, plugin).digest


def approved_tree(home: Path, plugin: ProviderPlugin) -> Tree:
    """The bytes that were approved; raises as :func:`require`."""
    found, tree = _judge(home, plugin, keep=True)
    if tree is None or not found.loadable:
        raise ProviderUntrusted(f"memory provider {plugin.name} is not loaded: {found.reason}", hint=found.hint)
    return tree


def record(home: Path, plugin: ProviderPlugin, digest: str) -> None:
    """Approve the tree of ``plugin`` whose digest is ``digest`` (64 hex digits, ``sha256:`` before them allowed).

    Raises ProviderUntrusted, nothing recorded, when the tree has another digest or is unsafe; TrustDamaged when the
    file of the approvals does not parse. A bundled provider needs no approval.
    """
    if plugin.origin == "bundled":
        return
    try:
        tree = read_tree(plugin.directory, keep=False)
    except UnsafeTree as unsafe:
        raise ProviderUntrusted(
            f"memory provider {plugin.name} is not trusted: {unsafe.reason}", hint=unsafe.hint
        ) from None
    if tree.digest != digest.strip().lower().removeprefix("sha256:"):
        raise ProviderUntrusted(
            f"memory provider {plugin.name} is not trusted: its digest is {tree.digest}, not {digest}",
            hint="look at its files again; `zeroclaw memory providers` shows the digest",
        )
    approval = _Approval(plugin.name, str(tree.directory), tree.digest, _now(), tree.files)
    with _locked(home):
        others = [old for old in _read(home) if (old.name, old.path) != (approval.name, approval.path)]
        _write(home, [*others, approval])


@contextmanager
def approving(plugin: ProviderPlugin, digest: str) -> Iterator[None]:
    """Let the tree of ``plugin`` that has ``digest`` count as approved within the block, in this context.

    For setup, which must look at a provider before the person has decided: nothing is recorded.
    """
    token = _approving.set((plugin.name, digest))
    try:
        yield
    finally:
        _approving.reset(token)


def _judge(home: Path, plugin: ProviderPlugin, *, keep: bool) -> tuple[TrustVerdict, Tree | None]:
    ours = plugin.origin == "bundled"
    try:
        tree = read_tree(plugin.directory, keep=keep, ours=ours)
    except UnsafeTree as unsafe:
        return TrustVerdict("unsafe", "", unsafe.reason, hint=unsafe.hint), None
    if ours:
        return TrustVerdict("bundled", tree.digest), tree
    if _approving.get() == (plugin.name, tree.digest):
        return TrustVerdict("trusted", tree.digest), tree
    approvals = [old for old in _read(home) if old.name == plugin.name]
    here = next((old for old in approvals if old.path == str(tree.directory)), None)
    hint = f"look at its files, then run `zeroclaw memory trust {plugin.name}`"
    if here is None:
        reason = (
            "its code has not been approved" if not approvals else f"it was approved at {approvals[0].path}, not here"
        )
        return TrustVerdict("untrusted", tree.digest, reason, hint=hint), tree
    if here.digest != tree.digest:
        changed = _differences(here.files, tree.files)
        shown = ", ".join(changed[:_SHOWN]) + (f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else "")
        reason = f"its code changed since it was approved ({shown})"
        return TrustVerdict("changed", tree.digest, reason, changed, hint), tree
    return TrustVerdict("trusted", tree.digest), tree


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    lines = []
    for path in sorted(before.keys() | after.keys()):
        if path not in before:
            lines.append(f"added {path}")
        elif path not in after:
            lines.append(f"removed {path}")
        elif before[path] != after[path]:
            lines.append(f"changed {path}")
    return tuple(lines)


def _read(home: Path) -> list[_Approval]:
    path = trust_file(home)
    try:
        status = path.lstat()
        data = fsio.read_regular(path)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise access_failure(error, path) or _damaged(path, f"cannot be read: {error.strerror or error}") from None
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _damaged(path, "may be written by other users")
    try:
        content = json.loads(data)
        if content["version"] != _VERSION:
            raise _damaged(path, f"has version {content['version']!r}, which this program does not know")
        return [_approval(item) for item in content["providers"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _damaged(path, "is not what this program wrote") from None


def _approval(item: Any) -> _Approval:
    name, path, digest, time, files = (item[key] for key in ("name", "path", "digest", "time", "files"))
    if not all(isinstance(text, str) for text in (name, path, digest, time, *files, *files.values())):
        raise TypeError
    return _Approval(name, path, digest, time, files)


def _damaged(path: Path, what: str) -> TrustDamaged:
    return TrustDamaged(
        f"{path} {what}",
        hint=f"move it away (`mv {path} {path}.old`) and approve each provider again with `zeroclaw memory trust NAME`",
    )


def _write(home: Path, approvals: list[_Approval]) -> None:
    ordered = sorted(approvals, key=lambda approval: (approval.name, approval.path))
    content = {"version": _VERSION, "providers": [approval.to_json() for approval in ordered]}
    fsio.atomic_write(trust_file(home), json.dumps(content, indent=1).encode("ascii") + b"\n")


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    fsio.make_private_dir(trust_file(home).parent)
    try:
        with fsio.file_lock(trust_file(home).with_name(".trust.lock"), timeout_s=_LOCK_TIMEOUT_S):
            yield
    except TimeoutError:
        raise Busy(
            f"another command has been changing {trust_file(home)} for {_LOCK_TIMEOUT_S:g} seconds",
            hint="try again when it has ended",
        ) from None


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
