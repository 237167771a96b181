from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.support.guests import component
from zeroclaw_cli.wasm import cache as cache_module
from zeroclaw_cli.wasm import component as component_module
from zeroclaw_cli.wasm import engine as engine_module
from zeroclaw_cli.wasm import world
from zeroclaw_cli.wasm.cache import ComponentCache, default_directory
from zeroclaw_cli.wasm.component import LoadedComponent, load_component
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.inventory import cache_facts


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The components that were compiled, by name."""
    seen: list[str] = []
    real = component_module._compiled

    def compiled(data: bytes, digest: str, name: str, options: HostOptions, cache: ComponentCache | None) -> object:
        seen.append(name)
        return real(data, digest, name, options, cache)

    monkeypatch.setattr(component_module, "_compiled", compiled)
    return seen


def load(folder: Path, guest: str = "plain", name: str = "guest") -> tuple[LoadedComponent, list[str]]:
    return load_component(component(guest), name, HostOptions(cache_dir=folder), allow_precompiled=False)


def code_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cwasm"))


def test_a_component_is_compiled_once(tmp_path: Path, compilations: list[str]) -> None:
    first, _ = load(tmp_path / "c")
    second, warnings = load(tmp_path / "c")
    assert compilations == ["guest"]
    assert (second.imports, second.differences, second.digest) == (first.imports, first.differences, first.digest)
    assert warnings == []


def test_the_folder_and_its_files_are_the_users_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "c"
    load(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert [path for path in folder.iterdir() if path.suffix not in {".cwasm", ".json"}] == []


@pytest.mark.parametrize("content", [b"", b"\x7fELF garbage", b"x" * 5_000])
def test_a_damaged_file_is_compiled_anew_and_replaced(tmp_path: Path, compilations: list[str], content: bytes) -> None:
    load(tmp_path)
    (code,) = code_in(tmp_path)
    good = code.read_bytes()
    code.write_bytes(content)
    assert load(tmp_path)[0].differences == ()
    assert compilations == ["guest", "guest"]
    assert len(code.read_bytes()) == len(good)
    load(tmp_path)
    assert compilations == ["guest", "guest"]


@pytest.mark.parametrize("facts", [b"", b"[]", b"{", b"{}", b"\xff", b"[" * 100_000, b'{"a":' * 100_000])
def test_damaged_facts_cost_a_compilation_at_most(tmp_path: Path, compilations: list[str], facts: bytes) -> None:
    load(tmp_path)
    (beside,) = tmp_path.glob("*.json")
    beside.write_bytes(facts)
    assert load(tmp_path)[0].differences == ()
    assert json.loads(beside.read_bytes())["checker"] == world.CHECKER_VERSION
    assert compilations == ["guest", "guest"]


@pytest.mark.parametrize(
    ("name", "value"), [("imports", {"acme:net/raw@1.0.0": ["open"]}), ("imports", {}), ("differences", ["x"])]
)
def test_facts_that_were_changed_decide_nothing(
    tmp_path: Path, compilations: list[str], name: str, value: object
) -> None:
    first, _ = load(tmp_path)
    (beside,) = tmp_path.glob("*.json")
    beside.write_text(json.dumps(json.loads(beside.read_bytes()) | {name: value}))
    again, _ = load(tmp_path)
    assert (again.imports, again.differences) == (first.imports, first.differences)
    assert compilations == ["guest", "guest"]


def test_facts_of_another_component_decide_nothing(tmp_path: Path, compilations: list[str]) -> None:
    load(tmp_path, "stale_export")
    (other,) = tmp_path.glob("*.json")
    wrong = other.read_bytes()
    load(tmp_path, "plain")
    for beside in tmp_path.glob("*.json"):
        beside.write_bytes(wrong)
    assert load(tmp_path, "plain")[0].differences == ()
    assert compilations == ["guest"] * 3


@pytest.mark.parametrize(
    "facts", [{"checker": -1}, {"checker": world.CHECKER_VERSION, "imports": 3, "differences": []}]
)
def test_a_verdict_of_another_checker_is_found_out_again(
    tmp_path: Path, compilations: list[str], facts: dict[str, object]
) -> None:
    loaded, _ = load(tmp_path, "stale_export")
    (beside,) = tmp_path.glob("*.json")
    beside.write_bytes(cache_module._sealed(loaded.digest, facts))
    again, _ = load(tmp_path, "stale_export")
    assert len(again.differences) == 1
    assert json.loads(beside.read_bytes())["differences"] == list(again.differences)
    assert compilations == ["guest"]


def test_a_cache_that_cannot_be_listed_is_a_problem_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("zeroclaw_cli.wasm.inventory.os.scandir", refuse)
    facts = cache_facts(HostOptions(cache_dir=tmp_path))
    assert facts.problem == f"the cache of compiled plugins {tmp_path} cannot be read (Permission denied)"


def test_a_link_is_not_followed(tmp_path: Path, compilations: list[str]) -> None:
    folder = tmp_path / "c"
    load(folder)
    (code,) = code_in(folder)
    elsewhere = tmp_path / "elsewhere.cwasm"
    elsewhere.write_bytes(b"precious")
    code.unlink()
    code.symlink_to(elsewhere)
    load(folder)
    assert compilations == ["guest", "guest"]
    assert elsewhere.read_bytes() == b"precious"
    assert not code.is_symlink()


def test_code_that_others_can_write_is_not_loaded(tmp_path: Path, compilations: list[str]) -> None:
    load(tmp_path)
    (code,) = code_in(tmp_path)
    code.chmod(0o622)
    load(tmp_path)
    assert compilations == ["guest", "guest"]


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_not_used_and_said_once(
    tmp_path: Path, compilations: list[str], mode: int
) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    folder.chmod(mode)
    for _ in range(2):
        _, warnings = load(folder)
        (warning,) = warnings
        assert "can be written by other users" in warning
        assert str(folder) in warning
    assert compilations == ["guest", "guest"]
    assert list(folder.iterdir()) == []


def test_a_linked_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "c").symlink_to(tmp_path / "real")
    _, warnings = load(tmp_path / "c")
    assert "is not a separate folder" in warnings[0]
    assert list((tmp_path / "real").iterdir()) == []


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "c"
    folder.mkdir(mode=0o700)
    other = os.geteuid() + 1
    monkeypatch.setattr("zeroclaw_cli.wasm.cache.os.geteuid", lambda: other)
    _, warnings = load(folder)
    assert "belongs to another user" in warnings[0]


def test_a_place_where_no_folder_can_be_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    _, warnings = load(tmp_path / "file" / "c")
    assert len(warnings) == 1


def test_without_the_cache_nothing_is_written(tmp_path: Path) -> None:
    options = HostOptions(use_cache=False, cache_dir=tmp_path / "c")
    load_component(component("plain"), "guest", options, allow_precompiled=False)
    assert not (tmp_path / "c").exists()


def test_the_code_used_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = ComponentCache(tmp_path, max_bytes=2_600)
    for name in ("a", "b", "c"):
        cache.keep(name, b"x" * 1_000, {})
        os.utime(cache._paths(name)[0], (100 + ord(name), 100 + ord(name)))
        if name == "b":
            assert cache.find("a") is not None  # using it makes it younger than b
    kept = {path.name[0] for path in code_in(tmp_path)}
    assert kept == {"a", "c"}
    assert {path.name[0] for path in tmp_path.glob("*.json")} == kept


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    cache = ComponentCache(tmp_path)
    cache.keep("a", b"x", {})
    old, young = tmp_path / ".a.cwasm.1-ab.tmp", tmp_path / ".b.cwasm.2-cd.tmp"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.keep("b", b"x", {})
    assert not old.exists()
    assert young.exists()


def test_what_was_just_compiled_stays_even_if_it_is_larger_than_the_bound(tmp_path: Path) -> None:
    cache = ComponentCache(tmp_path, max_bytes=10)
    assert cache.keep("a", b"x" * 1_000, {}) is not None
    assert cache.find("a") is not None


def test_another_engine_does_not_find_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ComponentCache(tmp_path)
    cache.keep("a", b"x", {})
    monkeypatch.setattr(cache_module, "compilation_key", lambda: ("49.0.0",))
    assert cache.find("a") is None


def test_the_engines_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert engine_module.engine_version() == version("wasmtime")


def test_the_default_folder_is_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import platformdirs

    for value in (str(tmp_path), "", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        if value != "relative":
            assert default_directory() == platformdirs.user_cache_path("zeroclaw") / "components"
        assert default_directory().is_absolute()
