"""The data folder of a package, and whose it is (design.md, Where things are on disk).

``<data_dir>/plugins/<package>/owner.toml`` binds the data to the publisher that first wrote it, so that another package
that takes the same name does not inherit what it remembers. Whoever reads is checked and creates nothing.

Who the publisher is does not depend on the policy. A package counts as its publisher's when the signature of the
manifest verifies under the key that the manifest names, whatever ``signature_mode`` says and whether or not that key is
trusted: a signature that verifies proves possession of the key in each mode alike, and switching the mode must not lock
an honest user out of the data. Anything else — no signature, one that does not verify — counts as ``unsigned``.

Unsigned data may be taken over by a signed package (it gains an owner, and keeps it); the reverse, and a change from
one key to another, are refused until the operator says ``plugin adopt-data`` or ``plugin remove --purge-data``.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config, Security, SignatureMode
from zeroclaw_cli.errors import DataOwner, MemoryFailure, NotFound, OwnerDamaged
from zeroclaw_cli.os_errors import access_failure, remedy
from zeroclaw_cli.plugins import discovery, signature
from zeroclaw_cli.plugins.model import Manifest, Package, SignatureState

UNSIGNED: Final = "unsigned"
FILE: Final = "owner.toml"


@dataclass(frozen=True, slots=True)
class Owner:
    """``publisher``: 64 lower-case hex digits, or ``unsigned``. ``component_sha256``: the first component that wrote
    the data, None for data of a package without one."""

    publisher: str
    component_sha256: str | None


def data_dir(config: Config, name: str) -> Path:
    """Where the data of the package ``name`` is; it need not exist."""
    return config.location.data_dir / "plugins" / name


def data_size(config: Config, name: str) -> int | None:
    """Bytes of the files in the data folder of ``name``, links not followed; None when there is no folder."""
    folder = data_dir(config, name)
    if not folder.is_dir():
        return None
    total = 0
    for directory, _, names in os.walk(folder):
        for file in names:
            with suppress(OSError):
                total += Path(directory, file).lstat().st_size
    return total


def publisher(manifest: Manifest) -> str:
    """The key that provably signed the manifest, normalised, or ``unsigned``."""
    key = manifest.publisher_key
    if key is None or manifest.signature is None:
        return UNSIGNED
    vouching = Security(signature_mode=SignatureMode.PERMISSIVE, trusted_publisher_keys=(key,))
    if signature.verify(manifest, vouching).state is not SignatureState.VALID:
        return UNSIGNED
    return key.strip().lower()


def read(config: Config, name: str) -> Owner | None:
    """Who owns the data of ``name``; None when nothing was recorded. Raises OwnerDamaged."""
    path = data_dir(config, name) / FILE
    try:
        raw = fsio.read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise access_failure(error, path) or _damaged(path, name, error.strerror or str(error)) from None
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(raw.decode("utf-8"))
    except ValueError as error:
        raise _damaged(path, name, str(error)) from None
    key, component = document.get("publisher"), document.get("component_sha256")
    if not isinstance(key, str) or not isinstance(component, str | None):
        raise _damaged(path, name, "publisher or component_sha256 is missing or no string")
    return Owner(key, component)


def check(config: Config, manifest: Manifest) -> None:
    """Raise DataOwner when the package may not open the data that its name stands for. Reads only."""
    owner = read(config, manifest.name)
    if owner is None or owner.publisher == UNSIGNED:
        return
    applicant = publisher(manifest)
    if applicant == owner.publisher:
        return
    who = "is not signed" if applicant == UNSIGNED else f"is signed by {applicant}"
    raise DataOwner(
        f"the data of {manifest.name} belongs to the publisher {owner.publisher}, and this package {who}",
        hint=f"to hand it over: zeroclaw plugin adopt-data {manifest.name}; "
        f"to delete it: zeroclaw plugin remove {manifest.name} --purge-data",
    )


def require_access(config: Config, manifest: Manifest) -> None:
    """What must hold before the package runs on its data. Raises what :func:`check` raises, and MemoryFailure when
    something else than a folder is in the place of the data. Reads only."""
    folder = data_dir(config, manifest.name)
    if os.path.lexists(folder) and not folder.is_dir():
        raise MemoryFailure(
            f"{folder} is not a folder, and the data of {manifest.name} belongs there",
            hint="move it away, then try again",
        )
    check(config, manifest)


def claim(config: Config, package: Package) -> Path:
    """The data folder of ``package``, created (0700) and bound to its publisher if need be.

    Raises DataOwner when it belongs to another publisher, OwnerDamaged when that cannot be told, MemoryFailure when the
    folder cannot be written.
    """
    require_access(config, package.manifest)
    folder = data_dir(config, package.name)
    owner = read(config, package.name)
    try:
        if owner is None:
            fsio.make_private_dir(folder)
            _write(folder / FILE, Owner(publisher(package.manifest), package.digests.component))
        elif owner.publisher == UNSIGNED and (applicant := publisher(package.manifest)) != UNSIGNED:
            _write(folder / FILE, Owner(applicant, owner.component_sha256))
    except OSError as error:
        # It names a file that was only to become this one.
        raise MemoryFailure(
            f"{folder / FILE} cannot be written: {error.strerror or error}", hint=remedy(error, folder)
        ) from None
    return folder


@dataclass(frozen=True, slots=True)
class Adoption:
    """The data folder that changed hands; ``previous`` is None when it had no recorded owner."""

    name: str
    data: Path
    owner: Owner
    previous: Owner | None
    changed: bool


def adopt(config: Config, name: str) -> Adoption:
    """Bind the data of ``name`` to the package that is installed under that name now.

    Raises PluginNotFound or the error of the skip, and NotFound when there is no data. A damaged ``owner.toml`` is
    replaced: this is the way to repair it.
    """
    package = discovery.find_named(config, name)
    folder = data_dir(config, name)
    if not folder.is_dir():
        raise NotFound(f"{name} has no data to adopt", hint="its data appears when a memory command first writes to it")
    try:
        previous = read(config, name)
    except OwnerDamaged:
        previous = None
    owner = Owner(publisher(package.manifest), package.digests.component)
    changed = previous is None or previous.publisher != owner.publisher
    if changed:
        _write(folder / FILE, owner)
    return Adoption(name, folder, owner if changed or previous is None else previous, previous, changed)


def _write(path: Path, owner: Owner) -> None:
    from zeroclaw_cli.config.toml_text import own_file

    values = {"publisher": owner.publisher, "component_sha256": owner.component_sha256}
    text = own_file(
        "Whose data this folder holds: a publisher's key, or unsigned.",
        {name: value for name, value in values.items() if value is not None},
    )
    # Writing through a link would replace a file that is not ours.
    if path.is_symlink():
        path.unlink()
    fsio.atomic_write(path, text.encode("utf-8"))


def _damaged(path: Path, name: str, problem: str) -> OwnerDamaged:
    return OwnerDamaged(
        f"{path} is damaged: {' '.join(problem.split())}",
        hint=f"bind the data to the installed package: zeroclaw plugin adopt-data {name}",
    )
