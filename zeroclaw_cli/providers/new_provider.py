"""``zeroclaw memory new-provider``: the bundled example under another name, to be changed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import AlreadyInstalled, UsageError
from zeroclaw_cli.providers import discovery, names
from zeroclaw_cli.providers.discovery import BUNDLED

TEMPLATE: Final = "notebook"
# The name becomes a part of names in Python, and of tools, whose names have at most 64 characters.
_NAME: Final = r"[a-z][a-z0-9_-]{0,47}"


class NewProvider(NamedTuple):
    """``files`` are relative to ``directory``. ``installed``: whether it is where providers are looked for."""

    name: str
    directory: Path
    files: tuple[str, ...]
    installed: bool


def create(home: Path, name: str, environ: Mapping[str, str], cwd: Path, parent: Path | None = None) -> NewProvider:
    """Write the provider ``name`` into a new folder of ``parent``, or of the home's own providers.

    The folder is there whole or not at all. Raises UsageError for a name that cannot be one, AlreadyInstalled when a
    provider or a folder has it.
    """
    wrong = names.name_problem(name)
    if wrong is not None:
        raise UsageError(f"'{name}' {wrong}", hint="choose another name")
    if re.fullmatch(_NAME, name) is None:
        raise UsageError(
            f"'{name}' is not a valid Python identifier", hint="begin with a letter, and use 48 characters at most"
        )
    own = home / "plugins" / "memory"
    target = (own if parent is None else parent.absolute()) / name
    if os.path.lexists(target):
        raise AlreadyInstalled(f"{target} is there already", hint="choose another name, or remove it")
    if target.parent == own and name in discovery.names(home, environ, cwd):
        raise AlreadyInstalled(f"a provider {name} is installed already", hint="choose another name, or pass --dir")
    files = {renamed(path, name): _text(path, name).encode("utf-8") for path in template_files()}
    fsio.publish_dir(target, files)
    return NewProvider(name, target, tuple(sorted(files)), target.parent == own)


def template_files() -> list[str]:
    """The files of the template, relative to its folder."""
    folder = BUNDLED / TEMPLATE
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    # Caches of Python and of an author's tools are no part of it.
    return sorted(path.as_posix() for path in found if not any(part.startswith((".", "__py")) for part in path.parts))


def renamed(text: str, name: str) -> str:
    """``text`` with the template's name replaced: in Python's names, in those of classes, and as it is."""
    identifier = name.replace("-", "_")
    of_class = "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]+", name))
    text = re.sub(rf"(?<=_){TEMPLATE}|{TEMPLATE}(?=_)", identifier, text)
    return text.replace(TEMPLATE.title(), of_class).replace(TEMPLATE, name)


def _text(path: str, name: str) -> str:
    return renamed((BUNDLED / TEMPLATE / path).read_text("utf-8"), name)
