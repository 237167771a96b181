"""The built-in store: documents and entries over SQLite, one search index, lanes, profile and safety."""

from __future__ import annotations
