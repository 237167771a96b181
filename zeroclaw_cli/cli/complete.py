"""Answers a shell that completes a command line, from the command tree alone: no command module is imported.

The shells' scripts are in ``completions/``. A script sets ``_ZEROCLAW_COMPLETE`` to the shell's name and passes the
words after ``zeroclaw``, the last one being completed. One candidate a line is answered, with its description behind
a tab for the shells that show one; a line ``:file`` or ``:dir`` asks the shell to complete names of files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from zeroclaw_cli.cli.command_tree import TREE, Node

SHELLS: Final = ("bash", "zsh", "fish", "powershell")
_DESCRIBES: Final = frozenset({"zsh", "fish", "powershell"})


def answer(shell: str, words: Sequence[str]) -> int:
    """Print the candidates for the last of ``words`` and return 0; a shell must never see an error here."""
    try:
        for value, description in candidates(list(words) or [""]):
            # The name of a folder can hold a line feed or a terminal sequence, and would be a candidate of its own.
            if not value.isprintable():
                continue
            line = f"{value}\t{description}" if description and shell in _DESCRIBES else value
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - a traceback would land in the person's prompt
        if os.environ.get("ZEROCLAW_DEBUG") == "1":
            sys.stderr.write(f"completion: {error!r}\n")
    return 0


def candidates(words: list[str]) -> Iterator[tuple[str, str]]:
    """The candidates (text, description) for the last of ``words``, which are the words after ``zeroclaw``."""
    node, rest, config_dir = _walk(words[:-1])
    partial = words[-1]
    waiting = node["options"].get(rest[-1]) if rest else None
    if waiting is not None and waiting["value"] is not None:
        yield from _values(waiting["value"], partial, config_dir)
        return
    if partial.startswith("-"):
        for name, option in sorted(node["options"].items()):
            if name.startswith(partial):
                yield name, option["help"]
        return
    if node["commands"] and _arguments(node, rest):
        # A word that is not a command: nobody here knows what comes behind it.
        return
    for name, child in sorted(node["commands"].items()):
        if name.startswith(partial):
            yield name, child["help"]
    if node is TREE:
        yield from _provider_command(partial, config_dir)
    position = len(_arguments(node, rest))
    kinds = node["arguments"]
    if kinds:
        yield from _values(kinds[min(position, len(kinds) - 1)], partial, config_dir)


def _walk(words: Sequence[str]) -> tuple[Node, list[str], str | None]:
    # The deepest command that the words name, the words after it, and the value of --config-dir.
    node, rest, config_dir = TREE, list[str](), None
    for word in words:
        if rest and rest[-1] == "--config-dir":
            config_dir = word
        option = node["options"].get(rest[-1]) if rest else None
        takes_this = option is not None and option["value"] is not None
        if not takes_this and word in node["commands"]:
            node, rest = node["commands"][word], []
        else:
            rest.append(word)
    return node, rest, config_dir


def _arguments(node: Node, rest: Sequence[str]) -> list[str]:
    found = []
    skip = False
    for word in rest:
        option = node["options"].get(word)
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = option is not None and option["value"] is not None
        else:
            found.append(word)
    return found


def _values(kind: str, partial: str, config_dir: str | None) -> Iterator[tuple[str, str]]:
    if kind in {"file", "dir"}:
        yield f":{kind}", ""
    elif kind == "package":
        yield from ((name, "") for name in _packages(config_dir) if name.startswith(partial))
    elif kind == "provider":
        yield from ((name, "") for name in _providers(config_dir) if name.startswith(partial))
    elif kind == "backend":
        yield from ((name, "") for name in _backends(config_dir) if name.startswith(partial))
    elif kind == "config_path":
        yield from ((path, "") for path in _config_paths(partial, config_dir))
    elif kind.startswith("words:"):
        yield from ((word, "") for word in kind.removeprefix("words:").split(",") if word.startswith(partial))


def _packages(config_dir: str | None) -> list[str]:
    # Names of folders that hold a manifest: completion must not verify signatures at every key press.
    from zeroclaw_cli.config.load import load

    folder = load(config_dir, os.environ).plugins.plugins_dir
    if not folder.is_dir():
        return []
    return sorted(
        child.name for child in folder.iterdir() if child.name[0] != "." and (child / "manifest.toml").is_file()
    )


def _provider_command(partial: str, config_dir: str | None) -> Iterator[tuple[str, str]]:
    """The command of the active memory provider; what comes behind it would take running the provider's code."""
    from zeroclaw_cli.cli.provider_hint import may_name_a_provider

    if not may_name_a_provider(config_dir):
        return
    from pathlib import Path

    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.providers.commands import find_command

    config = load(config_dir, os.environ)
    command, _ = find_command(config.location.config_dir, config.memory.provider, os.environ, Path.cwd())
    if command is not None and command.name.startswith(partial):
        yield command.name, command.help


def _backends(config_dir: str | None) -> list[str]:
    installed = [f"plugin.{name}" for name in _packages(config_dir)]
    installed += [f"provider.{name}" for name in _providers(config_dir)]
    return [*installed, "native", "layers", "none", "postgres"]


def _providers(config_dir: str | None) -> list[str]:
    from pathlib import Path

    from zeroclaw_cli.config.locations import locate
    from zeroclaw_cli.providers.discovery import names

    return names(locate(config_dir, os.environ)[0].config_dir, os.environ, Path.cwd())


def _config_paths(partial: str, config_dir: str | None) -> list[str]:
    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.config.schema import complete_paths

    return complete_paths(partial, load(config_dir, os.environ))
