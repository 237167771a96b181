"""The files that this program keeps for itself: no command writes what a person asked for over them."""

from __future__ import annotations

import os
from pathlib import Path

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import UsageError


def require_other_place(config: Config, path: Path, name: str) -> None:
    """Raise UsageError when ``path``, which the argument or option ``name`` gave, is a file or folder of the home's
    own: the config and what stands beside it, the packages, the stores. A link counts as what it points to."""
    location = config.location
    place = Path(os.path.realpath(path))
    home, data = Path(os.path.realpath(location.config_dir)), Path(os.path.realpath(location.data_dir))
    folders = (config.plugins.plugins_dir, home / "plugins", data / "memory", data / "plugins")
    own = (
        place in (home, data, Path(os.path.realpath(location.config_file)))
        or (place.parent == home and (place.name.startswith((".", "config.toml")) or place.name == "plugins.lock"))
        or any(place.is_relative_to(os.path.realpath(folder)) for folder in folders)
        or (place.is_relative_to(data) and place.relative_to(data).parts[0].startswith("."))
    )
    if own:
        raise UsageError(f"{name} {path} is a place of this program's own files", hint="name one outside of it")
