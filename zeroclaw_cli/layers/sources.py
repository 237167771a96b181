"""What each layer shows in every prompt: the standing memories whole, of the others what is there
(specs/memory-kernel.md §11, §12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from zeroclaw_cli.kernel.contracts import MemorySource, SourceContext, SourceSnapshot
from zeroclaw_cli.kernel.limits import DOCUMENTS, MEMORY_SPACES, RUNTIME
from zeroclaw_cli.kernel.sources import DegradingSource, fold
from zeroclaw_cli.layers.calls import Opened, Store
from zeroclaw_cli.layers.document_calls import DocumentsPool, StandingMemory
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native.paths import STANDING

if TYPE_CHECKING:
    pass

S = TypeVar("S", bound=Store)

_MOST_NAMED: Final = 5
_LONGEST: Final = 300


class StandingSource:
    """``MEMORY.md`` and the pinned entries as they are, but for lines that hold a credential or read like an
    instruction to a model; ``dropped`` is how many those were. Its state is what is shown of ``MEMORY.md``."""

    layer_id = RUNTIME
    mode = "eager"

    def __init__(self, store: Opened[StandingMemory]) -> None:
        self._store = store
        self._source = DegradingSource(self.layer_id, self.mode, self._read)
        self.dropped = 0

    def snapshot(self, context: SourceContext) -> SourceSnapshot:
        return self._source.snapshot(context)

    def degraded(self, error: BaseException) -> SourceSnapshot:
        return self._source.degraded(error)

    def take_warnings(self) -> list[str]:
        return self._source.take_warnings()

    def _read(self, context: SourceContext) -> SourceSnapshot:
        from zeroclaw_cli.errors import DocumentNotFound
        from zeroclaw_cli.native.standing import is_safe, judged

        with _used(self._store, self._source.told) as store:
            documents = store.pool.scope(*_owner(context))
            try:
                text = documents.read(STANDING).content
            except DocumentNotFound:
                text = ""
            pinned = store.memory.pinned(*_owner(context))
        lines = text.splitlines(keepends=True)
        verdicts = judged([line.rstrip("\r\n") for line in lines])
        safe = [line for line, (_, shown) in zip(lines, verdicts, strict=True) if shown]
        # What is split over the lines of an entry is read as one, too.
        kept = [entry for entry in pinned if all(map(is_safe, (fold(entry.content), *entry.content.splitlines())))]
        listed = [f"- {fold(entry.key)}: {entry.content}" for entry in kept]
        self.dropped = len(lines) - len(safe) + len(pinned) - len(kept)
        standing = "".join(safe)
        parts = (standing, "\n".join(listed))
        wake = "\n\n".join(part.rstrip("\n") if all(parts) else part for part in parts if part)
        return SourceSnapshot(_revision(wake), wake, {"standing": standing})


def documents_source(store: Opened[DocumentsPool]) -> MemorySource:
    told: list[str] = []

    def read(context: SourceContext) -> SourceSnapshot:
        with _used(store, told) as pool:
            paths = pool.scope(*_owner(context)).paths()
        active = [path for path in paths if path.partition("/")[0] not in ("archive", "threads")]
        folders = Counter(f"{path.partition('/')[0]}/" if "/" in path else path for path in active)
        named = _named([f"{name} ({number})" if number > 1 else name for name, number in folders.most_common()])
        wake = f"{counted(len(active), 'document')}{named}; search or read them by path."
        return SourceSnapshot(_revision("\n".join(active)), wake, {"documentIds": active})

    return DegradingSource(DOCUMENTS, "routed", read, "documentIds", told)


def spaces_source(stores: Mapping[str, Opened[Memory]]) -> MemorySource:
    """``stores`` are those that serve ``memory-spaces``, by name."""
    return _counting(MEMORY_SPACES, stores, "memoryBodyIds")


def entries_source(layer_id: str, store: Opened[Memory]) -> MemorySource:
    """A store that is a layer of its own."""
    return _counting(layer_id, {layer_id: store}, None)


def provider_source(layer_id: str, store: Opened[Memory], redact: Callable[[str], str]) -> MemorySource:
    """A Python provider that has something to say in every prompt, but for the secrets that ``redact`` takes out."""
    told: list[str] = []

    def read(context: SourceContext) -> SourceSnapshot:
        with _used(store, told) as memory:
            text = redact(getattr(memory, "prompt_block", str)())
        folded = fold(text)
        shown = folded if len(folded) <= _LONGEST else f"{folded[: _LONGEST - 1]}…"
        return SourceSnapshot(_revision(text), shown or f"The provider {layer_id} has nothing to say now.")

    return DegradingSource(layer_id, "routed", read, None, told)


def _counting(layer_id: str, stores: Mapping[str, Opened[Memory]], ids: str | None) -> MemorySource:
    """How much of an agent's each of ``stores`` holds, or of what is nobody's."""
    told: list[str] = []

    def read(context: SourceContext) -> SourceSnapshot:
        parts, revision = [], []
        for name, store in stores.items():
            with _used(store, told) as memory:
                counts = memory.category_counts(*_owner(context))
            if counts is None:
                parts.append(name)
                revision.append(name)
                continue
            kinds = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            total = sum(counts.values())
            named = _named([f"{category} ({number})" for category, number in kinds])
            parts.append(f"{name}: {counted(total, 'memory', 'memories')}{named}")
            revision.append(f"{name} {total} {sorted(kinds)}")
        wake = "; ".join(parts)
        if len(wake) > _LONGEST:
            wake = f"{counted(len(stores), 'store')} with memories under keys: {', '.join(list(stores)[:_MOST_NAMED])}"
        return SourceSnapshot(
            _revision("\n".join(revision)),
            f"{wake[:_LONGEST]}; recall them by a question.",
            {ids: list(stores)} if ids else None,
        )

    return DegradingSource(layer_id, "routed", read, ids, told)


@contextmanager
def _used(store: Opened[S], told: list[str]) -> Iterator[S]:
    """The opened store; what it warns of is in ``told`` whatever comes of its use."""
    with store.use() as opened:
        try:
            yield opened
        finally:
            told += opened.take_warnings()


def _owner(context: SourceContext) -> tuple[str | None, str | None]:
    """The agent and the project whose memory a prompt shows."""
    return (None, None) if context.scope is None else (context.scope.agent_id, context.scope.workspace_id)


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    short = [fold(name)[:60] for name in names[:_MOST_NAMED]]
    return f" ({', '.join(short)}{', …' if len(names) > _MOST_NAMED else ''})"


def _revision(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
