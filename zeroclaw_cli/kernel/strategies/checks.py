"""What can be said of an artefact without running any of it (specs/memory-kernel.md §15, ``strategy check``)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from zeroclaw_cli.config.model import Security
from zeroclaw_cli.errors import KernelFailure, Refused
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.replay_cases import CATEGORIES, read_cases
from zeroclaw_cli.kernel.strategies import promotion, rules, signing
from zeroclaw_cli.kernel.strategies.artefact import CASES, PYTHON, RULES, Artefact, Kind
from zeroclaw_cli.kernel.strategies.loading import manifest_of
from zeroclaw_cli.kernel.strategies.state import History
from zeroclaw_cli.kernel.strategy_plugin import StrategyManifest

Level = Literal["ok", "warning", "error"]

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``hint`` says what to do about it."""

    id: str
    level: Level
    detail: str
    hint: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ok": self.level != "error",
            "level": self.level,
            "detail": self.detail,
            "hint": self.hint,
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """``manifest`` and ``kind`` are None when they cannot be read."""

    artefact: Artefact
    manifest: StrategyManifest | None
    kind: Kind | None
    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        return sum(finding.level == level for finding in self.findings)

    def ok(self, *, strict: bool = False) -> bool:
        return not self.count("error") and not (strict and self.count("warning"))

    def to_json(self, *, strict: bool = False) -> dict[str, Any]:
        manifest = self.manifest
        return {
            "ok": self.ok(strict=strict),
            "digest": self.artefact.digest,
            "id": None if manifest is None else manifest.id,
            "version": None if manifest is None else manifest.version,
            "kind": self.kind,
            "permissions": None
            if manifest is None
            else {
                "layer_ids": list(manifest.permissions.layer_ids),
                "adapter_ids": list(manifest.permissions.adapter_ids),
                "capabilities": list(manifest.permissions.capabilities),
                "max_steps": manifest.permissions.max_steps,
            },
            "checks": [finding.to_json() for finding in self.findings],
        }


def check(artefact: Artefact, history: History, security: Security) -> CheckReport:
    """Look at everything, whatever is wrong with the rest. Raises nothing."""
    findings: list[Finding] = [Finding("files", "ok", f"{len(artefact.files)} files, sha256 {artefact.digest}")]
    manifest = _tried(findings, "manifest", lambda: manifest_of(artefact))
    kind = _tried(findings, "form", lambda: artefact.kind)
    if manifest is not None:
        findings.append(Finding("manifest", "ok", f"{manifest.id}@{manifest.version}: {manifest.label}"))
        findings += [Finding("manifest", "warning", warning) for warning in manifest.warnings]
        _tried(findings, "published", lambda: promotion.require_publishable(history, manifest, artefact.digest))
        findings += _meaning(history, manifest)
    if kind == "rules":
        findings += _rules(artefact, manifest)
    elif kind == "python":
        findings += _python(artefact)
    findings += _cases(artefact)
    findings.append(_signature(artefact, security))
    return CheckReport(artefact, manifest, kind, tuple(findings))


def _tried(findings: list[Finding], id_: str, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except KernelFailure as failure:
        findings.append(Finding(id_, "error", failure.message, failure.hint))
        return None


def _meaning(history: History, manifest: StrategyManifest) -> Iterator[Finding]:
    labels = dict.fromkeys(found.label for found in history.published if found.id == manifest.id)
    if labels and manifest.label not in labels:
        shown = printable(list(labels)[-1], 100)
        hint = "an id keeps its meaning; give another strategy an id of its own"
        yield Finding("published", "warning", f"the id {manifest.id} was published as '{shown}'", hint)


def _rules(artefact: Artefact, manifest: StrategyManifest | None) -> Iterator[Finding]:
    findings: list[Finding] = []
    found = _tried(findings, "rules", lambda: rules.read_rules(artefact.text(RULES)))
    yield from findings
    if found is None:
        return
    yield Finding("rules", "ok", f"{len(found)} in {RULES}")
    if manifest is not None:
        hint = "grant it in strategy.toml, or leave it out"
        for refused in rules.refusals(found, manifest.permissions):
            yield Finding("permissions", "error", f"{refused}, which is not granted", hint)
        for remark in rules.remarks(found, manifest.permissions):
            yield Finding("rules", "warning", remark)


def _python(artefact: Artefact) -> Iterator[Finding]:
    import ast
    import warnings

    findings: list[Finding] = []
    source = _tried(findings, "python", lambda: artefact.text(PYTHON))
    yield from findings
    if source is None:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, PYTHON)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        yield Finding("python", "error", f"{PYTHON} is not Python: {printable(what)}{where}", "correct it")
        return
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "propose"]
    if not defined:
        hint = "def propose(request, context): return {'reason': …, 'steps': […]}"
        yield Finding("python", "error", f"{PYTHON} defines no propose at its top", hint)
        return
    arguments = defined[-1].args
    if len(arguments.posonlyargs) + len(arguments.args) != 2 and arguments.vararg is None:
        yield Finding("python", "error", "propose takes two arguments: request and context", "give it these two")
    yield from _imports(tree)


def _imports(tree: Any) -> Iterator[Finding]:
    import ast

    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." if node.level else (node.module or "").partition(".")[0])
    shown = ", ".join(sorted(names)[:_SHOWN]) + (" and more" if len(names) > _SHOWN else "")
    yield Finding("python", "ok", f"it imports {printable(shown)}" if names else "it imports nothing")
    foreign = sorted(names - sys.stdlib_module_names)
    if foreign:
        hint = "only Python's own library is there when it runs"
        yield Finding("python", "warning", f"it imports {printable(', '.join(foreign))}, which it will not find", hint)


def _cases(artefact: Artefact) -> Iterator[Finding]:
    findings: list[Finding] = []
    cases = _tried(findings, "cases", lambda: read_cases(artefact.text(CASES), CASES))
    yield from findings
    if cases is None:
        return
    yield Finding("cases", "ok", f"{len(cases)} in {CASES}")
    covered = {case.category for case in cases}
    missing = [name for name in CATEGORIES if name not in covered]
    if missing:
        hint = "it needs one in each category to be promoted"
        yield Finding("cases", "warning", f"there is no case of {', '.join(missing)}", hint)


def _signature(artefact: Artefact, security: Security) -> Finding:
    if artefact.signature is None:
        return Finding("signature", "ok", "it is not signed; promoting it approves it")
    try:
        key = signing.verify(artefact, security)
    except Refused as refused:
        return Finding("signature", "warning", refused.message, refused.hint)
    return Finding("signature", "ok", f"signed by {key}, who is trusted")
