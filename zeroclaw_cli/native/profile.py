"""The profile of the user: timezone, locale and location (specs/native-memory.md §11).

It belongs to tenant and user alone, whatever agent or project asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from zeroclaw_cli.errors import DocumentArgument, DocumentOperation
from zeroclaw_cli.memory.documents import Profile
from zeroclaw_cli.memory.measures import byte_length, has_lone_surrogate
from zeroclaw_cli.native.body_json import load
from zeroclaw_cli.native.paths import PROFILE, is_timezone
from zeroclaw_cli.native.repository import Repository, Stored, WriteOptions
from zeroclaw_cli.native.retries import with_retries
from zeroclaw_cli.native.scope import DocumentPath, Scope

FIELDS: Final = ("timezone", "locale", "location")
# What a host still reads; a larger document counts as no profile.
MAX_READ_BYTES: Final = 65_536
_LOCALE: Final = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", re.ASCII)
_MAX_LOCATION: Final = 200
_MAX_LOCATION_BYTES: Final = 800
_MAX_LOCALE: Final = 35


def parse_fields(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The fields to set, as they are kept. Raises DocumentInput for an unknown key, a wrong value, or none at all."""
    if not arguments:
        raise DocumentArgument("empty_profile", "no profile field is given", hint=f"give one of {', '.join(FIELDS)}")
    fields = {}
    for name, value in arguments.items():
        if name not in FIELDS:
            raise DocumentArgument(
                "unknown_field", "a profile has no such field", hint=f"the fields are {', '.join(FIELDS)}"
            )
        if not isinstance(value, str) or has_lone_surrogate(value):
            raise DocumentArgument(f"bad_{name}", f"the {name} must be a text", hint="give it as a string")
        fields[name] = _CHECKS[name](value)
    return fields


def _timezone(value: str) -> str:
    name = value.strip()
    if not is_timezone(name):
        raise DocumentArgument(
            "bad_timezone", "the timezone is not a known name", hint="write it as in Europe/Berlin, with its capitals"
        )
    return name


def _locale(value: str) -> str:
    if len(value) > _MAX_LOCALE or _LOCALE.fullmatch(value) is None:
        raise DocumentArgument("bad_locale", "the locale is not a language tag", hint="write it as in de-AT")
    return value


def _location(value: str) -> str:
    place = value.strip()
    if not place or len(place) > _MAX_LOCATION or byte_length(place) > _MAX_LOCATION_BYTES:
        raise DocumentArgument(
            "bad_location", f"the location must have 1 to {_MAX_LOCATION} characters", hint="name the place in words"
        )
    return place


_CHECKS: Final = {"timezone": _timezone, "locale": _locale, "location": _location}


def profile_set(
    repository: Repository, scope: Scope, fields: Mapping[str, str], *, audit_context: str = ""
) -> dict[str, Any]:
    """Merge checked ``fields`` into the profile and return all of it; unknown keys in it are kept.

    Raises DocumentOperation ``corrupt_profile`` or ``conflict_retries``; then nothing changed.
    """
    where = DocumentPath(scope.of_user, PROFILE)
    options = WriteOptions(operation="profile_update", audit_context=audit_context)
    merged: dict[str, Any] = {}

    def change(stored: Stored | None) -> bytes:
        nonlocal merged
        merged = {**_object_of(stored), **fields}
        return _encoded(merged)

    with_retries(lambda: repository.update(where.scope, where, change, options=options))
    return merged


def _encoded(profile: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(profile, ensure_ascii=False, indent=2)
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        # JSON can name half of a surrogate pair, UTF-8 cannot.
        return f"{json.dumps(profile, indent=2)}\n".encode("ascii")


def _object_of(stored: Stored | None) -> dict[str, Any]:
    return {} if stored is None else _parsed(stored.body)


def _object_in(body: bytes) -> dict[str, Any] | None:
    try:
        value = load(body, finite=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or any(not isinstance(value.get(name, ""), str) for name in FIELDS):
        return None
    return value


def _parsed(body: bytes) -> dict[str, Any]:
    value = _object_in(body)
    if value is None:
        raise DocumentOperation(
            "corrupt_profile",
            "the stored profile is not an object of texts",
            hint=f"mend it with `zeroclaw memory doc edit {PROFILE}`, or remove it with `zeroclaw memory doc forget`",
        )
    return value


def check_body(path: DocumentPath, body: bytes) -> None:
    """Raise DocumentOperation ``corrupt_profile`` when ``path`` is the profile and nobody could read ``body`` as one.

    Whoever writes it: what a host would take for no profile, and ``profile_set`` for a corrupt one, never gets there.
    """
    if path.relative != PROFILE or path.scope != path.scope.of_user:
        return
    if len(body) > MAX_READ_BYTES:
        problem = f"the profile would be longer than {MAX_READ_BYTES:,} bytes"
    elif _object_in(body) is None:
        problem = "the profile would be no JSON object with texts for " + ", ".join(FIELDS)
    else:
        return
    raise DocumentOperation(
        "corrupt_profile",
        problem,
        hint="nothing was written; `zeroclaw memory profile set` sets one field and keeps the others",
    )


def profile_read(repository: Repository, scope: Scope) -> bytes | None:
    """The raw bytes of the profile, None when there is none. Nothing is parsed."""
    where = DocumentPath(scope.of_user, PROFILE)
    stored = repository.read(where.scope, where)
    return None if stored is None else stored.body


def profile_get(repository: Repository, scope: Scope) -> Profile:
    """The profile as a person is shown it. Raises DocumentOperation ``corrupt_profile`` rather than show none."""
    body = profile_read(repository, scope)
    return Profile() if body is None else _profile_of(_parsed(body))


def timezone_of(repository: Repository, scope: Scope) -> str | None:
    """The timezone of the profile when it is a known one."""
    found = as_profile(profile_read(repository, scope)).timezone
    return found if found is not None and is_timezone(found) else None


def as_profile(body: bytes | None) -> Profile:
    """The profile that a host makes of the bytes: none when they are too large or no JSON object."""
    if body is None or len(body) > MAX_READ_BYTES:
        return Profile()
    try:
        value = load(body)
    except (ValueError, RecursionError):
        return Profile()
    return _profile_of(value) if isinstance(value, dict) else Profile()


def _profile_of(value: Mapping[str, Any]) -> Profile:
    known = {name: value[name] if isinstance(value.get(name), str) else None for name in FIELDS}
    return Profile(**known, others={key: item for key, item in value.items() if key not in FIELDS})
