"""The JSON Schema that a document's metadata may ask its body to satisfy (specs/native-memory.md §15).

Whoever may write metadata may write a schema, and a write holds the lock of the store: so the work of one check is
bounded, nothing is fetched, and patterns that a matcher could take for ever over are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from zeroclaw_cli.errors import DocumentOperation
from zeroclaw_cli.native.body_json import RepeatedKey, load

Schema = Mapping[str, Any] | bool

# How many keywords one check may apply, each to one value.
_MAX_STEPS: Final = 200_000
# What a pattern with several open repetitions may be matched against; the work grows with a power of it.
_MAX_MATCHED: Final = 500
_MAX_OPEN_REPETITIONS: Final = 3
# Comparing each with each is what `uniqueItems` may come to.
_MAX_UNIQUE: Final = 1_000
_ESCAPE_OR_CLASS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_OPEN_REPETITION: Final = re.compile(r"[*+]|\{\d*,\}|\{\d*,?\d{3,}\}", re.ASCII)
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+]|\{)")


class _Refused(Exception):
    """The check went beyond its bounds; the text says how."""


def check_schema(body: bytes, schema: Schema | None) -> None:
    """Raise DocumentOperation ``schema_validation`` unless the body is JSON and satisfies the schema.

    A reference to another document fails the check, as does a schema that costs too much to apply.
    """
    if schema is None:
        return
    try:
        # With a key named twice, whether the schema is satisfied would depend on who reads the document.
        instance = load(body, unique=True)
    except RepeatedKey:
        raise _failure("an object in the document names a key twice") from None
    except (ValueError, RecursionError):
        raise _failure("the document must be JSON") from None
    problem = _problem(instance, schema)
    if problem is not None:
        raise _failure(problem)


def _problem(instance: Any, schema: Schema) -> str | None:
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(schema)
        validator = _bounded_validator()(schema, registry=Registry())
        error = best_match(validator.iter_errors(instance))
    except SchemaError:
        return "the schema in its metadata is not a JSON Schema"
    except Unresolvable:
        return "the schema in its metadata refers to something outside itself"
    except RecursionError:
        return "the document or its schema is nested too deeply"
    except (ArithmeticError, ValueError):
        return "a number in the document or its schema is out of range"
    except _Refused as refused:
        return str(refused)
    if error is None:
        return None
    # The place and the rule, never the value: a document's content stays out of messages.
    return f"the document does not satisfy '{error.validator}' of its schema at {error.json_path}"


def _bounded_validator() -> Callable[..., Any]:
    """A validator of Draft 2020-12 whose keywords count their steps and refuse what has no bound."""
    from jsonschema import Draft202012Validator, validators

    steps = 0

    def counted(keyword: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any]]:
        def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            nonlocal steps
            steps += 1
            if steps > _MAX_STEPS:
                raise _Refused("the schema in its metadata takes too long to check")
            yield from keyword(validator, value, instance, schema) or ()

        return apply

    own: dict[str, Callable[..., Any]] = {
        "pattern": _pattern(Draft202012Validator.VALIDATORS["pattern"]),
        "patternProperties": _pattern_properties(Draft202012Validator.VALIDATORS["patternProperties"]),
        "uniqueItems": _unique_items(Draft202012Validator.VALIDATORS["uniqueItems"]),
    }
    keywords = {**Draft202012Validator.VALIDATORS, **own}
    extended: Callable[..., Any] = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {name: counted(keyword) for name, keyword in keywords.items()}
    )
    return extended


def _pattern(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def apply(validator: Any, pattern: str, instance: Any, schema: Any) -> Any:
        if isinstance(instance, str):
            _check_pattern(pattern, (instance,))
        return keyword(validator, pattern, instance, schema)

    return apply


def _pattern_properties(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def apply(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Any:
        if isinstance(instance, dict):
            for pattern in patterns:
                _check_pattern(pattern, instance)
        return keyword(validator, patterns, instance, schema)

    return apply


def _unique_items(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def apply(validator: Any, unique: bool, instance: Any, schema: Any) -> Any:
        if unique and isinstance(instance, list) and len(instance) > _MAX_UNIQUE:
            raise _Refused(f"'uniqueItems' of its schema is checked for at most {_MAX_UNIQUE} items")
        return keyword(validator, unique, instance, schema)

    return apply


def _check_pattern(pattern: str, texts: Any) -> None:
    plain = _ESCAPE_OR_CLASS.sub("x", pattern)
    repetitions = len(_OPEN_REPETITION.findall(plain))
    if _REPEATED_GROUP.search(plain) or repetitions > _MAX_OPEN_REPETITIONS:
        raise _Refused("a pattern in its schema repeats a group, or has too many open repetitions")
    if repetitions > 1 and any(len(text) > _MAX_MATCHED for text in texts):
        raise _Refused(f"a pattern in its schema is matched against at most {_MAX_MATCHED} characters")


def _failure(problem: str) -> DocumentOperation:
    return DocumentOperation(
        "schema_validation", problem, hint="change the text, or the key 'schema' of the document's metadata"
    )
