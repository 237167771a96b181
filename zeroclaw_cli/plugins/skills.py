"""Skill bundles: the ``skills/`` folder of a package and its digest (specs/zeroclaw.md §1.5; design.md, decision 2)."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from zeroclaw_cli.errors import InvalidSkills, ManifestIo
from zeroclaw_cli.plugins import payload

_SKILL_FILE = "SKILL.md"
_REQUIRED_KEYS = ("name", "description")
# Every install, list and load walks and hashes the whole bundle. Files and folders count; skills/ itself is level 1.
MOST_ENTRIES = 2_000
MOST_DEPTH = 16
MOST_BYTES = 64 * 2**20


def sha256_hex(data: bytes) -> str:
    """SHA-256 of ``data`` as 64 lower-case hex digits."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def check_skills(package_dir: Path) -> tuple[str, ...]:
    """The names of the skill directories under ``package_dir/skills``, sorted.

    Raises LinkRefused for a symbolic link anywhere in the bundle, InvalidSkills for a bundle that breaks a rule (each
    names the path), ManifestIo for a file that cannot be read. specs/zeroclaw.md §1.5.
    """
    skills = package_dir / "skills"
    _list_bundle(skills)
    directories = sorted(entry.name for entry in _scan(skills) if entry.is_dir(follow_symlinks=False))
    for name in directories:
        # A case-insensitive file system finds skill.md under SKILL.md; only the listing tells the name.
        if not any(entry.name == _SKILL_FILE and entry.is_file() for entry in _scan(skills / name)):
            raise InvalidSkills(
                f"invalid manifest: the skill {skills / name} holds no {_SKILL_FILE}",
                hint=f"add {_SKILL_FILE} to it, or remove the directory",
            )
        _check_frontmatter(skills / name / _SKILL_FILE)
    if not directories:
        raise InvalidSkills(
            f"invalid manifest: {skills} holds no skill directory", hint=f"add skills/<name>/{_SKILL_FILE}"
        )
    return tuple(directories)


def skill_files(package_dir: Path) -> list[tuple[str, Path]]:
    """(path relative to ``skills/``, path on disk) of each regular file of the bundle, sorted by the UTF-8 bytes of the
    first, which is ``/``-separated.

    Raises LinkRefused for a symbolic link, InvalidSkills for a missing ``skills/`` and for a name that has no place in
    the list of digests, ManifestIo for what cannot be read.
    """
    return _list_bundle(package_dir / "skills")


def skills_sha256(package_dir: Path) -> str:
    """The digest that ``skills_sha256`` holds, over the files as they are now; raises as :func:`skill_files` does."""
    return digest_of_files((relative, _read(path)) for relative, path in skill_files(package_dir))


def digest_of_files(files: Iterable[tuple[str, bytes]]) -> str:
    """The digest of a bundle from (relative path, content) pairs sorted as :func:`skill_files` sorts them: SHA-256 over
    one line ``<sha256 hex>  <path>`` per file (design.md, decision 2)."""
    lines = (f"{sha256_hex(content)}  {relative}\n" for relative, content in files)
    return sha256_hex("".join(lines).encode("utf-8"))


def _list_bundle(skills: Path) -> list[tuple[str, Path]]:
    if skills.is_symlink():
        raise payload.link_refused(skills)
    if not skills.is_dir():
        raise InvalidSkills(
            f"invalid manifest: {skills} is missing, though the package provides skills",
            hint=f"add skills/<name>/{_SKILL_FILE}, or take skill out of capabilities",
        )
    found: list[tuple[str, Path]] = []
    pending: list[tuple[str, Path]] = [("", skills)]
    entries = size = 0
    while pending:
        prefix, directory = pending.pop()
        if prefix.count("/") >= MOST_DEPTH:
            raise _too_large(skills, f"is deeper than {MOST_DEPTH} levels", "put the files into fewer folders")
        for entry in _scan(directory):
            path = directory / entry.name
            entries += 1
            if entries > MOST_ENTRIES:
                raise _too_large(skills, f"has more than {MOST_ENTRIES:,} files and folders", "leave files out")
            if entry.is_symlink():
                raise payload.link_refused(path)
            # A line break in a name would let one list of digests stand for two different bundles.
            if any(unicodedata.category(character) in ("Cc", "Cs") for character in entry.name):
                raise InvalidSkills(
                    f"invalid manifest: the name {entry.name!r} in {directory} is not plain UTF-8",
                    hint="rename it without control characters",
                )
            if entry.is_dir():
                pending.append((f"{prefix}{entry.name}/", path))
            elif entry.is_file():
                size += entry.stat(follow_symlinks=False).st_size
                if size > MOST_BYTES:
                    raise _too_large(skills, f"is larger than {MOST_BYTES // 2**20} MiB", "leave large files out")
                found.append((prefix + entry.name, path))
    return sorted(found, key=lambda file: file[0].encode("utf-8"))


def _too_large(skills: Path, problem: str, remedy: str) -> InvalidSkills:
    return InvalidSkills(f"invalid manifest: the skill bundle {skills} {problem}", hint=remedy)


def _scan(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            # One more than is allowed shows that there are too many.
            return list(islice(entries, MOST_ENTRIES + 1))
    except OSError as error:
        raise ManifestIo(
            f"IO error: {directory} cannot be listed: {error.strerror or error}", hint="make it readable for you"
        ) from None


def _read(path: Path) -> bytes:
    return payload.read_regular(path, payload.MOST_FILE_BYTES)


def _check_frontmatter(path: Path) -> None:
    try:
        text = _read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ManifestIo(
            f"IO error: {path} is not UTF-8 text (byte {error.start})", hint="save the file as UTF-8"
        ) from None
    problem = frontmatter_problem(text)
    if problem is not None:
        raise InvalidSkills(
            f"invalid manifest: {path}: {problem}",
            hint="begin the file with the lines ---, name: …, description: …, ---",
        )


def frontmatter_problem(text: str) -> str | None:
    """What is wrong with the frontmatter of a ``SKILL.md``, or None. Line-based, as hosts read it; no YAML."""
    text = text.replace("\r\n", "\n")
    if not text.startswith("---\n"):
        return "the frontmatter is missing"
    rest = text.removeprefix("---\n")
    end = rest.find("\n---\n")
    if end < 0:
        if not rest.endswith("\n---"):
            return "the frontmatter is unterminated"
        end = len(rest) - len("\n---")
    declared = set()
    for line in rest[:end].split("\n"):
        key, colon, value = line.partition(":")
        if colon and value.strip():
            declared.add(key.strip())
    missing = [key for key in _REQUIRED_KEYS if key not in declared]
    return f"the frontmatter must declare {' and '.join(missing)}" if missing else None
