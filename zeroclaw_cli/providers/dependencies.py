"""What a provider needs from elsewhere (specs/memory-providers.md §11, P-39).

Nothing here runs by itself: ``setup`` installs after a yes. What is installed goes into a folder of the provider below
the home, which comes last on ``sys.path`` while the provider is loaded, so the user's environment is not touched.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from zeroclaw_cli.errors import DependencyFailure

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from zeroclaw_cli.providers.plugin_yaml import ExternalDependency

INSTALL_WITHIN_S: Final = 120.0
CHECK_WITHIN_S: Final = 5.0
_LOCK_TIMEOUT_S: Final = 30.0
_TAIL: Final = 200
_RECORD: Final = ".requirements.json"


class Refused(NamedTuple):
    """A requirement that is not accepted, and why."""

    text: str
    reason: str


def folder_of(home: Path, provider: str) -> Path:
    """Where the dependencies of ``provider`` are installed; it may not exist."""
    return home.absolute() / "plugins" / ".deps" / provider


def parse(texts: Iterable[str]) -> tuple[tuple[Requirement, ...], tuple[Refused, ...]]:
    """The requirements among ``texts`` (PEP 508: a name with extras, versions and a marker), and what is refused."""
    from packaging.requirements import InvalidRequirement, Requirement

    accepted, refused = [], []
    for text in texts:
        reason = _refusal(text)
        if reason is not None:
            refused.append(Refused(text, reason))
            continue
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            refused.append(Refused(text, f"it is not a requirement: {' '.join(str(error).split())}"))
            continue
        if requirement.url is not None:
            refused.append(Refused(text, "it names a place to install from"))
        else:
            accepted.append(requirement)
    return tuple(accepted), tuple(refused)


def _refusal(text: str) -> str | None:
    if not text.isprintable() or text != text.strip():
        return "it has control characters, or space around it"
    if text.startswith("-"):
        return "it is an option"
    if "://" in text or "@" in text:
        return "it names a place to install from"
    before_marker = text.partition(";")[0]
    if "/" in before_marker or "\\" in before_marker or before_marker.startswith("."):
        return "it is a path"
    return None


def needed(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Those whose marker holds here."""
    return tuple(item for item in requirements if item.marker is None or item.marker.evaluate())


def missing(requirements: Iterable[Requirement], where: Path) -> tuple[Requirement, ...]:
    """Those that are not there, or in another version, neither in this environment nor in the folder ``where``."""
    path = [*(entry for entry in sys.path if entry != str(where)), str(where)]
    return tuple(item for item in needed(requirements) if not _is_there(item, path, set()))


def _is_there(requirement: Requirement, path: list[str], seen: set[tuple[str, str]]) -> bool:
    from importlib.metadata import distributions

    found = next(iter(distributions(name=requirement.name, path=path)), None)
    if found is None or not requirement.specifier.contains(found.version, prereleases=True):
        return False
    for extra in requirement.extras:
        if (requirement.name, extra) in seen:
            continue
        seen.add((requirement.name, extra))
        if not all(_is_there(item, path, seen) for item in _of_extra(found.requires or [], extra)):
            return False
    return True


def _of_extra(texts: Sequence[str], extra: str) -> list[Requirement]:
    from packaging.requirements import InvalidRequirement, Requirement

    found = []
    for text in texts:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""}):
            found.append(requirement)
    return found


def manual_command(requirements: Iterable[Requirement], where: Path) -> str:
    """The command that a person may run instead of :func:`install`."""
    import shlex

    return shlex.join([sys.executable, "-m", "pip", "install", "--target", str(where), *map(str, requirements)])


def install(
    requirements: Iterable[Requirement], where: Path, *, timeout_s: float = INSTALL_WITHIN_S
) -> tuple[Requirement, ...]:
    """Install ``requirements`` into the folder ``where``, beside what was installed there before; returns all of it.

    The folder is replaced as a whole when everything is there, so a failure leaves the old one. Raises
    DependencyFailure with the end of the installer's words and the command to run by hand.
    """
    from zeroclaw_cli import fsio

    fresh = needed(requirements)
    if not fresh:
        return _recorded(where)
    command = _installer()
    fsio.make_private_dir(where.parent)
    try:
        with fsio.file_lock(where.with_name(f".{where.name}.lock"), timeout_s=timeout_s + _LOCK_TIMEOUT_S):
            wanted = _merged(_recorded(where), fresh)
            _replace(command, wanted, where, timeout_s)
    except TimeoutError:
        raise DependencyFailure(
            f"another command has been installing into {where} for a long time", hint="try again when it has ended"
        ) from None
    left = missing(wanted, where)
    if left:
        raise DependencyFailure(
            f"{', '.join(map(str, left))}: another version is installed where this program is, and comes first",
            hint="run this program in an environment of its own, or change the version there",
        )
    return wanted


def _replace(command: Sequence[str], wanted: Sequence[Requirement], where: Path, timeout_s: float) -> None:
    import tempfile

    from zeroclaw_cli import fsio

    for remains in where.parent.glob(f".{where.name}-*"):
        # Of a process that was killed; the lock says that nobody is at work now.
        fsio.remove_tree(remains)
    staging = Path(tempfile.mkdtemp(prefix=f".{where.name}-", dir=where.parent))
    try:
        _run([*command, "--target", str(staging), "--", *map(str, wanted)], wanted, where, timeout_s)
        _write_record(staging, wanted)
        if not (where.is_dir() and fsio.exchange(staging, where)):
            if where.exists():
                fsio.remove_tree(where)
            staging.rename(where)
        fsio.fsync_dir(where.parent)
    finally:
        if staging.exists():
            fsio.remove_tree(staging)


def _installer() -> list[str]:
    from importlib.util import find_spec
    from shutil import which

    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"]
    uv = which("uv")
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    raise DependencyFailure(
        "there is neither pip for this Python nor uv to install with",
        hint=f"`{sys.executable} -m ensurepip` brings pip",
    )


def _run(command: list[str], wanted: Sequence[Requirement], where: Path, timeout_s: float) -> None:
    import signal
    import subprocess
    from contextlib import suppress

    by_hand = f"by hand: {manual_command(wanted, where)}"
    # A session of its own, so that a build that the installer started ends with it.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        _, talk = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise DependencyFailure(
            f"installing {', '.join(map(str, wanted))} took longer than {timeout_s:g} seconds", hint=by_hand
        ) from None
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        words = " ".join(talk.decode("utf-8", "replace").split())[-_TAIL:]
        raise DependencyFailure(f"installing {', '.join(map(str, wanted))} failed: {words}", hint=by_hand)


def _merged(before: Iterable[Requirement], wanted: Iterable[Requirement]) -> tuple[Requirement, ...]:
    from packaging.utils import canonicalize_name

    fresh = tuple(dict.fromkeys(wanted))
    names = {canonicalize_name(item.name) for item in fresh}
    return (*(item for item in before if canonicalize_name(item.name) not in names), *fresh)


def _recorded(where: Path) -> tuple[Requirement, ...]:
    import json

    try:
        texts = json.loads((where / _RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        return ()
    return parse(text for text in texts if isinstance(text, str))[0] if isinstance(texts, list) else ()


def _write_record(folder: Path, requirements: Iterable[Requirement]) -> None:
    import json

    from zeroclaw_cli import fsio

    fsio.atomic_write(folder / _RECORD, json.dumps([str(item) for item in requirements]).encode("utf-8"))


def external_missing(programs: Iterable[ExternalDependency]) -> tuple[ExternalDependency, ...]:
    """The programs whose ``check`` does not exit with 0 within 5 seconds. Runs those commands, so only for a provider
    that is trusted; a program without a check counts as present."""
    return tuple(program for program in programs if program.check.strip() and not _runs(program.check))


def _runs(command: str) -> bool:
    import shlex
    import subprocess

    try:
        words = shlex.split(command)
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=CHECK_WITHIN_S,
            check=False,
        )
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
