"""What the layers add to a recall: through the kernel over one native layer, against the direct recall.

Run: ``python tests/bench/bench_layers.py [--entries N]`` (10,000 by default). Figure to reach: at most 1.3 times.

Both are asked the same questions in turns, so that both meet the same machine: the mix of ``bench_native.py``, which is
questions of a conversation and pairs of words. Each question counts with its fastest of some rounds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import took
from tests.support.conversations import make
from tests.support.native import open_layers
from tests.support.packages import config_in
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.native.segment import query_terms
from zeroclaw_cli.wasm.host import HostOptions

ROWS_A_PAIR = 28 * 21
ROUNDS = 9
LIMIT = 10
FIGURE = 1.3


def main() -> None:
    parser = argparse.ArgumentParser(description="A recall through the kernel against the direct one.")
    parser.add_argument("--entries", type=int, default=10_000, metavar="N")
    count: int = parser.parse_args().entries
    corpus = make(1, pairs=count // ROWS_A_PAIR + 1)
    entries = corpus.entries[:count]
    dice = random.Random(1)
    questions = [question.text for question in dice.sample(corpus.questions, min(60, len(corpus.questions)))]
    pairs = [" ".join(dice.sample(dice.choice(entries).content.split(), 2)) for _ in range(60)]
    with tempfile.TemporaryDirectory() as folder:
        config = config_in(Path(folder))
        with open_memory(config.location.data_dir) as memory, open_layers(config, HostOptions()) as layered:
            memory.import_entries(entries)
            layered.surface.layer = "memory-spaces"
            for name, queries in (("questions", questions), ("two words", [q for q in pairs if query_terms(q)])):
                direct, routed = [], []
                for query in queries:
                    rounds = [
                        (
                            took(lambda query=query: memory.recall(query, LIMIT, None, None, None)),  # type: ignore[misc]
                            took(lambda query=query: layered.recall(query, LIMIT, None, None, None)),  # type: ignore[misc]
                        )
                        for _ in range(ROUNDS)
                    ]
                    direct.append(min(plain for plain, _ in rounds))
                    routed.append(min(through for _, through in rounds))
                ratio = sum(routed) / sum(direct)
                median = statistics.median(after / before for before, after in zip(direct, routed, strict=True))
                added = statistics.median(after - before for before, after in zip(direct, routed, strict=True))
                print(
                    f"recall {name:10} direct {statistics.fmean(direct) * 1e3:8.3f} ms   through the kernel "
                    f"{statistics.fmean(routed) * 1e3:8.3f} ms   ratio {ratio:5.2f} (median {median:.2f}, "
                    f"+{added * 1e6:.0f} us)   at most {FIGURE}"
                )


if __name__ == "__main__":
    main()
