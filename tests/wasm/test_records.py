from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.types import ProceduralMessage
from zeroclaw_cli.wasm.records import arguments_from_json, arguments_to_json, result_digest
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome

texts = st.text(max_size=30)
optional = st.none() | texts
messages = st.lists(st.builds(ProceduralMessage, texts, texts, optional), max_size=4)


@given(st.data())
def test_any_arguments_survive_as_json(data: st.DataObject) -> None:
    function = data.draw(st.sampled_from([f for f in FUNCTIONS.values() if f.recorded]))
    shapes: dict[str, st.SearchStrategy[Any]] = {
        "string": texts,
        "category": texts,
        "optional-string": optional,
        "optional-f64": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "messages": messages,
    }
    arguments = tuple(data.draw(shapes[shape]) for shape in function.parameters)
    text = arguments_to_json(function, arguments)
    again = arguments_from_json(function, text)
    assert again == arguments
    assert [type(value) for value in again] == [type(value) for value in arguments]


def test_digests_tell_results_apart() -> None:
    outcomes = [
        Outcome(ok, value) for ok in (True, False) for value in (None, True, False, 0, 1, "", "1", "true", "\ud7ff")
    ]
    assert len({result_digest(outcome) for outcome in outcomes}) == len(outcomes)


def test_a_recorded_call_is_written_as_this_text() -> None:
    # Journals on disk depend on it.
    store = FUNCTIONS["store-with-agent"]
    arguments = ("k", "é\n", "my own", None, "n", 0.5, "a")
    assert arguments_to_json(store, arguments) == '["k","é\\n","my own",null,"n",0.5,"a"]'
    messages = [ProceduralMessage("user", "how?"), ProceduralMessage("tool", "so", "t")]
    assert arguments_to_json(FUNCTIONS["store-procedural"], (messages, "s")) == (
        '[[["user","how?",null],["tool","so","t"]],"s"]'
    )


def test_a_digest_is_sha256_over_compact_json() -> None:
    import hashlib

    assert result_digest(Outcome(True, "id-1")) == hashlib.sha256(b'["ok","id-1"]').digest()
    assert result_digest(Outcome(False, "no")) == hashlib.sha256(b'["err","no"]').digest()
