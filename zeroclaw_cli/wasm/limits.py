"""The limits that hold for one plugin, and which config key raises each of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

from zeroclaw_cli.config.model import Config, Limits
from zeroclaw_cli.plugins.instance_key import instance_key

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

    def path(self, name: str) -> str:
        """The dotted config path that holds the limit ``name`` for this plugin."""
        return f"plugins.entries.{self.key}.limits.{name}" if name in self.overridden else f"plugins.limits.{name}"

    def raise_hint(self, name: str) -> str:
        """The command that doubles the limit ``name``."""
        return f"zeroclaw config set {self.path(name)} {getattr(self.limits, name) * 2}"

    @property
    def timeout_s(self) -> float:
        """Seconds that one call may take."""
        return min(self.limits.call_timeout_ms / 1000, LONGEST_CALL_S)


def plugin_limits(config: Config, package: str) -> PluginLimits:
    """The limits of the memory instance of ``package``: its binding is the package's name."""
    key = instance_key(package, "memory", package)
    known = {field.name for field in fields(Limits)}
    own = next((entry.limits for entry in config.plugins.entries if entry.name == key), {})
    overrides = {name: value for name, value in own.items() if name in known}
    return PluginLimits(replace(config.plugins.limits, **overrides), key, frozenset(overrides))


def larger(first: Limits, second: Limits) -> Limits:
    """Each limit's larger value."""
    return Limits(
        **{field.name: max(getattr(first, field.name), getattr(second, field.name)) for field in fields(Limits)}
    )
