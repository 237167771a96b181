"""What a guest of each language costs, in one table: building, compiling, opening, storing, recalling.

Run: ``python tests/bench/bench_languages.py [LANGUAGE …]``. A language whose toolchain is missing is left out. Times of
storing and recalling are those of the guest behind the host's own code; the journal is on a real disk when the folder
for temporary files is.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import usual
from tests.support.languages import LANGUAGES, available
from tests.support.packages import config_in, write_package
from zeroclaw_cli.backends import component_probe, open_memory
from zeroclaw_cli.config.model import Config, Durability
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host import HostOptions

ROUNDS = 30
ENTRIES = 100
COLUMNS = ("build s", "size kB", "compile s", "open ms", "store ms", "unjournalled ms", f"recall({ENTRIES}) ms")


def storing(memory: Memory, rounds: int = ENTRIES) -> float:
    keys = iter(f"key {number}" for number in range(rounds))
    return usual(lambda: memory.store(next(keys), "Ada drinks green tea.", "core", "session"), rounds)


def measure(name: str, wasm: bytes, folder: Path) -> tuple[float, ...]:
    """Of one guest: seconds to compile, milliseconds for the rest of COLUMNS."""
    source = write_package(folder / "source", name, component=wasm)
    config = config_in(folder / "home", enabled=True)
    options = HostOptions(cache_dir=folder / "cache")

    from wasmtime.component import Component

    compiling = usual(lambda: Component(engine(), wasm).close(), 1)
    install(config, str(source), probe=component_probe(config, options), replace=False, dry_run=False)

    def opened(durability: Durability) -> Memory:
        own: Config = replace(config, memory=replace(config.memory, plugin_durability=durability))
        return open_memory(own, f"plugin.{name}", options)

    opening = usual(lambda: opened(Durability.JOURNAL).close(), ROUNDS)
    with opened(Durability.NONE) as memory:
        unjournalled = storing(memory)
    with opened(Durability.JOURNAL) as memory:
        journalled = storing(memory)
        found = memory.recall("green", ENTRIES, None, None, None)
        if len(found) != ENTRIES:
            raise SystemExit(f"{name}: recall found {len(found)} entries, not {ENTRIES}")
        recalling = usual(lambda: memory.recall("green", ENTRIES, None, None, None), ROUNDS)
    return compiling, *(1_000 * took for took in (opening, journalled, unjournalled, recalling))


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - {language.name for language in LANGUAGES}
    if unknown:
        raise SystemExit(f"not a language of tests/support/languages.py: {', '.join(sorted(unknown))}")
    print(f"{'guest':<12}" + "".join(f"{column:>17}" for column in COLUMNS))
    for language, toolchain in available():
        if wanted and language.name not in wanted:
            continue
        start = time.perf_counter()
        wasm = language.fresh_component(toolchain)
        building = time.perf_counter() - start
        with tempfile.TemporaryDirectory() as folder:
            figures = (building, len(wasm) / 1_000, *measure(language.name, wasm, Path(folder)))
        print(f"{language.name:<12}" + "".join(f"{figure:>17.2f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
