"""Opening a plugin backend with a warm cache against compiling its component, as ratios of one run.

Run: ``python tests/bench/bench_open.py [GUEST.wasm …]``. Figures to reach: at most 1/20 for the C guest that the
example is, at most 1/200 for a Python guest (give its path).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import usual
from tests.support.guests import component
from zeroclaw_cli.backends import component_probe, open_memory
from zeroclaw_cli.config.load import load
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host import HostOptions


def measure(name: str, wasm: bytes, rounds: int) -> None:
    from wasmtime.component import Component

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source = root / name
        source.mkdir()
        (source / "guest.wasm").write_bytes(wasm)
        (source / "manifest.toml").write_text(
            f'name = "{name}"\nversion = "1"\nwasm_path = "guest.wasm"\ncapabilities = ["memory"]\n'
        )
        env = {"HOME": folder, "ZEROCLAW_CONFIG_DIR": f"{folder}/config", "ZEROCLAW_plugins__enabled": "true"}
        config = load(None, env)
        options = HostOptions(cache_dir=root / "cache")
        install(config, str(source), probe=component_probe(config, options), replace=False, dry_run=False)
        with open_memory(config, f"plugin.{name}", options) as memory:
            memory.store("key", "content", "core", None)

        def open_and_close() -> None:
            open_memory(config, f"plugin.{name}", options).close()

        def open_recall_and_close() -> None:
            with open_memory(config, f"plugin.{name}", options) as memory:
                memory.recall("content", 10, None, None, None)

        compiling = usual(lambda: Component(engine(), wasm).close(), max(1, rounds // 10))
        opening = usual(open_and_close, rounds)
        recalling = usual(open_recall_and_close, rounds)
    print(f"{name}: {len(wasm):,} bytes, compiling {compiling * 1000:.1f} ms")
    print(f"  opening, cache warm: {opening * 1000:.2f} ms, 1/{compiling / opening:.0f} of compiling")
    print(f"  opening, recall, closing: {recalling * 1000:.2f} ms, 1/{compiling / recalling:.0f}")


def main(paths: list[str]) -> None:
    measure("c-guest", component("notes"), 50)
    for path in paths:
        measure("given-guest", Path(path).read_bytes(), 10)


if __name__ == "__main__":
    main(sys.argv[1:])
