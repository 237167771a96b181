"""What a command writes for a person never takes the place of what the home keeps itself."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Home
from tests.support.guests import package

PLACES = (
    "config.toml",
    "plugins.lock",
    ".env",
    "plugins/tools/manifest.toml",
    "data/memory/native.db",
    "data/plugins/history.toml",
)


def test_no_output_is_written_over_the_files_of_the_home(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    home.ok("plugin", "install", package(home.path / "source", "tools", "notes"))
    (home.path / "link").symlink_to(home.config_dir / "plugins.lock")
    before = _tree(home.config_dir)
    for place in PLACES:
        target = home.config_dir / place
        for words in (["memory", "export"], ["memory", "backup"], ["plugin", "keygen"]):
            done = home.fails(2, *words, "--out", target)
            assert "this program's own files" in done.stderr, (words, place)
    home.fails(2, "memory", "export", "--out", "link")
    home.fails(2, "demo", "--package", home.config_dir / "plugins" / "mine")
    home.fails(2, "strategy", "new", "mine", "--dir", home.config_dir / "plugins")
    assert _tree(home.config_dir) == before


def test_an_output_may_stand_elsewhere_in_the_home(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    for place in ("entries.jsonl", "data/entries.jsonl", "data/backups/entries.jsonl"):
        target = home.config_dir / place
        target.parent.mkdir(exist_ok=True)
        home.ok("memory", "export", "--out", target)
        assert target.is_file()


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}
