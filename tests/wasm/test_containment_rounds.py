"""Nothing grows, however often guests misbehave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wasm.rounds import Held, measurable

_ROOT = Path(__file__).parents[2]
# The first rounds compile, and fill what is kept once.
_WARM = 3
# One page of one guest's memory kept in each of 200 rounds would be a dozen times as much.
_USED_BYTES = 2**20
_MAPPINGS = 16


@pytest.mark.skipif(not measurable(), reason="asks the C library and the system what is in use")
@pytest.mark.parametrize(
    "rounds", [pytest.param(6, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.reliability)]
)
def test_rounds_of_faulty_guests_leave_nothing_behind(rounds: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.wasm.rounds", str(_WARM + rounds)],
        cwd=_ROOT,
        env={**os.environ, "PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr
    samples = [Held(**json.loads(line)) for line in done.stdout.splitlines()]
    assert len(samples) == _WARM + rounds
    before, after = samples[_WARM - 1], samples[-1]
    assert after.used - before.used < _USED_BYTES, [sample.used for sample in samples]
    assert after.mappings - before.mappings <= _MAPPINGS, [sample.mappings for sample in samples]
    assert after.files <= before.files + 1
    assert after.instances <= before.instances
    assert after.threads <= 1
