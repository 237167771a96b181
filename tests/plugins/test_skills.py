from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import InvalidManifest, InvalidSkills, LinkRefused, ManifestIo
from zeroclaw_cli.plugins import skills

FRONT = "---\nname: n\ndescription: d\n---\nbody\n"


def add_skill(package: Path, name: str, text: str = FRONT) -> Path:
    directory = package / "skills" / name
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_bytes(text.encode())
    return directory


def refused(package: Path, problem: str) -> InvalidSkills:
    with pytest.raises(InvalidSkills, match=problem) as caught:
        skills.check_skills(package)
    assert isinstance(caught.value, InvalidManifest)
    assert caught.value.code == "invalid_manifest"
    assert caught.value.hint
    return caught.value


def test_skill_directories_are_named_in_order_and_plain_files_are_ignored(tmp_path: Path) -> None:
    for name in ("b", ".hidden", "a"):
        add_skill(tmp_path, name)
    (tmp_path / "skills" / "README.md").write_text("x")
    assert skills.check_skills(tmp_path) == (".hidden", "a", "b")


def test_the_folder_must_be_there_and_be_a_folder(tmp_path: Path) -> None:
    refused(tmp_path, "skills is missing")
    (tmp_path / "skills").write_text("x")
    refused(tmp_path, "skills is missing")


def test_at_least_one_directory_is_needed(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "SKILL.md").write_text(FRONT)
    refused(tmp_path, "holds no skill directory")


def test_each_directory_needs_a_file_of_exactly_that_name(tmp_path: Path) -> None:
    directory = add_skill(tmp_path, "a")
    (directory / "SKILL.md").rename(directory / "skill.md")
    refused(tmp_path, "skills/a holds no SKILL.md")
    (directory / "SKILL.md").mkdir(exist_ok=True)
    refused(tmp_path, "skills/a holds no SKILL.md")


@pytest.mark.parametrize(
    "text",
    [
        FRONT,
        FRONT.replace("\n", "\r\n"),
        "---\nname: n\ndescription: d\n---",
        "---\n  name :n\n\tdescription: >-\n---\n",
        '---\nname: ""\ndescription: d\n---\n',
        "---\nmeta:\n  name: n\n  description: d\n---\n",
        "---\nname:\nname: later\ndescription: a: b\n---\n",
    ],
)
def test_this_frontmatter_is_accepted(tmp_path: Path, text: str) -> None:
    add_skill(tmp_path, "a", text)
    assert skills.check_skills(tmp_path) == ("a",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "frontmatter is missing"),
        ("\n" + FRONT, "frontmatter is missing"),
        ("\ufeff" + FRONT, "frontmatter is missing"),
        ("--- \nname: n\n", "frontmatter is missing"),
        ("---\n---\n", "frontmatter is unterminated"),
        ("---\n\n---\n", "must declare name and description"),
        ("---\nname: n\ndescription: d\n", "frontmatter is unterminated"),
        ("---\nname: n\ndescription: d\n--- \n", "frontmatter is unterminated"),
        ("---\nname: n\n---\ndescription: d\n", "must declare description"),
        ("---\nname:\ndescription: d\n---\n", "must declare name"),
        ("---\n# name: x\nx: y\n---\n", "must declare name and description"),
        ("---\nName: n\ndescription: d\n---\n", "must declare name"),
        ("---\nname: n\x85description: d\n---\n", "must declare description"),
    ],
)
def test_this_frontmatter_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    add_skill(tmp_path, "a", text)
    error = refused(tmp_path, problem)
    assert "skills/a/SKILL.md" in error.message


def test_a_file_that_is_not_utf_8_is_an_io_error(tmp_path: Path) -> None:
    (add_skill(tmp_path, "a") / "SKILL.md").write_bytes(b"---\nname: \xff")
    with pytest.raises(ManifestIo, match="not UTF-8"):
        skills.check_skills(tmp_path)


@pytest.mark.parametrize(
    ("number", "kind", "problem"),
    [
        (errno.ELOOP, LinkRefused, r"a/SKILL\.md is a symbolic link"),
        (errno.EIO, ManifestIo, r"a/SKILL\.md cannot be read: Input/output error"),
    ],
)
def test_a_file_that_changes_or_fails_while_it_is_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[ManifestIo], problem: str
) -> None:
    def fail(path: Path) -> bytes:
        raise OSError(number, os.strerror(number), str(path))

    add_skill(tmp_path, "a")
    monkeypatch.setattr(fsio, "read_regular", fail)
    for use in (skills.check_skills, skills.skills_sha256):
        with pytest.raises(ManifestIo, match=problem) as caught:
            use(tmp_path)
        assert type(caught.value) is kind


@pytest.mark.parametrize("target", ["real", "gone", "/etc"])
@pytest.mark.parametrize("where", ["skills", "skills/a", "skills/a/SKILL.md", "skills/a/deep/x"])
def test_a_link_anywhere_in_the_bundle_is_refused(tmp_path: Path, where: str, target: str) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / where
    if where != "skills":
        add_skill(tmp_path, "b")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target if target.startswith("/") else tmp_path / target)
    for use in (skills.check_skills, skills.skill_files, skills.skills_sha256):
        with pytest.raises(LinkRefused, match=f"{where} is a symbolic link"):
            use(tmp_path)


def test_a_name_that_would_make_the_list_of_digests_ambiguous_is_refused(tmp_path: Path) -> None:
    (add_skill(tmp_path, "a") / "x\ny").write_text("")
    error = refused(tmp_path, "is not plain UTF-8")
    assert "\n" not in error.message


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="other file systems refuse such a name themselves")
def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    directory = os.fsencode(add_skill(tmp_path, "a"))
    os.close(os.open(directory + b"/\xff", os.O_CREAT | os.O_WRONLY))
    refused(tmp_path, "is not plain UTF-8")


def test_files_are_listed_by_the_bytes_of_their_relative_path(tmp_path: Path) -> None:
    directory = add_skill(tmp_path, "a")
    for name in ("z.txt", "Z.txt", "é", "sub/x", "sub-x", "\U0001f600", "\uffee"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(name)
    (tmp_path / "skills" / "empty").mkdir()
    os.mkfifo(directory / "fifo")
    listed = [relative for relative, _ in skills.skill_files(tmp_path)]
    assert listed == [
        "a/SKILL.md",
        "a/Z.txt",
        "a/sub-x",
        "a/sub/x",
        "a/z.txt",
        "a/é",
        "a/\uffee",
        "a/\U0001f600",
    ]
    assert all(path == tmp_path / "skills" / relative for relative, path in skills.skill_files(tmp_path))


def test_the_digest_is_over_one_line_a_file(tmp_path: Path) -> None:
    (add_skill(tmp_path, "é") / "x").write_bytes(b"\0\r\n")
    front, data = hashlib.sha256(FRONT.encode()).hexdigest(), hashlib.sha256(b"\0\r\n").hexdigest()
    expected = hashlib.sha256(f"{front}  é/SKILL.md\n{data}  é/x\n".encode()).hexdigest()
    assert skills.skills_sha256(tmp_path) == expected
    assert skills.digest_of_files([("é/SKILL.md", FRONT.encode()), ("é/x", b"\0\r\n")]) == expected
