"""Copies for providers, without secrets and without fenced memory (specs/memory-providers.md P-29, P-43)."""

from __future__ import annotations

import copy
import json
import marshal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

from zeroclaw_cli.providers.fencing import sanitize_context

REDACTED: Final = "[redacted]"

_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
# Keys as their issuers form them are looked for only in what is long and of one piece: all else is found much faster.
_LONG: Final = re.compile(r"[A-Za-z0-9_.-]{16,}")
_KEYS: Final = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,16}[-_]){0,3}[A-Za-z0-9]{20,}[A-Za-z0-9_-]*"
    r"|\b(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,100}\d)[A-Za-z0-9_-]{20,}"
    r"|\b(?:gh[oprsu]|glpat|npm|hf|xai|gsk|r8|tvly|pplx|dop_v1|shpat|sq0csp|SG)[-_.][A-Za-z0-9_.-]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bpypi-[A-Za-z0-9_-]{32,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{35}"
    r"|\bya29\.[A-Za-z0-9_-]{20,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
# A value with a digit in it, and what may stand before it if it is a secret.
_ASSIGNED: Final = re.compile(r"(?P<name>[:=]\s{0,4}(?:\\?[\"'])?)(?=[^\s\"']{0,200}\d)(?P<value>[^\s\"',;\\]{8,})")
_SECRET_BEFORE: Final = re.compile(
    r"(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|passphrase|token)[\s\"'\\]{0,6}\Z", re.IGNORECASE
)
_BEARER: Final = re.compile(
    r"(?P<name>authorization[\"'\\]{0,2}\s{0,4}[:=]\s{0,4}[\"'\\]{0,2}(?:bearer|basic|token)\s{1,4}"
    r"|\bbearer\s{1,4}(?=\S{0,200}\d))(?P<value>[^\s\"',;\\]{8,})",
    re.IGNORECASE,
)
_IN_URL: Final = re.compile(r"(?P<name>://[^\s/:@]{0,200}:)(?P<value>[^\s/@]{1,200})(?=@)")
_BEFORE_CHARS: Final = 24
# A pattern holds every other thread up for as long as it runs, so a long text is taken in pieces of whole lines.
_PIECE: Final = 100_000
_REMEMBERED_TEXTS: Final = 1_024
_REMEMBERED_CHARS: Final = 16_000

_SECRET_NAME: Final = re.compile(
    r"key|token|secret|passw|passphrase|pwd|credential|auth|bearer|private|pin\b|dsn|connection_?string|cookie",
    re.IGNORECASE,
)
_PLAIN_VALUE: Final = re.compile(
    r"true|false|yes|no|on|off|none|null|[\w.+-]{0,7}|(?:~|\.{1,2})?(?:/[\w.@ -]+)+/?|[a-z][a-z0-9+.-]*://[\w.:/\[\]-]*",
    re.IGNORECASE,
)
_MIN_SECRET: Final = 4
_MAX_DEPTH: Final = 100
_TOO_DEEP: Final = "[nested too deep]"


def sounds_secret(name: str) -> bool:
    """Whether what has this name, a variable or a setting, is to be taken for a secret."""
    return _SECRET_NAME.search(name) is not None


def secrets_of(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The values among ``variables``, a provider's ``.env``, that must not leave.

    Every value counts except what is plainly none under a name that does not sound like one: a switch, a short word,
    a path, an address without a password.
    """
    return tuple(
        value
        for name, value in variables.items()
        if len(value) >= _MIN_SECRET and (sounds_secret(name) or not _PLAIN_VALUE.fullmatch(value))
    )


class Redactor:
    """Makes the copies that providers get.

    ``secrets`` are texts that are known to be secret; beside them go keys in their issuers' forms. With ``enabled``
    false secrets stay in what goes to providers (``memory.providers_host.redact``); copies are made and fenced memory
    is taken out all the same.
    """

    def __init__(self, secrets: Iterable[str] = (), *, enabled: bool = True) -> None:
        self._enabled = enabled
        known = {form for secret in secrets if len(secret) >= _MIN_SECRET for form in _forms(secret)}
        self._known = sorted(known, key=lambda form: (-len(form), form))
        # The messages of a conversation come again with every turn.
        self._remembered = lru_cache(_REMEMBERED_TEXTS)(self._text)

    def secretless(self, text: str) -> str:
        """``text`` with every secret replaced by ``[redacted]``."""
        text = self.without_known(text)
        if "-----BEGIN " in text:
            text = _PRIVATE_KEY.sub(REDACTED, text)
        return "".join(map(_without_keys, _pieces(text)))

    def without_known(self, text: str) -> str:
        """``text`` with every known secret replaced; what only has the form of a key stays."""
        for form in self._known:
            text = text.replace(form, REDACTED)
        return text

    def text(self, text: str) -> str:
        """``text`` as a provider may have it: no block of recalled memory, no secret."""
        return self._text(text) if len(text) > _REMEMBERED_CHARS else self._remembered(text)

    def _text(self, text: str) -> str:
        clean = sanitize_context(text)
        return self.secretless(clean) if self._enabled else clean

    def value(self, value: Any) -> Any:
        """A deep copy of ``value`` (dicts, lists, tuples, texts and whatever else), its texts as :meth:`text` says."""
        return _copy(value, self.text, 0)


class Snapshot:
    """``value`` as it is now, to be copied again later; the texts themselves are shared.

    Turns may queue up behind a provider. Their containers are kept as bytes, since a full garbage collection over those
    of a thousand transcripts would halt the caller for longer than a turn may be delayed.
    """

    def __init__(self, value: Any) -> None:
        texts: list[str] = []

        def number(text: str) -> str:
            texts.append(text)
            return str(len(texts) - 1)

        shape = _copy(value, number, 0)
        try:
            self._shape: bytes | None = marshal.dumps(shape)
        except ValueError:
            # Something in it is not plain data.
            self._shape, self._plain = None, _copy(value, None, 0)
        self._texts = tuple(texts)

    def thaw(self) -> Any:
        """A copy of its own of what the value was."""
        if self._shape is None:
            return _copy(self._plain, None, 0)
        return _copy(marshal.loads(self._shape), lambda number: self._texts[int(number)], 0)  # noqa: S302 - our own bytes


def _copy(value: Any, clean: Callable[[str], str] | None, depth: int) -> Any:
    if isinstance(value, str):
        return value if clean is None else clean(value)
    if value is None or isinstance(value, (int, float, bytes)):
        return value
    if depth > _MAX_DEPTH:
        return _TOO_DEEP if clean is None else clean(_TOO_DEEP)
    if isinstance(value, Mapping):
        return {_copy_key(key, clean): _copy(item, clean, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_copy(item, clean, depth + 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - an object that cannot be copied, a callback or a handle, is handed over itself
        return value


def _copy_key(key: Any, clean: Callable[[str], str] | None) -> Any:
    return clean(key) if clean is not None and isinstance(key, str) else key


def _forms(secret: str) -> set[str]:
    """``secret`` as it stands in plain text, in JSON and in a URL."""
    return {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe="")}


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _PIECE and (end := text.find("\n", start + _PIECE) + 1):
        yield text[start:end]
        start = end
    yield text[start:]


def _without_keys(text: str) -> str:
    text = _LONG.sub(_without_key, text)
    if "@" in text:
        text = _IN_URL.sub(_keep_name, text)
    lower = text.lower()
    if "bearer" in lower or "authorization" in lower:
        text = _BEARER.sub(_keep_name, text)
    return _ASSIGNED.sub(_keep_secret_name, text)


def _without_key(found: re.Match[str]) -> str:
    return _KEYS.sub(REDACTED, found[0])


def _keep_secret_name(found: re.Match[str]) -> str:
    start = found.start()
    before = found.string[max(0, start - _BEFORE_CHARS) : start]
    return _keep_name(found) if _SECRET_BEFORE.search(before) else found[0]


def _keep_name(found: re.Match[str]) -> str:
    return f"{found['name']}{REDACTED}"
