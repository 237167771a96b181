"""The store of a data directory, and its documents, opened with what repairs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zeroclaw_cli.native.bad_rows import BadRow
from zeroclaw_cli.native.db import Store, database_path
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.settings import NativeSettings

if TYPE_CHECKING:
    from zeroclaw_cli.native.service import NativeDocuments

Warn = Callable[[str], None]


class Repairs:
    """Repairs by :mod:`.repair`. With ``settings``, a store that was restored gets back what the mirror has for it
    before anybody sees it; without them the mirror is left alone."""

    def __init__(self, settings: NativeSettings | None) -> None:
        self._settings = settings

    @property
    def finishes(self) -> bool:
        return self._settings is not None

    def repair(self, path: Path, warn: Warn) -> None:
        from zeroclaw_cli.native.repair import repair

        repair(path, warn, self._settings)

    def mend_rows(self, path: Path, bad: Sequence[BadRow], warn: Warn) -> None:
        from zeroclaw_cli.native.repair import mend_rows

        mend_rows(path, bad, warn, self._settings)

    def finish(self, store: Store) -> None:
        from zeroclaw_cli.native.repair import finish

        assert self._settings is not None
        finish(store, self._settings)

    def renew_index(self, store: Store) -> None:
        from zeroclaw_cli.native.reindex import rebuild

        rebuild(store)


def open_store(data_dir: Path, settings: NativeSettings | None = None) -> Store:
    """The store of a data directory: ``<data_dir>/memory/native.db``."""
    return open_file(database_path(data_dir), settings)


def open_file(path: Path, settings: NativeSettings | None = None) -> Store:
    """The store at ``path``."""
    return Store(path, Repairs(settings))


def open_documents(data_dir: Path, scope: Scope, settings: NativeSettings = NativeSettings()) -> NativeDocuments:  # noqa: B008 - frozen
    """The documents of ``scope`` in the native store of ``data_dir``; nothing is created before the first write."""
    from zeroclaw_cli.native.service import NativeDocuments

    return NativeDocuments(open_store(data_dir, settings), scope, settings)
