from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.provider_plugins import nested, provider_source, write_plugin
from zeroclaw_cli.errors import ProviderNotFound
from zeroclaw_cli.providers import discovery
from zeroclaw_cli.providers.discovery import discover, find, names

ENABLED = {"VIBEOS_ENABLE_PROJECT_PLUGINS": "1"}


def users(home: Path, environ: dict[str, str] | None = None, cwd: Path | None = None) -> dict[str, str]:
    found = discover(home, environ or {}, cwd or home)
    return {plugin.name: plugin.origin for plugin in found.plugins if plugin.origin != "bundled"}


def test_p07_listing_100_providers_imports_none_of_them(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    source = f"open({str(trap)!r}, 'w').close()\nraise SystemExit('trap')\nMemoryProvider\n"
    for number in range(100):
        write_plugin(nested(tmp_path), f"p{number:03}", source, files={"cli.py": source})
    before = set(sys.modules)
    assert len(users(tmp_path)) == 100
    assert find(tmp_path, "p042", {}, tmp_path).info.description == "The p042 memory"
    assert len([name for name in names(tmp_path, {}, tmp_path) if name.startswith("p")]) == 100
    assert not trap.exists()
    assert not [name for name in set(sys.modules) - before if "p0" in name]
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_missing_home_has_no_providers_of_the_user_and_is_not_made(tmp_path: Path) -> None:
    assert users(tmp_path / "home") == {}
    assert not (tmp_path / "home").exists()


def test_p03_the_first_root_wins_and_the_others_are_shadowed(tmp_path: Path) -> None:
    home, cwd = tmp_path / "home", tmp_path / "work"
    first = write_plugin(nested(home), "same")
    second = write_plugin(home / "plugins", "same")
    third = write_plugin(cwd / ".vibeos" / "plugins" / "memory", "same")
    found = discover(home, ENABLED, cwd)
    plugin = next(plugin for plugin in found.plugins if plugin.name == "same")
    assert (plugin.directory, plugin.origin, plugin.shadows) == (first, "user", (second, third))
    assert find(home, "same", ENABLED, cwd) == plugin


def test_p03_a_bundled_provider_cannot_be_shadowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "BUNDLED", tmp_path / "bundled")
    bundled = write_plugin(tmp_path / "bundled", "same")
    write_plugin(nested(tmp_path), "same")
    assert find(tmp_path, "same", {}, tmp_path).directory == bundled
    assert find(tmp_path, "same", {}, tmp_path).origin == "bundled"


def test_p04_only_direct_children_with_an_init_count(tmp_path: Path) -> None:
    root = nested(tmp_path)
    write_plugin(root, "_private")
    write_plugin(root, ".hidden")
    write_plugin(root / "outer", "inner")
    (root / "file").write_text("MemoryProvider")
    (root / "empty").mkdir()
    write_plugin(root, "zeta")
    write_plugin(root, "alpha")
    found = discover(tmp_path, {}, tmp_path)
    assert [plugin.name for plugin in found.plugins if plugin.origin == "user"] == ["alpha", "zeta"]
    assert found.problems == ()


def test_p04_links_are_problems_that_name_the_command_which_copies(tmp_path: Path) -> None:
    home, root = tmp_path / "home", nested(tmp_path / "home")
    elsewhere = write_plugin(tmp_path / "elsewhere", "real")
    inside = write_plugin(root, "inside")
    (root / "outward").symlink_to(elsewhere)
    (root / "dangling").symlink_to(tmp_path / "nowhere")
    (root / "loop").symlink_to(root / "loop")
    (root / "other-name").symlink_to(inside)
    found = discover(home, {}, home)
    assert {plugin.name for plugin in found.plugins if plugin.origin == "user"} == {"inside"}
    messages = {problem.name: problem.message for problem in found.problems}
    for name, target in (("outward", elsewhere), ("other-name", inside)):
        assert f"`rm {root / name} && cp -R {target} {root / name}` puts a copy in its place" in messages[name]
    assert "to nothing" in messages["dangling"]
    assert "to nothing" in messages["loop"]
    with pytest.raises(ProviderNotFound, match=r"cannot be used: .*is a symbolic link; `rm "):
        find(home, "outward", {}, home)


@pytest.mark.parametrize("name", ["Upper", "a.b", "builtin", "none", "config", "memory", "a" * 65])
def test_p05_a_folder_of_another_name_is_listed_as_a_problem(tmp_path: Path, name: str) -> None:
    write_plugin(nested(tmp_path), name)
    found = discover(tmp_path, {}, tmp_path)
    assert [problem.name for problem in found.problems] == [name]
    assert users(tmp_path) == {}
    with pytest.raises(ProviderNotFound):
        find(tmp_path, name, {}, tmp_path)


def test_p06_a_flat_folder_counts_when_it_says_or_shows_that_it_is_a_memory(tmp_path: Path) -> None:
    root = tmp_path / "plugins"
    write_plugin(root, "by-kind", "pass\n", yaml="kind: memory\n")
    write_plugin(root, "by-kind-too", "pass\n", yaml="kind: exclusive\n")
    write_plugin(root, "by-text", "#" * 20_000 + "\n" + provider_source("by-text"))
    write_plugin(root, "a-tool", "pass\n", yaml="kind: tool\n")
    write_plugin(root, "too-far-down", "#" * (1024 * 1024) + "\n" + provider_source("x"))
    write_plugin(root, "a-package", files={"manifest.toml": "name = 'a-package'"})
    (root / "foreign").symlink_to(tmp_path)
    assert users(tmp_path) == {"by-kind": "user-flat", "by-kind-too": "user-flat", "by-text": "user-flat"}
    assert discover(tmp_path, {}, tmp_path).problems == ()


def test_the_folder_plugins_memory_is_no_root_when_it_is_a_package(tmp_path: Path) -> None:
    write_plugin(nested(tmp_path), "inner")
    (nested(tmp_path) / "manifest.toml").write_text("name = 'memory'")
    assert users(tmp_path) == {}


def test_p42_project_plugins_need_the_environment(tmp_path: Path) -> None:
    home, cwd = tmp_path / "home", tmp_path / "work"
    write_plugin(cwd / ".vibeos" / "plugins" / "memory", "local")
    for value in ("", "0", "false", "off", "2"):
        assert users(home, {"VIBEOS_ENABLE_PROJECT_PLUGINS": value}, cwd) == {}
        with pytest.raises(ProviderNotFound):
            find(home, "local", {"VIBEOS_ENABLE_PROJECT_PLUGINS": value}, cwd)
    for value in ("1", "true", "YES", " on "):
        assert users(home, {"VIBEOS_ENABLE_PROJECT_PLUGINS": value}, cwd) == {"local": "project"}


def test_an_entry_point_is_found_without_importing_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, home = tmp_path / "site", tmp_path / "home"
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
    write_plugin(site / "vendor_pkg", "memory_part", trap + provider_source("x"))
    (site / "vendor_pkg" / "__init__.py").write_text(trap)
    info = site / "vendor-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[zeroclaw.memory_providers]\nvendor = vendor_pkg.memory_part:Provider\ngone = no_such_pkg\nBad = vendor_pkg\n"
    )
    monkeypatch.syspath_prepend(str(site))
    assert users(home) == {"vendor": "entry-point"}
    assert find(home, "vendor", {}, home).directory == site / "vendor_pkg" / "memory_part"
    assert {problem.name for problem in discover(home, {}, home).problems} == {"gone", "Bad"}
    assert not (tmp_path / "sprung").exists()


def test_an_unreadable_description_leaves_the_provider_listed(tmp_path: Path) -> None:
    write_plugin(nested(tmp_path), "broken", yaml="name: [")
    write_plugin(nested(tmp_path), "other", yaml="name: something\n")
    found = {plugin.name: plugin for plugin in discover(tmp_path, {}, tmp_path).plugins}
    assert found["broken"].info.description == ""
    assert "plugin.yaml" in found["broken"].problems[0]
    assert "calls it 'something'" in found["other"].problems[0]


def test_a_missing_provider_is_named_with_near_ones(tmp_path: Path) -> None:
    write_plugin(nested(tmp_path), "holographic")
    with pytest.raises(ProviderNotFound, match="memory provider not found: holografic") as caught:
        find(tmp_path, "holografic", {}, tmp_path)
    assert "did you mean holographic?" in (caught.value.hint or "")
