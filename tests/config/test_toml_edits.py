"""Generated documents and edits on them: the values are those asked for, and no other line changes."""

from __future__ import annotations

from random import Random

import pytest

from tests.config.toml_edits import apply, changes, generated
from zeroclaw_cli.config.document import Document


def refused(seeds: range) -> int:
    """How many of the documents refuse one of up to three edits; every edit that is made is checked."""
    found = 0
    for seed in seeds:
        random = Random(seed)
        document = Document(generated(random))
        results = [apply(document, *changes(random, document.data)) for _ in range(random.randint(1, 3))]
        found += not all(results)
    return found


@pytest.mark.parametrize("start", [0, 100, 200])
def test_generated_documents_keep_the_lines_that_an_edit_does_not_concern(start: int) -> None:
    assert refused(range(start, start + 100)) <= 1


@pytest.mark.slow
def test_5_000_generated_documents_keep_the_lines_that_an_edit_does_not_concern() -> None:
    assert refused(range(5_000)) <= 5
