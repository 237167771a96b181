"""Providers whose objects, and what these return, misbehave in any way when they are only looked at."""

from __future__ import annotations

import json

import pytest

from tests.support.command import Done, Home
from tests.support.provider_plugins import REGISTER, install

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

TURN = '[{"role": "user", "content": "what is it"}, {"role": "assistant", "content": "tea"}]'
PLAIN = """
class Provider:
    name = "mem"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
"""
RAISES = "    def __getattr__(self, name): raise RuntimeError('do not look')\n"
HALF = """
    def __getattribute__(self, name):
        if name in ("name", "is_available", "initialize", "get_tool_schemas", "__class__", "__dict__"):
            return object.__getattribute__(self, name)
        raise BaseException("do not look")
"""
PROPERTIES = """
    @property
    def prefetch(self): raise SystemExit(3)
    on_memory_write = get_status_config = get_config_schema = backup_paths = post_setup = save_config = prefetch
"""
EVERY_HOOK = """
def wild(self, *args, **kwargs): return VALUE
for hook in ("unavailable_reason get_config_schema save_config system_prompt_block prefetch queue_prefetch sync_turn "
             "on_session_end on_memory_write backup_paths shutdown get_status_config handle_tool_call").split():
    setattr(Provider, hook, wild)
"""
VALUES = """
import itertools
from collections.abc import Mapping

class Text(str):
    def _no(self, *args, **kwargs): raise RuntimeError("do not read")
    __str__ = __hash__ = __eq__ = __contains__ = __iter__ = strip = split = isprintable = startswith = encode = _no

class Map(Mapping):
    def __getitem__(self, key): raise BaseException("do not read")
    def __iter__(self): raise RuntimeError("do not walk")
    def __len__(self): return 3

class Table(dict):
    def items(self): raise RuntimeError("do not walk")
    get = __getitem__ = __iter__ = keys = items

class Odd:
    @property
    def __class__(self): raise RuntimeError("do not ask")
    def __str__(self): raise BaseException("do not show")
    __repr__ = __bool__ = __iter__ = __len__ = __str__

class Endless(list):
    def __iter__(self): return itertools.repeat("/x")
"""
KINDS = {
    "attributes that raise": PLAIN + RAISES,
    "lookups that raise": PLAIN + HALF,
    "properties that raise": PLAIN + PROPERTIES,
    "texts": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "Text('x')"),
    "mappings": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "Map()"),
    "tables": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "Table(key='x')"),
    "lists of tables": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "[Table(key=Text('x'))]"),
    "objects": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "Odd()"),
    "endless lists": VALUES + PLAIN + EVERY_HOOK.replace("VALUE", "Endless()"),
}
# Commands, and whether the built-in store does its work whatever the provider does.
COMMANDS: list[tuple[list[str], bool]] = [
    (["memory", "store", "tea", "green", "--json"], True),
    (["memory", "store", "tea", "black"], True),
    (["memory", "forget", "tea"], True),
    (["memory", "context", "what is it"], True),
    (["memory", "context", "what is it", "--json"], True),
    (["memory", "record", "-", "--thread", "t", "--run", "r", "--json"], False),
    (["memory", "backup", "--out", "b.zip"], True),
    (["memory", "status", "--json"], False),
    (["memory", "status"], False),
    (["memory", "setup", "mem", "--json"], False),
    (["memory", "setup", "mem", "--set", "x=y"], False),
    (["memory", "providers"], True),
    (["doctor"], False),
    (["memory", "recall", "tea", "--backend", "provider.mem"], False),
    (["memory", "store", "a", "b", "--backend", "provider.mem", "--json"], False),
    (["memory", "count", "--backend", "provider.mem", "--json"], False),
    (["memory", "health", "--backend", "provider.mem"], False),
    (["memory", "context", "what is it", "--backend", "provider.mem"], False),
]


def run(home: Home, words: list[str]) -> Done:
    # Home.run itself refuses a traceback.
    return home.run(*words, stdin=TURN)


@pytest.mark.parametrize("code", KINDS.values(), ids=KINDS)
def test_a_provider_that_misbehaves_when_it_is_looked_at_costs_lines_and_no_traceback(home: Home, code: str) -> None:
    home.config_dir.mkdir(mode=0o700)
    install(home.config_dir, "mem", code + REGISTER)
    home.config_file.write_text('[memory]\nprovider = "mem"\n')
    home.config_file.chmod(0o600)
    for words, holds in COMMANDS:
        done = run(home, words)
        assert done.code in (0, 1, 2, 3), (words, done)
        assert not holds or done.code == 0, (words, done)
        lines = done.stderr.splitlines()
        assert all(line.isprintable() for line in lines), (words, done)
        assert "unexpected" not in done.stderr, (words, done)
        if "--json" in words and done.code:
            body = json.loads(lines[-1]) if lines else done.json()
            assert "code" in body or "usable" in body, (words, done)
        elif "--json" in words:
            done.json()
