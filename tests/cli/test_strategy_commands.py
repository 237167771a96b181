"""``strategy``: the pipeline of a strategy on the command line."""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support.command import PROGRAM, Home
from tests.support.packages import PUBLIC, SIGNING_KEY

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

DEFAULT = "default-three-tier"


def made(home: Home, name: str = "mine", *words: str) -> Path:
    home.ok("strategy", "new", name, *words)
    return home.path / name


def change(directory: Path, file: str, old: str, new: str) -> None:
    text = (directory / file).read_text("utf-8")
    assert old in text
    (directory / file).write_text(text.replace(old, new), "utf-8")


def passed(home: Home, directory: Path, *words: str) -> Path:
    home.ok("strategy", "check", directory, "--strict")
    home.ok("strategy", "replay", directory, *words)
    home.ok("strategy", "shadow", directory)
    return directory


def active(home: Home) -> str:
    found = home.ok("strategy", "list", "--json").json()["active"]
    return str(found["id"] if found["version"] is None else f"{found['id']}@{found['version']}")


def test_a_new_strategy_goes_all_the_way_and_back(home: Home) -> None:
    directory = home.path / "mine"
    done = home.ok("strategy", "new", "mine")
    assert done.stdout == f"Created {directory}\n  replay.jsonl\n  rules.toml\n  strategy.toml\n"
    assert done.stderr == f"next: zeroclaw strategy check {directory}\n"
    checked = home.ok("strategy", "check", directory).stdout
    assert "may use  layers: runtime, documents, memory-spaces" in checked
    assert checked.endswith("passed: 0 errors, 0 warnings\n")
    replayed = home.ok("strategy", "replay", directory).stdout
    assert re.search(r"ok +(\d+) of \1 shipped escapes held\npassed: \d+ of \d+ cases\n$", replayed)
    shadowed = home.ok("strategy", "shadow", directory)
    assert "no receipt is recorded yet" in shadowed.stderr
    assert shadowed.stdout.splitlines()[-1].startswith("passed: 10 requests of the cases: 7 same, 1 different")
    promoted = home.ok("strategy", "promote", directory, "--yes")
    assert promoted.stdout == f"mine@1 is active, in place of {DEFAULT}.\n"
    assert home.ok("config", "get", "memory.topology.strategy_id").stdout == "mine\n"
    assert home.ok("strategy", "promote", directory, "--yes").stdout == "mine@1 is active already.\n"
    rolled = home.ok("strategy", "rollback")
    assert rolled.stdout == f"mine@1 was taken back; {DEFAULT} is active.\n"
    assert home.ok("config", "get", "memory.topology.strategy_id").stdout == f"{DEFAULT}\n"


def test_every_command_prints_json(home: Home, tmp_path: Path) -> None:
    created = home.ok("strategy", "new", "mine", "--dir", tmp_path, "--json").json()
    directory = Path(created["created"])
    assert created == {
        "created": str(tmp_path / "mine"),
        "name": "mine",
        "kind": "rules",
        "files": ["replay.jsonl", "rules.toml", "strategy.toml"],
    }
    checked = home.ok("strategy", "check", directory, "--json").json()
    digest = checked["digest"]
    assert (checked["ok"], checked["id"], checked["version"], checked["kind"]) == (True, "mine", "1", "rules")
    assert checked["permissions"]["max_steps"] == 8
    assert {"id", "ok", "level", "detail", "hint"} == set(checked["checks"][0])
    replayed = home.ok("strategy", "replay", directory, "--json").json()
    assert (replayed["ok"], replayed["digest"], replayed["recorded"], replayed["missing"]) == (True, digest, True, [])
    shadowed = home.ok("strategy", "shadow", directory, "--json").json()
    assert (shadowed["ok"], shadowed["digest"], shadowed["from"]) == (True, digest, "cases")
    assert sum(shadowed["counts"].values()) == len(shadowed["requests"]) == 10
    promoted = home.ok("strategy", "promote", directory, "--yes", "--canary", "10", "--json").json()
    assert promoted == {
        "promoted": {"id": "mine", "version": "1", "digest": digest},
        "before": {"id": DEFAULT, "version": None, "digest": None},
        "canary": 10,
        "publisher_key": None,
        "changed": True,
    }
    listed = home.ok("strategy", "list", "--json").json()
    assert listed["canary"]["percent"] == 10
    assert [(found["id"], found["state"]) for found in listed["strategies"]] == [("mine", "canary")]
    assert [event["what"] for event in listed["events"]] == ["canary-started"]
    rolled = home.ok("strategy", "rollback", "--json").json()
    assert rolled["canary"] is True
    signed = home.ok("strategy", "sign", directory, "--key", "-", "--json", stdin=SIGNING_KEY).json()
    assert (signed["digest"], signed["publisher_key"]) == (digest, PUBLIC)
    assert shadowed["requests"][0]["candidate"]["steps"][0] == {"layer_id": "documents", "capability": "recall"}
    for words in (["rollback"], ["promote", tmp_path], ["replay", tmp_path / "nowhere"]):
        error = home.run("strategy", *words, "--json").error()
        assert error.keys() >= {"code", "message", "hint"}


def test_findings_are_exit_1_and_warnings_with_strict(home: Home) -> None:
    directory = made(home)
    change(directory, "rules.toml", ', "documents", "memory-spaces"]', ', "memory-spaces"]')
    assert home.ok("strategy", "check", directory).stdout.endswith("passed: 0 errors, 1 warning\n")
    assert home.fails(1, "strategy", "check", directory, "--strict").stdout.endswith("failed: 0 errors, 1 warning\n")
    assert home.fails(1, "strategy", "check", directory, "--strict", "--json").json()["ok"] is False
    change(directory, "rules.toml", ', "memory-spaces"]', ', "documents", "memory-spaces"]')
    change(directory, "strategy.toml", '"documents", ', "")
    done = home.fails(1, "strategy", "check", directory)
    assert "error    permissions: rule 2 names the layer documents, which is not granted\n" in done.stdout
    done = home.fails(1, "strategy", "replay", directory)
    assert "failed   normal-routing: a recall goes to documents and single memories\n" in done.stdout
    found = re.search(r"failed: (\d+) of (\d+) cases passed, (\d+) failed\n$", done.stdout)
    assert found is not None
    passed_, number, failed = map(int, found.groups())
    assert failed == len(re.findall(r"^failed   (?!\d)", done.stdout, re.MULTILINE)) == number - passed_
    assert home.fails(1, "strategy", "shadow", directory).stdout.splitlines()[-1].startswith("failed: ")


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("apiVersion = ", 'apiVersion = "x"  # ', "correct that in strategy.toml"),
        ("[metadata]", "[metadata]\ncolour = 1", "there are: description, id, label, version"),
        ('"recall"', '"recal"', "there are: status, project, recall"),
    ],
)
def test_a_bad_manifest_is_answered_with_what_to_correct(home: Home, old: str, new: str, hint: str) -> None:
    directory = made(home)
    change(directory, "strategy.toml", old, new)
    checks = home.fails(1, "strategy", "check", directory, "--json").json()["checks"]
    (found,) = [check for check in checks if check["id"] == "manifest"]
    assert found["hint"].startswith(hint)


def test_nothing_is_promoted_without_all_evidence_of_these_very_files(home: Home) -> None:
    directory = made(home)
    error = home.fails(1, "strategy", "promote", directory, "--yes", "--json").error()
    assert error["code"] == "evidence-missing"
    assert error["details"]["missing"] == ["check", "replay", "shadow"]
    passed(home, directory)
    change(directory, "rules.toml", "few results", "not many results")
    error = home.fails(1, "strategy", "promote", directory, "--yes", "--json").error()
    assert error["details"]["missing"] == ["check", "replay", "shadow"]
    assert active(home) == DEFAULT


def test_a_promotion_needs_a_yes_or_a_terminal(home: Home) -> None:
    directory = passed(home, made(home))
    done = home.fails(2, "strategy", "promote", directory)
    assert "hint: pass --yes to answer yes" in done.stderr
    assert active(home) == DEFAULT


def test_a_person_is_shown_what_it_may_do_and_asked(home: Home) -> None:
    directory = passed(home, made(home))
    for answer, code, label in (("n", 1, DEFAULT), ("y", 0, "mine@1")):
        child = pexpect.spawn(str(PROGRAM), ["strategy", "promote", str(directory)], env=home.env(), timeout=60)
        child.expect("it may use the layers runtime, documents, memory-spaces")
        child.expect_exact("Let mine@1 plan the memory? [y/N] ")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == code
        assert active(home) == label


def test_a_trusted_signature_approves(home: Home, tmp_path: Path) -> None:
    directory = passed(home, made(home))
    done = home.ok("strategy", "sign", directory, env={"ZEROCLAW_SIGNING_KEY": SIGNING_KEY})
    assert done.stdout == f"Signed {directory} with {PUBLIC}.\n"
    done = home.fails(2, "strategy", "promote", directory)
    assert "its signature does not count" in done.stderr
    signature = tmp_path / "mine.sig"
    signature.write_bytes((directory / "strategy.sig").read_bytes())
    error = home.fails(4, "strategy", "promote", directory, "--signature", signature, "--json").error()
    assert error["code"] == "untrusted_publisher"
    home.ok("plugin", "trust", "add", PUBLIC)
    (directory / "strategy.sig").unlink()
    promoted = home.ok("strategy", "promote", directory, "--signature", signature, "--json").json()
    assert promoted["publisher_key"] == PUBLIC
    assert active(home) == "mine@1"


def test_a_signature_of_other_files_is_refused(home: Home) -> None:
    other = made(home, "other")
    home.ok("plugin", "trust", "add", PUBLIC)
    home.ok("strategy", "sign", other, "--key", "-", stdin=SIGNING_KEY)
    directory = passed(home, made(home))
    words = ("strategy", "promote", directory, "--yes", "--signature", other / "strategy.sig", "--json")
    assert home.fails(4, *words).error()["code"] == "signature_invalid"
    assert active(home) == DEFAULT


def test_python_needs_trust_in_exactly_this_code(home: Home) -> None:
    directory = made(home, "code", "--python")
    digest = home.ok("strategy", "check", directory, "--json").json()["digest"]
    for command in ("replay", "shadow", "promote"):
        error = home.fails(4, "strategy", command, directory, "--json").error()
        assert error["code"] == "strategy_untrusted"
        assert digest in error["hint"]
    error = home.fails(4, "strategy", "replay", directory, "--trust", "ab" * 32, "--json").error()
    assert error["code"] == "strategy_untrusted"
    home.fails(2, "strategy", "replay", directory, "--trust", "yes")
    home.ok("strategy", "replay", directory, "--trust", f"sha256:{digest}")
    home.ok("strategy", "shadow", directory)
    home.ok("strategy", "promote", directory, "--yes")
    assert active(home) == "code@1"
    change(directory, "strategy.py", "wanted", "asked")
    home.fails(4, "strategy", "replay", directory)
    home.ok("strategy", "replay", directory, "--trust", "now")


def test_trust_may_be_typed(home: Home) -> None:
    directory = made(home, "code", "--python")
    for answer, code in (("y", 4), ("yes", 0), (None, 0)):
        words = ["strategy", "replay", str(directory)]
        child = pexpect.spawn(str(PROGRAM), words, env=home.env(), timeout=60)
        if answer is not None:
            child.expect("is no sandbox")
            child.expect_exact("Let this code run? Type yes: ")
            child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == code


def test_a_hung_strategy_is_ended_and_leaves_no_process(home: Home) -> None:
    directory = made(home, "code", "--python")
    (directory / "strategy.py").write_text("def propose(request, context):\n    while True: pass\n")
    # The one variable that is handed on marks the process.
    mark = {"LD_LIBRARY_PATH": str(home.path)}
    done = home.fails(1, "strategy", "replay", directory, "--trust", "now", env=mark)
    assert "took more than 2 seconds" in done.stdout
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            assert str(home.path).encode() not in (process / "environ").read_bytes()


def test_unknown_things_are_exit_3(home: Home) -> None:
    for command in ("check", "replay", "shadow", "promote"):
        assert home.fails(3, "strategy", command, home.path / "nowhere", "--json").error()["code"] == (
            "strategy_not_found"
        )
    assert home.fails(3, "strategy", "rollback", "--to", "mine@1", "--json").error()["code"] == "strategy_not_found"


def test_wrong_lines_are_exit_2(home: Home) -> None:
    directory = made(home)
    home.fails(2, "strategy", "rollback", "--to", "mine")
    home.fails(2, "strategy", "promote", directory, "--canary", "0")
    home.fails(2, "strategy", "promote", directory, "--canary", "101")
    home.fails(2, "strategy", "shadow", directory, "--receipts", "0")
    home.fails(2, "strategy", "shadow", directory, "--receipts", "1", "--requests", "x")
    home.fails(2, "strategy", "sign", directory)
    home.fails(2, "strategy", "new", "Mine")
    home.fails(2, "strategy")
    assert home.fails(1, "strategy", "new", "mine", "--json").error()["code"] == "already_installed"


def test_nothing_to_roll_back_to_is_exit_1_and_creates_nothing(home: Home) -> None:
    assert home.fails(1, "strategy", "rollback", "--json").error()["code"] == "nothing-to-roll-back"
    assert home.ok("strategy", "list").stdout == f"Active: {DEFAULT}\n"
    assert not home.config_dir.exists()


def test_versions_go_forward_and_back(home: Home) -> None:
    directory = passed(home, made(home))
    home.ok("strategy", "promote", directory, "--yes")
    change(directory, "rules.toml", "few results", "not many results")
    done = home.fails(1, "strategy", "check", directory)
    assert "mine@1 was published with other files" in done.stdout
    change(directory, "strategy.toml", 'version = "1"', 'version = "2"')
    home.ok("strategy", "promote", passed(home, directory), "--yes")
    assert active(home) == "mine@2"
    home.ok("strategy", "rollback")
    assert active(home) == "mine@1"
    home.ok("strategy", "rollback", "--to", "mine@2")
    assert active(home) == "mine@2"


@pytest.mark.parametrize("file", ["history.json", "evidence"])
def test_damaged_evidence_is_exit_5_and_says_how_to_repair(home: Home, file: str) -> None:
    directory = passed(home, made(home))
    folder = home.config_dir / "data" / "memory" / "strategies"
    path = folder / file if file == "history.json" else next((folder / file).iterdir())
    path.write_text("{")
    error = home.fails(5, "strategy", "promote", directory, "--yes", "--json").error()
    assert error["code"] == "strategies_damaged"
    assert "mv " in error["hint"]


def receipts(home: Home) -> Path:
    return home.config_dir / "data" / "memory" / "receipts.jsonl"


def test_the_shadow_plans_what_was_recorded(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "recall", "tea")
    directory = made(home)
    shadowed = home.ok("strategy", "shadow", directory, "--json").json()
    assert shadowed["from"] == "receipts"
    assert {"write", "recall"} <= {row["capability"] for row in shadowed["requests"]}
    one = home.ok("strategy", "shadow", directory, "--receipts", "1", "--json").json()
    assert [row["capability"] for row in one["requests"]] == ["recall"]
    change(directory, "strategy.toml", '  "recall",\n', "")
    failed = home.fails(1, "strategy", "shadow", directory, "--json").json()
    assert "permission-capability" in json.dumps(failed)


def test_the_shadow_takes_requests_from_a_file_and_stores_none_of_them(home: Home, tmp_path: Path) -> None:
    request: dict[str, Any] = {
        "operation": "memory.recall",
        "capability": "recall",
        "trigger": "manual",
        "scope": {"storage": "global"},
        "input": {"query": "cellar-secret"},
    }
    file = tmp_path / "requests.jsonl"
    file.write_text(json.dumps(request) + "\n")
    directory = made(home)
    done = home.ok("strategy", "shadow", directory, "--requests", file, "--json")
    assert done.json()["from"] == "file"
    assert "cellar-secret" not in done.stdout
    for path in home.config_dir.rglob("*"):
        assert not path.is_file() or b"cellar-secret" not in path.read_bytes()
    file.write_text("{\n")
    assert home.fails(1, "strategy", "shadow", directory, "--requests", file, "--json").error()["code"] == (
        "invalid-request"
    )
    file.write_text("")
    assert home.fails(1, "strategy", "shadow", directory, "--requests", file, "--json").error()["code"] == (
        "no-requests"
    )
    assert home.fails(1, "strategy", "shadow", directory, "--receipts", "5", "--json").error()["code"] == "no-requests"


def test_a_promoted_strategy_plans_the_memory(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("strategy", "promote", passed(home, made(home, "code", "--python"), "--trust", "now"), "--yes")
    stored = home.ok("memory", "store", "tea", "green", "--receipt", "--json").json()
    assert stored["receipt"]["strategy_id"] == "code"
    assert [entry["key"] for entry in home.ok("memory", "recall", "tea", "--json").json()["entries"]] == ["tea"]
    installed = next((home.config_dir / "data" / "memory" / "strategies" / "installed").iterdir())
    change(installed, "strategy.py", "wanted", "asked")
    assert home.fails(5, "memory", "recall", "tea", "--json").error()["code"] == "strategies_damaged"
    home.ok("strategy", "rollback")
    home.ok("memory", "recall", "tea")


def test_what_was_not_promoted_cannot_be_selected_by_config(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    passed(home, made(home))
    home.ok("memory", "store", "tea", "green")
    environment = {"ZEROCLAW_memory__topology__strategy_id": "mine"}
    error = home.fails(1, "memory", "recall", "tea", "--json", env=environment).error()
    assert error["code"] == "strategy-unavailable"


def test_an_override_in_the_environment_is_told(home: Home) -> None:
    directory = passed(home, made(home))
    environment = {"ZEROCLAW_memory__topology__strategy_id": DEFAULT}
    done = home.ok("strategy", "promote", directory, "--yes", env=environment)
    assert "overrides memory.topology.strategy_id" in done.stderr


def test_help_shows_what_a_rule_may_say(home: Home) -> None:
    shown = home.ok("strategy", "check", "--help").stdout
    for word in ("when = {", "own_store", "max_steps", "budget", "strategy.sig"):
        assert word in shown


def test_receipts_that_cannot_be_read_are_passed_over(home: Home) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "store", "tea", "green")
    line = json.loads(receipts(home).read_text().splitlines()[0])
    line["request"]["capability"] = "remember"
    with receipts(home).open("a") as file:
        file.write(json.dumps(line) + "\n{\n")
    shadowed = home.ok("strategy", "shadow", made(home), "--json").json()
    assert [row["capability"] for row in shadowed["requests"]] == ["write"]


def test_two_promotions_at_once_are_taken_back_one_by_one(home: Home) -> None:
    first, second = passed(home, made(home, "first")), passed(home, made(home, "second"))
    running = [
        subprocess.Popen(
            [str(PROGRAM), "strategy", "promote", str(directory), "--yes"],
            env=home.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for directory in (first, second, first, second)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    seen = [active(home)]
    while home.run("strategy", "rollback").code == 0:
        assert active(home) != seen[-1]
        seen.append(active(home))
    assert seen[-1] == DEFAULT
    assert set(seen) == {"first@1", "second@1", DEFAULT}
