"""Random TOML documents as people write them: comments, blank lines, any style of key, any line end."""

from __future__ import annotations

from hypothesis import strategies as st

from zeroclaw_cli.config.document import Document
from zeroclaw_cli.config.toml_text import key, quote

NAMES = st.sampled_from(
    [
        "plugins",
        "enabled",
        "limits",
        "call_fuel",
        "security",
        "memory",
        "backend",
        "x",
        "a.b",
        "日本",
        "other-program",
        "",
    ]
)
SCALARS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.sampled_from(
        [
            "true",
            "1_000",
            "0x1F",
            "-0.0",
            "nan",
            "1979-05-27 07:32:00",
            "07:32",
            "'lit # eral'",
            '"""\nmany\n# lines\\\n  """',
            "'''a''b'''",
            '"\\u00e9 ] } ,"',
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(quote),
)


def _key(names: list[str], draw_quotes: bool) -> str:
    return ".".join(quote(name) if draw_quotes else key(name) for name in names)


@st.composite
def _inline(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    pairs = [
        f"{_key([name], draw(st.booleans()))}{draw(st.sampled_from([' = ', '=']))}{draw(values)}" for name in names
    ]
    open_, comma, close = draw(st.sampled_from([("{ ", ", ", " }"), ("{", ",", "}"), ("{\n  ", ", # c\n  ", ",\n}")]))
    return open_ + comma.join(pairs) + close if pairs else "{}"


@st.composite
def _array(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(values, max_size=3))
    open_, comma, close = draw(st.sampled_from([("[", ", ", "]"), ("[\n  ", ",\n  # c\n  ", ",\n]")]))
    return open_ + comma.join(items) + close if items else "[]"


VALUES = st.recursive(SCALARS, lambda inner: st.one_of(_inline(inner), _array(inner)), max_leaves=4)
TRIVIA = st.lists(st.sampled_from(["", "# a comment", "  # indented [x] = 1", "#"]), max_size=3)


@st.composite
def _body(draw: st.DrawFn) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        lines += draw(TRIVIA)
        names = draw(st.lists(NAMES, min_size=1, max_size=2))
        indent = draw(st.sampled_from(["", "  ", "\t"]))
        comment = draw(st.sampled_from(["", " # why", "#x"]))
        lines.append(f"{indent}{_key(names, draw(st.booleans()))} = {draw(VALUES)}{comment}")
    return lines


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A valid document; sections that would make it invalid are left out."""
    lines = draw(_body())
    for _ in range(draw(st.integers(0, 4))):
        names = _key(draw(st.lists(NAMES, min_size=1, max_size=3)), draw(st.booleans()))
        header = draw(st.sampled_from([f"[{names}]", f"[[{names}]]", f" [ {names} ] # h"]))
        section = [*draw(TRIVIA), header, *draw(_body())]
        if _is_valid("\n".join([*lines, *section])):
            lines += section
    text = "\n".join([*lines, *draw(TRIVIA)])
    text = text + "\n" if draw(st.booleans()) else text
    text = text if _is_valid(text) else ""
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff"])) + text


def _is_valid(text: str) -> bool:
    try:
        Document(text)
    except ValueError:
        return False
    return True
