"""The limits that hold for one plugin, and which config key raises each of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

from zeroclaw_cli.config.model import Config, Limits
from zeroclaw_cli.plugins.bindings import memory_key
from zeroclaw_cli.plugins.instance_key import parse_instance_key

# A larger limit is held to this: deadlines are counted in ticks, which a signal has to skip one by one.
LONGEST_CALL_S: Final = 20_000.0
# A component may bring several modules with a memory each, and each reserves 4 GiB of addresses. What toolchains make
# has one.
MOST_MEMORIES: Final = 4


@dataclass(frozen=True, slots=True)
class PluginLimits:
    """``plugins.limits`` with the single values that ``plugins.entries.<key>.limits`` sets for this plugin."""

    limits: Limits
    key: str
    overridden: frozenset[str]

    @property
    def package(self) -> str | None:
        """The name of the plugin, which its key holds."""
        identity = parse_instance_key(self.key)
        return None if identity is None else identity[0]

    def own_path(self, name: str) -> str:
        """The dotted config path of the limit ``name`` for this plugin alone."""
        return f"plugins.entries.{self.key}.limits.{name}"

    def path(self, name: str) -> str:
        """The dotted config path that holds the limit ``name`` for this plugin now."""
        return self.own_path(name) if name in self.overridden else f"plugins.limits.{name}"

    def raise_hint(self, name: str) -> str:
        """The command that doubles the limit ``name`` where it is set, and where else it can be."""
        command = f"zeroclaw config set {self.path(name)} {getattr(self.limits, name) * 2}"
        if name in self.overridden:
            return f"{command} (plugins.limits.{name} is for the plugins without one of their own)"
        return f"{command} (for this plugin alone: {self.own_path(name)})"

    @property
    def timeout_s(self) -> float:
        """Seconds that one call may take."""
        return min(self.limits.call_timeout_ms / 1000, LONGEST_CALL_S)


def plugin_limits(config: Config, package: str) -> PluginLimits:
    """The limits of the memory instance of ``package``."""
    key = memory_key(package)
    known = {field.name for field in fields(Limits)}
    own = next((entry.limits for entry in config.plugins.entries if entry.name == key), {})
    overrides = {name: value for name, value in own.items() if name in known}
    return PluginLimits(replace(config.plugins.limits, **overrides), key, frozenset(overrides))


def larger(first: Limits, second: Limits) -> Limits:
    """Each limit's larger value."""
    return Limits(
        **{field.name: max(getattr(first, field.name), getattr(second, field.name)) for field in fields(Limits)}
    )
