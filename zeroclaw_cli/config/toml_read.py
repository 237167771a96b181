"""Reading the text of a TOML document, with the limits that the format promises and the parser does not hold.

The config, the manifests of packages and the files that this program writes for itself are all read here, so that what
one of them refuses the others refuse too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

BOM: Final = "\ufeff"
_INT64: Final = range(-(2**63), 2**63)
_MOST_LEVELS: Final = 1000
_TOO_DEEP: Final = "it nests deeper than can be read"


def load_toml(text: str) -> dict[str, Any]:
    """The TOML 1.1 document ``text`` as nested dicts and lists. One BOM before it is for the caller to drop.

    Raises ValueError with one line for everything else: syntax (then it is the parser's own class, with the line and
    the column), nesting that is too deep, an integer outside 64 bits, text that is not Unicode.
    """
    import tomli

    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the text holds lone surrogates and is not Unicode") from None
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError:
        # Python reads no integer of thousands of digits, and its words for that speak of Python.
        raise ValueError("an integer does not fit in 64 bits") from None
    _check_limits(document, text)
    return document


def _check_limits(document: dict[str, Any], text: str) -> None:
    """Every file of every command passes here, so paths are made only of what is refused."""
    fits = True
    level: list[Any] = [document]
    # The parser counts brackets and the parts of one key; what they add up to is counted here.
    for _ in range(_MOST_LEVELS):
        if not level:
            break
        below = []
        for container in level:
            for member in container.values() if type(container) is dict else container:
                kind = type(member)
                if kind is dict or kind is list:
                    below.append(member)
                elif kind is int and member not in _INT64:
                    fits = False
        level = below
    if level:
        raise ValueError(_TOO_DEEP)
    if not fits:
        raise _out_of_range(document, text)


def _out_of_range(document: dict[str, Any], text: str) -> ValueError:
    from zeroclaw_cli.config.toml_statements import line_of

    path = next(path for path, value in walk(document) if type(value) is int and value not in _INT64)
    line = line_of(text, path)
    return ValueError(f"the integer at {describe_path(path)} does not fit in 64 bits (at line {line})")


def walk(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value inside ``value`` (itself first, under the empty path), containers before their members.

    Iterative, because a document may nest deeper than Python recurses.
    """
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            stack.extend(((*path, key), member) for key, member in reversed(current.items()))
        elif isinstance(current, list):
            stack.extend(((*path, index), current[index]) for index in range(len(current) - 1, -1, -1))


def is_bare_key(text: str) -> bool:
    """Whether ``text`` may stand in a key as it is, without quotes."""
    return text.isascii() and text.replace("-", "_").replace("_", "a").isalnum()


def describe_path(path: tuple[str | int, ...]) -> str:
    """``path`` in one printable line, for messages: ``config_schema.properties.'a b'[0]``."""
    text = ""
    for part in path[:12]:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        text += ("." if text else "") + (part if is_bare_key(part) else repr(part))
    return text + ("…" if len(path) > 12 else "") or "the root"
