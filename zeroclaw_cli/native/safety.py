"""Prompt-write safety: what may be written to the files that a model reads every turn (specs/native-memory.md §10).

The check sits in the lowest write function of the store, so that append, patch, import, profile and mirror all pass it.
It looks at the final text. Neither an error nor an event ever holds the matched text.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Final, Literal, Protocol

from zeroclaw_cli.errors import DocumentOperation
from zeroclaw_cli.memory.measures import is_blank
from zeroclaw_cli.native.body_json import json_strings
from zeroclaw_cli.native.events import Event, EventSink, path_hash, record_best_effort
from zeroclaw_cli.native.scope import Scope

POLICY_VERSION: Final = "prompt-protected-paths:v1"
EMPTY_CLEAR: Final = "empty_prompt_file_clear"
STANDING_CLASS: Final = "memory_md"

Operation = Literal["write", "append", "patch", "import", "seed", "profile_update", "admin_system_prompt_update"]

_CLASSES: Final = {
    "soul.md": "soul_md",
    "agents.md": "agents_md",
    "user.md": "user_md",
    "identity.md": "identity_md",
    "system.md": "system_md",
    "memory.md": STANDING_CLASS,
    "tools.md": "tools_md",
    "heartbeat.md": "heartbeat_md",
    "bootstrap.md": "bootstrap_md",
    "context/assistant-directives.md": "context_assistant_directives",
    "context/profile.json": "context_profile",
}
# Facts about people and programs live here, so a line "User: …" is more likely a note than a forged turn (§10.2, b).
_NOTES: Final = frozenset({STANDING_CLASS, "context_profile"})


class Severity(IntEnum):
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One hit of one detector. ``evidence`` tells hits apart when two texts are compared; it never leaves the check."""

    detector: str
    severity: Severity
    evidence: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class WriteCheck:
    """One write to be judged: the final text and what stood there before (None: nothing did, or it is not text)."""

    scope: Scope
    path: str
    operation: Operation
    text: str
    previous: str | None = None
    previous_hash: str | None = None
    source: str = "native"
    allowance: str | None = None
    audit_context: str = ""


class SafetyPolicy(Protocol):
    """Finds what is wrong with a text. With ``requires_previous_hash`` the check carries the present body's hash."""

    requires_previous_hash: bool

    def findings(self, text: str, path_class: str, check: WriteCheck) -> list[Finding]: ...


class DefaultPolicy:
    """The detectors of specs/native-memory.md §10.2."""

    requires_previous_hash = False

    def findings(self, text: str, path_class: str, check: WriteCheck) -> list[Finding]:
        return scan(text, path_class)


@dataclass(frozen=True, slots=True)
class _Detector:
    name: str
    severity: Severity
    pattern: re.Pattern[str]
    # A text without any of these words (in lower case) has no match, and most texts have none of them.
    words: tuple[str, ...]
    severity_in_notes: Severity | None = None


# A word ends where Latin letters and digits end: in scripts without spaces a phrase stands right beside other letters.
_LETTER: Final = "[A-Za-z0-9_\u00c0-\u024f]"
_START: Final = f"(?<!{_LETTER})"
_END: Final = f"(?!{_LETTER})"


def _phrase(text: str) -> str:
    return _START + r"\s+".join(text.split(" ")) + _END


# The prefix stays on its line, or many empty lines would be scanned once for each of them.
_LINE_START: Final = r"(?:\A|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])[ \t#>*-]*"
_FENCE: Final = _LINE_START + r"(?:`{3,}|~{3,})[ \t]*"
_RULES: Final = r"(?:instructions?|prompts?|directions?|directives?|guidelines|commands?)"
_BEFORE: Final = r"(?:previous|prior|above|earlier|preceding|foregoing)"


_ORDER: Final = (
    _START + r"(?:ignore|disregard|forget|override)\s+(?:(?:all|any|of|the|your|these|those|my)\s+){0,4}"
    rf"{_BEFORE}\s+(?:\w+\s+){{0,2}}{_RULES}" + _END
)


@cache
def _detectors() -> tuple[_Detector, ...]:
    critical, high, medium = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM
    table: list[tuple[str, Severity, str, str, Severity | None]] = [
        ("ignore_all_previous", critical, "ignore", _phrase("ignore all previous"), None),
        ("system_role", critical, "system", _LINE_START + r"system[ \t*_]{0,4}:", None),
        ("template_token", critical, "<|", r"<\|\w{1,40}(?!\w)", None),
        ("instruction_tag", critical, "inst", r"\[[ \t]*/?[ \t]*inst[ \t]*\]", None),
        ("nul", critical, "\0", r"\x00", None),
        ("ignore_previous", high, "ignore", _phrase("ignore previous"), None),
        ("ignore_instructions", high, "ignore disregard forget override", _ORDER, None),
        ("forget_everything", high, "forget", _phrase("forget everything"), None),
        ("you_are_now", high, "you", _phrase("you are now"), None),
        ("other_role", high, "assistant user", _LINE_START + r"(?:assistant|user)[ \t*_]{0,4}:", medium),
        ("new_instructions", high, "instructions", _phrase("new instructions"), None),
        ("updated_instructions", high, "instructions", _phrase("updated instructions"), None),
        ("system_fence", high, "system", _FENCE + r"system" + _END, None),
        ("system_tag", high, "system", r"<[ \t]*/?[ \t]*system[ \t]*>", None),
        ("code_evaluation", high, "eval exec", _START + r"(?:eval|exec)\s*\(", None),
        ("disregard", medium, "disregard", _phrase("disregard"), None),
        ("act_as", medium, "act", _phrase("act as"), None),
        ("pretend_to_be", medium, "pretend", _phrase("pretend to be"), None),
        ("sudo_fence", medium, "sudo", _FENCE + r"(?:bash|sh)[ \t]*\r?\n\s*sudo" + _END, None),
        ("base64", medium, "base64", _START + r"base64[:\s]\s*[A-Za-z0-9+/=]{50}", None),
    ]
    return tuple(
        _Detector(name, severity, re.compile(pattern, re.IGNORECASE), tuple(words.split(" ")), in_notes)
        for name, severity, words, pattern, in_notes in table
    )


_ZERO_WIDTH: Final = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
# A word written l i k e  t h i s; a wider gap ends the word.
_SPACED: Final = re.compile(r"(?<![^\s])(?:\w[ \u00a0]){2,40}\w(?![^\s])")


def _readings(text: str) -> Iterator[str]:
    """The texts that a model may read out of ``text``: as it is written, and the strings of JSON as they are read."""
    yield from _normalised(text)
    strings = json_strings(text)
    if strings:
        # Each at the start of a line, for a reader is given one without what stands before it; the full stop between
        # them is a word of no phrase, so that none goes from one string into the next.
        yield from _normalised("\n.\n".join(strings))


def _normalised(text: str) -> Iterator[str]:
    """``text`` normalised, with invisible characters gone or as gaps, and with spaced words joined."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    without = plain if plain.isascii() else _ZERO_WIDTH.sub("", plain)
    yield without
    if without != plain:
        yield _ZERO_WIDTH.sub(" ", plain)
    joined = _SPACED.sub(lambda match: re.sub(r"\s", "", match[0]), without)
    if joined != without:
        yield joined


def scan(text: str, path_class: str) -> list[Finding]:
    """Every finding in ``text`` for a file of this class, strongest first."""
    seen: Counter[Finding] = Counter()
    for reading in _readings(text):
        hits: Counter[Finding] = Counter()
        lowered = reading.lower()
        for detector in _detectors():
            if not any(word in lowered for word in detector.words):
                continue
            severity = detector.severity
            if detector.severity_in_notes is not None and path_class in _NOTES:
                severity = detector.severity_in_notes
            for match in detector.pattern.finditer(reading):
                evidence = " ".join(match[0].lower().split())
                hits[Finding(detector.name, severity, evidence)] += 1
        seen |= hits
    return sorted(seen.elements(), key=lambda finding: (-finding.severity, finding.detector))


@dataclass(frozen=True, slots=True)
class PromptWriteGuard:
    """Judges writes to protected paths. ``policy`` None means none is configured, which refuses them all.

    ``extra_paths`` are further protected paths; a path is compared whole and without regard to ASCII case.
    """

    policy: SafetyPolicy | None = field(default_factory=DefaultPolicy)
    sink: EventSink | None = None
    extra_paths: tuple[str, ...] = ()

    def path_class(self, path: str) -> str | None:
        """The class label of a protected path, None for any other."""
        lowered = _ascii_lower(path)
        if lowered in _CLASSES:
            return _CLASSES[lowered]
        return "custom_protected_path" if any(_ascii_lower(extra) == lowered for extra in self.extra_paths) else None

    def check(self, check: WriteCheck, transaction: sqlite3.Connection | None = None) -> None:
        """Return when the write may go on; raise DocumentOperation with the reason code when it may not.

        Outcomes that let something doubtful through are recorded in ``transaction`` before anything is kept; where that
        fails the write is refused. The event of a refusal is the caller's to record after it rolled back, with
        :meth:`record_rejection`.
        """
        path_class = self.path_class(check.path)
        if path_class is None:
            return
        if self.policy is None:
            raise Rejection(check, path_class, "prompt_write_policy_unavailable", ())
        if is_blank(check.text):
            if check.allowance != EMPTY_CLEAR:
                raise Rejection(check, path_class, "prompt_write_bypass_not_allowed", ())
            self._must_record(check, path_class, "bypass_allowed", "prompt_write_bypass_allowed", (), transaction)
            return
        self._judge(check, path_class, self.policy, transaction)

    def _judge(
        self, check: WriteCheck, path_class: str, policy: SafetyPolicy, transaction: sqlite3.Connection | None
    ) -> None:
        findings = policy.findings(check.text, path_class, check)
        worst = max((finding.severity for finding in findings), default=Severity.LOW)
        if worst >= Severity.HIGH and not self._was_there(check, path_class, policy, findings):
            reason = "critical_prompt_injection" if worst == Severity.CRITICAL else "high_risk_prompt_injection"
            raise Rejection(check, path_class, reason, tuple(findings))
        if findings:
            self._must_record(check, path_class, "warned", "prompt_write_warning", tuple(findings), transaction)
        else:
            record_best_effort(self.sink, _event(check, path_class, "checked", "prompt_write_clean", ()), transaction)

    @staticmethod
    def _was_there(check: WriteCheck, path_class: str, policy: SafetyPolicy, findings: list[Finding]) -> bool:
        # A poisoned file must stay repairable and must not freeze every later save (§10.2, d).
        if check.previous is None:
            return False
        before = Counter(policy.findings(check.previous, path_class, check))
        return not Counter(findings) - before

    def _must_record(
        self,
        check: WriteCheck,
        path_class: str,
        kind: str,
        reason: str,
        findings: tuple[Finding, ...],
        transaction: sqlite3.Connection | None,
    ) -> None:
        if not record_best_effort(self.sink, _event(check, path_class, kind, reason, findings), transaction):
            raise Rejection(check, path_class, "prompt_write_safety_event_unavailable", findings)

    def record_rejection(self, rejection: Rejection) -> None:
        """Tell the sink of a refused write; a failing sink changes nothing."""
        event = _event(rejection.check, rejection.path_class, "rejected", rejection.reason, rejection.findings)
        record_best_effort(self.sink, event)


class Rejection(DocumentOperation):
    """A write that the safety check refused; names the reason and the class of the path, never the text."""

    exit_code = 4

    def __init__(self, check: WriteCheck, path_class: str, reason: str, findings: tuple[Finding, ...]) -> None:
        super().__init__(
            reason, f"the text was refused for a protected file ({path_class}): {reason}", hint=_HINTS.get(reason)
        )
        self.check = check
        self.path_class = path_class
        self.findings = findings


class EntryRejection(Rejection):
    """The refusal of an entry, which stands in no file: it is offered to a model as the standing document is."""

    def __init__(self, rejection: Rejection, key: str, category: str, *, pinned: bool) -> None:
        super().__init__(rejection.check, rejection.path_class, rejection.reason, rejection.findings)
        where = f"the category {category}" if category == "core" else "a pinned entry"
        if any(finding.detector == "nul" for finding in rejection.findings):
            self.message = f"the content of '{key}' holds a NUL character, which {where} cannot hold"
            self.hint = "remove the character"
            return
        self.message = f"the text of '{key}' was refused for {where}, which a model is offered: {self.reason}"
        if rejection.reason in _INJECTION_REASONS:
            ways = ["without `--pinned`"] * pinned + ["with `--category daily`"] * (category == "core")
            self.hint = (
                "it reads like an instruction to a model or a forged turn; write it as a plain statement, or store it "
                + " and ".join(ways)
            )


_INJECTION_REASONS: Final = frozenset({"critical_prompt_injection", "high_risk_prompt_injection"})
_INJECTION_HINT: Final = (
    "it reads like an instruction to a model or a forged turn; write it as a plain statement, or to an unprotected path"
)
_HINTS: Final = {
    "critical_prompt_injection": _INJECTION_HINT,
    "high_risk_prompt_injection": _INJECTION_HINT,
    "prompt_write_bypass_not_allowed": "no write blanks a protected file; use `zeroclaw memory doc forget`",
    "prompt_write_policy_unavailable": "no safety policy is configured; write to an unprotected path",
    "prompt_write_safety_event_unavailable": "the audit record could not be written; see `zeroclaw doctor`",
}


def _event(check: WriteCheck, path_class: str, kind: str, reason: str, findings: tuple[Finding, ...]) -> Event:
    worst = max((finding.severity for finding in findings), default=None)
    return Event(
        kind=kind,
        scope=check.scope,
        source=check.source,
        status="refused" if kind == "rejected" else "ok",
        path_hash=path_hash(check.path),
        audit_context=check.audit_context,
        data={
            "operation": check.operation,
            "policy_version": POLICY_VERSION,
            "class": path_class,
            "reason": reason,
            "severity": None if worst is None else worst.name.lower(),
            "finding_count": len(findings),
            "allowance": check.allowance,
        },
    )


def _ascii_lower(path: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in path)
