"""What ``config get`` and ``config list`` show: the value of each path and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from zeroclaw_cli.config.build import default_of
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.config.paths import Target, resolve
from zeroclaw_cli.config.schema import Field, Path, format_path, known_paths, table_of
from zeroclaw_cli.config.values import MASK, UNSET, show


class Item(NamedTuple):
    """One path. ``value`` is what ``config get`` prints, None for a secret; ``source`` is default, file or env, and
    ``variable`` the environment variable that overrides it."""

    path: str
    table: str
    value: str | None
    default: str | None
    type: str
    secret: bool
    populated: bool
    source: str
    variable: str | None

    @property
    def shown(self) -> str:
        """The value for a person: a secret is masked."""
        if not self.secret:
            return self.value or ""
        return MASK if self.populated else UNSET


def get_item(config: Config, path: str) -> Item:
    """The item that the dotted ``path`` names. Raises PathNotFound."""
    target: Target = resolve(path, config.values)
    return _item(config, target.path, target.field)


def list_items(config: Config, *, prefix: str = "", secrets_only: bool = False) -> Iterator[Item]:
    """Every path that begins with ``prefix``, in the order of the schema."""
    wanted = prefix.strip().removesuffix(".")
    for path, field in known_paths(config.values):
        if not field.stored and path != ("schema_version",):
            continue
        if secrets_only and not field.secret:
            continue
        item = _item(config, path, field)
        if item.path.startswith(wanted) or ".".join(path).startswith(wanted):
            yield item


def _item(config: Config, path: Path, field: Field) -> Item:
    default: Any = default_of(field, config.location)
    value = config.values.get(path, default)
    variable = config.overridden.get(path)
    source = "env" if variable else "file" if path in config.values else "default"
    return Item(
        path=format_path(path),
        table=table_of(field),
        value=None if field.secret else show(value),
        default=None if default is None else show(default),
        type=str(field.kind),
        secret=field.secret,
        populated=value not in (None, ""),
        source=source,
        variable=variable,
    )
