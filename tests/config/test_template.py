from __future__ import annotations

from pathlib import Path

import pytest
import tomli

from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.schema import FIELDS, is_wildcard
from zeroclaw_cli.config.template import init_sections
from zeroclaw_cli.errors import ConfigDamaged, PathNotFound


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(tmp_path, tmp_path / "data", "test")


def uncommented(text: str) -> str:
    """``text`` with every commented-out key made a key."""
    lines = []
    for line in text.splitlines():
        bare = line.removeprefix("# ")
        lines.append(bare if line.startswith("# ") and " = " in bare and bare.split(" = ")[0].isidentifier() else line)
    return "\n".join(lines)


def test_the_template_sets_nothing(location: Location) -> None:
    assert init_sections(location, {}).changed
    config = load(str(location.config_dir), {})
    assert set(config.values) == {("schema_version",)}
    assert config.warnings == ()


def test_the_template_names_every_fixed_field_with_its_default(location: Location) -> None:
    init_sections(location, {})
    data = tomli.loads(uncommented(location.config_file.read_text()))
    for field in FIELDS:
        if any(map(is_wildcard, field.path)):
            continue
        value = data
        for name in field.path:
            value = value[name]
        if field.default is not None:
            assert value == (list(field.default) if isinstance(field.default, tuple) else field.default), field.name


def test_a_second_time_changes_nothing(location: Location) -> None:
    init_sections(location, {})
    before = location.config_file.read_bytes()
    result = init_sections(location, {})
    assert (result.written, result.changed) == ((), False)
    assert location.config_file.read_bytes() == before


def test_what_is_set_or_mentioned_is_left_alone(location: Location) -> None:
    location.config_file.write_text("[plugins.security]\nsignature_mode = 'strict'\n#trusted_publisher_keys=[]\n[x]\n")
    init_sections(location, {}, "plugins.security")
    text = location.config_file.read_text()
    assert text.count("signature_mode") == 1
    assert text.count("trusted_publisher_keys") == 1
    assert "# revoked_publisher_keys = []\n" in text
    assert text.index("revoked") < text.index("[x]")


def test_one_section_brings_those_below_it(location: Location) -> None:
    result = init_sections(location, {}, "plugins")
    assert result.written == ("plugins", "plugins.security", "plugins.limits")
    assert "[memory]" not in location.config_file.read_text()


def test_an_inline_table_gets_no_template(location: Location) -> None:
    location.config_file.write_text("secrets = { encrypt = true }\nmemory.backend = 'none'\n")
    result = init_sections(location, {})
    assert "memory" in result.skipped
    assert load(str(location.config_dir), {}).memory.backend == "none"


def test_a_malformed_section_is_skipped_or_refused_when_named(location: Location) -> None:
    location.config_file.write_text("[plugins]\nenabled = 3\n")
    assert "plugins" in init_sections(location, {}).skipped
    assert location.config_file.read_text().count("[plugins") == 1
    with pytest.raises(ConfigDamaged):
        init_sections(location, {}, "plugins")


def test_an_unknown_section_says_which_there_are(location: Location) -> None:
    with pytest.raises(PathNotFound) as caught:
        init_sections(location, {}, "plugin")
    assert "did you mean plugins" in (caught.value.hint or "")
    with pytest.raises(PathNotFound) as caught:
        init_sections(location, {}, "qqqqqqq")
    assert "memory.native" in (caught.value.hint or "")
