"""``tools.lazy_deps``: packages that a provider wants when it first needs them.

Nothing is installed here: only setup does that, when a person asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["FeatureUnavailable", "ensure", "feature_missing", "is_available"]

_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "memory.hindsight": ("hindsight-client",),
    "memory.honcho": ("honcho-ai",),
    "memory.mem0": ("mem0ai",),
    "memory.supermemory": ("supermemory",),
}


class FeatureUnavailable(RuntimeError):
    """Packages of a feature are not installed: ``feature``, the ``missing`` ones, and the ``reason``."""

    def __init__(self, feature: str, missing: tuple[str, ...], reason: str) -> None:
        self.feature = feature
        self.missing = missing
        self.reason = reason
        super().__init__(f"{feature} cannot be used: {reason}")


def feature_missing(feature: str) -> tuple[str, ...]:
    """The packages of ``feature`` that are not installed. Raises KeyError for an unknown feature."""
    from importlib.metadata import PackageNotFoundError, distribution

    missing = []
    for package in _PACKAGES[feature]:
        try:
            distribution(package)
        except PackageNotFoundError:
            missing.append(package)
    return tuple(missing)


def is_available(feature: str) -> bool:
    """Whether the packages of ``feature`` are installed; an unknown feature is not available."""
    return feature in _PACKAGES and not feature_missing(feature)


def ensure(feature: str, *, prompt: bool = True) -> None:
    """Return when the packages of ``feature`` are installed; ``prompt`` makes no difference, since nobody is asked.

    Raises FeatureUnavailable.
    """
    if feature not in _PACKAGES:
        raise FeatureUnavailable(feature, (), "this program knows no packages for it")
    missing = feature_missing(feature)
    if missing:
        setup = f"`zeroclaw memory setup {feature.removeprefix('memory.')} --install-deps`"
        raise FeatureUnavailable(feature, missing, f"{', '.join(missing)} is not installed; {setup} installs it")
