"""What an agent may change in the configuration, and how a process is known to be an agent's.

Who decides a setting is a column of the schema table (``schema.Decides``). This module applies it to every change of
the file and to every override by the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.config.schema import TABLES, Decides, Field, Path, find, format_path
from zeroclaw_cli.errors import Refused

AGENT_VARIABLE: Final = "ZEROCLAW_AGENT"
_DISABLED: Final = ("plugins", "disabled")


def is_agent(env: Mapping[str, str]) -> bool:
    """Whether an agent started the process that has the environment ``env``."""
    return bool(env.get(AGENT_VARIABLE, "").strip())


def needs_approval(what: str, *, besides: str = "", path: str | None = None) -> Refused:
    """The error for an agent that asks for ``what``; ``besides`` is a further way out, ``path`` the setting."""
    hint = "ask a person to do it"
    return Refused(
        f"{what} requires human approval; this process runs as an agent ({AGENT_VARIABLE} is set)",
        hint=f"{hint}; {besides}" if besides else hint,
        path=path,
    )


def require_permission(
    env: Mapping[str, str], parsed: Callable[[], Mapping[str, Any]], after: Mapping[str, Any]
) -> None:
    """Raise Refused when the process is an agent's and turning the document that ``parsed`` gives into ``after``
    changes a setting that a person decides, or anything in the file that is not a setting of ours."""
    if not is_agent(env):
        return
    before = parsed()
    old, new = dict(_leaves(before)), dict(_leaves(after))
    layered = _layers_serve(old.get(("memory", "backend")))
    topology = before.get("memory", {}).get("topology", {}) if layered else {}
    for path in dict.fromkeys((*old, *new)):
        if old.get(path) != new.get(path) and not _permitted(
            path, old.get(path), new.get(path), layered, lambda name: not layers_using(topology, name)
        ):
            raise needs_approval(f"changing {format_path(path)}", path=format_path(path))


def require_permitted_override(env: Mapping[str, str], values: Mapping[Path, Any], path: Path, value: Any) -> None:
    """Raise Refused when the process is an agent's and may not give the setting ``path`` the ``value`` for one run;
    ``values`` are those of the file."""
    if not is_agent(env):
        return
    before = _plain(values.get(path))
    layered = _layers_serve(values.get(("memory", "backend")))
    if before != _plain(value) and not _permitted(path, before, _plain(value), layered, lambda _: False):
        raise needs_approval(f"overriding {format_path(path)} by the environment", path=format_path(path))


def layers_using(topology: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The enabled layers of the table ``memory.topology`` that the package ``name`` is or is bound to."""
    layers = topology.get("layers")
    if not isinstance(layers, Mapping):
        return ()
    return tuple(id_ for id_, table in layers.items() if isinstance(table, Mapping) and _uses(id_, table, name))


def _uses(layer_id: str, table: Mapping[str, Any], name: str) -> bool:
    if table.get("enabled", True) is not True:
        return False
    backend, adapters = table.get("backend"), table.get("adapter_ids")
    if isinstance(backend, str):
        if parse_backend(backend).package == name:
            return True
    elif layer_id == name:
        return True
    return isinstance(adapters, list | tuple) and name in adapters


def _permitted(path: Path, before: Any, after: Any, layered: bool, unused: Callable[[str], bool]) -> bool:
    """Whether an agent may change the value at ``path``; None stands for a value that is not set.

    Where the layers serve, what agents may reach is a person's whole configuration of memory and plugins: all that is
    left to an agent is to disable packages that are ``unused`` by a layer.
    """
    field = find(path)
    if not isinstance(field, Field):
        return False
    before, after = (_plain(field.default) if value is None else value for value in (before, after))
    if before == after:
        return True
    if layered:
        return path == _DISABLED and _longer(before, after) and all(map(unused, set(after) - set(before)))
    match field.decides:
        case Decides.ANYBODY:
            return True
        case Decides.LESS:
            return before is True and after is False
        case Decides.MORE:
            return _longer(before, after)
        case Decides.STRICTER:
            return _rank(field, before) < _rank(field, after)
        case Decides.PERSON:
            return False


def _longer(before: Any, after: Any) -> bool:
    return isinstance(before, list) and isinstance(after, list) and set(map(str, before)) <= set(map(str, after))


def _rank(field: Field, word: Any) -> int:
    """The place of ``word`` among those of ``field``. What is none of them counts as the last, since it stops all."""
    known = str(word).lower() if field.any_case else word
    return field.words.index(known) if known in field.words else len(field.words)


def _layers_serve(backend: Any) -> bool:
    return isinstance(backend, str) and parse_backend(backend).is_layers


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value of a document that is not a table, by its path; of tables only those that say something while they
    are empty, as a layer's does."""
    if not isinstance(value, Mapping):
        yield path, value
    elif value:
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif path and ".".join(path) not in TABLES:
        yield path, {}
