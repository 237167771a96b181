"""Every field that a stranger fills is hostile: no command lets it act on the terminal or forge a line."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Home
from tests.support.packages import manifest_text, write_package
from tests.support.provider_plugins import PROVIDER, REGISTER, install, write_plugin

# A line of its own, a return over the line, sequences of 7 and of 8 bits, a title, reordering, hiding, DEL.
HOSTILE = (
    "fine\nFORGED: valid\r\x1b[2K\x1b]0;title\x07\x9b31m\u202etxt\u2066\u200b\u2028\u2029\ufeff\x7f\x00\U000e0041end"
)
# What a file name or an environment can hold.
NAMED = HOSTILE.replace("\x00", "").replace("/", "")
FORGED = "FORGED"
SHA = "0" * 64


def acts(text: str) -> list[str]:
    """The characters of a text that may act on a terminal."""
    unsafe = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return [repr(one) for one in sorted(set(text) - {"\n", "\t"}) if unicodedata.category(one) in unsafe]


def check(home: Home, *words: str, lines: bool = True, stdin: str | None = None) -> None:
    """Run a command as a person sees it and as a program reads it. ``lines``: nor may a line be forged, since the text
    is not itself what was asked for."""
    for json_too in ((), ("--json",)):
        done = home.run(*words, *json_too, stdin=stdin)
        for stream in (done.stdout, done.stderr):
            # A store that cannot be opened says so in a line that has been looked at too.
            assert not acts(stream), f"{words}: {acts(stream)} in {stream!r}"
        if lines and not json_too:
            forged = [line for line in (done.stdout + done.stderr).splitlines() if line.strip().startswith(FORGED)]
            assert not forged, f"{words}: {forged}"
        if json_too and done.code == 0 and done.stdout:
            for document in [done.stdout] if done.stdout[1:2] == "\n" else done.stdout.splitlines():
                json.loads(document)


def toml(value: Any) -> str:
    """A value as TOML: a basic string is a string of JSON but for surrogates and DEL."""
    if not isinstance(value, str):
        return json.dumps(value)
    escaped = "".join(f"\\U{ord(one):08x}" if not one.isprintable() else one for one in value)
    return '"' + escaped.replace('"', '\\"') + '"'


def row(key: str, content: str) -> dict[str, Any]:
    hostile = dict.fromkeys(("category", "session_id", "namespace", "agent_alias", "agent_id", "kind"), HOSTILE)
    return {"key": key, "content": content, "timestamp": "2026-03-01T12:00:00Z", **hostile}


@pytest.fixture
def remembered(home: Home) -> Home:
    rows = [row(HOSTILE, HOSTILE), row("plain", HOSTILE)]
    home.ok("memory", "import", "-", stdin="".join(json.dumps(one) + "\n" for one in rows))
    home.ok("memory", "doc", "write", "--target", "notes/tea.md", "-", stdin=HOSTILE.replace("\x00", ""))
    return home


def package(home: Home) -> None:
    plugins = home.config_dir / "plugins"
    write_package(plugins / "rs", "rs", description=HOSTILE, author=HOSTILE, version="1.0.0")
    (plugins / NAMED).mkdir()
    (plugins / NAMED / "manifest.toml").write_text(manifest_text("other") + f"{toml(HOSTILE)} = 1\n", encoding="utf-8")
    (plugins / "broken").mkdir()
    (plugins / "broken" / "manifest.toml").write_text(
        f"name = {toml(HOSTILE)}\nversion = {toml(HOSTILE)}\ncapabilities = [{toml(HOSTILE)}]\n", encoding="utf-8"
    )
    (home.config_dir / "plugins.lock").write_text(
        f'version = 1\n[[package]]\nname = "rs"\nversion = {toml(HOSTILE)}\ndirectory = "rs"\n'
        f'source = {toml(HOSTILE)}\ninstalled_at = {toml(HOSTILE)}\nmanifest_sha256 = "{SHA}"\n',
        encoding="utf-8",
    )


def configured(home: Home, text: str) -> None:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    home.config_file.write_text(text, encoding="utf-8")
    home.config_file.chmod(0o600)


def test_a_package_forges_no_line_of_info(home: Home) -> None:
    package(home)
    (home.config_dir / "plugins.lock").unlink()
    configured(home, "[plugins]\nenabled = true\n")
    for words in (("plugin", "info", "rs"), ("plugin", "list", "--all")):
        check(home, *words)
    completed = home.ok("plugin", "info", "", env={"_ZEROCLAW_COMPLETE": "bash"}).stdout
    assert completed == "broken\nrs\n"
    shown = home.ok("plugin", "info", "rs").stdout
    assert shown.count("\nSignature: ") == 1
    assert home.ok("plugin", "info", "rs", "--json").json()["description"] == HOSTILE


def test_an_entry_acts_on_no_terminal(remembered: Home) -> None:
    check(remembered, "memory", "list")
    listed = remembered.ok("memory", "list", "--json")
    assert {entry["content"] for entry in listed.json()["entries"]} == {HOSTILE}
    assert not acts(listed.stdout)


@pytest.mark.slow
def test_no_command_about_memory_shows_a_hostile_text_raw(remembered: Home, tmp_path: Path) -> None:
    words: tuple[str, ...]
    home = remembered
    for words in (
        ("list",),
        ("list", "--category", NAMED),
        ("count",),
        ("stats",),
        ("health",),
        ("status",),
        ("get", NAMED),
        ("get", "missing"),
        ("forget", NAMED),
        ("clear", "--key", NAMED, "--yes"),
        ("clear", "--category", NAMED, "--yes"),
        ("purge", "--namespace", NAMED),
        ("purge", "--agent", NAMED, "--yes"),
        ("store", NAMED, "x", "--category", NAMED, "--namespace", NAMED, "--session", NAMED),
        ("store", "key", "x", "--backend", NAMED),
        ("doc", "tree"),
        ("doc", "tree", NAMED),
        ("doc", "read", NAMED),
        ("doc", "versions", NAMED),
        ("doc", "write", "--target", NAMED, "--content", "x"),
        ("doc", "write", "--target", "notes/tea.md", "--content", "x", "--replace", "--expect", NAMED),
        ("doc", "forget", NAMED),
        ("doc", "archive", NAMED),
        ("profile", "set", "--location", NAMED),
        ("profile", "set", "--timezone", NAMED),
        ("profile", "get"),
        ("providers",),
        ("check", str(tmp_path / NAMED)),
        ("setup", NAMED),
        ("trust", NAMED),
        ("new-provider", NAMED),
        ("layers",),
        ("layers", "enable", NAMED),
        ("plan", NAMED),
        ("wake",),
        ("receipts",),
        ("import", str(tmp_path / NAMED)),
        ("import", "--from-zeroclaw", str(tmp_path / NAMED)),
        ("restore", str(tmp_path / NAMED)),
        ("copy", "--from", NAMED, "--to", "native"),
        ("curate", "--plan"),
        (NAMED,),
        ("list", f"--{NAMED}"),
    ):
        check(home, "memory", *words)
    for words in (
        ("get", "plain"),
        ("recall", "fine", "--explain"),
        ("recall", NAMED),
        ("doc", "read", "notes/tea.md"),
        ("doc", "search", "fine"),
        ("context", "fine"),
        ("export",),
        ("export", "--all"),
    ):
        if words[:2] == ("doc", "read"):
            # To a program byte for byte: what was asked for is the document.
            assert home.ok("memory", *words).stdout == HOSTILE.replace("\x00", "") + "\n"
        else:
            check(home, "memory", *words, lines=False)


@pytest.mark.slow
def test_no_command_about_packages_shows_a_hostile_text_raw(home: Home, tmp_path: Path) -> None:
    words: tuple[str, ...]
    package(home)
    source = write_package(
        tmp_path / NAMED, "rs2", description=HOSTILE, author=HOSTILE, skills={"greet/SKILL.md": HOSTILE}
    )
    log = home.config_dir / "data" / "plugins" / "rs" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps({"level": HOSTILE, "function": HOSTILE, "message": HOSTILE}) + "\n", encoding="utf-8")
    sections = (
        "[plugins]\nenabled = true\n",
        f"[plugins]\nenabled = true\n[[plugins.entries]]\nkey = {toml(HOSTILE)}\n",
        f"[plugins]\nplugins_dir = {toml(HOSTILE)}\n[memory]\nbackend = {toml(HOSTILE)}\n",
        f"[plugins]\nenabled = true\n[memory]\nbackend = {toml('plugin.' + HOSTILE)}\n",
        f"[plugins]\nenabled = true\ndisabled = [{toml(HOSTILE)}]\n{toml(HOSTILE)} = 1\n",
        f"[plugins.security]\nsignature_mode = {toml(HOSTILE)}\ntrusted_publisher_keys = [{toml(HOSTILE)}]\n",
        f"{HOSTILE}\n",
    )
    for section in sections:
        configured(home, section)
        for words in (
            ("plugin", "list", "--all"),
            ("plugin", "info", "rs"),
            ("doctor",),
            ("memory", "status"),
            ("memory", "list"),
            ("config", "list"),
        ):
            check(home, *words)
    configured(home, sections[0])
    for words in (
        ("info", NAMED),
        ("info", "broken"),
        ("info", "rs", "--load"),
        ("check", str(source)),
        ("check", str(home.config_dir / "plugins" / "broken")),
        ("check", str(tmp_path / (NAMED + "x"))),
        ("install", str(source), "--dry-run"),
        ("install", str(source), "--yes"),
        ("install", NAMED),
        ("verify", "--all"),
        ("verify", NAMED),
        ("test", str(source)),
        ("logs", "rs"),
        ("logs", NAMED),
        ("outdated",),
        ("update", "--all", "--dry-run"),
        ("rollback", NAMED),
        ("enable", NAMED),
        ("disable", NAMED),
        ("trust", "add", NAMED),
        ("trust", "remove", NAMED),
        ("trust", "list"),
        ("adopt-data", NAMED),
        ("sign", str(source), "--key", str(tmp_path / NAMED)),
        ("keygen", "--out", str(tmp_path / NAMED / "key")),
        ("migrate",),
        ("remove", NAMED, "--yes"),
        ("remove", "broken", "--yes"),
    ):
        check(home, "plugin", *words)
    for words in (
        ("get", NAMED),
        ("set", NAMED, NAMED),
        ("set", "memory.backend", NAMED),
        ("set", "memory.native.project", NAMED),
        ("set", "plugins.plugins_dir", NAMED),
        ("set", "plugins.enabled", NAMED),
        ("set", "memory.native.mirror", "off", "--comment", NAMED),
        ("unset", NAMED),
        ("list", "-f", NAMED),
        ("init", NAMED),
        ("schema", "--path", NAMED),
        ("patch", str(tmp_path / NAMED)),
    ):
        check(home, "config", *words)
    for words in (("check", str(tmp_path / NAMED)), ("promote", NAMED), ("rollback", "--to", NAMED), ("new", NAMED)):
        check(home, "strategy", *words)
    check(home, "--config-dir", str(tmp_path / NAMED), "plugin", "list")
    check(home, NAMED)


@pytest.mark.slow
def test_no_command_about_providers_shows_a_hostile_text_raw(home: Home) -> None:
    fields = ("description", "author", "homepage", "url", "kind")
    yaml = "name: mem\nversion: 1.0.0\n" + "".join(f"{name}: {json.dumps(HOSTILE)}\n" for name in fields)
    configured(home, '[memory]\nprovider = "mem"\n')
    raising = f"raise ValueError({HOSTILE!r})\n"
    sources = {
        "quiet": PROVIDER.replace("NAME", "mem") + REGISTER,
        "import": raising,
        "available": PROVIDER.replace("NAME", "mem").replace("return True", raising.strip()) + REGISTER,
        "initialize": PROVIDER.replace("NAME", "mem").replace("self.kwargs = kwargs", raising.strip()) + REGISTER,
        "name": PROVIDER.replace('"NAME"', repr(HOSTILE)) + REGISTER,
        "tools": PROVIDER.replace("NAME", "mem").replace(
            "return []", f"return [{{'name': {HOSTILE!r}, 'description': {HOSTILE!r}, 'parameters': {{}}}}]"
        )
        + REGISTER,
    }
    write_plugin(
        home.config_dir / "plugins" / "memory", NAMED, yaml=yaml.replace("name: mem", f"name: {json.dumps(HOSTILE)}")
    )
    for source in sources.values():
        install(home.config_dir, "mem", source, yaml=yaml, files={"cli.py": f"def register_cli(p):\n    {raising}"})
        directory = str(home.config_dir / "plugins" / "memory" / "mem")
        for words in (
            ("memory", "providers"),
            ("memory", "status"),
            ("memory", "check", directory),
            ("memory", "store", "tea", "green"),
            ("memory", "recall", "tea", "--backend", "provider.mem"),
            ("memory", "context", "tea"),
            ("memory", "setup", "mem", "--no-interactive"),
            ("memory", "setup", "mem", "--no-interactive", "--set", f"{NAMED}={NAMED}"),
            ("mem",),
            ("doctor",),
        ):
            check(home, *words)


def test_the_hostile_text_would_be_seen(tmp_path: Path) -> None:
    assert len(acts(HOSTILE)) == 13
    assert acts(os.fsdecode(b"\xff")) == [r"'\udcff'"]
    assert not acts("kept \u00e9 \u4e2d\n")
