"""What is kept of promotions (specs/memory-kernel.md §15): values, and their form on disk.

``<data_dir>/memory/strategies/history.json`` holds one :class:`History`, ``evidence/<digest>.json`` one
:class:`Evidence` each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from zeroclaw_cli.kernel.limits import ID, MAX_VERSION
from zeroclaw_cli.kernel.strategies.canary import Canary

T = TypeVar("T")

VERSION: Final = 1
STAGES: Final = ("check", "replay", "shadow")
_MOST_EVENTS: Final = 1_000
_HEX: Final = frozenset("0123456789abcdef")


class Malformed(Exception):
    """Text that is not what this program wrote."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A strategy: its id and, where it came from an artefact, its version and digest."""

    id: str
    version: str | None = None
    digest: str | None = None

    @classmethod
    def of(cls, canary: Canary) -> Ref:
        """The artefact that ``canary`` tries."""
        return cls(canary.id, canary.version, canary.digest)

    @property
    def label(self) -> str:
        return self.id if self.version is None else f"{self.id}@{self.version}"

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "version": self.version, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class Publication:
    """A promoted artefact. ``publisher_key`` is None where the operator approved it."""

    id: str
    version: str
    digest: str
    kind: str
    label: str
    at: str
    publisher_key: str | None = None

    @property
    def ref(self) -> Ref:
        return Ref(self.id, self.version, self.digest)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "version": self.version,
            "digest": self.digest,
            "kind": self.kind,
            "label": self.label,
            "at": self.at,
            "publisher_key": self.publisher_key,
        }


@dataclass(frozen=True, slots=True)
class Activation:
    """A promotion that is in force or has one after it; ``before`` is what a rollback restores."""

    to: Ref
    before: Ref
    at: str

    def to_json(self) -> dict[str, Any]:
        return {"to": self.to.to_json(), "before": self.before.to_json(), "at": self.at}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: ``what`` is ``promoted``, ``rolled-back``, ``canary-started``, ``canary-promoted`` or
    ``canary-rolled-back``."""

    at: str
    what: str
    strategy: Ref
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"at": self.at, "what": self.what, "strategy": self.strategy.to_json(), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class History:
    """``current`` maps an id to the digest that is selected under it; ``published`` never loses one."""

    published: tuple[Publication, ...] = ()
    current: Mapping[str, str] = field(default_factory=dict)
    activations: tuple[Activation, ...] = ()
    canary: Canary | None = None
    events: tuple[Event, ...] = ()

    def publication(self, id_: str, version: str) -> Publication | None:
        return next((found for found in self.published if (found.id, found.version) == (id_, version)), None)

    def selected(self, id_: str) -> Publication | None:
        """The publication that is selected under ``id_``, if one is."""
        digest = self.current.get(id_)
        return next((found for found in self.published if (found.id, found.digest) == (id_, digest)), None)

    def with_publication(self, publication: Publication) -> History:
        if self.publication(publication.id, publication.version) is not None:
            return self
        return replace(self, published=(*self.published, publication))

    def with_current(self, ref: Ref) -> History:
        """``ref`` selected under its id; one without a digest is the host's own, and nothing is."""
        current = {id_: digest for id_, digest in self.current.items() if id_ != ref.id}
        return replace(self, current=current if ref.digest is None else current | {ref.id: ref.digest})

    def with_event(self, event: Event) -> History:
        return replace(self, events=(*self.events, event)[-_MOST_EVENTS:])

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "published": [found.to_json() for found in self.published],
            "current": dict(sorted(self.current.items())),
            "activations": [found.to_json() for found in self.activations],
            "canary": None if self.canary is None else self.canary.to_json(),
            "events": [found.to_json() for found in self.events],
        }


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the pipeline as it last ended. ``detail`` holds what it looked at, in numbers."""

    ok: bool
    at: str
    detail: Mapping[str, int | str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"ok": self.ok, "at": self.at, "detail": dict(self.detail)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the artefact with ``digest``. ``trusted_at``: when its code was allowed to run, if it was."""

    digest: str
    stages: Mapping[str, Stage] = field(default_factory=dict)
    trusted_at: str | None = None

    def missing(self) -> tuple[str, ...]:
        """The stages that did not pass."""
        return tuple(name for name in STAGES if name not in self.stages or not self.stages[name].ok)

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "digest": self.digest,
            "stages": {name: stage.to_json() for name, stage in self.stages.items()},
            "trusted_at": self.trusted_at,
        }


def read_history(value: Any) -> History:
    """Raises :class:`Malformed`, as :func:`read_evidence` does."""
    body = _body(value, ("published", "current", "activations", "canary", "events"))
    published = _all(body["published"], _publication)
    history = History(
        published,
        {_id(id_): _digest(digest) for id_, digest in _table(body["current"]).items()},
        _all(body["activations"], _activation),
        None if body["canary"] is None else _canary(body["canary"]),
        _all(body["events"], _event),
    )
    if len({(found.id, found.version) for found in published}) != len(published):
        raise Malformed("an id and version are published twice")
    known = {(found.id, found.digest) for found in published}
    used = [*history.current.items(), *((ref.id, ref.digest) for ref in _artefacts(history))]
    if any(pair not in known for pair in used):
        raise Malformed("it names a strategy that was not published")
    return history


def read_evidence(value: Any, digest: str) -> Evidence:
    body = _body(value, ("digest", "stages", "trusted_at"))
    if body["digest"] != digest:
        raise Malformed("it is of another artefact")
    stages = _table(body["stages"])
    if not stages.keys() <= set(STAGES):
        raise Malformed("it has an unknown stage")
    return Evidence(digest, {name: _stage(stage) for name, stage in stages.items()}, _maybe(body["trusted_at"], _text))


def _artefacts(history: History) -> list[Ref]:
    refs = [ref for found in history.activations for ref in (found.to, found.before) if ref.digest is not None]
    if history.canary is not None:
        refs.append(Ref.of(history.canary))
    return refs


def _publication(value: Any) -> Publication:
    names = ("id", "version", "digest", "kind", "label", "at", "publisher_key")
    id_, version, digest, kind, label, at, key = _fields(value, names)
    if kind not in ("rules", "python"):
        raise Malformed("it has an unknown kind of strategy")
    return Publication(_id(id_), _version(version), _digest(digest), kind, _text(label), _text(at), _maybe(key, _text))


def _ref(value: Any) -> Ref:
    id_, version, digest = _fields(value, ("id", "version", "digest"))
    return Ref(_id(id_), _maybe(version, _version), _maybe(digest, _digest))


def _activation(value: Any) -> Activation:
    to, before, at = _fields(value, ("to", "before", "at"))
    return Activation(_ref(to), _ref(before), _text(at))


def _event(value: Any) -> Event:
    at, what, strategy, reason = _fields(value, ("at", "what", "strategy", "reason"))
    return Event(_text(at), _text(what), _ref(strategy), _text(reason))


def _canary(value: Any) -> Canary:
    names = ("id", "version", "digest", "percent", "since", "plans", "failed")
    id_, version, digest, percent, since, plans, failed = _fields(value, names)
    if not 1 <= _count(percent) <= 100 or _count(failed) > _count(plans):
        raise Malformed("the numbers of its canary are impossible")
    return Canary(_id(id_), _version(version), _digest(digest), percent, _text(since), plans, failed)


def _stage(value: Any) -> Stage:
    ok, at, detail = _fields(value, ("ok", "at", "detail"))
    if type(ok) is not bool or not all(type(item) in (int, str) for item in _table(detail).values()):
        raise Malformed("a stage is invalid")
    return Stage(ok, _text(at), detail)


def _body(value: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    body = _table(value)
    version = body.get("version")
    if type(version) is not int or version != VERSION:
        raise Malformed(f"its version is {version!r:.40}, and this program reads {VERSION}")
    _fields(body, ("version", *names))
    return body


def _fields(value: Any, names: tuple[str, ...]) -> list[Any]:
    table = _table(value)
    if set(table) != set(names):
        raise Malformed("a key is missing or unknown")
    return [table[name] for name in names]


def _table(value: Any) -> Mapping[str, Any]:
    if type(value) is not dict:
        raise Malformed("a table is missing")
    return value


def _all(value: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    if type(value) is not list:
        raise Malformed("a list is missing")
    return tuple(map(read, value))


def _maybe(value: Any, read: Callable[[Any], T]) -> T | None:
    return None if value is None else read(value)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Malformed("a text is missing")
    return value


def _version(value: Any) -> str:
    if not 1 <= len(_text(value)) <= MAX_VERSION:
        raise Malformed("a version is invalid")
    return str(value)


def _id(value: Any) -> str:
    if ID.fullmatch(_text(value)) is None:
        raise Malformed("an id is invalid")
    return str(value)


def _digest(value: Any) -> str:
    if len(_text(value)) != 64 or not _HEX.issuperset(value):
        raise Malformed("a digest is invalid")
    return str(value)


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise Malformed("a count is invalid")
    return value
