"""``hermes_cli.profiles``: a profile is one config folder here, so there is always exactly one, called ``default``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli.providers.home import get_vibeos_home

__all__ = ["ProfileInfo", "_get_default_hermes_home", "get_active_profile_name", "list_profiles"]

_DEFAULT: Final = "default"


@dataclass
class ProfileInfo:
    """One profile, with the fields that its host has for one."""

    name: str
    path: Path
    is_default: bool
    gateway_running: bool
    model: str | None = None
    provider: str | None = None
    has_env: bool = False
    skill_count: int = 0
    alias_path: Path | None = None
    alias_name: str | None = None
    distribution_name: str | None = None
    distribution_version: str | None = None
    distribution_source: str | None = None
    description: str = ""
    description_auto: bool = False


def get_active_profile_name() -> str:
    """The name of the profile that is in use."""
    return _DEFAULT


def list_profiles() -> list[ProfileInfo]:
    """All profiles: the one of the home, where that exists."""
    home = get_vibeos_home()
    return [ProfileInfo(_DEFAULT, home, True, False, has_env=(home / ".env").exists())] if home.is_dir() else []


def _get_default_hermes_home() -> Path:
    return get_vibeos_home()
