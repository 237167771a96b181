from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.config.toml_documents import NAMES, documents
from tests.support.stack import with_frames
from zeroclaw_cli.config.document import Document, NotEditable
from zeroclaw_cli.config.toml_statements import line_of, statements_of
from zeroclaw_cli.config.tree_path import Address, same

ENABLED = ("plugins", "enabled")


def addresses(value: Any, above: Address = ()) -> list[Address]:
    """The address of every value inside ``value``."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [above] if above else []
    for name, member in members:
        found += addresses(member, (*above, name))
    return found


def only_inserts(old: str, new: str) -> bool:
    """Whether ``new`` is ``old`` with one piece put in."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = next(
        (i for i, (a, b) in enumerate(zip(reversed(old), reversed(new), strict=False)) if a != b),
        min(len(old), len(new)),
    )
    return len(new) > len(old) and head + tail >= len(old)


@given(documents())
def test_a_document_that_is_read_is_written_back_byte_for_byte(text: str) -> None:
    assert Document(text).text == text


@given(documents(), st.lists(NAMES, min_size=1, max_size=3).map(tuple), st.sampled_from([True, 7, "text", ("a", "b")]))
@settings(max_examples=60)
def test_setting_a_new_key_only_inserts(text: str, address: tuple[str, ...], value: Any) -> None:
    document = Document(text)
    assume(document.get(address) is None)
    try:
        document.set(address, value)
    except NotEditable:
        # Only where something on the way is a value, or a table of another kind.
        assert any(not isinstance(document.get(address[:size]), dict | None) for size in range(1, len(address)))
        assert document.text == text
        return
    assert only_inserts(text, document.text)
    assert same(Document(document.text).data, document.data)
    assert document.get(address) == (list(value) if isinstance(value, tuple) else value)


@given(documents(), st.data(), st.sampled_from([True, 7, "text"]))
@settings(max_examples=60)
def test_setting_a_key_that_is_there_replaces_its_value_alone(text: str, data: st.DataObject, value: Any) -> None:
    document = Document(text)
    pairs = [pair for pair in statements_of(text.removeprefix("\ufeff")) if not pair.is_header]
    assume(pairs)
    pair = data.draw(st.sampled_from(pairs))
    shift = len(text) - len(text.removeprefix("\ufeff"))
    before, after = text[: pair.value + shift], text[pair.tail + shift :]
    document.set(pair.address, value)
    assert document.text.startswith(before)
    assert document.text.endswith(after)
    assert document.get(pair.address) == value


@given(documents(), st.data())
@settings(max_examples=60)
def test_removing_a_key_removes_its_lines_alone(text: str, data: st.DataObject) -> None:
    document = Document(text)
    pairs = [pair for pair in statements_of(text.removeprefix("\ufeff")) if not pair.is_header]
    assume(pairs)
    pair = data.draw(st.sampled_from(pairs))
    shift = len(text) - len(text.removeprefix("\ufeff"))
    assert document.remove(pair.address)
    assert document.text == text[: pair.start + shift] + text[pair.end + shift :]
    assert document.get(pair.address) is None


@given(documents(), st.data())
@settings(max_examples=60)
def test_removing_anything_only_deletes_and_leaves_the_rest(text: str, data: st.DataObject) -> None:
    document = Document(text)
    found = addresses(document.data)
    assume(found)
    document.remove(data.draw(st.sampled_from(found)))
    left = iter(text)
    assert all(char in left for char in document.text)
    assert same(Document(document.text).data, document.data)


@given(documents(), st.lists(NAMES, min_size=1, max_size=2).map(tuple), st.text(max_size=5).filter(str.isprintable))
@settings(max_examples=60)
def test_appending_a_table_only_inserts(text: str, array: tuple[str, ...], name: str) -> None:
    document = Document(text)
    parts = [document.get(array[:size]) for size in range(1, len(array) + 1)]
    assume(all(part is None or isinstance(part, dict) for part in parts[:-1]))
    assume(parts[-1] is None or (isinstance(parts[-1], list) and all(isinstance(item, dict) for item in parts[-1])))
    before = len(parts[-1] or ())
    document.append_table(array, {"name": name})
    assert only_inserts(text, document.text)
    assert document.get((*array, before)) == {"name": name}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[plugins]\nenabled = true\n"),
        ("[plugins]\r\nmax_plugins = 3\r\n", "[plugins]\r\nmax_plugins = 3\r\nenabled = true\r\n"),
        ("[plugins]\nmax_plugins = 3", "[plugins]\nmax_plugins = 3\nenabled = true"),
        ("[plugins]", "[plugins]\nenabled = true"),
        ("[plugins]\n\n[x]\n", "[plugins]\nenabled = true\n\n[x]\n"),
        ("[plugins]\na = 1\n\n# on x\n[x]\n", "[plugins]\na = 1\nenabled = true\n\n# on x\n[x]\n"),
        ("[plugins]\n  a = 1 # c\n", "[plugins]\n  a = 1 # c\n  enabled = true\n"),
        ("plugins.a = 1\nz = 1\n", "plugins.a = 1\nplugins.enabled = true\nz = 1\n"),
        ("plugins = { a = 1 }\n", "plugins = { a = 1, enabled = true }\n"),
        ("plugins = {}\n", "plugins = { enabled = true }\n"),
        ("plugins = {\n  a = 1,\n}\n", "plugins = {\n  a = 1,\n  enabled = true\n}\n"),
        ("[plugins.limits]\na = 1\n\n[x]\n", "[plugins.limits]\na = 1\n\n[plugins]\nenabled = true\n\n[x]\n"),
        ("# mine\na = 1\n", "# mine\na = 1\n\n[plugins]\nenabled = true\n"),
        ("[x]\na = 1", "[x]\na = 1\n\n[plugins]\nenabled = true"),
        ("[plugins]\nenabled   =   false   # why\n", "[plugins]\nenabled   =   true   # why\n"),
        ('["plugins"]\n"enabled"=false', '["plugins"]\n"enabled"=true'),
    ],
)
def test_a_key_goes_where_a_person_would_put_it(before: str, after: str) -> None:
    document = Document(before)
    document.set(ENABLED, True)
    assert document.text == after


def test_a_root_key_goes_before_the_first_section() -> None:
    document = Document("# about\n[plugins]\nenabled = true\n")
    document.set(("schema_version",), 3)
    assert document.text == "schema_version = 3\n\n# about\n[plugins]\nenabled = true\n"


def test_a_key_of_an_array_element_stays_inside_that_element() -> None:
    document = Document('[[e]]\nname = "a"\n\n[x]\n\n[[e]]\nname = "b"\n')
    document.set(("e", 0, "config", "k"), "v")
    assert document.text == '[[e]]\nname = "a"\n\n[e.config]\nk = "v"\n\n[x]\n\n[[e]]\nname = "b"\n'


def test_an_element_is_appended_behind_tables_that_interrupt_the_array() -> None:
    document = Document('[[e]]\nname = "a"\n[x]\ny = 1\n[[e]]\nname = "b"\n[e.config]\nk = "v"\n[z]\n')
    document.append_table(("e",), {"name": "c"})
    assert [item["name"] for item in document.data["e"]] == ["a", "b", "c"]
    assert '[e.config]\nk = "v"\n\n[[e]]\nname = "c"\n\n[z]\n' in document.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p = { a = 1, b = 2 }", "p = { b = 2 }"),
        ("p = { b = 2, a = 1 }", "p = { b = 2 }"),
        ("p = { a = 1 }", "p = { }"),
        ("p = { b = 2, a = 1, c = 3 }", "p = { b = 2, c = 3 }"),
        ("p = {\n  a = 1, # one\n  b = 2, # two\n}", "p = {\n  b = 2, # two\n}"),
        ("p = {\n  b = 2, # two\n  a = 1, # one\n}", "p = {\n  b = 2, # two\n}"),
        ("p = { b = 2, a.x = 1, a.y = 2 }", "p = { b = 2 }"),
        ("p = { a.x = 1, b = 2, a.y = 2 }", "p = { b = 2 }"),
        ("p = { a.x = 1, a.y = 2 }", "p = { }"),
        ("p = { a = 1 # c\n , b = 2 }", "p = {  # c\n  b = 2 }"),
        ("p.a = 1\np.b = 2\n", "p.b = 2\n"),
        ("[p]\n# why\na = 1 # c\nb = 2\n", "[p]\n# why\nb = 2\n"),
        ("[p]\na = 1\n\n[p.c]\n", "[p]\n\n[p.c]\n"),
    ],
)
def test_a_removed_key_leaves_the_comments_of_others(before: str, after: str) -> None:
    document = Document(before)
    assert document.remove(("p", "a"))
    assert document.text == after


def test_removing_an_element_takes_its_sections_and_not_those_of_its_neighbours() -> None:
    document = Document("[[e]]\nn = 1\n[e.c]\nk = 1\n\n# two\n[[e]]\nn = 2\n[e.c]\nk = 2\n\n# x\n[x]\n")
    document.remove(("e", 0))
    assert document.text == "# two\n[[e]]\nn = 2\n[e.c]\nk = 2\n\n# x\n[x]\n"


def test_what_is_not_there_cannot_be_removed() -> None:
    document = Document("a = 1\n")
    assert not document.remove(("b",))
    assert document.text == "a = 1\n"


@pytest.mark.parametrize(
    ("before", "comment", "after"),
    [
        ("[p]\na = 1\n", "why", "[p]\n# why\na = 1\n"),
        ("[p]\n# old\n# older\na = 1\n", "one\ntwo", "[p]\n# one\n# two\na = 1\n"),
        ("[p]\n# apart\n\n# old\na = 1\n", "new", "[p]\n# apart\n\n# new\na = 1\n"),
        ("[p]\n# old\na = 1\n", "", "[p]\na = 1\n"),
        ("[p]\r\n\ta = 1\r\n", "x", "[p]\r\n\t# x\r\n\ta = 1\r\n"),
        ("[p]\na = 1\n", "a\n\nb", "[p]\n# a\n#\n# b\na = 1\n"),
        ("[p]\nb = 2 # b's\na = 1\n", "x", "[p]\nb = 2 # b's\n# x\na = 1\n"),
    ],
)
def test_a_comment_replaces_the_comment_lines_directly_above(before: str, comment: str, after: str) -> None:
    document = Document(before)
    document.comment(("p", "a"), comment)
    assert document.text == after


def test_a_line_of_a_string_is_no_comment() -> None:
    text = 'x = """\n# text"""\ny = 1\nz = """\n# more"""\n[p]\na = 1\n'
    document = Document(text)
    document.comment(("y",), "why")
    assert document.text == text.replace("y = 1", "# why\ny = 1")
    document.set(("w",), 2)
    assert document.text == text.replace("y = 1", "# why\ny = 1").replace("[p]", "w = 2\n[p]")
    document.remove(("p",))
    assert document.text.endswith('# more"""\nw = 2\n')


def test_a_text_that_nests_too_deep_for_an_edit_is_refused() -> None:
    for depth in range(50, 1000, 50):
        try:
            document = Document(f"x = {'[' * depth}{']' * depth}\n")
            before = document.text
            document.set(("a",), 1)
        except NotEditable:
            assert document.text == before
        except ValueError as error:
            assert "nests deeper" in str(error)


def test_a_key_inside_an_inline_table_takes_no_comment() -> None:
    document = Document("p = { a = 1 }\n")
    with pytest.raises(NotEditable, match="on its own line"):
        document.comment(("p", "a"), "x")
    assert document.text == "p = { a = 1 }\n"


@pytest.mark.parametrize("text", ["p = 1\n", "p = []\n", "[[p]]\n", "p.a = 1\n", "p = { a = [] }\n"])
def test_a_refused_edit_leaves_the_text(text: str) -> None:
    document = Document(text)
    data = document.data
    with pytest.raises(NotEditable):
        document.set(("p", "a", "b"), 1)
    assert document.text == text
    assert document.data == data


def test_a_text_that_is_not_toml_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="end of document"):
        Document("a = ")


def test_a_text_that_nests_too_deep_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nests deeper"):
        Document("a = " + "[" * 100_000)


@pytest.mark.parametrize(
    ("text", "address", "line"),
    [
        ("a = 1\n[p]\nb = 2\n", ("p", "b"), 3),
        ("a = 1\n[p]\nb = 2\n", ("p", "zzz"), 2),
        ("a = 1\n[p.q]\nb = 2\n", ("p",), 2),
        ("[[e]]\n[[e]]\nx = {\n y = 1 }", ("e", 1, "x", "y"), 3),
        ("a = 1\n", ("q",), None),
    ],
)
def test_the_line_of_an_address_is_known(text: str, address: Address, line: int | None) -> None:
    assert line_of(text, address) == line


@pytest.mark.parametrize("value", ["[" * 395 + "]" * 395, "{a = " * 395 + "1" + "}" * 395])
def test_a_deep_value_is_opened_where_few_frames_are_left(value: str) -> None:
    text = f"deep = {value}\n[plugins]\nenabled = false\n"
    document = with_frames(100, lambda: Document(text))
    assert line_of(text, ENABLED) == 3
    with pytest.raises(NotEditable):
        with_frames(100, lambda: document.set(ENABLED, True))
    assert document.text == text
