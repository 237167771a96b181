from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.provider_plugins import approve, nested, provider_source, write_plugin
from tests.support.setup_providers import API_KEY, DAYS, REGION, Answer, Person, asking
from zeroclaw_cli.config.load import load
from zeroclaw_cli.errors import (
    ConfigDamaged,
    Interrupted,
    ProviderBroken,
    ProviderNotFound,
    ProviderUnavailable,
    ProviderUntrusted,
    UsageError,
)
from zeroclaw_cli.providers import bounded, env_file, trust
from zeroclaw_cli.providers.setup.answers import Cancelled, Given
from zeroclaw_cli.providers.setup.wizard import SetupResult, Wizard


class Setup:
    """One home, and the ways to run setup in it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "config"
        self.home.mkdir(mode=0o700)
        self.cwd = root
        self.environ: dict[str, str] = {"HOME": str(root)}
        self.told: list[str] = []

    def run(self, name: str | None, *replies: Answer, person: Person | None = None, **given: Any) -> SetupResult:
        """Setup as on a terminal where ``replies`` are typed."""
        return self._wizard(person or Person(replies), given).run(name)

    def run_alone(self, name: str | None, **given: Any) -> SetupResult:
        """Setup without a terminal."""
        return self._wizard(None, given).run(name)

    def _wizard(self, person: Person | None, given: dict[str, Any]) -> Wizard:
        config = load(str(self.home), self.environ)
        return Wizard(config, Given(**given), person, self.told.append, self.environ, self.cwd)

    def install(self, source: str, name: str = "asking", *, trusted: bool = True, **options: Any) -> None:
        write_plugin(nested(self.home), name, source, **options)
        if trusted:
            approve(self.home, name)

    def files(self) -> dict[str, bytes]:
        """What a person would see as changed: every file but locks and what installing wrote."""
        return {
            path.relative_to(self.home).as_posix(): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and "lock" not in path.name and "memory/" not in path.as_posix()
        }

    @property
    def provider(self) -> str:
        return load(str(self.home), self.environ).memory.provider


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[Setup]:
    found = Setup(tmp_path)
    yield found
    env_file.load(tmp_path / "nothing", found.environ)


def test_answers_go_to_save_config_secrets_to_the_env_file_and_the_provider_is_active(setup: Setup) -> None:
    setup.install(asking(REGION, DAYS, API_KEY))
    result = setup.run("asking", "eu", "", "hunter2-secret", True)
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "eu", "days": 7}
    assert (setup.home / ".env").read_text() == "ASKING_API_KEY=hunter2-secret\n"
    assert stat.S_IMODE((setup.home / ".env").stat().st_mode) == 0o600
    assert setup.provider == "asking"
    assert (result.provider, result.active, result.changed, result.available) == ("asking", True, True, True)
    assert result.variables == ("ASKING_API_KEY",)


def test_no_secret_is_in_the_result_the_config_or_what_was_told(setup: Setup) -> None:
    setup.install(asking(REGION, API_KEY))
    result = setup.run("asking", "eu", "hunter2-secret", True)
    shown = json.dumps(result.to_json()) + repr(result) + "\n".join(setup.told)
    assert "hunter2-secret" not in shown + (setup.home / "config.toml").read_text()
    assert "hunter2-secret" not in (setup.home / "asking.json").read_text()


def test_a_provider_without_save_config_has_its_values_in_the_config(setup: Setup) -> None:
    setup.install(asking(REGION, DAYS, {"key": "on", "type": "boolean", "default": "false"}, more=""))
    result = setup.run("asking", "eu", "12", "yes", True)
    values = load(str(setup.home), setup.environ).memory.providers["asking"]
    assert values == {"region": "eu", "days": 12, "on": True}
    assert result.values_in.startswith("memory.providers.asking in ")


@pytest.mark.parametrize("key", ["api-url", "API_URL", "api.url", "api url", 'a"b', "größe", "name", "-", "a-b_c"])
def test_a_key_of_any_spelling_is_kept_and_found_again(setup: Setup, key: str) -> None:
    setup.install(asking({"key": key, "description": "Value"}, more=""))
    setup.run("asking", "first", True)
    assert load(str(setup.home), setup.environ).memory.providers["asking"] == {key: "first"}
    person = Person(["", True])
    setup.run("asking", person=person)
    assert person.questions[0] == "Value [first]"


def test_stored_values_are_the_defaults_of_the_next_time(setup: Setup) -> None:
    setup.install(asking(REGION, DAYS, more=""))
    setup.run("asking", "eu", "12", True)
    person = Person(["", "", True])
    setup.run("asking", person=person)
    assert person.preselected == [0]
    assert person.questions[1] == "Days [12]"
    assert load(str(setup.home), setup.environ).memory.providers["asking"] == {"region": "eu", "days": 12}


def test_the_first_choice_is_preselected_without_a_default(setup: Setup) -> None:
    setup.install(asking({"key": "region", "choices": ["eu", "us"]}))
    person = Person(["", True])
    setup.run("asking", person=person)
    assert person.preselected == [0]


def test_a_blank_secret_keeps_what_is_set_and_shows_its_end_only(setup: Setup) -> None:
    setup.install(asking(API_KEY))
    setup.run("asking", "hunter2-secret", True)
    before = (setup.home / ".env").read_bytes()
    person = Person(["", True])
    result = setup.run("asking", person=person)
    assert person.questions[0] == "API key (...cret; blank keeps it)"
    assert (setup.home / ".env").read_bytes() == before
    assert result.kept == ("ASKING_API_KEY",)
    assert result.variables == ()


def test_setting_up_the_same_again_changes_nothing(setup: Setup) -> None:
    setup.install(asking(REGION, API_KEY, more=""))
    assert setup.run("asking", "eu", "hunter2-secret", True).changed
    before = setup.files()
    assert not setup.run("asking", "eu", "hunter2-secret", True).changed
    assert setup.files() == before


def test_a_space_that_was_pasted_along_is_no_part_of_a_secret(setup: Setup) -> None:
    setup.install(asking(API_KEY))
    setup.run("asking", " sk-1234 ", True)
    assert env_file.read(setup.home) == {"ASKING_API_KEY": "sk-1234"}


def test_a_short_secret_shows_nothing_of_itself(setup: Setup) -> None:
    setup.install(asking(API_KEY))
    setup.environ["ASKING_API_KEY"] = "abcd"
    person = Person(["", True])
    setup.run("asking", person=person)
    assert person.questions[0] == "API key (set; blank keeps it)"


def test_the_url_of_a_secret_is_told_before_it_is_asked(setup: Setup) -> None:
    setup.install(asking(API_KEY))
    told: list[str] = []
    person = Person(["key-value", True], before_reply=lambda question: told.extend(setup.told))
    setup.run("asking", person=person)
    assert "see https://example.invalid/keys" in told


def test_a_secret_without_a_variable_gets_one(setup: Setup) -> None:
    setup.install(asking({"key": "api-token", "secret": True}))
    setup.run("asking", "t0k3n", True)
    assert env_file.read(setup.home) == {"ASKING_API_TOKEN": "t0k3n"}


def test_a_value_with_a_variable_goes_to_both(setup: Setup) -> None:
    setup.install(asking({"key": "url", "env_var": "ASKING_URL"}))
    setup.run("asking", "http://localhost", True)
    assert json.loads((setup.home / "asking.json").read_text()) == {"url": "http://localhost"}
    assert env_file.read(setup.home) == {"ASKING_URL": "http://localhost"}


def test_a_variable_that_the_environment_sets_otherwise_is_a_warning(setup: Setup) -> None:
    setup.install(asking({"key": "url", "env_var": "ASKING_URL"}))
    setup.environ["ASKING_URL"] = "http://other"
    result = setup.run("asking", "http://localhost", True)
    assert [warning for warning in result.warnings if "ASKING_URL in the environment overrides" in warning]


def test_a_field_is_asked_only_when_the_answers_say_so(setup: Setup) -> None:
    setup.install(asking(REGION, {"key": "state", "when": {"region": "us"}}, {"key": "land", "when": {"region": "eu"}}))
    setup.run("asking", "eu", "Bavaria", True)
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "eu", "land": "Bavaria"}


def test_a_required_field_left_empty_three_times_aborts_without_a_change(setup: Setup) -> None:
    setup.install(asking({"key": "user", "required": True}))
    before = setup.files()
    with pytest.raises(UsageError, match="user got no valid answer in 3 tries, and nothing was changed"):
        setup.run("asking", "", "", "")
    assert setup.files() == before


def test_a_wrong_answer_is_asked_again_with_the_reason(setup: Setup) -> None:
    setup.install(asking(DAYS))
    setup.run("asking", "many", "31", "30", True)
    assert setup.told[-2:] == ["days must be an integer", "days must be at most 30"]
    assert json.loads((setup.home / "asking.json").read_text()) == {"days": 30}


@pytest.mark.parametrize("end", [Cancelled, KeyboardInterrupt])
@pytest.mark.parametrize("answered", range(4))
def test_giving_up_before_saving_writes_nothing_and_is_130(
    setup: Setup, end: type[BaseException], answered: int
) -> None:
    setup.install(asking(REGION, DAYS, API_KEY), trusted=False)
    before = setup.files()
    replies: list[Answer] = ["yes", "eu", "3", "secret-value"]
    with pytest.raises(Interrupted, match="nothing was changed") as interrupted:
        setup.run("asking", *replies[:answered], end)
    assert interrupted.value.exit_code == 130
    assert setup.files() == before


def test_no_to_the_last_question_changes_nothing(setup: Setup) -> None:
    setup.install(asking(REGION))
    before = setup.files()
    with pytest.raises(Interrupted):
        setup.run("asking", "eu", False)
    assert setup.files() == before


def test_yes_answers_the_last_question_and_no_other(setup: Setup) -> None:
    setup.install(asking(REGION), trusted=False)
    with pytest.raises(UsageError, match="is not trusted"):
        setup.run_alone("asking", yes=True)
    setup.run("asking", "yes", "eu", yes=True)
    assert setup.provider == "asking"


def test_the_built_in_line_is_preselected_and_switches_the_provider_off(setup: Setup) -> None:
    setup.install(asking(REGION))
    setup.run("asking", "eu", True)
    person = Person([""])
    result = setup.run(None, person=person)
    assert person.offered[0][-1].label == "built-in only"
    assert result.provider is None
    assert setup.provider == ""


@pytest.mark.parametrize("word", ["none", "builtin", "built-in", "default", "None"])
def test_a_word_for_no_provider_switches_it_off(setup: Setup, word: str) -> None:
    setup.install(asking(REGION))
    setup.run("asking", "eu", True)
    assert setup.run_alone(word).provider is None
    assert setup.provider == ""


def test_the_picker_hints_what_each_wants_and_imports_no_untrusted_one(setup: Setup) -> None:
    setup.install(asking(API_KEY, name="secretive"), "secretive")
    setup.install(asking(REGION, name="local"), "local")
    setup.install(provider_source("plain"), "plain")
    marker = setup.cwd / "ran"
    setup.install(f"open({str(marker)!r}, 'w')\nraise RuntimeError", "trap", trusted=False)
    person = Person([Cancelled])
    with pytest.raises(Interrupted):
        setup.run(None, person=person)
    hints = {choice.label: choice.hint for choice in person.offered[0]}
    assert hints["secretive"] == "requires API key"
    assert hints["local"] == "local"
    assert hints["plain"] == "no setup needed"
    assert hints["trap"] == "not trusted yet"
    assert not marker.exists()


def test_consent_needs_a_typed_yes_and_says_that_nothing_is_a_sandbox(setup: Setup) -> None:
    setup.install(asking(), trusted=False)
    before = setup.files()
    with pytest.raises(ProviderUntrusted, match="nothing was changed"):
        setup.run("asking", "y")
    assert setup.files() == before
    assert any("Nothing here is a sandbox" in line for line in setup.told)
    setup.run("asking", "yes", True)
    assert (setup.home / "plugins" / "trust.json").exists()


def test_a_changed_tree_is_asked_about_again_naming_what_changed(setup: Setup) -> None:
    setup.install(asking())
    (nested(setup.home) / "asking" / "more.py").write_text("x = 1\n")
    setup.run("asking", "yes", True)
    assert "since it was approved: added more.py" in setup.told


def test_trust_takes_the_digest_of_the_tree_or_now_and_nothing_else(setup: Setup) -> None:
    setup.install(asking(), trusted=False)
    digest = trust.tree_digest(nested(setup.home) / "asking")
    with pytest.raises(ProviderUntrusted, match="is not the one that --trust names"):
        setup.run_alone("asking", trust="0" * 64)
    with pytest.raises(UsageError, match="--trust takes a SHA-256"):
        setup.run_alone("asking", trust="yes")
    assert setup.run_alone("asking", trust=f"sha256:{digest.upper()}").trusted == digest


def test_a_pinned_digest_holds_for_a_tree_that_is_trusted_already(setup: Setup) -> None:
    setup.install(asking())
    with pytest.raises(ProviderUntrusted):
        setup.run_alone("asking", trust="0" * 64)


def test_what_the_provider_says_about_the_network_is_told_before_activation(setup: Setup) -> None:
    setup.install(asking(), yaml="name: asking\nnetwork: true\n")
    setup.run("asking", True)
    assert "It says that it sends data off this device." in setup.told
    assert any("paths and the output of commands" in line for line in setup.told)


def test_without_a_terminal_options_answer_everything(setup: Setup) -> None:
    setup.install(asking(REGION, DAYS, API_KEY), trusted=False)
    setup.run_alone("asking", values={"region": "eu", "days": 3}, secrets={"api_key": "k-1234"}, trust="now")
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "eu", "days": 3}
    assert env_file.read(setup.home) == {"ASKING_API_KEY": "k-1234"}


def test_without_a_terminal_defaults_and_what_is_set_stand_for_answers(setup: Setup) -> None:
    setup.install(asking(REGION, DAYS, API_KEY))
    setup.environ["ASKING_API_KEY"] = "from-outside"
    setup.run_alone("asking")
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "us", "days": 7}
    assert not (setup.home / ".env").exists()


@pytest.mark.parametrize(
    ("field", "option"),
    [({"key": "user", "required": True}, "--set user=VALUE"), (API_KEY, "--secret-stdin api_key")],
)
def test_a_missing_required_answer_without_a_terminal_is_2_and_names_the_option(
    setup: Setup, field: dict[str, Any], option: str
) -> None:
    setup.install(asking(field))
    before = setup.files()
    with pytest.raises(UsageError) as missing:
        setup.run_alone("asking")
    assert missing.value.exit_code == 2
    assert option in (missing.value.hint or "")
    assert setup.files() == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": {"colour": "red"}}, "--set colour: the provider has no field colour"),
        ({"values": {"days": "many"}}, "--set days: days must be an integer"),
        ({"values": {"api_key": "x"}}, "api_key is a secret, and the command line may be seen"),
        ({"secrets": {"days": "3"}}, "--secret-stdin days: days is not a secret"),
    ],
)
def test_an_option_that_does_not_fit_is_2_and_changes_nothing(
    setup: Setup, given: dict[str, Any], message: str
) -> None:
    setup.install(asking(DAYS, API_KEY))
    before = setup.files()
    with pytest.raises(UsageError, match=message):
        setup.run_alone("asking", **given)
    assert setup.files() == before


def test_a_file_may_answer_a_secret(setup: Setup) -> None:
    setup.install(asking(API_KEY))
    setup.run_alone("asking", values={"api_key": "k-1234"}, sources={"api_key": "answers.toml"})
    assert env_file.read(setup.home) == {"ASKING_API_KEY": "k-1234"}


def test_an_answer_that_other_answers_make_meaningless_is_told_and_not_kept(setup: Setup) -> None:
    setup.install(asking(REGION, {"key": "state", "when": {"region": "us"}}))
    setup.run_alone("asking", values={"region": "eu", "state": "Ohio"})
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "eu"}
    assert any("state is not used" in line for line in setup.told)


def test_no_name_and_no_terminal_is_2(setup: Setup) -> None:
    with pytest.raises(UsageError, match="no provider is named"):
        setup.run_alone(None)


def test_an_unknown_name_is_3_and_writes_nothing(setup: Setup) -> None:
    with pytest.raises(ProviderNotFound) as unknown:
        setup.run_alone("asking")
    assert unknown.value.exit_code == 3
    assert setup.files() == {}


def test_a_failing_save_config_activates_nothing_and_writes_no_secret(setup: Setup) -> None:
    setup.install(
        asking(REGION, API_KEY, more="    def save_config(self, values, home):\n        raise OSError('full')")
    )
    with pytest.raises(ProviderBroken, match="provider 'asking' fails in save_config: OSError: full") as broken:
        setup.run("asking", "eu", "secret-key", True)
    assert broken.value.exit_code == 1
    assert setup.provider == ""
    assert not (setup.home / ".env").exists()


def test_a_config_that_cannot_be_changed_stops_setup_before_it_writes(setup: Setup) -> None:
    setup.install(asking(REGION, API_KEY), trusted=False)
    (setup.home / "config.toml").write_text('[memory]\nprovider = "old"\n')
    person = Person(["yes", "eu", "secret-key", True])
    person.before_reply = lambda question: (
        (setup.home / "config.toml").write_text("[memory\n") if question.startswith("Save this") else None
    )
    with pytest.raises(ConfigDamaged):
        setup.run("asking", person=person)
    assert set(setup.files()) == {"config.toml"}
    assert (setup.home / "config.toml").read_text() == "[memory\n"


def test_an_env_file_that_leads_out_of_the_home_stops_setup_before_it_writes(setup: Setup) -> None:
    setup.install(asking(REGION, API_KEY))
    outside = setup.cwd / "outside"
    outside.write_text("")
    person = Person(["eu", "secret-key", True])

    def swap(question: str) -> None:
        if question.startswith("Save this"):
            (setup.home / ".env").symlink_to(outside)

    person.before_reply = swap
    with pytest.raises(Exception, match="symbolic link out of the home"):
        setup.run("asking", person=person)
    assert outside.read_text() == ""
    assert not (setup.home / "asking.json").exists()
    assert setup.provider == ""


def test_what_the_provider_writes_into_the_config_meanwhile_stays(setup: Setup) -> None:
    more = """
    def save_config(self, values, home):
        with open(Path(home, "config.toml"), "a") as file:
            file.write("\\n# of the provider\\n[memory.native]\\nproject = \\"theirs\\"\\n")
"""
    setup.install(asking(REGION, more=more))
    setup.run("asking", "eu", True)
    text = (setup.home / "config.toml").read_text()
    assert "# of the provider" in text
    assert load(str(setup.home), setup.environ).memory.native.project == "theirs"
    assert setup.provider == "asking"


def test_a_variable_that_no_provider_may_set_is_refused_before_anything_is_asked(setup: Setup) -> None:
    setup.install(asking({"key": "path", "env_var": "PATH"}))
    with pytest.raises(ProviderBroken, match="wants the variable 'PATH'"):
        setup.run("asking", "/evil", True)
    assert not (setup.home / ".env").exists()


def test_as_backend_sets_the_backend_too(setup: Setup) -> None:
    setup.install(asking())
    assert setup.run_alone("asking", as_backend=True).backend == "provider.asking"
    assert load(str(setup.home), setup.environ).memory.backend == "provider.asking"


def test_an_overriding_environment_is_a_warning(setup: Setup) -> None:
    setup.install(asking())
    setup.environ["ZEROCLAW_memory__provider"] = "other"
    result = setup.run_alone("asking")
    assert not result.active
    assert any("overrides memory.provider" in warning for warning in result.warnings)


POST_SETUP = """
    def post_setup(self, vibeos_home, config):
        config["memory"]["provider"] = "mutated"
        Path(vibeos_home, "config.toml").write_text('[memory]\\nprovider = "asking"\\n')
        Path(vibeos_home, "seen.json").write_text(json.dumps([vibeos_home, config]))
"""


def test_a_setup_of_its_own_is_handed_over_to_and_what_is_active_is_read_again(setup: Setup) -> None:
    setup.install(asking(REGION, more=POST_SETUP))
    result = setup.run_alone("asking")
    assert (result.active, result.values_in) == (True, "")
    home, config = json.loads((setup.home / "seen.json").read_text())
    assert home == str(setup.home)
    assert config["memory"]["backend"] == "native"


def test_a_setup_of_its_own_that_activates_nothing_is_a_warning(setup: Setup) -> None:
    setup.install(asking(REGION, more="    def post_setup(self, home, config):\n        pass"))
    result = setup.run_alone("asking")
    assert not result.active
    assert any("did not activate asking" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    "choice",
    [
        "        config['memory']['provider'] = 'asking'",
        "        own = load_config()\n        own['memory']['provider'] = 'asking'\n        save_config(own)",
    ],
)
def test_what_a_setup_of_its_own_chooses_is_what_the_person_chose(setup: Setup, choice: str) -> None:
    values = "        config['memory'].setdefault('asking', {})['days'] = 3\n        save_config(config)\n"
    more = "    def post_setup(self, home, config):\n        from zeroclaw_cli.providers.hermes.config import *\n"
    more = more.replace("import *", "import load_config, save_config")
    setup.install(asking(REGION, more=more + values + choice))
    assert setup.run_alone("asking").active
    memory = load(str(setup.home), setup.environ).memory
    assert (memory.provider, memory.providers) == ("asking", {"asking": {"days": 3}})


def test_a_setup_of_its_own_cannot_choose_another_provider(setup: Setup) -> None:
    more = "    def post_setup(self, home, config):\n        config['memory'] = {'provider': 'other'}\n"
    setup.install(asking(REGION, more=more))
    assert not setup.run_alone("asking").active
    assert setup.provider == ""


def test_a_setup_of_its_own_that_asks_without_a_terminal_is_2(setup: Setup) -> None:
    setup.install(asking(REGION, more="    def post_setup(self, home, config):\n        input('key? ')"))
    with pytest.raises(UsageError, match="asks for its settings itself"):
        setup.run_alone("asking")


def test_given_answers_use_the_schema_even_of_a_provider_with_a_setup_of_its_own(setup: Setup) -> None:
    more = "    def post_setup(self, home, config):\n        raise RuntimeError\n" + asking_saves()
    setup.install(asking(REGION, more=more))
    setup.run_alone("asking", values={"region": "eu"})
    assert json.loads((setup.home / "asking.json").read_text()) == {"region": "eu"}


def asking_saves() -> str:
    from tests.support.setup_providers import SAVES

    return SAVES


@pytest.mark.parametrize("raised", ["RuntimeError('x')", "SystemExit(3)", "BaseException('x')", "GeneratorExit()"])
def test_whatever_a_schema_raises_is_one_error(setup: Setup, raised: str) -> None:
    more = f"    def get_config_schema(self):\n        raise {raised}"
    setup.install(asking(more=more))
    with pytest.raises(ProviderBroken, match="fails in get_config_schema"):
        setup.run_alone("asking")
    assert setup.provider == ""


def test_a_provider_without_a_schema_has_nothing_to_ask(setup: Setup) -> None:
    setup.install(provider_source("plain"), "plain")
    setup.run("plain", True)
    assert setup.provider == "plain"


def test_requirements_that_are_never_installed_stop_setup(setup: Setup) -> None:
    setup.install(asking(), yaml="name: asking\npip_dependencies: ['git+https://example.invalid/x']\n")
    with pytest.raises(ProviderUnavailable, match="which is never installed"):
        setup.run_alone("asking", install_deps=True)
    assert setup.provider == ""


def test_missing_requirements_need_an_option_or_a_yes_and_yes_is_not_enough(setup: Setup) -> None:
    setup.install(asking(), yaml="name: asking\npip_dependencies: ['no-such-package-here>=1']\n")
    before = setup.files()
    with pytest.raises(UsageError) as needed:
        setup.run_alone("asking", yes=True)
    assert "--install-deps" in (needed.value.hint or "")
    person = Person([False])
    with pytest.raises(ProviderUnavailable, match="nothing was changed"):
        setup.run("asking", person=person)
    assert person.questions == ["Install them?"]
    assert any("no-such-package-here>=1" in line for line in setup.told)
    assert setup.files() == before


def test_a_present_requirement_is_not_asked_about(setup: Setup) -> None:
    setup.install(asking(), yaml="name: asking\npip_dependencies: ['typer>=0.1']\n")
    assert setup.run_alone("asking").installed == ()


def test_a_missing_program_is_told_and_not_installed(setup: Setup) -> None:
    yaml = "name: asking\nexternal_dependencies: [{name: thing, check: 'no-such-program --v', install: 'brew it'}]\n"
    setup.install(asking(), yaml=yaml)
    setup.run_alone("asking")
    assert "the program thing is missing; to install it: brew it" in setup.told


def test_an_unavailable_provider_is_activated_and_says_why(setup: Setup) -> None:
    more = """
    def is_available(self):
        return "ASKING_API_KEY" in os.environ
    def unavailable_reason(self):
        return "no key"
"""
    setup.install(asking(more=more))
    os.environ.pop("ASKING_API_KEY", None)
    result = setup.run_alone("asking")
    assert (result.active, result.available) == (True, False)
    assert result.reason == "memory provider asking is not available: no key"


def test_what_a_provider_prints_is_not_on_stdout(setup: Setup, capfd: pytest.CaptureFixture[str]) -> None:
    more = "    def save_config(self, values, home):\n        print('noise')"
    setup.install("print('noise')\n" + asking(REGION, more=more))
    setup.run_alone("asking")
    assert "noise" not in capfd.readouterr().out


HANGS = {
    "save_config": "    def save_config(self, values, vibeos_home):\n        import time\n        time.sleep(100)\n",
    "post_setup": "    def post_setup(self, home, config):\n        import time\n        time.sleep(100)\n",
}


@pytest.mark.parametrize("hook", HANGS)
def test_a_provider_that_hangs_in_setup_is_one_error_and_is_not_active(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    monkeypatch.setattr(bounded, "HOOK_WITHIN_S", 0.3)
    setup.install(asking(REGION, more=HANGS[hook]))
    with pytest.raises(ProviderBroken, match=f"did not come back from {hook} within 0.3 seconds"):
        setup.run_alone("asking", yes=True)
    assert setup.provider == ""
