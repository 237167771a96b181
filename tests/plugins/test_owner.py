from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.packages import OTHER_SEED, SEED, config_in, with_mode, write_package
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.errors import DataOwner, MemoryFailure, NotFound, OwnerDamaged, PluginNotFound
from zeroclaw_cli.plugins import discovery, owner
from zeroclaw_cli.plugins.model import Package
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

KEY = public_key_hex(SEED)
OTHER_KEY = public_key_hex(OTHER_SEED)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def package(config: Config, signed_by: bytes | None = None, component: bytes = b"x") -> Package:
    write_package(config.plugins.plugins_dir / "p", "p", signed_by=signed_by, component=component)
    return discovery.discover(config).find("p")


def test_the_first_claim_creates_a_private_folder_bound_to_the_publisher(config: Config) -> None:
    found = package(config, SEED)
    folder = owner.claim(config, found)
    assert folder == config.location.data_dir / "plugins" / "p"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert owner.read(config, "p") == owner.Owner(KEY, found.digests.component)


def test_unsigned_data_is_bound_to_unsigned_and_a_new_build_may_open_it(config: Config) -> None:
    first = package(config)
    owner.claim(config, first)
    owner.claim(config, package(config, component=b"a new build"))
    assert owner.read(config, "p") == owner.Owner("unsigned", first.digests.component)


@pytest.mark.parametrize("successor", [OTHER_SEED, None])
def test_another_publisher_or_an_unsigned_package_is_refused_and_nothing_changes(
    config: Config, successor: bytes | None
) -> None:
    owner.claim(config, package(config, SEED))
    before = owner.read(config, "p")
    with pytest.raises(DataOwner) as caught:
        owner.claim(config, package(config, successor))
    assert KEY in caught.value.message
    assert "zeroclaw plugin adopt-data p" in (caught.value.hint or "")
    assert "--purge-data" in (caught.value.hint or "")
    assert owner.read(config, "p") == before


def test_unsigned_data_gains_an_owner_when_a_signed_package_opens_it(config: Config) -> None:
    owner.claim(config, package(config))
    owner.claim(config, package(config, SEED))
    assert owner.read(config, "p") is not None
    with pytest.raises(DataOwner):
        owner.claim(config, package(config))


def test_the_owner_does_not_depend_on_mode_or_trust(config: Config) -> None:
    owner.claim(config, package(config, SEED))
    for mode in SignatureMode:
        for trusted in ((), (KEY.upper(),)):
            changed = with_mode(config, mode, *trusted)
            if mode is SignatureMode.STRICT and not trusted:
                continue
            owner.claim(changed, discovery.discover(changed).find("p"))


def test_a_signature_that_does_not_verify_counts_as_unsigned(config: Config) -> None:
    folder = config.plugins.plugins_dir / "p"
    write_package(folder, "p", signed_by=SEED)
    manifest = folder / "manifest.toml"
    manifest.write_text(manifest.read_text().replace("The package", "Forged"))
    assert owner.publisher(discovery.discover(config).find("p").manifest) == "unsigned"


def test_checking_creates_nothing(config: Config) -> None:
    owner.check(config, package(config, SEED).manifest)
    assert not config.location.data_dir.exists()


def test_adopting_hands_the_data_to_the_installed_package(config: Config) -> None:
    owner.claim(config, package(config, SEED))
    found = package(config, OTHER_SEED)
    adoption = owner.adopt(config, "p")
    assert (adoption.owner.publisher, adoption.changed) == (OTHER_KEY, True)
    assert adoption.previous is not None
    assert adoption.previous.publisher == KEY
    owner.claim(config, found)
    assert not owner.adopt(config, "p").changed


def test_adopting_needs_a_package_and_data(config: Config) -> None:
    with pytest.raises(PluginNotFound):
        owner.adopt(config, "p")
    package(config)
    with pytest.raises(NotFound, match="no data"):
        owner.adopt(config, "p")


@pytest.mark.parametrize(
    "text", ["publisher = ", "publisher = 3\n", "other = 1\n", "publisher = 'x'\ncomponent_sha256 = 1\n"]
)
def test_a_damaged_owner_file_refuses_and_adopting_repairs_it(config: Config, text: str) -> None:
    found = package(config)
    (owner.claim(config, found) / "owner.toml").write_text(text)
    with pytest.raises(OwnerDamaged) as caught:
        owner.claim(config, found)
    assert "owner.toml" in caught.value.message
    assert caught.value.hint is not None
    assert owner.adopt(config, "p").changed
    owner.claim(config, found)


def test_the_size_of_the_data_counts_every_file_once(config: Config) -> None:
    assert owner.data_size(config, "p") is None
    folder = owner.claim(config, package(config))
    base = owner.data_size(config, "p")
    assert base is not None
    (folder / "files").mkdir()
    (folder / "files" / "a").write_bytes(b"12345")
    assert owner.data_size(config, "p") == base + 5


def test_adopting_data_replaces_a_link_and_not_the_file_behind_it(config: Config, tmp_path: Path) -> None:
    folder = owner.claim(config, package(config))
    (tmp_path / "mine.txt").write_text("mine")
    (folder / "owner.toml").unlink()
    (folder / "owner.toml").symlink_to(tmp_path / "mine.txt")
    assert owner.adopt(config, "p").changed
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert not (folder / "owner.toml").is_symlink()


def test_a_file_in_the_place_of_the_data_is_named_and_stays(config: Config) -> None:
    found = package(config)
    folder = owner.data_dir(config, "p")
    folder.parent.mkdir(parents=True)
    folder.write_text("mine")
    for use in (lambda: owner.claim(config, found), lambda: owner.require_access(config, found.manifest)):
        with pytest.raises(MemoryFailure) as caught:
            use()
        assert caught.value.message == f"{folder} is not a folder, and the data of p belongs there"
    assert folder.read_text() == "mine"


def test_an_owner_that_cannot_be_written_is_an_error_that_names_its_own_file(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = package(config)

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", f"{path}.1-ab.tmp")

    monkeypatch.setattr("zeroclaw_cli.fsio.atomic_write", refuse)
    with pytest.raises(MemoryFailure) as caught:
        owner.claim(config, found)
    assert caught.value.message == f"{owner.data_dir(config, 'p') / 'owner.toml'} cannot be written: Permission denied"


def test_access_is_required_without_creating_anything(config: Config) -> None:
    owner.require_access(config, package(config, SEED).manifest)
    assert not config.location.data_dir.exists()
    owner.claim(config, package(config, SEED))
    with pytest.raises(DataOwner):
        owner.require_access(config, package(config, OTHER_SEED).manifest)
