"""What the manager costs a turn, against the bare work in the same run: only the ratios mean something.

Run: ``python tests/bench/bench_providers.py``. Figures to reach: a provider that hangs in prefetch delays a turn by at
most the limit (ratio near 1); 1,000 turns with a provider that blocks in ``sync_turn`` never block the caller for more
than 50 ms, and at shutdown none is lost.
"""

from __future__ import annotations

import copy
import statistics
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import fastest, took
from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers.fencing import StreamingContextScrubber, sanitize_context
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.redaction import Redactor

TURNS = 1_000
LIMIT_S = 1.0
MESSAGES = [
    {"role": "user" if number % 2 else "assistant", "content": [{"type": "text", "text": f"message {number} " * 40}]}
    for number in range(100)
]
TEXT = "Ada drinks green tea, and <b>never</b> coffee [see above].\n" * 4_000


def blocked_syncs() -> None:
    gate = threading.Event()
    provider = Recorder("ext", sync_turn=lambda *_, **__: gate.wait(600))
    manager = MemoryManager()
    manager.add_provider(provider)
    delays = [
        took(lambda number=number: manager.sync_all(f"turn {number}", "answer", messages=MESSAGES))  # type: ignore[misc]
        for number in range(TURNS)
    ]
    bare = statistics.median(took(lambda: copy.deepcopy(MESSAGES)) for _ in range(50))
    print(
        f"sync_all with 100 messages, provider blocked: median {statistics.median(delays) * 1e3:.2f} ms, worst of"
        f" {TURNS} {max(delays) * 1e3:.1f} ms (limit 50 ms), {statistics.median(delays) / bare:.2f} x copy.deepcopy"
    )
    gate.set()
    drained = took(manager.shutdown_all)
    print(
        f"shutdown: {manager.shutdown_drain_state['status']} in {drained:.2f} s,"
        f" {len(provider.of('sync_turn'))} of {TURNS} turns kept"
    )


def hanging_prefetch() -> None:
    gate = threading.Event()
    manager = MemoryManager(external_prefetch_timeout=LIMIT_S)
    manager.add_provider(Recorder("ext", prefetch=lambda *_, **__: gate.wait(600)))
    first = took(lambda: manager.prefetch_all("what is tea"))
    later = statistics.median(took(lambda: manager.prefetch_all("what is tea")) for _ in range(100))
    gate.set()
    print(f"prefetch that hangs: first turn {first / LIMIT_S:.3f} x the limit, later turns {later / LIMIT_S:.5f} x")


def ready_prefetch() -> None:
    manager = MemoryManager()
    provider = Recorder("ext", prefetch=lambda *_, **__: "found")
    manager.add_provider(provider)
    through = fastest(lambda: [manager.prefetch_all("what is tea") for _ in range(200)])

    def bare() -> None:
        for _ in range(200):
            thread = threading.Thread(target=provider.prefetch, args=("what is tea",))
            thread.start()
            thread.join()

    print(f"prefetch that is ready: {through / fastest(bare):.2f} x a bare thread")


def cleaning() -> None:
    bare = fastest(lambda: TEXT.replace("<memory-context>", ""))
    redactor = Redactor(["one-known-secret", "another-known-secret"])

    def stream() -> None:
        scrubber = StreamingContextScrubber()
        for start in range(0, len(TEXT), 20):
            scrubber.feed(TEXT[start : start + 20])
        scrubber.flush()

    megabytes = len(TEXT) / 1e6
    for name, call in (
        ("sanitize_context", lambda: sanitize_context(TEXT)),
        ("redaction", lambda: redactor.secretless(TEXT)),
        ("stream of 20 characters a piece", stream),
    ):
        seconds = fastest(call)
        print(f"{name}: {seconds / megabytes * 1e3:.1f} ms/MB, {seconds / bare:.0f} x str.replace")


if __name__ == "__main__":
    blocked_syncs()
    hanging_prefetch()
    ready_prefetch()
    cleaning()
