"""Random histories of installs, updates, rollbacks, removals and switches, with crashes, against a model of what must
be."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.crashes import killed_at
from tests.support.packages import OTHER_SEED, SEED, WASM, FakeProbe, config_in, write_package
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import AlreadyInstalled, DataOwner, NotFound, PluginNotFound, ZeroclawError
from zeroclaw_cli.plugins import discovery, lock, owner, previous, staging, switches
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.publisher_keys import public_key_hex
from zeroclaw_cli.plugins.remove import remove
from zeroclaw_cli.plugins.update import Current, Failed, Updated, rollback, update
from zeroclaw_cli.plugins.verify import verify

NAMES = ("alpha", "beta.b")
SEEDS = {"unsigned": None, public_key_hex(SEED): SEED, public_key_hex(OTHER_SEED): OTHER_SEED}
NEVER = 10_000

names = st.sampled_from(NAMES)
versions = st.integers(1, 3)
publishers = st.sampled_from(sorted(SEEDS))
# Most steps run to their end; the rest die at one of their changes to the file system.
crashes = st.one_of(st.just(NEVER), st.just(NEVER), st.integers(0, 45))


@dataclass(frozen=True)
class Release:
    version: int
    publisher: str


class PluginsFolder(RuleBasedStateMachine):
    """``installed``, ``previous`` and ``owners`` are what the folder must hold; after a crash it may hold the state
    before or after, and the model takes over whichever it is."""

    @initialize(can_exchange=st.booleans())
    def empty_home(self, can_exchange: bool) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="zeroclaw-history-"))
        self.can_exchange = can_exchange
        self.installed: dict[str, Release] = {}
        self.previous: dict[str, Release] = {}
        self.owners: dict[str, str] = {}
        self.disabled: set[str] = set()
        self.sources: dict[tuple[str, Release], Path] = {}

    def teardown(self) -> None:
        if hasattr(self, "root"):
            rmtree(self.root, ignore_errors=True)

    def config(self) -> Config:
        made = config_in(self.root)
        return load(str(made.location.config_dir), {})

    def source(self, name: str, release: Release) -> Path:
        known = self.sources.get((name, release))
        if known is None:
            known = write_package(
                self.root / "sources" / str(len(self.sources)),
                name,
                component=WASM + repr(release).encode(),
                version=f"{release.version}.0.0",
                signed_by=SEEDS[release.publisher],
            )
            self.sources[name, release] = known
        return known

    def may_open(self, name: str, publisher: str) -> bool:
        return self.owners.get(name, "unsigned") in ("unsigned", publisher)

    def found(self) -> dict[str, Release]:
        inventory = discovery.discover(self.config())
        assert inventory.skipped == ()
        return {
            package.name: Release(int(package.manifest.version[0]), owner.publisher(package.manifest))
            for package in inventory.packages
        }

    def settle(self, name: str, after: dict[str, Release]) -> None:
        """After a crash: what is there is the state before or after (once healed, where names cannot be swapped)."""
        if not self.can_exchange:
            with staging.exclusive(self.config()):
                pass
        found = self.found()
        assert found in (self.installed, after)
        self.becomes(name, found)
        self.owners = {
            other: recorded.publisher for other in NAMES if (recorded := owner.read(self.config(), other)) is not None
        }
        self.disabled = set(self.config().plugins.disabled)

    def becomes(self, name: str, after: dict[str, Release]) -> None:
        """``after`` is what is installed now; what ``name`` was before is what it can be rolled back to."""
        before, now = self.installed.get(name), after.get(name)
        if now is None:
            self.previous.pop(name, None)
        elif before is not None and before != now:
            self.previous[name] = before
        self.installed = after

    @rule(name=names, version=versions, publisher=publishers, crash=crashes, late=st.booleans())
    def update(self, name: str, version: int, publisher: str, crash: int, late: bool) -> None:
        present = self.installed.get(name)
        if present is None:
            return
        release, config = Release(version, publisher), self.config()
        path = lock.path_of(config.location)
        known = lock.read(path)
        entry = discovery.discover(config).find(name).lock
        assert entry is not None
        moved = replace(entry, source=str(self.source(name, release)))
        pending = {other: waiting for other, waiting in known.pending.items() if other != name}
        lock.write(path, LockFile({**known.entries, name: moved}, pending))
        refused = not self.may_open(name, publisher) or (version == present.version and release != present)
        with killed_at(crash, after=late, can_exchange=self.can_exchange) as begun:
            (outcome,) = update(config, [name], probe=FakeProbe(), allow_downgrade=True)
            assert isinstance(outcome, Current if release == present else Failed if refused else Updated)
        after = self.installed if refused else {**self.installed, name: release}
        if len(begun) > crash:
            self.settle(name, after)
        else:
            self.becomes(name, after)

    @rule(name=names, crash=crashes, late=st.booleans())
    def rollback(self, name: str, crash: int, late: bool) -> None:
        config, release = self.config(), self.previous.get(name)
        error: type[ZeroclawError] | None = None
        if release is None:
            error = NotFound
        elif not self.may_open(name, release.publisher):
            error = DataOwner
        with killed_at(crash, after=late, can_exchange=self.can_exchange) as begun:
            if error is not None:
                with pytest.raises(error):
                    rollback(config, name, probe=FakeProbe())
            else:
                rollback(config, name, probe=FakeProbe())
        after = self.installed if release is None or error is not None else {**self.installed, name: release}
        if len(begun) > crash:
            self.settle(name, after)
        else:
            self.becomes(name, after)

    @rule(name=names, version=versions, publisher=publishers, replace=st.booleans(), crash=crashes, late=st.booleans())
    def install(self, name: str, version: int, publisher: str, replace: bool, crash: int, late: bool) -> None:
        release = Release(version, publisher)
        source, config = self.source(name, release), self.config()
        present = self.installed.get(name)
        error: type[ZeroclawError] | None = None
        if present not in (None, release):
            error = AlreadyInstalled if not replace else None if self.may_open(name, publisher) else DataOwner
        with killed_at(crash, after=late, can_exchange=self.can_exchange) as begun:
            if error is not None:
                with pytest.raises(error):
                    install(config, str(source), probe=FakeProbe(), replace=replace)
            else:
                result = install(config, str(source), probe=FakeProbe(), replace=replace)
                assert result.changed == (present != release)
        after = self.installed if error is not None else {**self.installed, name: release}
        if len(begun) > crash:
            self.settle(name, after)
        else:
            self.becomes(name, after)

    def something_remains(self, config: Config, name: str, purge: bool) -> bool:
        """Whether there is anything to remove: the package, what a killed removal left of it, or data to be purged."""
        known = lock.read(lock.path_of(config.location))
        if name in self.installed or name in known.entries or name in known.pending:
            return True
        return purge and owner.data_dir(config, name).is_dir()

    @rule(name=names, purge=st.booleans(), crash=crashes, late=st.booleans())
    def remove(self, name: str, purge: bool, crash: int, late: bool) -> None:
        config = self.config()
        after = {other: release for other, release in self.installed.items() if other != name}
        with killed_at(crash, after=late, can_exchange=self.can_exchange) as begun:
            if not self.something_remains(config, name, purge):
                with pytest.raises(PluginNotFound):
                    remove(config, name, purge_config=purge, purge_data=purge)
                return
            remove(config, name, purge_config=purge, purge_data=purge)
        if len(begun) > crash:
            self.settle(name, after)
            return
        self.becomes(name, after)
        if purge:
            self.owners.pop(name, None)
            self.disabled.discard(name)

    @rule(name=names)
    def open_data(self, name: str) -> None:
        release = self.installed.get(name)
        if release is None:
            return
        config = self.config()
        package = discovery.discover(config).find(name)
        if not self.may_open(name, release.publisher):
            with pytest.raises(DataOwner):
                owner.claim(config, package)
            return
        owner.claim(config, package)
        if self.owners.get(name, "unsigned") == "unsigned":
            self.owners[name] = release.publisher

    @rule(name=names)
    def adopt(self, name: str) -> None:
        if name in self.installed and name in self.owners:
            owner.adopt(self.config(), name)
            self.owners[name] = self.installed[name].publisher

    @rule(name=names, enabled=st.booleans())
    def switch(self, name: str, enabled: bool) -> None:
        if name not in self.installed:
            return
        switches.set_enabled(self.config(), name, enabled=enabled)
        (self.disabled.discard if enabled else self.disabled.add)(name)

    @invariant()
    def the_folder_is_what_the_model_says(self) -> None:
        if not hasattr(self, "root"):
            return
        config = self.config()
        assert self.found() == self.installed
        assert set(config.plugins.disabled) == self.disabled
        assert verify(config, None, accept=False, probe=FakeProbe()).ok
        for package in discovery.discover(config).packages:
            assert package.lock is not None
            assert lock.agrees(package.lock, package.digests)
            kept = previous.find(config, package)
            before = self.previous.get(package.name)
            assert (None if kept is None else kept.entry.version) == (
                None if before is None else f"{before.version}.0.0"
            )
        for name in NAMES:
            recorded = owner.read(config, name)
            assert (None if recorded is None else recorded.publisher) == self.owners.get(name)


TestHistories = PluginsFolder.TestCase
TestHistories.settings = settings(
    max_examples=12, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.reliability
class TestManyHistories(PluginsFolder.TestCase):  # type: ignore[misc, valid-type]
    settings = settings(
        max_examples=int(os.environ.get("ZEROCLAW_TEST_HISTORIES", "300")),
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        # To shrink so long a history takes minutes, and the check has a bound: a failing one is shown whole.
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
    )
