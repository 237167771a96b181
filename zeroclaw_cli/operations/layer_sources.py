"""What each layer shows in every prompt: the standing memories whole, of the others what is there
(specs/memory-kernel.md §11, §12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.kernel.contracts import MemorySource, SourceContext, SourceSnapshot
from zeroclaw_cli.kernel.limits import DOCUMENTS, MEMORY_SPACES, RUNTIME
from zeroclaw_cli.kernel.sources import DegradingSource, fold
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.operations.layer_calls import Opened
from zeroclaw_cli.operations.layer_documents import STANDING, DocumentsPool, StandingMemory

if TYPE_CHECKING:
    from zeroclaw_cli.memory.documents import Documents

_MOST_NAMED: Final = 5
_LONGEST: Final = 300


class StandingSource:
    """``MEMORY.md`` and the pinned entries as they are, but for lines that hold a credential or read like an
    instruction to a model; ``dropped`` is how many those were."""

    layer_id = RUNTIME
    mode = "eager"

    def __init__(self, store: Opened[StandingMemory]) -> None:
        self._store = store
        self.dropped = 0

    def snapshot(self, context: SourceContext) -> SourceSnapshot:
        return DegradingSource(self.layer_id, self.mode, self._read).snapshot(context)

    def _read(self, context: SourceContext) -> SourceSnapshot:
        from zeroclaw_cli.errors import DocumentNotFound
        from zeroclaw_cli.native.standing import is_safe

        with self._store.use() as store:
            documents = _documents_of(store.pool, context)
            try:
                text = documents.read(STANDING).content
            except DocumentNotFound:
                text = ""
            pinned = [f"- {entry.key}: {fold(entry.content)}" for entry in store.pinned()]
        lines = text.splitlines(keepends=True)
        safe = [line for line in lines if is_safe(line)]
        shown = [line for line in pinned if is_safe(line)]
        self.dropped = len(lines) - len(safe) + len(pinned) - len(shown)
        parts = ("".join(safe), "\n".join(shown))
        wake = "\n\n".join(part.rstrip("\n") if all(parts) else part for part in parts if part)
        return SourceSnapshot(_revision(wake), wake)


def documents_source(store: Opened[DocumentsPool]) -> MemorySource:
    def read(context: SourceContext) -> SourceSnapshot:
        with store.use() as pool:
            paths = _documents_of(pool, context).paths()
        active = [path for path in paths if path.partition("/")[0] not in ("archive", "threads")]
        folders = Counter(f"{path.partition('/')[0]}/" if "/" in path else path for path in active)
        named = _named([f"{name} ({number})" if number > 1 else name for name, number in folders.most_common()])
        wake = f"{counted(len(active), 'document')}{named}; search or read them by path."
        return SourceSnapshot(_revision("\n".join(active)), wake, {"documentIds": active})

    return DegradingSource(DOCUMENTS, "routed", read, "documentIds")


def spaces_source(stores: Mapping[str, Opened[Memory]]) -> MemorySource:
    """``stores`` are those that serve ``memory-spaces``, by name."""

    def read(context: SourceContext) -> SourceSnapshot:
        return _counts(stores, "memoryBodyIds")

    return DegradingSource(MEMORY_SPACES, "routed", read, "memoryBodyIds")


def entries_source(layer_id: str, store: Opened[Memory]) -> MemorySource:
    """A store that is a layer of its own."""
    return DegradingSource(layer_id, "routed", lambda context: _counts({layer_id: store}, None))


def provider_source(layer_id: str, store: Opened[Memory], redact: Callable[[str], str]) -> MemorySource:
    """A Python provider that has something to say in every prompt, but for the secrets that ``redact`` takes out."""

    def read(context: SourceContext) -> SourceSnapshot:
        with store.use() as memory:
            text = redact(getattr(memory, "prompt_block", str)())
        folded = fold(text)
        shown = folded if len(folded) <= _LONGEST else f"{folded[: _LONGEST - 1]}…"
        return SourceSnapshot(_revision(text), shown or f"The provider {layer_id} has nothing to say now.")

    return DegradingSource(layer_id, "routed", read)


def _counts(stores: Mapping[str, Opened[Memory]], ids: str | None) -> SourceSnapshot:
    parts, revision = [], []
    for name, store in stores.items():
        with store.use() as memory:
            found = memory.stats()
        kinds = _named([f"{category} ({number})" for category, number in found.categories.items()])
        parts.append(f"{name}: {counted(found.total, 'memory', 'memories')}{kinds}")
        revision.append(f"{name} {found.total} {sorted(found.categories.items())}")
    wake = "; ".join(parts)
    if len(wake) > _LONGEST:
        wake = f"{counted(len(stores), 'store')} with memories under keys: {', '.join(list(stores)[:_MOST_NAMED])}"
    return SourceSnapshot(
        _revision("\n".join(revision)),
        f"{wake[:_LONGEST]}; recall them by a question.",
        {ids: list(stores)} if ids else None,
    )


def _documents_of(pool: DocumentsPool, context: SourceContext) -> Documents:
    scope = context.scope
    return pool.scope(None, None) if scope is None else pool.scope(scope.agent_id, scope.workspace_id)


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    short = [fold(name)[:60] for name in names[:_MOST_NAMED]]
    return f" ({', '.join(short)}{', …' if len(names) > _MOST_NAMED else ''})"


def _revision(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
