from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.languages import Language, language
from zeroclaw_cli.errors import ToolMissing

Built = Callable[[Language], Path]


@pytest.fixture(scope="session")
def built(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Gives the component of a language. It is kept between runs, since some toolchains take half a minute.

    A language whose toolchain is missing skips the test, or fails it where continuous integration must have it.
    """
    # There is no such attribute where the plugin that keeps the cache is off.
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    folder = tmp_path_factory.mktemp("guests") if cache is None else Path(cache.mkdir("guests"))

    def component(wanted: Language) -> Path:
        try:
            return wanted.component(folder)
        except ToolMissing as problem:
            if wanted.in_ci and os.environ.get("CI"):
                pytest.fail(wanted.missing(problem))
            pytest.skip(wanted.missing(problem))

    return component


@pytest.fixture(scope="session")
def python_guest(built: Built) -> Path:
    """The component of tests/guests/python/."""
    return built(language("python"))
