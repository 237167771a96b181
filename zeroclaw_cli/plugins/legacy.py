"""The folders where other versions of the program kept packages (specs/zeroclaw.md §2.1, §3.4).

Apart from ``migrate``, because every ``plugin list`` looks there and must not pay for what moves them.
"""

from __future__ import annotations

import os
from pathlib import Path

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins import payload


def legacy_notes(config: Config) -> tuple[str, ...]:
    """One line per legacy folder that still holds packages, naming it, the target and the command."""
    return tuple(
        f"{len(names)} package{'s' if len(names) > 1 else ''} in the legacy folder {source} "
        f"{'are' if len(names) > 1 else 'is'} not used; `zeroclaw plugin migrate` moves them to "
        f"{config.plugins.plugins_dir}"
        for source in places(config)
        if (names := packages(source))
    )


def places(config: Config) -> list[Path]:
    """The legacy folders of this location, the target excepted."""
    location = config.location
    places = [location.data_dir / "plugins", location.config_dir / "workspace" / "plugins"]
    return [place for place in places if place != config.plugins.plugins_dir]


def packages(place: Path) -> list[str]:
    """The names of the directories in ``place`` that hold a manifest; links do not count."""
    try:
        with os.scandir(place) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and os.path.lexists(place / entry.name / payload.MANIFEST)
            )
    except OSError:
        return []
