from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import tomli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.stack import with_frames
from zeroclaw_cli.errors import InvalidManifest
from zeroclaw_cli.plugins.canonical import canonical_bytes, check_signable, insert_signature, set_root_strings

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

VECTORS = json.loads((Path(__file__).parent / "signature_vectors.json").read_text(encoding="utf-8"))
KEYS = ("signature", "publisher_key")


def canonical(text: str) -> str:
    return canonical_bytes(text).decode("utf-8")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['id']} {vector['what']}")
def test_the_vectors_of_the_specification_hold(vector: dict[str, str]) -> None:
    data = canonical_bytes(vector["manifest"])
    assert data == vector["canonical"].encode()
    assert str(len(data)) == str(vector["len"])
    assert hashlib.sha256(data).hexdigest() == vector["sha256"]


# Table 4.3 of the specification, row by row.


def test_comments_and_blank_lines_above_a_removed_key_go_with_it() -> None:
    assert canonical("a = 1\n# x\n\n  # y\nsignature = 1\nb = 2\n") == "a = 1\nb = 2"


def test_a_comment_on_the_line_of_a_removed_key_goes_with_it() -> None:
    assert canonical("a = 1\nsignature = 1 # x\nb = 2\n") == "a = 1\nb = 2"


def test_comments_below_a_removed_key_belong_to_what_follows() -> None:
    assert canonical("a = 1\nsignature = 1\n# x\nb = 2\n") == "a = 1\n# x\nb = 2"
    assert canonical("a = 1\nsignature = 1\n\n# x\n[t]\n") == "a = 1\n\n# x\n[t]"
    assert canonical("a = 1\nsignature = 1\n\n# x") == "a = 1\n\n# x"


def test_the_header_comment_goes_with_a_removed_first_key() -> None:
    assert canonical("# (c)\n\nsignature = 1\na = 1\n") == "a = 1"


def test_indentation_spacing_quoting_and_spelling_are_kept() -> None:
    text = "  a=1\n\t'b'   =\t0x_F\n\"c d\" = 1_000.50e+1 \nd = [ 1,\n  2, # two\n ]\ne = '''\n x'''\n"
    text = text.replace("0x_F", "0xF")
    assert canonical(text) == text.removesuffix("\n")


def test_crlf_becomes_lf_everywhere_also_inside_strings() -> None:
    assert canonical('a = """\r\nx\\\r\n  y"""\r\n# c\r\nb = 1\r\n') == 'a = """\nx\\\n  y"""\n# c\nb = 1'


def test_a_missing_final_newline_and_a_byte_order_mark_are_irrelevant() -> None:
    assert canonical("\ufeffa = 1") == canonical("a = 1\n") == "a = 1"


def test_whitespace_only_lines_in_the_middle_and_trailing_spaces_are_kept() -> None:
    assert canonical("a = 1  \n \t\n\nb = 2\t\n") == "a = 1  \n \t\n\nb = 2\t"


def test_whitespace_only_lines_at_the_end_are_dropped() -> None:
    assert canonical("a = 1\n\n \t\n\r\n") == "a = 1"


def test_headers_their_order_spacing_and_comments_are_kept() -> None:
    text = "a = 1\n[ z ] # last\nx = 1\n\n [[ b . c ]]\n# in\n[y]\n[[b.c]]"
    assert canonical(text) == text


def test_dotted_keys_move_to_the_first_of_their_prefix_with_their_comments() -> None:
    assert canonical("x.a = 1\nb = 1\n# keep\nx.b = 2 # too\n") == "x.a = 1\n# keep\nx.b = 2 # too\nb = 1"


def test_dotted_keys_are_grouped_recursively_and_inside_every_table() -> None:
    text = "x.a.p = 1\nx.b = 2\ny = 3\nx.a.q = 4\n"
    grouped = "x.a.p = 1\nx.a.q = 4\nx.b = 2\ny = 3"
    assert canonical(text) == grouped
    assert canonical(f"[t]\n{text}[[u]]\n{text}") == f"[t]\n{grouped}\n[[u]]\n{grouped}"


def test_dotted_keys_are_not_grouped_across_tables() -> None:
    text = "x.a = 1\nb = 1\n[t]\nx.a = 1"
    assert canonical(text) == text


def test_a_last_line_without_line_end_may_move() -> None:
    assert canonical("x.a = 1\nb = 1\nx.b = 2") == "x.a = 1\nx.b = 2\nb = 1"


# Which keys are removed.


@pytest.mark.parametrize(
    "line",
    [
        "signature = 1",
        "'signature' = 1",
        '"signature"=""',
        '"sig\\u006eature" = [\n1,\n]',
        '"\\x73ignature" = {a = 1,\n# c\n}',
        "signature . x = 1",
        'publisher_key = """\n= \n"""',
        "publisher_key = ''''a'''''",
    ],
)
def test_a_root_key_of_that_name_is_removed_however_written_and_whatever_its_type(line: str) -> None:
    assert canonical(f"a = 1\n{line}\nb = 2\n") == "a = 1\nb = 2"


def test_a_root_table_of_that_name_is_removed_with_what_is_under_it() -> None:
    assert canonical("a = 1\n[signature]\nx = 1\n# c\n[b]\n['signature'.z]\n[[publisher_key]]\n") == "a = 1\n# c\n[b]"


@pytest.mark.parametrize(
    "text", ["[t]\nsignature = 1", "t.signature = 1", "signature_algorithm = 1", "Signature = 1", "t = {signature = 1}"]
)
def test_other_keys_stay(text: str) -> None:
    assert canonical(text) == text


def test_a_document_of_nothing_but_the_pair_is_empty() -> None:
    assert canonical("# c\nsignature = 1\n# d\npublisher_key = 2") == ""


def test_only_a_line_feed_ends_a_line() -> None:
    assert canonical("a = 'x\u2028signature = 1\x85'\n# \u2028\n") == "a = 'x\u2028signature = 1\x85'\n# \u2028"


@pytest.mark.parametrize(
    "value",
    [
        '"a # b = [\\""',
        "'a \" # \\'",
        '""',
        "''",
        '"""a "" \\""" b"""',
        '"""a"""""',
        "'''a'' \\'''",
        "'''''a'''''",
        '[ "]", \']\', """]\n""", [ # ]\n ], ]',
        '{ "}" = 1, b = { c = "}" },\n # }\n d."}" = [{}], }',
        "10:20",
        "2024-01-01 10:20:30.5",
        "-inf",
        "1e3",
    ],
)
def test_values_of_every_kind_are_scanned_to_their_end(value: str) -> None:
    assert tomli.loads(f"a = {value}\n")
    assert canonical(f"signature = {value}\t# c\nb = {value} # d\n") == f"b = {value} # d"
    assert canonical(f"b = {value}\npublisher_key={value}") == f"b = {value}"


# Writing.


def test_the_signature_stands_after_the_last_root_line_and_every_other_byte_stays() -> None:
    text = "# (c)\na = [\n 1,\n] # c\n\n# table\n[t]\nb = 1"
    assert insert_signature(text, "S", "K") == (
        '# (c)\na = [\n 1,\n] # c\nsignature = "S"\npublisher_key = "K"\n\n# table\n[t]\nb = 1'
    )


def test_a_last_root_line_without_line_end_gets_one() -> None:
    assert insert_signature("a = 1", "S", "K") == 'a = 1\nsignature = "S"\npublisher_key = "K"\n'


def test_the_line_ending_of_the_file_is_used() -> None:
    assert insert_signature("a = 1\r\n\r\n[t]\r\n", "S", "K") == (
        'a = 1\r\nsignature = "S"\r\npublisher_key = "K"\r\n\r\n[t]\r\n'
    )
    assert insert_signature("a = 1\r\nb = 1", "S", "K").endswith('b = 1\r\nsignature = "S"\r\npublisher_key = "K"\r\n')


def test_an_old_pair_is_removed_by_the_same_spans() -> None:
    text = "# (c)\nsignature = 1 # x\na = 1\n# who\n'publisher_key' = 2\n# tail\n"
    assert insert_signature(text, "S", "K") == 'a = 1\nsignature = "S"\npublisher_key = "K"\n# tail\n'


def test_signing_again_changes_nothing_but_the_pair() -> None:
    once = insert_signature("a = 1\n\n[t]\n", "S", "K")
    assert insert_signature(once, "S", "K") == once
    assert insert_signature(insert_signature(once, "other", "pair"), "S", "K") == once


@pytest.mark.parametrize("text", ["", "# c\n", "[t]\na = 1\n", "signature = 1\n", "signature = 1\n[t]\n"])
def test_a_document_without_a_root_key_has_no_place_for_a_signature(text: str) -> None:
    with pytest.raises(InvalidManifest, match="cannot be signed: it has no root key"):
        insert_signature(text, "S", "K")


def test_root_strings_are_set_in_place_or_added_after_the_last_root_line() -> None:
    text = 'a = 1\n# digest\n"b"   =  [\n 1 ] # c\n\n[t]\nb = 1\n'
    assert set_root_strings(text, {"b": 'x"\\\n', "n": "y"}) == (
        'a = 1\n# digest\n"b"   =  "x\\"\\\\\\n" # c\nn = "y"\n\n[t]\nb = 1\n'
    )
    assert set_root_strings(text, {}) == text
    assert set_root_strings("a = 1\r\n", {"a": "x"}) == 'a = "x"\r\n'


@pytest.mark.parametrize("text", ["a = 1\nn.x = 1\n", "a = 1\n[n]\n", "a = 1\n[[n]]\n"])
def test_a_root_table_is_not_made_a_string(text: str) -> None:
    with pytest.raises(InvalidManifest):
        set_root_strings(text, {"n": "x"})


# What cannot be signed.


@pytest.mark.parametrize(
    "text",
    [
        "x.a = 1\nb = 1\nx.b = 1",
        "[t]\nx.a.p = 1\nx.b = 1\nx.a.q = 1",
        "[[t]]\nx.a = 1\nb = 1\nx.b = 1",
        "t = {x.a = 1, b = 1, x.b = 1}",
        "t = [1, {u = {x.a = 1, b = 1,\n x.b = 1}}]",
    ],
)
def test_interleaved_dotted_keys_are_not_signed(text: str) -> None:
    with pytest.raises(InvalidManifest, match=r"the dotted key 'x\.[abpq.]+' stands apart") as caught:
        check_signable(text)
    assert caught.value.hint == "bring the dotted keys of one prefix together, or write them as a table"


@pytest.mark.parametrize(
    "text",
    [
        "a.x = 1\na . z = 1",
        'a.x = 1\n"a".y = 1',
        "a . x = 1\na.y = 1",
        "a.b.x = 1\na. b.y = 1",
        "[a.b]\n['a'.c]",
        "[a]\n['a'.c]",
        "a.x = 1\n['a'.b]",
        "[t]\na.x = 1\n[t.'a'.b]",
        "t = {a.x = 1, 'a'.y = 1}",
        "[[ t ]]\n[[t]]",
        "[[ t]]\n[[t]]",
        "[[t ]]\n[[t]]",
        "[ a ]\n[a .b]",
        "[a.b]\n[ a ]",
        "[a.b.c]\n[a. b]",
        "a.x = 1\n[a .y]",
    ],
)
def test_a_shared_prefix_written_in_two_ways_is_not_signed(text: str) -> None:
    assert tomli.loads(text)
    with pytest.raises(InvalidManifest, match="is written in two ways"):
        check_signable(text)


@pytest.mark.parametrize(
    "text",
    [
        "x.a = 1\nx.b = 1\nb = 1",
        "x.a = 1\n\n # c\n  x.b=1",
        "[[t]]\n'x'.a = 1\n[[t]]\nx.a = 1",
        "[[ t ]]\n[[ t ]]\n[t.u]",
        "[ a ]\n[ a.b ]",
        "[a . b]\n[a]",
        "[a . b]\n[ a . c ]",
        "a . b = 1\na . c  =  1",
        "t = { a.b = 1,  a.c  = 1 }",
        "t = [{x.a = 1}, {'x'.a = 1}]",
        "[x]\na = 1\n[y]\na.b = 1\n[x.a2]",
        "[ a ]\n[a.b]",
    ],
)
def test_what_every_host_renders_alike_is_signed(text: str) -> None:
    assert tomli.loads(text)
    check_signable(text)


@pytest.mark.parametrize(
    "text", ["a", "a = 1\na = 2", "a = \ud800", "'\ud800' = 1", "[a", "a = 1\r", "\ufeff\ufeff", "a\0"]
)
def test_text_that_is_not_toml_is_an_invalid_manifest(text: str) -> None:
    for use in (canonical_bytes, check_signable, lambda text: insert_signature(text, "S", "K")):
        with pytest.raises(InvalidManifest, match="not a TOML document"):
            use(text)


# Properties over generated documents.

_STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)
_BARE = st.sampled_from(["a", "b", "c-1", "signature", "publisher_key", "x"])
_BLANKS = st.sampled_from(["", "", " ", "\t "])


def _basic(text: str) -> str:
    return '"' + "".join(c if c.isalnum() or c in " #=[]{}'," else f"\\U{ord(c):08x}" for c in text) + '"'


def _literal(text: str) -> str:
    return "'" + "".join(c for c in text if c.isprintable() and c != "'") + "'"


def _multi_line(text: str) -> str:
    return '"""' + "".join(c if c.isprintable() and c not in '"\\' else "\n" for c in text) + '"""'


_SCALARS = (
    st.integers(-9, 9).map(str)
    | st.sampled_from(["true", "1.5", "inf", "0x1F", "2024-01-01", "10:20", "''''a'''''", '"""a"""""'])
    | _STRINGS.map(_basic)
    | _STRINGS.map(_literal)
    | _STRINGS.map(_multi_line)
)


def _array(members: list[str], gap: str) -> str:
    return "[" + gap + ("," + gap).join(members) + gap + "]"


def _table(members: list[str], gap: str) -> str:
    return "{" + gap + ("," + gap).join(f"k{n} = {member}" for n, member in enumerate(members)) + gap + "}"


_GAPS = st.sampled_from(["", " ", "\n", " # ]}\n", "\r\n\t"])
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.builds(_array, st.lists(inner, max_size=3), _GAPS) | st.builds(_table, st.lists(inner, max_size=3), _GAPS)
    ),
    max_leaves=5,
)
_SEGMENTS = _BARE | _BARE.map(lambda key: f'"{key}"') | _BARE.map(lambda key: f"'{key}'") | _STRINGS.map(_basic)
_DOTTED = st.lists(_SEGMENTS, min_size=1, max_size=3).flatmap(
    lambda parts: _BLANKS.map(lambda blank: f"{blank}.{blank}".join(parts))
)
_TRIVIA = st.lists(st.sampled_from(["", "  ", "# c", "\t# signature = 1"]), max_size=3).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)
_PAIRS = st.builds(
    lambda above, indent, key, space, value, trailing: f"{above}{indent}{key}{space}={space}{value}{trailing}",
    _TRIVIA, _BLANKS, _DOTTED, _BLANKS, _VALUES, st.sampled_from(["", " ", " # c"]),
)  # fmt: skip
_HEADERS = st.builds(
    lambda above, form, key: above + form.format(key),
    _TRIVIA, st.sampled_from(["[{}]", "[ {} ] # c", "[[{}]]"]), _DOTTED,
)  # fmt: skip


def _is_toml(text: str) -> bool:
    try:
        tomli.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def _document(root: list[str], rest: list[str], tail: str, line_end: str, bom: str) -> str:
    """The longest prefix of the expressions that is valid TOML, expression by expression."""
    kept: list[str] = ["name = 1"]
    for expression in (*root, *rest):
        if _is_toml("\n".join([*kept, expression])):
            kept.append(expression)
    text = "\n".join(kept) + ("" if tail == "no line end" else "\n" + tail)
    return bom + text.replace("\r\n", "\n").replace("\n", line_end)


DOCUMENTS = st.builds(
    _document,
    st.lists(_PAIRS, max_size=5),
    st.lists(_HEADERS | _PAIRS, max_size=6),
    _TRIVIA | st.sampled_from(["", "no line end", "# no line end", "  "]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
)


@UNTIMED
@given(DOCUMENTS)
def test_canonicalisation_is_idempotent_and_removes_the_pair_alone(text: str) -> None:
    data = canonical_bytes(text)
    assert canonical_bytes(data.decode()) == data
    before = tomli.loads(text.removeprefix("\ufeff"))
    after = tomli.loads(data.decode())
    # repr, because NaN and times compare in ways of their own and the order inside a table may change.
    assert repr(_sorted(after)) == repr(_sorted({key: before[key] for key in before if key not in KEYS}))


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return [(key, _sorted(value[key])) for key in sorted(value)]
    return [_sorted(member) for member in value] if isinstance(value, list) else value


@UNTIMED
@given(DOCUMENTS, st.text(alphabet="aZ9-_", max_size=9))
def test_inserting_a_signature_does_not_change_the_canonical_bytes(text: str, signature: str) -> None:
    signed = insert_signature(text, signature, "K")
    assert canonical_bytes(signed) == canonical_bytes(text)
    document = tomli.loads(signed)
    assert (document["signature"], document["publisher_key"]) == (signature, "K")
    assert insert_signature(signed, signature, "K") == signed


@UNTIMED
@given(DOCUMENTS, _STRINGS)
def test_setting_a_root_string_sets_that_value_alone(text: str, value: str) -> None:
    changed = tomli.loads(set_root_strings(text, {"wasm_sha256": value, "name": value}))
    expected = {**tomli.loads(text.removeprefix("\ufeff")), "wasm_sha256": value, "name": value}
    assert repr(_sorted(changed)) == repr(_sorted(expected))


@UNTIMED
@given(st.text(max_size=60) | st.text(alphabet="a.='\"[]{}#,\n\r\t \\1", max_size=40))
def test_arbitrary_text_raises_nothing_but_an_invalid_manifest(text: str) -> None:
    for use in (canonical_bytes, check_signable, lambda text: insert_signature(text, "S", "K")):
        try:
            use(text)
        except InvalidManifest as error:
            assert "\n" not in error.message
        else:
            assert _is_toml(text)


def test_large_documents_are_cut_in_time_that_grows_with_their_size() -> None:
    lines = "".join(f"k{number} = [\n '#', # c\n]\n" for number in range(20_000))
    assert len(canonical_bytes(lines)) == len(lines) - 1
    assert canonical_bytes("a = '''" + "''x" * 200_000 + "'''") == ("a = '''" + "''x" * 200_000 + "'''").encode()
    deep = ".".join(["a"] * 900)
    assert canonical_bytes(f"{deep} = 1\n") == f"{deep} = 1".encode()


@pytest.mark.parametrize("value", ["[" * 395 + "]" * 395, "{a = " * 395 + "1" + "}" * 395])
def test_a_deep_value_is_signed_where_few_frames_are_left(value: str) -> None:
    text = f"name = 1\ndeep = {value}"
    assert with_frames(80, lambda: canonical_bytes(text)) == text.encode()
    with_frames(80, lambda: check_signable(text))
