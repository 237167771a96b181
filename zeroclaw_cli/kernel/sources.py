"""Sources of memory for the prompt, and what their snapshots must be (specs/memory-kernel.md §11, §12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.json_safe import FrozenDict, Json, canonical, digest, freeze, kind_name, printable
from zeroclaw_cli.kernel.parsing import component_id, raw_fields
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.views import SourceContext, SourceSnapshot, ViewSource

UNAVAILABLE_COVER: Final = "This memory is temporarily unavailable."

Describe = Callable[[BaseException], str]
"""The message of an exception, without secrets."""


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredSource:
    """A source whose callables were captured when it was registered. ``degraded`` is what stands in for a snapshot that
    failed or did not come in time; None where that ends the publication."""

    layer_id: str
    mode: str
    snapshot: Callable[[SourceContext], Any]
    degraded: Callable[[BaseException], SourceSnapshot] | None = None


class Taken(NamedTuple):
    """One source of a view, and its frozen state, which stays on the host. ``problem`` is why it could only say that
    its memory is unavailable, without secrets; None when it was read."""

    source: ViewSource
    state: Json
    problem: str | None = None


def registered_source(source: object) -> RegisteredSource:
    """``source``, its ``snapshot`` captured. Raises KernelFailure ``invalid-id`` or ``invalid-descriptor``."""
    layer_id = component_id(getattr(source, "layer_id", None), "layer id of a source")
    mode = getattr(source, "mode", None)
    if type(mode) is not str or mode not in limits.SOURCE_MODES:
        raise KernelFailure(
            "invalid-descriptor",
            f"the mode of the source of layer {layer_id} is {mode!r:.100}",
            hint=f"use one of: {', '.join(limits.SOURCE_MODES)}",
            details={"layerId": layer_id, "field": "mode"},
        )
    snapshot = getattr(source, "snapshot", None)
    if not callable(snapshot):
        raise KernelFailure("invalid-descriptor", f"the source of layer {layer_id} has no snapshot")
    degraded = getattr(source, "degraded", None)
    return RegisteredSource(layer_id, mode, snapshot, degraded if callable(degraded) else None)


def projecting_layers(picture: Picture) -> tuple[str, ...]:
    """The layers that must have a source, in topology order: enabled, projection automatic, ``project`` declared."""
    return tuple(
        id_
        for id_, rights in picture.layers.items()
        if rights.enabled
        and rights.modes["projection"] == "automatic"
        and rights.capabilities is not None
        and "project" in rights.capabilities
    )


def take(source: RegisteredSource, context: SourceContext, describe: Describe) -> Taken:
    """Ask ``source`` once and check what it gives; one that degrades does so when it raises.

    Raises KernelFailure ``source-error`` when another one raises, ``source-invalid`` for another shape, ``wake-empty``,
    ``wake-too-long`` or ``json-unsafe``; each names the layer.
    """
    try:
        found = source.snapshot(context)
    except BaseException as error:
        if source.degraded is not None:
            return without(source, error, describe)
        raise _failed(source, error, describe) from error
    return _checked(source, found)


def without(source: RegisteredSource, error: BaseException, describe: Describe) -> Taken:
    """What stands in for a source that degrades, which ``error`` kept from answering. Raises as :func:`take` when it
    cannot even do that."""
    assert source.degraded is not None, "it degrades"
    try:
        found = source.degraded(error)
    except BaseException as other:
        raise _failed(source, other, describe) from other
    return _checked(source, found)._replace(problem=printable(describe(error)))


def _failed(source: RegisteredSource, error: BaseException, describe: Describe) -> KernelFailure:
    return KernelFailure(
        "source-error",
        f"the source of layer {source.layer_id} failed: {printable(describe(error))}",
        hint="mend the source, or set its layer's participation.projection to manual",
        details={"layerId": source.layer_id, "cause": kind_name(error)},
    )


def _checked(source: RegisteredSource, found: object) -> Taken:
    what = f"the source of layer {source.layer_id}"
    if type(found) not in (SourceSnapshot, dict, FrozenDict):
        raise KernelFailure(
            "source-invalid",
            f"{what} gave a {kind_name(found)}",
            hint="a source gives a SourceSnapshot, or a dict with revision, wake and state",
            details={"layerId": source.layer_id},
        )
    raw = raw_fields(found, SourceSnapshot, ("revision", "wake", "state"), f"what {what} gave", "source-invalid")
    revision = _revision(raw, what)
    wake = _wake(raw.get("wake"), source, what)
    state = _state(raw.get("state"), what)
    body = {"layerId": source.layer_id, "revision": revision, "mode": source.mode, "wake": wake}
    if state is not None:
        body["state"] = state
    return Taken(ViewSource(source.layer_id, revision, source.mode, digest(body), wake), state)


def _revision(raw: Mapping[str, Any], what: str) -> str:
    value = raw.get("revision")
    text = value.strip() if type(value) is str else ""
    if not 1 <= len(text) <= limits.MAX_REVISION:
        raise KernelFailure("source-invalid", f"{what} must give a revision of 1 to {limits.MAX_REVISION} characters")
    return str(freeze(text, f"the revision of {what}"))


def _wake(value: object, source: RegisteredSource, what: str) -> str:
    if type(value) is not str:
        raise KernelFailure("source-invalid", f"the wake of {what} must be text, not a {kind_name(value)}")
    text = str(freeze(value, f"the wake of {what}"))
    if source.mode == "eager":
        limit = limits.MAX_EAGER_WAKE
    else:
        limit = limits.MAX_ROUTED_WAKE
        text = fold(text)
        if not text:
            raise KernelFailure(
                "wake-empty",
                f"{what} gave an empty wake",
                hint="a routed source says in a line what its layer holds",
                details={"layerId": source.layer_id},
            )
    if len(text) > limit:
        raise KernelFailure(
            "wake-too-long",
            f"{what} gave a wake of {len(text)} characters; {limit} are allowed",
            hint="the source must shorten it; nothing is cut here",
            details={"layerId": source.layer_id, "characters": len(text), "limit": limit},
        )
    return text


def _state(value: Json, what: str) -> Json:
    if value is None:
        return None
    state = freeze(value, f"the state of {what}", max_depth=limits.MAX_STATE_DEPTH, max_key=limits.MAX_STATE_KEY)
    size = len(canonical(state))
    if size > limits.MAX_STATE_CHARACTERS:
        raise KernelFailure(
            "json-unsafe",
            f"the state of {what} has {size} characters; {limits.MAX_STATE_CHARACTERS} are allowed",
            details={"characters": size, "limit": limits.MAX_STATE_CHARACTERS},
        )
    return state


def fold(text: str) -> str:
    """``text`` as one line: each run of whitespace is one space, and there is none at the ends."""
    return " ".join(text.split())


def degraded_snapshot(error: BaseException, ids: str | None = None) -> SourceSnapshot:
    """What a source gives when its store cannot be read (§11): the same for the same error, without its text.

    ``ids`` is the key of the state's list of ids, which is then empty; without it there is no state.
    """
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception without a readable message still has a type
        text = ""
    name = f"{kind_name(error)}: {text}"
    mark = sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return SourceSnapshot(f"unavailable-{mark}", UNAVAILABLE_COVER, None if ids is None else {ids: []})


@dataclass(frozen=True, slots=True, eq=False)
class DegradingSource:
    """A source over a store. When ``read`` raises or hangs, :func:`degraded_snapshot` with ``ids`` stands in for it, so
    that one store that cannot be read does not take the prompt's other memory away. ``told`` gathers what the store
    warned of meanwhile."""

    layer_id: str
    mode: str
    read: Callable[[SourceContext], SourceSnapshot]
    ids: str | None = None
    told: list[str] = field(default_factory=list)

    def snapshot(self, context: SourceContext) -> SourceSnapshot:
        return self.read(context)

    def degraded(self, error: BaseException) -> SourceSnapshot:
        return degraded_snapshot(error, self.ids)

    def take_warnings(self) -> list[str]:
        taken = self.told[:]
        del self.told[: len(taken)]
        return taken
