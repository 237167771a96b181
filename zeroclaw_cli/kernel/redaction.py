"""Registered secrets, kept out of error texts (specs/memory-kernel.md §9)."""

from __future__ import annotations

import re
from threading import Lock

from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.json_safe import kind_name
from zeroclaw_cli.kernel.limits import MAX_ERROR

REDACTED = "[redacted]"


class Secrets:
    """Values that no text of the kernel may show. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[object, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def add(self, value: str) -> Dispose:
        """Keep ``value`` out of every text from now on. Raises ValueError for an empty one."""
        if not value:
            raise ValueError("a secret is not empty")
        key = object()
        with self._lock:
            self._values[key] = value
            self._compile()

        def dispose() -> None:
            with self._lock:
                if self._values.pop(key, None) is not None:
                    self._compile()

        return dispose

    def redact(self, text: str) -> str:
        """``text`` with every registered secret replaced."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(REDACTED, text)

    def describe(self, error: BaseException) -> str:
        """The message of ``error``, or its type when it has none: redacted, writable as UTF-8, at most 2,000
        characters."""
        try:
            # The class's own method makes plain text of any kind of text.
            text = str.__str__(error.message if isinstance(error, ZeroclawError) else str(error))
        except BaseException:  # noqa: BLE001 - an exception without a readable message is named by its type
            text = ""
        if not text.strip():
            text = kind_name(error)
        elif not isinstance(error, Exception):
            text = f"{kind_name(error)}: {text}"
        return self.clean(text)

    def clean(self, text: str) -> str:
        """``text`` redacted, writable as UTF-8 and cut, in this order."""
        shown = self.redact(str.__str__(text))
        return shown.encode("utf-8", "backslashreplace").decode("utf-8")[:MAX_ERROR]

    def _compile(self) -> None:
        # The longest first, or the rest of a secret that begins like another would show.
        values = sorted(set(self._values.values()), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, values))) if values else None
