from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.provider_plugins import find, install
from zeroclaw_cli.providers import guarded
from zeroclaw_cli.providers.base import spawn_context_thread
from zeroclaw_cli.providers.home import get_vibeos_home, paths_outside, using_home
from zeroclaw_cli.providers.loading import load

ASKS = """
from agent.memory_provider import MemoryProvider
from vibeos_constants import get_vibeos_home
import threading


class Provider(MemoryProvider):
    name = "asks"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []

    def ask_in_a_thread(self):
        found = []
        thread = threading.Thread(target=lambda: found.append(get_vibeos_home()))
        thread.start()
        thread.join()
        return found[0]
"""


def test_without_a_context_the_environment_chooses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZEROCLAW_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VIBEOS_HOME", str(tmp_path / "vibeos"))
    assert get_vibeos_home() == tmp_path / "vibeos"
    monkeypatch.delenv("VIBEOS_HOME")
    assert get_vibeos_home() == tmp_path / ".zeroclaw"


def test_p52_the_context_wins_and_is_left_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZEROCLAW_CONFIG_DIR", str(tmp_path / "env"))
    with using_home(tmp_path / "outer"):
        with using_home(tmp_path / "inner"):
            assert get_vibeos_home() == tmp_path / "inner"
        assert get_vibeos_home() == tmp_path / "outer"
    assert get_vibeos_home() == tmp_path / "env"


def test_p35_a_thread_with_the_callers_context_has_its_home(tmp_path: Path) -> None:
    found: list[Path] = []
    with using_home(tmp_path):
        thread = spawn_context_thread(lambda: found.append(get_vibeos_home()))
    thread.start()
    thread.join()
    assert found == [tmp_path]


def test_p52_a_thread_that_a_provider_starts_by_itself_has_the_home_it_was_loaded_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZEROCLAW_CONFIG_DIR", str(tmp_path / "env"))
    homes = [tmp_path / "one", tmp_path / "two"]
    providers = [load(install(home, "asks", ASKS), home) for home in homes]
    assert [provider.ask_in_a_thread() for provider in providers] == homes  # type: ignore[attr-defined]
    found: list[Path] = []
    thread = threading.Thread(target=lambda: found.append(get_vibeos_home()))
    thread.start()
    thread.join()
    assert found == [tmp_path / "env"]


def test_p53_paths_outside_the_home_are_told_apart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "link").symlink_to(tmp_path)
    inside, outside = str(home / "data.db"), str(tmp_path / "elsewhere")
    through = str(home / "link" / "x")
    assert paths_outside(home, [inside, outside, outside, through, str(home)]) == (outside, through)


def test_p52_a_worker_of_a_providers_executor_has_the_providers_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZEROCLAW_CONFIG_DIR", str(tmp_path / "env"))
    pools = ASKS.replace("import threading\n", "from concurrent.futures import ThreadPoolExecutor\n").replace(
        """        found = []
        thread = threading.Thread(target=lambda: found.append(get_vibeos_home()))
        thread.start()
        thread.join()
        return found[0]
""",
        """        with ThreadPoolExecutor(2) as pool:
            # No frame of this module is at work there.
            return [pool.submit(get_vibeos_home).result(), pool.submit(ThreadPoolExecutor(1).submit, get_vibeos_home)
                    .result().result()]
""",
    )
    for name in ("one", "two"):
        home = tmp_path / name
        home.mkdir()
        install(home, "asks", pools)
        provider: Any = load(find(home, "asks"), home)
        assert guarded.run("asks", home, "ask", provider.ask_in_a_thread) == [home, home]
