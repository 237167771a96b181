"""The one way in which config.toml is changed (specs/zeroclaw.md §5.3, Saving).

Lock, read again, change the document in place, validate the whole of it, write. What was wrong before the change does
not forbid it, or nobody could mend one of two faults; what would be wrong only after it does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any

from zeroclaw_cli.config.build import Reading, read_sections, settle, typed
from zeroclaw_cli.config.document import Document
from zeroclaw_cli.config.load import describe_malformed, parse_text, read_text, remedy
from zeroclaw_cli.config.model import Config, Location, Problem
from zeroclaw_cli.config.permissions import require_permission
from zeroclaw_cli.config.schema import SCHEMA_VERSION, Path, format_path
from zeroclaw_cli.config.store import locked, save
from zeroclaw_cli.config.tree_path import Address
from zeroclaw_cli.config.unknown import unknown_keys
from zeroclaw_cli.errors import ConfigDamaged, ConfigError, PathNotFound, SchemaVersion, ValidationFailed

Rule = Callable[[Config], Sequence[Problem]]

# A path's first names, which say what table a problem is about.
_TABLE = 2


class Editor:
    """A document that is being changed, under the lock.

    ``document`` is edited by the caller; ``reading`` is what ``text`` said before. ``on_disk`` is what the file holds,
    where that is not ``text``. Raises ConfigDamaged when ``text`` is not TOML.
    """

    def __init__(self, location: Location, env: Mapping[str, str], text: str, *, on_disk: str | None = None) -> None:
        self.location = location
        self.file = location.config_file
        self._env = env
        self._before = text
        self._on_disk = text if on_disk is None else on_disk
        self.replace(text)
        self.reading, self._known = self._read()
        self._values = self.reading.values

    def replace(self, text: str) -> None:
        """Make ``text`` the document. Raises ConfigDamaged when it is not TOML."""
        self.document = open_document(self.file, text)

    @property
    def values(self) -> Mapping[Path, Any]:
        """What the document sets, by path, as of the last :meth:`refresh`."""
        return self._values

    def refresh(self) -> None:
        """Let :attr:`values` see the changes so far, for a change that builds on them."""
        self._values = self._read()[0].values

    def check_version(self) -> None:
        """Raise SchemaVersion unless the file is of this program's schema, or of none yet."""
        version = self.document.data.get("schema_version", SCHEMA_VERSION)
        if isinstance(version, bool) or not isinstance(version, int):
            raise SchemaVersion(
                f"{self.file}: schema_version must be an integer",
                hint="run `zeroclaw config migrate`",
                path="schema_version",
            )
        if version > SCHEMA_VERSION:
            raise newer_schema(self.file, version)
        if version < SCHEMA_VERSION:
            raise SchemaVersion(
                f"{self.file} has the older schema_version {version}, and is not changed",
                hint="run `zeroclaw config migrate` first",
                path="schema_version",
            )

    def check_section(self, path: Path) -> None:
        """Raise ConfigDamaged when ``path`` lies in a malformed section, which is never rewritten."""
        for section, found in self.reading.malformed.items():
            names = tuple(section.split("."))
            if path[: len(names)] == names or names[: len(path)] == path:
                text = describe_malformed(self.file, self._before, found)
                raise ConfigDamaged(
                    f"{text}; [{section}] is not changed before that is corrected",
                    hint=remedy(found),
                    path=format_path(path),
                )

    def address(self, path: Path) -> Address:
        """Where ``path`` stands in the document: the name of a plugins entry becomes its index."""
        if path[:2] != ("plugins", "entries") or len(path) == 2:
            return path
        entries = self.document.data.get("plugins", {}).get("entries", [])
        for index, entry in enumerate(entries):
            if entry.get("name") == path[2]:
                return (*path[:2], index, *path[3:])
        raise PathNotFound(
            f"there is no {format_path(path[:3])}",
            hint="`zeroclaw config list -f plugins.entries`",
            path=format_path(path),
        )

    def commit(self, rules: Sequence[Rule] = (), *, approved: bool = False) -> tuple[bool, tuple[str, ...]]:
        """Validate the document and write it if it differs from the file.

        Returns whether the file changed, and warnings about what the change made odd. ``rules`` are asked about the
        config before and after. Raises ValidationFailed, the file untouched, for a problem that the change brings. What
        a rule finds in a table that the change leaves alone is a warning: a stricter policy is never refused because of
        what it leaves without effect. Raises Refused for a change that an agent may not make, unless it is ``approved``
        by somebody who may.
        """
        if not approved:
            require_permission(self._env, lambda: parse_text(self.file, self._before), self.document.data)
        reading, problems = self._read()
        for section, found in reading.malformed.items():
            if section not in self.reading.malformed:
                text = describe_malformed(self.file, self.document.text, found)
                raise ValidationFailed(text, hint="correct that and try again; the file is unchanged", path=section)
        known = self._known + self._ask(rules, self.reading)
        fresh = [problem for problem in problems if problem not in known]
        fresh += [self._weighed(problem, reading) for problem in self._ask(rules, reading) if problem not in known]
        for problem in fresh:
            if problem.refuses:
                raise ValidationFailed(problem.message, hint=problem.hint, path=problem.path)
        changed = self._write()
        return changed, tuple(f"{problem.message}; {problem.hint}" for problem in fresh)

    def _read(self) -> tuple[Reading, list[Problem]]:
        reading = read_sections(self.document.data)
        unknown = unknown_keys(reading.unknown, reading.slips)
        return reading, [*reading.problems, *settle(reading.values), *unknown]

    def _ask(self, rules: Sequence[Rule], reading: Reading) -> list[Problem]:
        if not rules:
            return []
        config, _ = typed(self.location, reading, self._env)
        return [problem for rule in rules for problem in rule(config)]

    def _weighed(self, problem: Problem, after: Reading) -> Problem:
        """``problem`` of a rule, which refuses only a change of the table that it is about."""
        table = tuple(problem.path.split(".")[:_TABLE])
        unchanged = _of_table(self.reading, table) == _of_table(after, table)
        return problem._replace(refuses=False) if unchanged else problem

    def _write(self) -> bool:
        exists = os.path.lexists(self.file)
        if exists and self.document.text == self._before:
            return False
        if "schema_version" not in self.document.data:
            self.document.set(("schema_version",), SCHEMA_VERSION)
        if read_text(self.file) != self._on_disk:
            raise ConfigError(f"{self.file} was changed by another program meanwhile", hint="run the command again")
        save(self.location, self.document.text)
        return True


def _of_table(reading: Reading, table: Path) -> tuple[dict[Path, Any], Mapping[str, Any]]:
    values = {path: value for path, value in reading.values.items() if path[:_TABLE] == table}
    return values, reading.topology if table == ("memory", "topology") else {}


def newer_schema(file: FilePath, version: int) -> SchemaVersion:
    """The error of a change of ``file``, whose schema a newer program wrote."""
    return SchemaVersion(
        f"{file} has schema_version {version}, newer than {SCHEMA_VERSION}, and is not changed",
        hint="use a newer zeroclaw",
        path="schema_version",
    )


def open_document(file: FilePath, text: str) -> Document:
    """``text`` of ``file`` as a document to edit. Raises ConfigDamaged with the line when it is not TOML."""
    parse_text(file, text)
    return Document(text)


@contextmanager
def opened(location: Location, env: Mapping[str, str]) -> Iterator[Editor]:
    """An editor, under the lock. Raises ConfigDamaged for a file that is not TOML, SchemaVersion for another one."""
    with locked(location):
        editor = Editor(location, env, read_text(location.config_file))
        editor.check_version()
        yield editor
