"""The commands: parse, call one function of a lower floor, render what it returns. No rule of the domain is here."""

from __future__ import annotations
