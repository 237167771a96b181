from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.support.provider_plugins import install, nested, provider_source, write_plugin
from tests.support.setup_providers import API_KEY, REGION, asking
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import explain
from zeroclaw_cli.providers import bounded
from zeroclaw_cli.providers.setup.answers import Given
from zeroclaw_cli.providers.setup.wizard import Wizard
from zeroclaw_cli.providers.status import Status, status


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    return folder


def configured(home: Path, text: str) -> Config:
    (home / "config.toml").write_text(f"[memory]\n{text}\n")
    return load(str(home), {})


def look(home: Path, text: str, environ: dict[str, str] | None = None) -> Status:
    return status(configured(home, text), None, {} if environ is None else environ, home)


def test_without_a_provider_everything_is_usable(home: Path) -> None:
    found = look(home, "")
    assert (found.provider, found.behind, found.usable) == (None, None, True)
    assert [plugin.name for plugin in found.found.plugins] == ["notebook"]


@pytest.mark.parametrize("word", ["builtin", "built-in", "default", "none"])
def test_a_word_for_no_provider_is_none(home: Path, word: str) -> None:
    config = configured(home, f'provider = "{word}"')
    assert status(config, None, {}, home).provider is None


def test_a_usable_provider_is_reported_with_its_plugin(home: Path) -> None:
    install(home, "mine")
    found = look(home, 'provider = "mine"')
    assert found.usable
    assert found.provider is not None
    body = found.to_json()["provider"]
    assert body["usable"]
    assert body["plugin"]["origin"] == "user"
    assert body["plugin"]["trust"]["state"] == "trusted"
    assert {item["name"]: item["active"] for item in found.to_json()["installed"]} == {"mine": True, "notebook": False}


def test_a_missing_provider_names_near_ones(home: Path) -> None:
    found = look(home, 'provider = "notebok"')
    assert not found.usable
    assert found.provider is not None
    assert found.provider.problem is not None
    assert found.provider.problem.code == "provider_not_found"
    assert "notebook" in (found.provider.problem.hint or "")


def test_an_untrusted_provider_is_not_run(home: Path) -> None:
    marker = home / "ran"
    write_plugin(nested(home), "trap", f"open({str(marker)!r}, 'w')")
    found = look(home, 'provider = "trap"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert found.provider.problem.code == "provider_untrusted"
    assert not marker.exists()


def test_only_the_configured_provider_is_loaded(home: Path) -> None:
    marker = home / "ran"
    install(home, "trap", f"open({str(marker)!r}, 'w')\nraise RuntimeError")
    install(home, "mine")
    assert look(home, 'provider = "mine"').usable
    assert not marker.exists()


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("def broken(:", "SyntaxError"),
        ("x = 1", "gives no provider"),
        (provider_source("builtin"), "the name of the built-in memory"),
    ],
)
def test_a_broken_provider_says_how_it_broke(home: Path, init: str, words: str) -> None:
    install(home, "mine", init)
    found = look(home, 'provider = "mine"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert found.provider.problem.code == "provider_broken"
    assert words in found.provider.problem.message


def test_shadowed_copies_are_shown_with_their_paths(home: Path) -> None:
    install(home, "mine")
    write_plugin(home / "plugins", "mine")
    body = look(home, 'provider = "mine"').to_json()["provider"]
    assert body["plugin"]["shadows"] == [str(home / "plugins" / "mine")]


def test_a_missing_package_makes_it_unusable_even_when_it_says_that_it_is_available(home: Path) -> None:
    install(home, "mine", yaml="name: mine\npip_dependencies: ['no-such-package-here']\n")
    found = look(home, 'provider = "mine"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert found.provider.problem.code == "provider_unavailable"
    assert "--install-deps" in (found.provider.problem.hint or "")
    assert found.provider.missing == ("no-such-package-here",)


def test_an_unavailable_provider_gives_its_reason(home: Path) -> None:
    more = "    def is_available(self):\n        return False\n"
    more += "    def unavailable_reason(self):\n        return 'no\\nkey'"
    install(home, "asking", asking(more=more))
    found = look(home, 'provider = "asking"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert found.provider.problem.message == "memory provider asking is not available: no key"
    assert found.provider.available is False


def test_an_unset_variable_is_the_reason_when_there_is_no_other(home: Path) -> None:
    more = "    def is_available(self):\n        return False"
    install(home, "asking", asking(more=more), yaml="name: asking\nrequires_env: [ASKING_NEEDS_THIS]\n")
    found = look(home, 'provider = "asking"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert "ASKING_NEEDS_THIS is not set" in found.provider.problem.message


@pytest.mark.parametrize("raised", ["RuntimeError('x')", "SystemExit(1)", "BaseException('x')"])
def test_whatever_is_available_raises_is_a_reason(home: Path, raised: str) -> None:
    install(home, "asking", asking(more=f"    def is_available(self):\n        raise {raised}"))
    found = look(home, 'provider = "asking"')
    assert found.provider is not None
    assert found.provider.problem is not None
    assert "fails in is_available" in found.provider.problem.message


def test_a_provider_that_hangs_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "ANSWER_WITHIN_S", 0.3)
    install(home, "asking", asking(more="    def is_available(self):\n        import time\n        time.sleep(60)"))
    start = time.monotonic()
    found = look(home, 'provider = "asking"')
    assert time.monotonic() - start < 10
    assert found.provider is not None
    assert found.provider.problem is not None
    assert "did not come back from is_available within 0.3 seconds" in found.provider.problem.message


def test_variables_are_set_or_not_and_never_shown(home: Path) -> None:
    install(home, "asking", asking(API_KEY, REGION), yaml="name: asking\nrequires_env: [OTHER]\n")
    (home / ".env").write_text("ASKING_API_KEY=sk-123456\n")
    found = look(home, 'provider = "asking"', {"OTHER": ""})
    body = found.to_json()
    assert "sk-123456" not in json.dumps(body)
    assert [(item["name"], item["populated"]) for item in body["provider"]["variables"]] == [
        ("ASKING_API_KEY", True),
        ("OTHER", False),
    ]
    assert body["provider"]["variables"][0]["url"] == "https://example.invalid/keys"


def test_the_real_environment_wins_over_the_env_file(home: Path) -> None:
    more = "    def is_available(self):\n        return True\n    def get_status_config(self, config):\n"
    more += "        return {'seen': os.environ.get('ASKING_URL', '')}"
    install(home, "asking", asking(more=more))
    (home / ".env").write_text("ASKING_URL=file\n")
    environ = {"ASKING_URL": "real"}
    look(home, 'provider = "asking"', environ)
    assert environ["ASKING_URL"] == "real"


def test_values_that_look_secret_are_masked(home: Path) -> None:
    install(home, "asking", asking({"key": "plain", "secret": True}, more=""))
    values = '[memory.providers.asking]\napi_key = "abc"\nAccess_Token = "def"\npassphrase = "xyz"\n'
    values += 'region = "eu"\nplain = "ghi"\n'
    found = look(home, f'provider = "asking"\n{values}nested = {{password = "p", user = "u"}}')
    assert found.provider is not None
    assert found.provider.values == {
        "api_key": "****",
        "Access_Token": "****",
        "passphrase": "****",
        "region": "eu",
        "plain": "****",
        "nested": '{"password": "****", "user": "u"}',
    }


def test_a_provider_may_say_itself_what_status_shows(home: Path) -> None:
    more = "    def get_status_config(self, config):\n        return {'mode': config.get('mode'), 'token': 'abc'}"
    install(home, "asking", asking(more=more))
    found = look(home, 'provider = "asking"\n[memory.providers.asking]\nmode = "fast"')
    assert found.provider is not None
    assert found.provider.values == {"mode": "fast", "token": "****"}


def test_the_provider_behind_the_backend_is_reported_too(home: Path) -> None:
    install(home, "mine")
    found = look(home, 'backend = "provider.gone"\nprovider = "mine"')
    assert found.behind is not None
    assert found.behind.name == "gone"
    assert found.provider is not None
    assert found.provider.problem is None
    assert not found.usable
    assert found.active == {"gone", "mine"}


def test_the_same_provider_in_both_places_is_looked_at_once(home: Path) -> None:
    found = look(home, 'backend = "provider.notebook"\nprovider = "notebook"')
    assert found.provider is found.behind
    assert found.usable


def test_settings_of_a_provider_that_is_not_active_are_a_hint(home: Path) -> None:
    found = look(home, '[memory.providers.notebook]\nmode = "x"')
    assert any("notebook has settings and is not active" in hint for hint in found.hints)


def test_the_problem_is_one_line_with_name_reason_and_remedy(home: Path) -> None:
    write_plugin(nested(home), "mine")
    found = look(home, 'provider = "mine"')
    assert found.provider is not None
    assert found.provider.problem is not None
    problem = explain(found.provider.problem)
    assert problem.startswith("memory provider mine is not loaded: its code has not been approved")
    assert "`zeroclaw memory trust mine`" in problem
    assert "\n" not in problem


def test_a_variable_of_the_given_environment_is_not_called_unset(home: Path) -> None:
    more = "    def is_available(self):\n        return False"
    install(home, "asking", asking(more=more), yaml="name: asking\nrequires_env: [ONE, TWO]\n")
    found = look(home, 'provider = "asking"', {"ONE": "1"})
    assert found.provider is not None
    assert found.provider.problem is not None
    assert "TWO is not set" in found.provider.problem.message
    assert "ONE" not in found.provider.problem.message


def test_status_after_setup_shows_what_setup_kept(home: Path) -> None:
    config = configured(home, "")
    Wizard(config, Given(values={"recall_limit": 9}), None, lambda line: None, {}, home).run("notebook")
    found = status(load(str(home), {}), None, {}, home)
    assert found.provider is not None
    assert found.provider.values == {"keep_turns": "true", "recall_limit": "9"}
