"""Every command says the same of a backend that cannot be used, whatever it would do with it: the installed command."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.support.command import Home
from tests.support.guests import package
from tests.support.provider_plugins import install as install_provider

WAY_BACK = "zeroclaw config set memory.backend native"
ASKING = (
    ("count",),
    ("list",),
    ("recall", "x"),
    ("store", "k", "v"),
    ("health",),
    ("stats",),
    ("export",),
    ("wake",),
    ("plan", "recall"),
    ("context", "x"),
    ("doc", "tree"),
)


def choose(home: Home, backend: str, more: str = "") -> None:
    """Write the config as a person does with an editor, which no command has looked over."""
    home.config_file.write_text(f'[memory]\nbackend = "{backend}"\n[plugins]\nenabled = true\n{more}')


def tamper(home: Home) -> None:
    choose(home, "plugin.notes")
    with (home.config_dir / "plugins" / "notes" / "notes.wasm").open("ab") as file:
        file.write(b"\0\1\0")


def hand_over(home: Home) -> None:
    choose(home, "plugin.notes")
    (home.config_dir / "data" / "plugins" / "notes" / "owner.toml").write_text(f'publisher = "{"ab" * 32}"\n')


def switch_off(home: Home) -> None:
    home.config_file.write_text('[memory]\nbackend = "plugin.notes"\n')


def break_provider(home: Home) -> None:
    install_provider(home.config_dir, "broken", "def register(ctx):\n    raise RuntimeError('no')\n")
    choose(home, "provider.broken")


def damage_journal(home: Home) -> None:
    choose(home, "plugin.notes")
    (home.config_dir / "data" / "plugins" / "notes" / "journal.db").write_bytes(b"no database" * 500)


# What is wrong, the exit code of every memory command, the code of the error, and a word of the way out.
CASES: dict[str, tuple[Callable[[Home], None], int, str, str]] = {
    "missing": (lambda home: choose(home, "plugin.gone"), 3, "plugin_not_found", "plugin list"),
    "disabled": (
        lambda home: choose(home, "plugin.notes", 'disabled = ["notes"]\n'),
        4,
        "gate_off",
        "plugin enable notes",
    ),
    "gated": (switch_off, 4, "gate_off", "plugins.enabled true"),
    "unsigned": (
        lambda home: choose(home, "plugin.notes", '[plugins.security]\nsignature_mode = "strict"\n'),
        4,
        "unsigned_plugin",
        "signature_mode",
    ),
    "tampered": (tamper, 4, "digest_mismatch", "plugin install"),
    "of another owner": (hand_over, 4, "data_owner", "adopt-data"),
    "slip": (
        lambda home: choose(home, "plugin.notes", '[plugins.securty]\nsignature_mode = "strict"\n'),
        4,
        "policy_unclear",
        "config edit",
    ),
    "journal": (damage_journal, 5, "journal_damaged", ""),
    "provider missing": (lambda home: choose(home, "provider.gone"), 3, "provider_not_found", "memory providers"),
    "provider broken": (break_provider, 1, "provider_broken", ""),
    "postgres": (lambda home: choose(home, "postgres"), 1, "not_supported", "native"),
    "markdown": (lambda home: choose(home, "markdown"), 1, "unknown_backend", "native"),
    "typo": (lambda home: choose(home, "natve"), 1, "unknown_backend", "did you mean native?"),
    "none": (lambda home: choose(home, "none"), 4, "backend_disabled", "native"),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with an entry in the built-in store and one in a plugin."""
    base = tmp_path_factory.mktemp("prepared")
    home = Home(base / "home")
    home.path.mkdir(mode=0o700)
    home.ok("plugin", "install", package(base / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "tea", "of the built-in store")
    home.ok("memory", "store", "tea", "of the plugin", "--backend", "plugin.notes")
    return home


@pytest.fixture
def own(prepared: Home, home: Home) -> Home:
    shutil.copytree(prepared.config_dir, home.config_dir)
    return home


def check(home: Home, case: str, asking: tuple[tuple[str, ...], ...]) -> None:
    make, exit_code, code, remedy = CASES[case]
    make(home)
    for words in asking:
        found = home.run("memory", *words, "--json")
        assert (found.code, found.stdout) == (exit_code, ""), (case, words, found)
        error = found.error()
        assert (error["code"], error["path"]) == (code, "memory.backend"), (case, words, error)
        assert "memory.backend is " in error["message"], (case, words)
        assert remedy in error["hint"], (case, words, error)
        assert WAY_BACK in error["hint"], (case, words, error)
    report = 5 if exit_code == 5 else 1
    status = home.fails(report, "memory", "status", "--json").json()
    assert (status["usable"], status["backend_problem"]["code"]) == (False, code), case
    assert WAY_BACK in home.run("memory", "status").stdout
    wrong = [item for item in home.fails(report, "doctor", "--json").json()["checks"] if item["state"] == "error"]
    assert wrong, case
    # The built-in store is there all the same.
    assert home.ok("memory", "count", "--backend", "native", "--json").json() == {"count": 1}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_backend_that_cannot_be_used_is_the_same_to_every_command(own: Home, case: str) -> None:
    # What a plugin has no documents for is refused before its journal is read.
    check(own, case, ASKING[:-2] if case == "journal" else ASKING)


def test_a_typing_error_is_the_same_to_the_commands_that_looked_past_it(own: Home) -> None:
    check(own, "typo", (("wake",), ("health",)))


def test_a_variable_that_chooses_the_backend_is_named(home: Home) -> None:
    done = home.fails(3, "memory", "count", "--json", env={"ZEROCLAW_memory__backend": "plugin.gone"})
    assert "unset it" in done.error()["hint"]
    assert "ZEROCLAW_memory__backend" in done.error()["hint"]
    # An option is not the setting.
    assert home.fails(3, "memory", "count", "--backend", "plugin.gone", "--json").error().get("path") is None


def test_a_damaged_store_is_damage_to_every_command(own: Home) -> None:
    folder = own.config_dir / "data" / "memory"
    shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    (folder / "native.db").write_bytes(b"garbage" * 1000)
    for words in (("count",), ("health",), ("stats",), ("wake",), ("plan", "recall")):
        done = own.fails(5, "memory", *words, "--json")
        assert (done.error()["code"], done.stdout) == ("store_damaged", ""), words
    assert own.fails(5, "memory", "status", "--json").json()["backend_problem"]["code"] == "store_damaged"
    own.fails(5, "doctor")


def test_wake_and_plan_answer_for_the_chosen_backend(own: Home) -> None:
    layers = "[memory.topology.layers.notes]\nenabled = true\n"
    choose(own, "native", layers)
    assert "notes" not in own.ok("memory", "wake").stdout
    choose(own, "layers", layers)
    assert "notes" in own.ok("memory", "wake").stdout
    choose(own, "plugin.notes")
    for words in (("wake",), ("plan", "recall")):
        error = own.fails(1, "memory", *words, "--json").error()
        assert error["code"] == "not_supported"
        assert "zeroclaw config set memory.backend layers" in error["hint"]


def test_status_and_doctor_are_content_with_what_works(own: Home) -> None:
    for backend in ("native", "plugin.notes", "layers", "provider.notebook"):
        choose(own, backend)
        status = own.ok("memory", "status", "--json").json()
        assert (status["usable"], status["backend_problem"]) == (True, None)
    checks = own.ok("doctor", "--json").json()["checks"]
    assert [item["state"] for item in checks if item["id"] == "backend"] == ["ok"]


def test_a_change_of_the_backend_says_what_stays_behind_and_how_to_copy_it(own: Home) -> None:
    own.ok("memory", "doc", "write", "--target", "a.md", "--content", "x")
    said = own.ok("config", "set", "memory.backend", "plugin.notes").stderr
    assert "what native holds stays there (1 entry and 1 document)" in said
    assert "`zeroclaw memory copy --from native --to plugin.notes`" in said
    assert "cannot" not in said
    said = own.ok("config", "set", "memory.backend", "layers").stderr
    assert "what plugin.notes holds stays there (1 entry)" in said
    assert own.ok("config", "set", "memory.backend", "native").stderr == ""
    patch = '[{"op": "add", "path": "/memory/backend", "value": "none"}]'
    assert "(1 entry and 1 document)" in own.ok("config", "patch", stdin=patch).stderr


def test_another_word_for_the_built_in_store_leaves_nothing_behind(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    for word in ("sqlite", "NATIVE", "Sqlite", "native"):
        assert home.ok("config", "set", "memory.backend", word).stderr == "", word


def test_a_change_that_leaves_the_backend_unusable_says_why(own: Home) -> None:
    said = own.ok("config", "set", "memory.backend", "plugin.gone").stderr
    assert "cannot use it: memory.backend is plugin.gone: plugin not found" in said
    assert "(1 entry)" in said
    assert own.ok("config", "set", "plugins.auto_discover", "true").stderr == ""
    own.ok("config", "set", "memory.backend", "plugin.notes")
    said = own.ok("config", "set", "plugins.security.signature_mode", "strict").stderr
    assert "cannot use it" in said
    assert "not signed" in said
