"""Where the answers of setup go (specs/memory-providers.md §10 step 7): nothing is written before all of it can be.

Values go to ``memory.providers.<name>``, where the next setup finds them, and to the provider's ``save_config``, if it
has one; secrets to ``.env``; ``memory.provider`` is set last, so a failure leaves the provider that was active.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.providers import bounded, guarded
from zeroclaw_cli.providers.setup.asking import Collected

if TYPE_CHECKING:
    from zeroclaw_cli.config.editor import Editor
    from zeroclaw_cli.config.model import Location
    from zeroclaw_cli.providers.setup.fields import Value

_MEMORY = ("memory",)


@dataclass(frozen=True, slots=True)
class Saved:
    """``values_in`` says who keeps the values, for a person; empty when there are none. ``variables`` are those that
    are in ``env_file`` now. ``changed``: whether it or ``config.toml`` changed."""

    values_in: str = ""
    env_file: Path | None = None
    variables: tuple[str, ...] = ()
    changed: bool = False
    warnings: tuple[str, ...] = ()


def save(
    location: Location,
    env: Mapping[str, str],
    name: str,
    provider: Any,
    collected: Collected,
    *,
    as_backend: bool,
    check: Callable[[], None],
) -> Saved:
    """Write all answers and activate provider ``name``, when ``check`` raises nothing after they are written.

    Raises ProviderBroken when ``save_config`` fails, ConfigDamaged, SchemaVersion and the like when ``config.toml``
    cannot be changed, and what the ``.env`` refuses; the provider is not activated then.
    """
    from zeroclaw_cli.providers import env_file

    home = location.config_dir
    # A file that cannot be read cannot be edited either.
    before = env_file.read(home) if collected.variables else {}
    require_changeable(location, env)
    values_in = ""
    if collected.values:
        if guarded.has_own(name, home, provider, "save_config"):
            values_in = f"provider {name} keeps them"
            # It may change what it is given.
            given = dict(collected.values)
            guarded.answer(name, home, provider, "save_config", given, str(home), within_s=bounded.HOOK_WITHIN_S)
        else:
            values_in = f"memory.providers.{name} in {location.config_file}"
    if collected.variables:
        env_file.update(home, collected.variables)
    check()
    changed, warnings = activate(location, env, name, as_backend=as_backend, values=collected.values)
    return Saved(
        values_in=values_in,
        env_file=env_file.path_of(home) if collected.variables else None,
        variables=tuple(collected.variables),
        changed=changed or any(before.get(key) != text for key, text in collected.variables.items()),
        warnings=warnings,
    )


def activate(
    location: Location,
    env: Mapping[str, str],
    name: str,
    *,
    as_backend: bool = False,
    values: Mapping[str, Value] | None = None,
) -> tuple[bool, tuple[str, ...]]:
    """Set ``memory.provider`` to ``name`` (empty: none), in one write with the provider's ``values``; the file is read
    anew for it. Returns whether it changed, and warnings."""
    from zeroclaw_cli.config.editor import opened

    with opened(location, env) as editor:
        for key, value in (values or {}).items():
            # Quoted, since - would stand for _ in a bare last segment.
            _assign(editor, f"memory.providers.{name}.{_quoted(key)}", value, env)
        _assign(editor, "memory.provider", name, env)
        if as_backend:
            _assign(editor, "memory.backend", f"provider.{name}", env)
        return editor.commit()


def forget_answers(location: Location, env: Mapping[str, str], name: str) -> None:
    """Forget the answers that an earlier setup of ``name`` left in ``config.toml``: the provider has others now."""
    from zeroclaw_cli.config.patch import Operation, apply_patch

    apply_patch(location, env, [Operation("remove", ("memory", "providers", name), None)])


def _assign(editor: Editor, path: str, value: Value, env: Mapping[str, str]) -> None:
    from zeroclaw_cli.config.edit import assign, writable_target
    from zeroclaw_cli.config.values import from_json, require_writable

    target = writable_target(editor, path)
    checked = from_json(target.field, target.name, value)
    require_writable(target.field, target.name, checked)
    assign(editor, target, checked, env)
    editor.refresh()


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def require_changeable(location: Location, env: Mapping[str, str]) -> None:
    """Raise what a change of ``config.toml`` would raise, before anything else is written."""
    from zeroclaw_cli.config.editor import opened

    with opened(location, env) as editor:
        editor.check_section(_MEMORY)
