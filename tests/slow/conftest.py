from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.guests import GUESTS, ROOT
from zeroclaw_cli.fsio import temporary_beside

WIT = ROOT / "zeroclaw_cli" / "wasm" / "wit"
APP = GUESTS / "python"


def key_of_sources() -> str:
    """Changes whenever the component might."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted([*WIT.glob("*.wit"), *APP.glob("*.py")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


@pytest.fixture(scope="session")
def python_guest(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The component of tests/guests/python/, which takes about half a minute to build and is kept between runs."""
    program = shutil.which(
        "componentize-py", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    if program is None:
        pytest.skip("componentize-py is not installed (pip install 'zeroclaw-cli[python-guests]')")
    cache = pytestconfig.cache
    folder = tmp_path_factory.mktemp("guests") if cache is None else Path(cache.mkdir("guests"))
    kept = folder / f"python-{key_of_sources()}.wasm"
    if not kept.exists():
        fresh = temporary_beside(kept)
        command = [program, "-q", "-d", str(WIT), "-w", "memory-plugin", "--features", "plugins-wit-v0"]
        command += ["componentize", "app", "-o", str(fresh)]
        done = subprocess.run(command, cwd=APP, capture_output=True, check=False, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        fresh.replace(kept)
    return kept
