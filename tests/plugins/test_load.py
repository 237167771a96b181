from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.packages import SKILL_TEXT, WASM, FakeProbe, config_in, tree, with_mode, write_package
from zeroclaw_cli import errors
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.load import load_memory_package


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path, enabled=True)


def test_the_bytes_are_those_whose_digest_was_taken(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    before = tree(config.location.config_dir)
    package, component = load_memory_package(config, "p")
    assert (package.name, component) == ("p", WASM + b"p")
    assert tree(config.location.config_dir) == before


def test_the_checks_come_in_their_order_each_with_the_command_that_mends_it(config: Config) -> None:
    folder = config.plugins.plugins_dir / "p"
    off = replace(config, plugins=replace(config.plugins, enabled=False, disabled=("p",)))
    strict = with_mode(off, SignatureMode.STRICT)
    steps: list[tuple[Config, type[errors.ZeroclawError], str]] = []

    def expect(found: Config, error: type[errors.ZeroclawError], hint: str) -> None:
        with pytest.raises(error) as caught:
            load_memory_package(found, "p")
        assert hint in (caught.value.hint or "")
        steps.append((found, error, hint))

    expect(strict, errors.PluginNotFound, "zeroclaw plugin list --all")
    write_package(folder, "p", capabilities=["tool"])
    expect(strict, errors.UnsignedPlugin, "signature_mode permissive")
    expect(off, errors.BackendNotMemory, "zeroclaw plugin list")
    write_package(folder, "p")
    expect(off, errors.GateOff, "zeroclaw config set plugins.enabled true")
    on = replace(off, plugins=replace(off.plugins, enabled=True))
    expect(on, errors.GateOff, "zeroclaw plugin enable p")
    assert load_memory_package(config, "p")[0].name == "p"


def test_bytes_that_differ_from_the_record_are_refused_though_the_cache_knows_the_old_ones(
    config: Config, tmp_path: Path
) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    (config.plugins.plugins_dir / "p" / "p.wasm").write_bytes(WASM + b"q")
    with pytest.raises(errors.DigestMismatch) as caught:
        load_memory_package(config, "p")
    assert caught.value.exit_code == 4
    assert "--accept" in (caught.value.hint or "")


def test_an_unknown_name_is_answered_with_the_nearest(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "x", "notes")
    with pytest.raises(errors.PluginNotFound) as caught:
        load_memory_package(config, "note")
    assert "did you mean notes" in (caught.value.hint or "")


def test_the_name_is_the_package_and_not_its_directory(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "other")
    write_package(config.plugins.plugins_dir / "z", "p", component=WASM + b"the right one")
    assert load_memory_package(config, "p")[1] == WASM + b"the right one"


def test_a_package_of_skills_alone_is_no_memory(config: Config) -> None:
    write_package(
        config.plugins.plugins_dir / "p", "p", wasm_path=None, capabilities=["skill"], skills={"a/SKILL.md": SKILL_TEXT}
    )
    with pytest.raises(errors.BackendNotMemory, match="only skill"):
        load_memory_package(config, "p")


def test_auto_discovery_does_not_matter_because_the_operator_named_it(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    assert not config.plugins.auto_discover
    assert load_memory_package(config, "p")
