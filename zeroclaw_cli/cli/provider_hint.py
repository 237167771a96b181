"""Whether the config has to be read for the command of a provider, for answers that are wanted at once."""

from __future__ import annotations

import os
import sys
from typing import Final

_ELSEWHERE: Final = frozenset(
    {"ZEROCLAW_CONFIG_DIR", "ZEROCLAW_DATA_DIR", "ZEROCLAW_WORKSPACE", "VIBEOS_HOME", "ZEROCLAW_memory__provider"}
)


def may_name_a_provider(config_dir: str | None) -> bool:
    """Whether the config must be read for the list of commands, which is wanted at once: reading it takes a sixth of
    the start, and most configs do not hold the word. A place that is not the usual one is not judged here."""
    if sys.platform == "darwin" or not _ELSEWHERE.isdisjoint(os.environ):
        return True
    folder = config_dir or f"{os.environ.get('HOME', '')}/.zeroclaw"
    if not folder.startswith("/"):
        return True
    try:
        with open(f"{folder}/config.toml", "rb") as file:  # noqa: PTH123 - pathlib would be imported for this alone
            return b"provider" in file.read()
    except FileNotFoundError:
        return False
    except OSError:
        return True
