from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import warm
from tests.support.command import Home

# A shell that starts the tests in the background ignores SIGINT for them and for every command that they run.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines stall at any time; how long one example takes says nothing about a rule.
settings.register_profile("zeroclaw", deadline=None)
settings.load_profile("zeroclaw")


@pytest.fixture(scope="session", autouse=True)
def _one_cache_of_components(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    # Shared by the workers of one run: compiled components are expensive and the cache is made to be shared.
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "component-cache"
    shared.mkdir(mode=0o700, exist_ok=True)
    before = {name: os.environ.get(name) for name in ("ZEROCLAW_TEST_CACHE", "XDG_CACHE_HOME")}
    os.environ["ZEROCLAW_TEST_CACHE"] = str(shared)
    os.environ["XDG_CACHE_HOME"] = str(shared)
    yield
    warm.stop()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture
def home(tmp_path: Path) -> Home:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return Home(folder)
