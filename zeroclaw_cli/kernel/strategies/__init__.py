"""Strategies from artefacts: read, checked, replayed, compared, promoted and rolled back (specs/memory-kernel.md §15).

Nothing of an artefact runs against memory before it passed; what is selected is always the copy that passed.
"""

from __future__ import annotations
