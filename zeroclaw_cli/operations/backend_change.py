"""What a change of the config means for the memory commands: whether they still work, and what they no longer reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeroclaw_cli.backends import open_native_documents
from zeroclaw_cli.config.backend_name import LAYERS, NATIVE, parse_backend
from zeroclaw_cli.errors import ZeroclawError, explain
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.wasm.host import HostOptions


def consequences(before: Config, after: Config, options: HostOptions) -> list[str]:
    """Warnings, one line each: why ``memory.backend`` of ``after`` cannot be opened, unless that is old news, and what
    stays behind in that of ``before``, with the command that copies it. Only a changed backend is looked at, and a
    plugin whose section of the config changed. Raises nothing about a backend."""
    changed = parse_backend(before.memory.backend) != parse_backend(after.memory.backend)
    of_plugin = parse_backend(after.memory.backend).package is not None
    if not changed and not (of_plugin and _plugins_of(before) != _plugins_of(after)):
        return []
    from zeroclaw_cli.backends import usability

    found = []
    if parse_backend(after.memory.backend).kind != "none":
        looked = usability(after, options)
        if looked.problem is not None and (changed or usability(before, options).problem is None):
            found.append(f"the memory commands cannot use it: {explain(looked.problem)}")
        found += looked.warnings
    return [*found, *_left_behind(before, after, options)] if changed else found


def _plugins_of(config: Config) -> dict[tuple[str, ...], object]:
    return {path: value for path, value in config.values.items() if path[0] == "plugins"}


def _left_behind(before: Config, after: Config, options: HostOptions) -> list[str]:
    from zeroclaw_cli.backends import usability
    from zeroclaw_cli.plugins.gates import layers_using

    old, new = parse_backend(before.memory.backend), parse_backend(after.memory.backend)
    if all(name.is_native or name.kind == LAYERS for name in (old, new)):
        # One store by another name: the layers stand on the built-in store.
        return []
    if new.is_layers and old.package is not None and layers_using(after, old.package):
        return []
    source = NATIVE if old.is_native or old.is_layers else before.memory.backend
    looked = usability(before, options, source, count=True)
    held = [counted(looked.entries, "entry", "entries")] if looked.entries else []
    if source == NATIVE and (number := _documents(before)):
        held.append(counted(number, "document"))
    if not held:
        return list(looked.warnings)
    kept = f"what {source} holds stays there ({' and '.join(held)})"
    if new.kind == "none":
        return [*looked.warnings, f"{kept}; `--backend {source}` still reaches it"]
    copy = f"`zeroclaw memory copy --from {source} --to {after.memory.backend}`"
    way = f"{copy} copies the entries" if looked.entries else f"`--backend {source}` still reaches it"
    return [*looked.warnings, f"{kept}; {way}"]


def _documents(config: Config) -> int:
    try:
        with open_native_documents(config) as documents:
            return len(documents.paths())
    except ZeroclawError:
        return 0
