from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.providers.plugin_yaml import ExternalDependency, PluginInfo, parse_plugin_yaml, read_plugin_yaml

WHOLE = """\
name: holographic
version: "1.10"
description: |
  Facts in
  one line
hooks: [prefetch, sync_turn]
kind: Exclusive
pip_dependencies:
  - numpy>=1,<3
external_dependencies:
  - {name: brv, check: brv --version, install: "see the site"}
requires_env: [HOLO_KEY]
network: true
unknown: kept
zeroclaw_memory_map:
  store: {tool: fact_store}
"""


def test_every_field_is_read() -> None:
    assert parse_plugin_yaml(WHOLE.encode()) == PluginInfo(
        name="holographic",
        version="1.10",
        description="Facts in one line",
        hooks=("prefetch", "sync_turn"),
        kind="exclusive",
        pip_dependencies=("numpy>=1,<3",),
        external_dependencies=(ExternalDependency("brv", "brv --version", "see the site"),),
        requires_env=("HOLO_KEY",),
        network=True,
        memory_map={"store": {"tool": "fact_store"}},
    )


def test_a_bom_is_dropped_and_an_empty_file_is_an_empty_info() -> None:
    assert parse_plugin_yaml(b"\xef\xbb\xbfname: x\n").name == "x"
    assert parse_plugin_yaml(b"") == PluginInfo()
    assert parse_plugin_yaml(b"# nothing\n") == PluginInfo()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"name: [", "plugin.yaml: line "),
        (b"- a\n- b\n", "holds a list, not a mapping"),
        (b"just text", "holds text, not a mapping"),
        (b"name: \xff", "not UTF-8: byte 6 is 0xff"),
        (b"a: " + b"x" * 65536, "larger than 64 KiB"),
        (b"a: !!python/object/apply:os.system ['touch x']", "plugin.yaml: line 1: "),
        (b"a: " + b"[" * 5000, ""),
        (b"a: &a [*a]", "unfolds to too much"),
        (b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
         b"d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]", "unfolds to too much"),
        (b"a: 2020-99-99", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_an_info_with_one_problem(text: bytes, problem: str) -> None:
    info = parse_plugin_yaml(text)
    assert len(info.problems) == 1
    assert problem in info.problems[0]
    assert "\n" not in info.problems[0]
    assert info == PluginInfo(problems=info.problems)


def test_values_of_another_kind_are_dropped_and_named() -> None:
    info = parse_plugin_yaml(
        b"name: [x]\nversion: 1.10\nhooks: prefetch\npip_dependencies: [a, 1, {b: c}]\nnetwork: maybe\n"
        b"external_dependencies: [brv, {check: x}]\nzeroclaw_memory_map: text\nrequires_env: null\n"
    )
    assert (info.name, info.version, info.hooks, info.network, info.memory_map) == ("", "1.1", (), None, None)
    assert info.pip_dependencies == ("a",)
    assert info.external_dependencies == ()
    text = "\n".join(info.problems)
    for part in (
        "name is a list",
        "version is a number; write it in quotes",
        "hooks is text, not a list",
        "an item of pip_dependencies is a number",
        "an item of pip_dependencies is a mapping",
        "network is text, not true or false",
        "zeroclaw_memory_map is text",
    ):
        assert part in text
    assert text.count("external_dependencies") == 2


def test_a_missing_file_a_link_and_a_pipe_are_problems(tmp_path: Path) -> None:
    assert read_plugin_yaml(tmp_path).problems == ("there is no plugin.yaml",)
    (tmp_path / "other").write_text("name: x")
    (tmp_path / "plugin.yaml").symlink_to(tmp_path / "other")
    assert "cannot be read" in read_plugin_yaml(tmp_path).problems[0]
    (tmp_path / "plugin.yaml").unlink()
    os.mkfifo(tmp_path / "plugin.yaml")
    assert "cannot be read" in read_plugin_yaml(tmp_path).problems[0]


@given(st.binary(max_size=400))
def test_no_bytes_make_the_reader_raise(data: bytes) -> None:
    parse_plugin_yaml(data)
    parse_plugin_yaml(b"name: " + data)
