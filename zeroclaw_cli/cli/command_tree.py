"""The commands, their options and what each value is: data that ``zeroclaw_cli.cli.generate`` makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TypedDict


class Option(TypedDict):
    help: str
    value: str | None


class Node(TypedDict):
    help: str
    options: dict[str, Option]
    arguments: list[str]
    commands: dict[str, Node]


TREE: Final[Node] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
