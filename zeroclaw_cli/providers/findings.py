"""What ``memory check`` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Level = Literal["ok", "note", "skipped", "warning", "error"]

_ORDER: Final = ("error", "warning", "skipped", "note", "ok")


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule and what was seen; several findings may have one ``id``. ``hint`` says what to do, or is empty."""

    id: str
    level: Level
    detail: str
    hint: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ok": self.level != "error",
            "level": self.level,
            "detail": self.detail,
            "hint": self.hint or None,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, the gravest first."""

    checks: tuple[Finding, ...]

    @classmethod
    def of(cls, findings: list[Finding]) -> Report:
        return cls(tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.level))))

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(finding.level != "error" for finding in self.checks)

    def count(self, level: Level) -> int:
        return sum(finding.level == level for finding in self.checks)

    def summary(self) -> str:
        """The numbers of errors and warnings in words."""
        from zeroclaw_cli.memory.text import counted

        return f"{counted(self.count('error'), 'error')}, {counted(self.count('warning'), 'warning')}"

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "checks": [finding.to_json() for finding in self.checks],
        }


def ok(id: str, detail: str) -> Finding:
    return Finding(id, "ok", detail)


def note(id: str, detail: str, hint: str = "") -> Finding:
    return Finding(id, "note", detail, hint)


def skipped(id: str, detail: str, hint: str = "") -> Finding:
    return Finding(id, "skipped", detail, hint)


def warning(id: str, detail: str, hint: str) -> Finding:
    return Finding(id, "warning", detail, hint)


def error(id: str, detail: str, hint: str) -> Finding:
    return Finding(id, "error", detail, hint)
