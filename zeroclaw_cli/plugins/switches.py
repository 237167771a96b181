"""Switching packages off and on one by one (``plugins.disabled``), and trusting publishers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.config.publisher_key import comparable_key, distrust, form_problem, is_revoked, key_problem
from zeroclaw_cli.errors import ConfigError, NotFound, ValidationFailed
from zeroclaw_cli.plugins import discovery, staging
from zeroclaw_cli.plugins.model import Package
from zeroclaw_cli.plugins.publisher_keys import normalise_public_key

_TRUSTED = "plugins.security.trusted_publisher_keys"


@dataclass(frozen=True, slots=True)
class Switched:
    """The package, the config as it is now, and whether the switch was moved."""

    package: Package
    config: Config
    changed: bool


def set_enabled(config: Config, name: str, *, enabled: bool) -> Switched:
    """Take the package ``name`` out of ``plugins.disabled`` or put it there; doing so twice changes nothing.

    Raises PluginNotFound or the error of the skip, and what the config room raises for a config it cannot write.
    """
    package = discovery.browse(config).find(name)
    if (name not in config.plugins.disabled) == enabled:
        return Switched(package, config, changed=False)
    with _writing(config, "plugins.disabled") as (fresh, write):
        kept = tuple(other for other in fresh.plugins.disabled if other != name)
        after = kept if enabled else (*kept, name)
        write(after)
    plugins = dataclasses.replace(config.plugins, disabled=after)
    return Switched(package, dataclasses.replace(config, plugins=plugins), changed=True)


@dataclass(frozen=True, slots=True)
class Trust:
    """The publishers' keys: ``trusted`` those whose signatures count, ``revoked`` as the config has them, ``ignored``
    those that are listed as trusted and do not count, with the reason. ``changed`` is false when nothing had to be
    written."""

    trusted: tuple[str, ...]
    revoked: tuple[str, ...]
    ignored: tuple[tuple[str, str], ...] = ()
    changed: bool = False


def trust_list(config: Config) -> Trust:
    """The keys whose signatures count now, and those that are revoked. A key that is listed as trusted but is revoked,
    or can vouch for nobody, is among ``ignored``."""
    return _judged(config, config.plugins.security.trusted_publisher_keys)


def _judged(config: Config, listed: tuple[str, ...], *, changed: bool = False) -> Trust:
    security = dataclasses.replace(config.plugins.security, trusted_publisher_keys=listed)
    reasons = {key: distrust(key, security) or key_problem(key) for key in listed}
    return Trust(
        tuple(key for key, reason in reasons.items() if reason is None),
        security.revoked_publisher_keys,
        tuple((key, reason) for key, reason in reasons.items() if reason is not None),
        changed,
    )


def trust_add(config: Config, key: str) -> Trust:
    """Trust the publisher ``key`` (64 hex digits, any case). Raises ValidationFailed for another text, and for a
    key that is revoked."""
    normalised = normalise_public_key(key)
    if normalised is None:
        raise ValidationFailed(
            f"{key!r} cannot be trusted: it {key_problem(key)}",
            hint="a publisher's key is 64 hex digits; `zeroclaw plugin info NAME` shows the publisher of a package"
            if form_problem(key)
            else "ask the publisher for a package that is signed with a key of their own",
            path=_TRUSTED,
        )
    if is_revoked(normalised, config.plugins.security):
        raise ValidationFailed(
            f"the key {normalised} is revoked, and a revoked key is trusted nowhere",
            hint="take it out of plugins.security.revoked_publisher_keys first: zeroclaw plugin trust list --json",
            path=_TRUSTED,
        )
    if normalised in map(comparable_key, config.plugins.security.trusted_publisher_keys):
        return trust_list(config)
    with _writing(config, _TRUSTED) as (fresh, write):
        listed = (*fresh.plugins.security.trusted_publisher_keys, normalised)
        write(listed)
    return _judged(fresh, listed, changed=True)


def trust_remove(config: Config, key: str) -> Trust:
    """Trust ``key`` no more, however it is written. Raises NotFound when it was not trusted."""
    if comparable_key(key) not in map(comparable_key, config.plugins.security.trusted_publisher_keys):
        raise NotFound(f"the key {key} is not trusted", hint="the trusted keys: zeroclaw plugin trust list")
    with _writing(config, _TRUSTED) as (fresh, write):
        before = fresh.plugins.security.trusted_publisher_keys
        listed = tuple(other for other in before if comparable_key(other) != comparable_key(key))
        write(listed)
    return _judged(fresh, listed, changed=True)


@contextmanager
def _writing(config: Config, path: str) -> Iterator[tuple[Config, Callable[[tuple[str, ...]], None]]]:
    """The config as the file says now, and the function that writes the list at ``path``; one such change at a time,
    or of two commands that add to a list one would be lost."""
    variable = config.overridden.get(tuple(path.split(".")))
    if variable is not None:
        raise ConfigError(
            f"{path} is set by the environment variable {variable}, so changing the file would have no effect",
            hint=f"unset {variable}, then run the command again",
            path=path,
        )
    from zeroclaw_cli.config.edit import set_string_list
    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.config.store import ensure_config_file

    ensure_config_file(config.location)
    with staging.exclusive(config):
        fresh = load(str(config.location.config_dir), os.environ)
        yield fresh, lambda values: set_string_list(config, path, list(values))
