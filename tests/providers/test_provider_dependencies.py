"""What a provider needs from elsewhere (specs/memory-providers.md P-39)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from zeroclaw_cli.errors import DependencyFailure
from zeroclaw_cli.providers import dependencies
from zeroclaw_cli.providers.plugin_yaml import ExternalDependency


def wheel(folder: Path, name: str, version: str, requires: tuple[str, ...] = ()) -> None:
    """A wheel with one module of the distribution's name."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {text}\n" for text in requires) + "Provides-Extra: more\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.mark.parametrize(
    "text",
    ["numpy", "numpy>=1,<3", "numpy >= 1.0 , < 3", "pkg[extra1,extra2]~=2.0", "pkg; python_version >= '3.8'",
     "a.b-c_d==1.*", "pkg (>=1)"],
)  # fmt: skip
def test_p39_plain_requirements_are_accepted(text: str) -> None:
    accepted, refused = dependencies.parse([text])
    assert (len(accepted), refused) == (1, ())


@pytest.mark.parametrize(
    "text",
    ["pkg @ https://example.org/x.whl", "git+https://example.org/x", "https://example.org/x.whl", "file:///tmp/x",
     "./pkg", "/tmp/pkg", "..\\pkg", "-e .", "--index-url=https://example.org pkg", "-r file", "pkg --pre", "a b",
     "pkg\n--pre", "pkg\t>=1", " pkg", "pkg ", "", "pkg>=", "pkg=1", "pkg\u00a0>=1", "pkg\u200b",
     "pkg@/tmp/x", "pkg;", "päckage"],
)  # fmt: skip
def test_p39_everything_else_is_refused_with_a_reason(text: str) -> None:
    accepted, refused = dependencies.parse(["ok", text])
    assert [str(item) for item in accepted] == ["ok"]
    assert refused[0].text == text
    assert "\n" not in refused[0].reason


def test_p39_presence_is_judged_by_name_and_version(tmp_path: Path) -> None:
    requirements, _ = dependencies.parse(
        [
            "Typer",
            "typer>=0.1,<99",
            "typer>=99",
            "no-such-distribution",
            "no-such-thing; python_version < '3'",
            "PyYAML",
        ]
    )
    missing = dependencies.missing(requirements, tmp_path)
    assert [str(item) for item in missing] == ["typer>=99", "no-such-distribution"]


def test_p39_installing_goes_to_the_folder_and_nowhere_else(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "zc_dep_one", "1.0", ("zc_dep_two>=1",))
    wheel(wheels, "zc_dep_two", "1.5")
    where = dependencies.folder_of(tmp_path, "mem")
    assert where == tmp_path / "plugins" / ".deps" / "mem"
    requirements, _ = dependencies.parse(["zc-dep-one>=1,<2"])
    assert [str(item) for item in dependencies.missing(requirements, where)] == ["zc-dep-one<2,>=1"]
    dependencies.install(requirements, where)
    assert dependencies.missing(requirements, where) == ()
    assert (where / "zc_dep_one.py").is_file()
    assert (where / "zc_dep_two.py").is_file()
    assert where.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in where.parent.iterdir()) == [".mem.lock", "mem"]
    probe = "import importlib.util as u; print(u.find_spec('zc_dep_one'))"
    assert subprocess.check_output([sys.executable, "-c", probe]).strip() == b"None"


def test_a_second_installation_keeps_the_first_and_a_new_version_replaces_the_old(tmp_path: Path, wheels: Path) -> None:
    where = tmp_path / "deps" / "mem"
    wheel(wheels, "zc_dep_one", "1.0")
    wheel(wheels, "zc_dep_two", "1.0")
    dependencies.install(dependencies.parse(["zc-dep-one"])[0], where)
    dependencies.install(dependencies.parse(["zc-dep-two"])[0], where)
    assert dependencies.missing(dependencies.parse(["zc-dep-one", "zc-dep-two"])[0], where) == ()
    wheel(wheels, "zc_dep_one", "2.0")
    dependencies.install(dependencies.parse(["zc_dep_one>=2"])[0], where)
    assert (where / "zc_dep_one.py").read_text() == "VERSION = '2.0'\n"
    assert (where / "zc_dep_two.py").is_file()
    assert len(list(where.glob("zc_dep_one-*.dist-info"))) == 1


def test_p39_a_failure_leaves_the_old_folder_and_names_the_command(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "zc_dep_one", "1.0")
    where = tmp_path / "deps" / "mem"
    dependencies.install(dependencies.parse(["zc-dep-one"])[0], where)
    with pytest.raises(DependencyFailure) as caught:
        dependencies.install(dependencies.parse(["zc-dep-missing>=3"])[0], where)
    assert "zc-dep-missing" in caught.value.message
    assert "\n" not in caught.value.message
    assert f"-m pip install --target {where} zc-dep-one 'zc-dep-missing>=3'" in (caught.value.hint or "")
    assert (where / "zc_dep_one.py").is_file()
    assert sorted(path.name for path in where.parent.iterdir()) == [".mem.lock", "mem"]


def test_p39_the_installer_has_a_limited_time_and_its_children_end_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = tmp_path / "late"
    child = tmp_path / "child.py"
    child.write_text(f"import time\ntime.sleep(1.5)\nopen({str(late)!r}, 'w').close()\n")
    slow = f"import subprocess, sys\nsubprocess.run([sys.executable, {str(child)!r}])"
    monkeypatch.setattr(dependencies, "_installer", lambda: [sys.executable, "-c", slow])
    started = time.monotonic()
    with pytest.raises(DependencyFailure, match=r"longer than 0\.3 seconds"):
        dependencies.install(dependencies.parse(["zc-dep-one"])[0], tmp_path / "deps" / "mem", timeout_s=0.3)
    assert time.monotonic() - started < 1.4
    time.sleep(1.6)
    assert not late.exists()
    assert [path.name for path in (tmp_path / "deps").iterdir()] == [".mem.lock"]


def test_a_version_that_this_environment_has_and_that_does_not_fit_is_named(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(wheels, "zc_dep_one", "2.0")
    with zipfile.ZipFile(_older(tmp_path)) as archive:
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with pytest.raises(DependencyFailure, match="comes first"):
        dependencies.install(dependencies.parse(["zc-dep-one>=2"])[0], tmp_path / "deps" / "mem")


def _older(tmp_path: Path) -> Path:
    wheel(tmp_path / "older", "zc_dep_one", "1.0")
    return tmp_path / "older" / "zc_dep_one-1.0-py3-none-any.whl"


def test_the_requirements_of_an_extra_count(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "zc_dep_one", "1.0", ('zc_dep_two; extra == "more"',))
    wheel(wheels, "zc_dep_two", "1.0")
    where = tmp_path / "deps" / "mem"
    plain, extra = dependencies.parse(["zc-dep-one"])[0], dependencies.parse(["zc-dep-one[more]"])[0]
    dependencies.install(plain, where)
    assert dependencies.missing(plain, where) == ()
    assert len(dependencies.missing(extra, where)) == 1
    dependencies.install(extra, where)
    assert dependencies.missing(extra, where) == ()


def test_what_a_killed_installation_left_is_cleared_away(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "zc_dep_one", "1.0")
    where = tmp_path / "deps" / "mem"
    (where.parent / ".mem-abcdef" / "half").mkdir(parents=True)
    (where.parent / ".other-abcdef").mkdir()
    dependencies.install(dependencies.parse(["zc-dep-one"])[0], where)
    assert sorted(path.name for path in where.parent.iterdir()) == [".mem.lock", ".other-abcdef", "mem"]


def test_nothing_to_install_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", fail)
    assert dependencies.install(dependencies.parse(["x; python_version < '3'"])[0], tmp_path / "deps") == ()


def test_p39_programs_are_checked_without_a_shell_and_never_installed(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    present = ExternalDependency("py", f"'{sys.executable}' -c 'raise SystemExit(0)'", f"touch {trap}")
    failing = ExternalDependency("bad", f"'{sys.executable}' -c 'raise SystemExit(3)'", f"touch {trap}")
    absent = ExternalDependency("gone", "no-such-program-anywhere --version", f"touch {trap}")
    shell = ExternalDependency("shell", f"'{sys.executable}' -c pass; touch {trap}", "")
    unparsable = ExternalDependency("odd", "'unclosed", "")
    unchecked = ExternalDependency("free", " ", "")
    found = dependencies.external_missing([present, failing, absent, shell, unparsable, unchecked])
    assert [program.name for program in found] == ["bad", "gone", "odd"]
    assert not trap.exists()


def test_p39_a_check_that_hangs_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dependencies.CHECK_WITHIN_S == 5.0
    assert dependencies.INSTALL_WITHIN_S == 120.0
    monkeypatch.setattr(dependencies, "CHECK_WITHIN_S", 0.2)
    hangs = ExternalDependency("slow", f"'{sys.executable}' -c 'import time; time.sleep(30)'", "")
    assert dependencies.external_missing([hangs]) == (hangs,)
