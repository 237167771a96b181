from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.packages import OTHER_SEED, SEED, SKILL_TEXT, FakeProbe, config_in, tree, with_mode, write_package
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.errors import ComponentInvalid, SourceNotFound
from zeroclaw_cli.plugins.check import Check, CheckReport, check
from zeroclaw_cli.plugins.model import ImportFinding, ProbeReport
from zeroclaw_cli.plugins.publisher_keys import public_key_hex


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path / "home")


def failed(report: CheckReport) -> list[str]:
    return [found.id for found in report.checks if not found.ok]


def one(report: CheckReport, id: str) -> Check:
    return next(found for found in report.checks if found.id == id)


def test_a_good_package_passes_every_check_and_nothing_is_written(config: Config, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"bytes").hexdigest()
    source = write_package(tmp_path / "p", "p", component=b"bytes", wasm_sha256=digest, signed_by=SEED)
    before = tree(tmp_path)
    report = check(str(source), config, FakeProbe())
    assert report.ok
    assert [found.id for found in report.checks] == [
        "manifest-file",
        "manifest-toml",
        "manifest-rules",
        "signature",
        "config-schema",
        "component-file",
        "component-digest",
        "component-format",
        "component-imports",
        "component-world",
    ]
    assert tree(tmp_path) == before


def _binary(source: Path) -> None:
    (source / "manifest.toml").write_bytes(b"\xff")


def _unparsable(source: Path) -> None:
    (source / "manifest.toml").write_text("name = ")


def _escaping(source: Path) -> None:
    write_package(source, "p", wasm_path="p.wasm")
    text = (source / "manifest.toml").read_text().replace('"p.wasm"', '"../p.wasm"')
    (source / "manifest.toml").write_text(text)


def _reserved(source: Path) -> None:
    write_package(source, "memory", wasm_path="p.wasm")


def _without_skills(source: Path) -> None:
    write_package(source, "p", capabilities=["memory", "skill"])


def _other_skills(source: Path) -> None:
    write_package(
        source, "p", capabilities=["memory", "skill"], skills={"a/SKILL.md": SKILL_TEXT}, skills_sha256="0" * 64
    )


def _without_schema(source: Path) -> None:
    write_package(source, "p", permissions=["config_read"])


def _without_component(source: Path) -> None:
    (source / "p.wasm").unlink()


def _other_component(source: Path) -> None:
    write_package(source, "p", wasm_sha256="0" * 64)


def _covering_nothing(source: Path) -> None:
    skills = {"a/SKILL.md": SKILL_TEXT}
    write_package(source, "p", wasm_path=None, capabilities=["skill"], skills=skills, wasm_sha256="0" * 64)


def _forged(source: Path) -> None:
    write_package(source, "p", signed_by=SEED)
    manifest = source / "manifest.toml"
    manifest.write_text(manifest.read_text().replace("The package", "A package"))


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_binary, "manifest-file"),
        (_unparsable, "manifest-toml"),
        (_escaping, "manifest-rules"),
        (_reserved, "manifest-rules"),
        (_without_skills, "skills"),
        (_other_skills, "skills-digest"),
        (_without_schema, "config-schema"),
        (_without_component, "component-file"),
        (_other_component, "component-digest"),
        (_covering_nothing, "component-digest"),
        (_forged, "signature"),
    ],
)
def test_each_broken_rule_fails_its_own_check_with_a_hint(
    config: Config, tmp_path: Path, spoil: Callable[[Path], None], expected: str
) -> None:
    source = write_package(tmp_path / "p", "p")
    spoil(source)
    report = check(str(source), config, FakeProbe())
    assert failed(report) == [expected]
    assert one(report, expected).hint


def test_one_failure_does_not_hide_the_next(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "p", "p", permissions=["config_read"], wasm_sha256="0" * 64)
    report = ProbeReport((), (ImportFinding("wasi:http/types", None),), ("memory.get: stale",))
    assert failed(check(str(source), config, FakeProbe(report))) == [
        "config-schema",
        "component-digest",
        "component-imports",
        "component-world",
    ]


def test_bytes_that_are_no_component_fail_the_format(config: Config, tmp_path: Path) -> None:
    probe = FakeProbe(failure=lambda: ComponentInvalid("a core module", hint="make it a component"))
    report = check(str(write_package(tmp_path / "p", "p")), config, probe)
    assert failed(report) == ["component-format"]


def test_a_tool_is_not_held_to_the_world_of_memory(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "p", "p", capabilities=["tool"])
    found = ProbeReport((), (ImportFinding("wasi:http/types", "http_client"),), ("memory.get: missing",))
    report = check(str(source), config, FakeProbe(found))
    assert report.ok
    assert "http_client" in (one(report, "component-imports").hint or "")


def test_the_signature_is_verified_whatever_the_policy_and_trust_is_told_apart(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "p", "p", signed_by=OTHER_SEED)
    key = public_key_hex(OTHER_SEED)
    for mode in SignatureMode:
        found = one(check(str(source), with_mode(config, mode), None), "signature")
        assert found.ok
        assert f"a publisher {key}" in found.detail
        assert "covers the manifest only" in found.detail
    trusting = with_mode(config, SignatureMode.STRICT, key)
    assert f"the trusted publisher {key}" in one(check(str(source), trusting, None), "signature").detail


def test_an_unsigned_package_passes_and_a_strict_operator_is_told(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "p", "p")
    found = one(check(str(source), config, None), "signature")
    assert (found.ok, found.detail) == (True, "unsigned")
    assert "strict" not in (found.hint or "")
    strict = one(check(str(source), with_mode(config, SignatureMode.STRICT), None), "signature")
    assert strict.ok
    assert "strict" in (strict.hint or "")


def test_what_is_no_package_at_all_is_an_error(config: Config, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound):
        check(str(tmp_path), config, None)


def test_a_revoked_publisher_is_never_called_trusted(config: Config, tmp_path: Path) -> None:
    key = public_key_hex(SEED)
    source = write_package(tmp_path / "p", "p", signed_by=SEED)
    revoking = with_mode(config, SignatureMode.STRICT, key, revoked=(key,))
    assert "a revoked publisher" in one(check(str(source), revoking, FakeProbe()), "signature").detail
    trusting = with_mode(config, SignatureMode.STRICT, key)
    assert "the trusted publisher" in one(check(str(source), trusting, FakeProbe()), "signature").detail


def test_a_name_that_is_no_directory_here_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="there is no directory nope"):
        check("nope", config_in(tmp_path), None)
