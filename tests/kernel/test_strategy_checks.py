from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.kernel.artefacts import change, folder
from zeroclaw_cli.config.model import Security
from zeroclaw_cli.kernel.strategies import signing
from zeroclaw_cli.kernel.strategies.artefact import read_artefact
from zeroclaw_cli.kernel.strategies.checks import CheckReport, check
from zeroclaw_cli.kernel.strategies.state import History, Publication
from zeroclaw_cli.kernel.strategies.template import template_files
from zeroclaw_cli.plugins import publisher_keys


def looked_over(directory: Path, history: History | None = None, security: Security | None = None) -> CheckReport:
    return check(read_artefact(directory), history or History(), security or Security())


def problems(report: CheckReport) -> list[str]:
    return [f"{finding.level} {finding.id}: {finding.detail}" for finding in report.findings if finding.level != "ok"]


def test_a_new_strategy_has_no_finding_and_shows_what_it_is_granted(tmp_path: Path) -> None:
    for kind in ("rules", "python"):
        report = looked_over(folder(tmp_path, f"new-{kind}", kind))
        assert problems(report) == []
        assert report.ok(strict=True)
        body = report.to_json()
        assert body["permissions"]["layer_ids"] == ["runtime", "documents", "memory-spaces"]
        assert body["permissions"]["max_steps"] == 8
        assert (body["ok"], body["kind"], body["version"]) == (True, kind, "1")


def test_checking_runs_nothing(tmp_path: Path) -> None:
    directory = folder(tmp_path, kind="python")
    marker = tmp_path / "ran"
    text = (directory / "strategy.py").read_text()
    (directory / "strategy.py").write_text(f"open({str(marker)!r}, 'w')\n{text}")
    assert looked_over(directory).ok()
    assert not marker.exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        ("strategy.toml", "[metadata]", "[metadata", "error manifest: strategy.toml is not TOML"),
        ("strategy.toml", "v1alpha1", "v2", "error manifest: the manifest of a strategy: apiVersion"),
        ("strategy.toml", "maxSteps = 8", "maxSteps = 0", "error manifest: the manifest of a strategy: permissions"),
        ("strategy.toml", 'id = "mine"', 'id = "Mine"', "error manifest: 'Mine'"),
        ("strategy.toml", 'id = "mine"', 'id = "mine-"', "warning manifest: the id mine- ends with '-'"),
        ("strategy.toml", 'id = "mine"', 'id = "default-three-tier"', "error published: the id default-three-tier"),
        ("strategy.toml", '"documents", ', "", "error permissions: rule 2 names the layer documents"),
        (
            "rules.toml",
            ', "documents", "memory-spaces"]',
            "]",
            "warning rules: granted but used by no rule: documents",
        ),
        ("rules.toml", "[[rule]]", "[rule]", "error rules: rules.toml"),
        ("rules.toml", "max_results = 3", "max_results = 0", "error rules: rules.toml: rule 1: when.budget"),
        ("replay.jsonl", "normal-routing", "usual-routing", "error cases: line 1 of replay.jsonl"),
        ("replay.jsonl", '"disabled-layer"', '"escape"', "warning cases: there is no case of disabled-layer"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, file: str, old: str, new: str, found: str) -> None:
    directory = folder(tmp_path)
    change(directory, file, old, new)
    report = looked_over(directory)
    assert any(problem.startswith(found) for problem in problems(report)), problems(report)
    assert report.ok() == found.startswith("warning")
    assert not report.ok(strict=True)


def test_everything_is_looked_at_whatever_is_wrong_with_the_rest(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    for name in ("strategy.toml", "rules.toml", "replay.jsonl"):
        (directory / name).write_text("[[[")
    assert [problem.split(":")[0] for problem in problems(looked_over(directory))] == [
        "error manifest",
        "error rules",
        "error cases",
    ]
    for name in ("strategy.toml", "rules.toml", "replay.jsonl"):
        (directory / name).unlink()
    report = looked_over(directory)
    assert [problem.split(":")[0] for problem in problems(report)] == ["error manifest", "error form", "error cases"]
    assert report.to_json()["permissions"] is None


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def propose(", "error python: strategy.py is not Python"),
        ("\0", "error python: strategy.py is not Python"),
        ("(" * 5_000, "error python: strategy.py is not Python"),
        ("x = 1", "error python: strategy.py defines no propose"),
        ("class A:\n    def propose(self, a): ...", "error python: strategy.py defines no propose"),
        ("def propose(request): ...", "error python: propose takes two arguments"),
        ("import requests\ndef propose(a, b): ...", "warning python: it imports requests, which it will not find"),
        ("from . import x\ndef propose(a, b): ...", "warning python: it imports ., which it will not find"),
    ],
)
def test_a_strategy_py_is_read_and_not_run(tmp_path: Path, source: str, found: str) -> None:
    directory = folder(tmp_path, kind="python")
    (directory / "strategy.py").write_text(source)
    assert any(problem.startswith(found) for problem in problems(looked_over(directory)))


def test_its_imports_are_shown(tmp_path: Path) -> None:
    directory = folder(tmp_path, kind="python")
    (directory / "strategy.py").write_text("def propose(*a):\n    import socket, os.path\n")
    report = looked_over(directory)
    assert "it imports os, socket" in [finding.detail for finding in report.findings]
    assert report.ok(strict=True)


def test_a_published_version_with_other_files_is_an_error(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    digest = read_artefact(directory).digest
    same = History((Publication("mine", "1", digest, "rules", "Mine", "then"),))
    other = History((Publication("mine", "1", "ab" * 32, "rules", "Mine", "then"),))
    assert looked_over(directory, same).ok()
    report = looked_over(directory, other)
    assert problems(report) == ["error published: mine@1 was published with other files"]
    change(directory, "strategy.toml", 'version = "1"', 'version = "2"')
    assert looked_over(directory, other).ok()


def test_what_a_signature_is_worth_is_told(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    seed = hashlib.sha256(b"the key of this test").digest()
    key = signing.sign(directory, publisher_keys.write_private_key(seed))
    assert problems(looked_over(directory))[0].startswith("warning signature")
    trusting = Security(trusted_publisher_keys=(key,))
    assert looked_over(directory, security=trusting).ok(strict=True)
    (directory / "more.txt").write_text("x")
    assert problems(looked_over(directory, security=trusting))[0].startswith("warning signature")


def test_both_templates_are_the_same_strategy() -> None:
    rules, code = template_files("mine", "rules"), template_files("mine", "python")
    assert rules["replay.jsonl"] == code["replay.jsonl"]
    assert rules["strategy.toml"] == code["strategy.toml"]


def test_an_id_with_another_meaning_is_a_warning(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    history = History((Publication("mine", "0", "ab" * 32, "rules", "Yours", "then"),))
    assert problems(looked_over(directory, history)) == ["warning published: the id mine was published as 'Yours'"]
