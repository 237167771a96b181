"""The ranking against the formulas of specs/recall-ranking.md, written down once more in the plainest way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.conversations import make
from zeroclaw_cli.memory.requests import Agent, RecallRequest
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native import scoring
from zeroclaw_cli.native.memory import NativeMemory, open_memory
from zeroclaw_cli.native.recall import Recalled
from zeroclaw_cli.native.segment import joined, query_terms, split_speaker, terms


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[NativeMemory]:
    with open_memory(tmp_path) as opened:
        yield opened


def say(memory: NativeMemory, *lines: str, session: str | None = "s", importance: float | None = None) -> None:
    first = memory.count()
    memory.import_entries(
        Entry(
            "", f"{session}{first + number}", line, "conversation", f"2023-05-08T10:00:{number:02d}Z", session,
            importance=importance,
        )
        for number, line in enumerate(lines)
    )  # fmt: skip


def found(memory: NativeMemory, query: str, limit: int = 50) -> list[Recalled]:
    return memory.ranked(RecallRequest(query, limit))


def contents(memory: NativeMemory, query: str, limit: int = 50) -> list[str]:
    return [row.entry.content for row in found(memory, query, limit)]


@dataclass
class Row:
    """One row of the plain version: its terms by field, and where it stands."""

    key: str
    session: str | None
    body: str
    label: str
    dates: str
    speaker: str
    content: str
    length: float


def plain_scores(rows: list[Row], query: str) -> dict[str, float]:
    """S(d) and the factors for every row that has or inherits something."""
    wanted = [term.pattern for term in query_terms(query)]
    speakers = {row.speaker for row in rows if any(term in row.speaker for term in wanted)}
    speakers = {name for name in speakers if sum(row.speaker == name for row in rows) > 1}
    average = sum(row.length for row in rows) / len(rows)
    sessions: dict[str, list[Row]] = {}
    for row in rows:
        if row.session is not None:
            sessions.setdefault(row.session, []).append(row)
    lengths = {name: sum(row.length for row in members) for name, members in sessions.items()}
    scores: dict[str, float] = {}
    of_sessions: dict[str, float] = {}
    having: list[set[str]] = []
    named: list[set[str]] = []
    for term in wanted:
        counts = {}
        frequency = 0
        for row in rows:
            spoken = row.speaker.count(term)
            count = row.body.count(term) + 0.5 * row.label.count(term) + 1.4 * row.dates.count(term)
            frequency += bool(count or spoken)
            counts[row.key] = count + (0 if row.speaker in speakers else spoken)
        idf = log(1 + (len(rows) - frequency + 0.5) / (frequency + 0.5))
        own = {
            row.key: 1.9 * counts[row.key] / (counts[row.key] + 0.9 * (0.8 + 0.2 * row.length / average))
            for row in rows
        }
        having.append({key for key, value in own.items() if value})
        named.append({row.key for row in rows if row.speaker in speakers and term in row.speaker})
        for name in {row.session for row in rows if row.session is not None and frequency}:
            of_sessions.setdefault(name, 0.0)
        for row in rows:
            best = own[row.key]
            share = 0.0
            if row.session is not None:
                members = sessions[row.session]
                place = members.index(row)
                for step, weight in ((-1, 0.65), (1, 0.5), (-2, 0.25), (2, 0.15)):
                    if 0 <= place + step < len(members):
                        near = members[place + step]
                        asked = step == -1 and "?" in near.content
                        best = max(best, own[near.key] * (0.975 if asked else weight))
                total = sum(counts[member.key] for member in members)
                mean = sum(lengths.values()) / len(lengths)
                share = 2.2 * total / (total + 1.2 * (0.25 + 0.75 * lengths[row.session] / mean)) if total else 0.0
            if best:
                scores[row.key] = scores.get(row.key, 0.0) + idf * best
            scores[f"session {row.key}"] = scores.get(f"session {row.key}", 0.0) + 0.3 * idf * share
            if row.session is not None:
                of_sessions[row.session] = scores[f"session {row.key}"]
    # A row without a session gets the average of the sessions that have something of the question.
    answering = [value for value in of_sessions.values() if value]
    average_share = sum(answering) / len(answering) if answering else 0.0
    for row in rows:
        if row.session is None:
            scores[f"session {row.key}"] = average_share
    finals = {row.key: scores[row.key] + scores[f"session {row.key}"] for row in rows if row.key in scores}
    for row in rows:
        if row.key in finals:
            ends = [char for char in row.content if char in ".?"]
            only_asks = row.content.endswith("?") and set(ends) == {"?"}
            finals[row.key] *= 0.9 * (0.9 if only_asks else 1.0)
            if len(speakers) == 1 and row.speaker in speakers:
                finals[row.key] *= 1.5
    by_name = named if len(wanted) > 1 else [set[str]()]
    whole = set.intersection(*(a | b for a, b in zip(having, by_name, strict=True))) & set[str]().union(*having)
    least = min((finals[key] for key in whole), default=0.0)
    best_other = max((score for key, score in finals.items() if key not in whole), default=0.0)
    if whole and best_other >= 0.999 * least:
        finals = {key: score if key in whole else score * 0.999 * least / best_other for key, score in finals.items()}
    return finals


VOCABULARY = ["tea", "green", "apples", "Byron", "market", "river", "抹茶", "May", "Ada"]
LINES = st.tuples(
    st.sampled_from(["", "Ada: ", "Bob: "]),
    st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join),
    st.sampled_from(["", "?", "."]),
)


@st.composite
def corpora(draw: st.DrawFn) -> list[Entry]:
    lines = draw(st.lists(st.tuples(LINES, st.sampled_from([None, "s1", "s2", "s3"])), min_size=1, max_size=14))
    return [
        Entry(
            "", f"row{number}", "".join(line), "conversation", f"2023-05-{8 + number % 3:02d}T10:00:{number:02d}Z", name
        )
        for number, (line, name) in enumerate(lines)
    ]


def plain_rows(memory: NativeMemory, entries: list[Entry]) -> list[Row]:
    """Dates and lengths are read from the index, the rest is made anew."""
    stored = {
        label.split()[0]: (dates, length)
        for label, dates, length in memory.store_file.query("SELECT label, dates, length FROM chunks")
    }
    rows = []
    for entry in sorted(entries, key=lambda entry: (entry.timestamp, entry.key)):
        name, said = split_speaker(entry.content) if entry.session_id is not None else ("", entry.content)
        dates, length = stored[entry.key]
        rows.append(
            Row(
                entry.key,
                entry.session_id,
                joined(terms(said)),
                joined([entry.key]),
                dates,
                joined(terms(name)),
                entry.content,
                length,
            )
        )
    return rows


QUERIES = st.lists(st.sampled_from([*VOCABULARY, "nothing"]), min_size=1, max_size=4).map(" ".join)


@given(corpora(), QUERIES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_scores_are_those_of_the_formulas(entries: list[Entry], query: str) -> None:
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory:
        memory.import_entries(entries)
        expected = plain_scores(plain_rows(memory, entries), query)
        seen = {row.entry.key: row.entry.score for row in found(memory, query)}
        for key, score in expected.items():
            assert seen.pop(key) == pytest.approx(score), key
        # What is left has nothing of the question but its speaker.
        assert all(score is not None and score < 0.01 for score in seen.values())


@given(corpora(), QUERIES, st.integers(1, 5))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_two_stages_give_the_same_best_rows(entries: list[Entry], query: str, limit: int) -> None:
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory, pytest.MonkeyPatch.context() as patch:
        memory.import_entries(entries)
        whole = [(row.entry.key, row.entry.score) for row in found(memory, query, limit)]
        patch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
        staged = [(row.entry.key, row.entry.score) for row in found(memory, query, limit)]
        assert [key for key, _ in staged] == [key for key, _ in whole]
        assert [score for _, score in staged] == pytest.approx([score for _, score in whole])


@given(corpora(), QUERIES, st.sampled_from([None, "s1"]), st.booleans())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_two_stages_give_the_same_best_rows_of_a_selection(
    entries: list[Entry], query: str, session: str | None, only_ana: bool
) -> None:
    agents = (Agent(id="ana"),) if only_ana else ()
    owned = [replace(entry, agent_id="ana" if number % 3 else None) for number, entry in enumerate(entries)]
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory, pytest.MonkeyPatch.context() as patch:
        memory.import_entries(owned)
        whole = memory.ranked(RecallRequest(query, 50, session, agents=agents))
        patch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
        staged = memory.ranked(RecallRequest(query, 50, session, agents=agents))
        assert [row.entry.key for row in staged] == [row.entry.key for row in whole]
        assert [row.entry.score for row in staged] == pytest.approx([row.entry.score for row in whole])


@given(corpora(), QUERIES, st.integers(1, 20), st.sampled_from(["agents", "namespace", "session_id", "since"]))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_large_store_gives_the_rows_of_a_selection_that_have_any_term(
    entries: list[Entry], query: str, limit: int, what: str
) -> None:
    chosen = entries[-4:]
    ana = (Agent(id="ana"),)
    bounds: dict[str, Any] = {"since": "2024-01-01T00:00:00Z", "namespace": "n", "session_id": "t", "agents": ana}
    marked: dict[str, Any] = {
        "agents": {"agent_id": "ana"},
        "namespace": {"namespace": "n"},
        "session_id": {"session_id": "t"},
        "since": {"timestamp": "2024-05-08T10:00:00Z"},
    }[what]
    # Whatever the question asks for is frequent outside of the selection, each word more so than the one before it.
    crowd = [
        Entry("", f"crowd{number}", " ".join(VOCABULARY[: number % 10]), "x", "2023-05-08T10:00:00Z", "s1")
        for number in range(60)
    ]
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory, pytest.MonkeyPatch.context() as patch:
        memory.import_entries([*crowd, *(replace(entry, **marked) for entry in chosen)])
        wanted = {row.entry.key for row in memory.ranked(RecallRequest(query, limit, **{what: bounds[what]}))}
        patch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
        patch.setattr(scoring, "CANDIDATES", 5)
        assert {row.entry.key for row in memory.ranked(RecallRequest(query, limit, **{what: bounds[what]}))} == wanted


@given(corpora(), QUERIES)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_explanation_adds_up_to_the_score(entries: list[Entry], query: str) -> None:
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory:
        memory.import_entries(entries)
        for row in found(memory, query):
            assert row.explanation is not None
            total = sum(share.points for share in row.explanation.terms) + row.explanation.session
            for factor in row.explanation.factors.values():
                total *= factor
            assert row.entry.score == pytest.approx(total)
            assert row.explanation.to_json()["session"] == row.explanation.session


def test_an_answer_inherits_what_was_asked_before_it(memory: NativeMemory) -> None:
    say(memory, "Bob: hello there.", "Ada: Where is the harbour festival?", "Bob: In Lisbon.", "Ada: thanks.")
    first, second = found(memory, "the town of the harbour festival", 2)
    assert (first.entry.content, second.entry.content) == ("Bob: In Lisbon.", "Ada: Where is the harbour festival?")
    assert first.explanation is not None
    assert {share.source for share in first.explanation.terms} == {"previous"}


def test_a_row_with_every_term_is_before_all_that_borrowed_some(memory: NativeMemory) -> None:
    say(memory, "Bob: hello there.", "Ada: Where is the harbour festival?", "Bob: In Lisbon.", "Ada: festival, yes.")
    say(memory, "the harbour festival is in Lisbon, among many other things that go on in June", session=None)
    say(memory, "harbour", "harbour", session="t", importance=1.0)
    seen = found(memory, "harbour festival")
    whole = [row.entry.content for row in seen[:2]]
    assert {text.split()[0] for text in whole} == {"the", "Ada:"}
    scores = [row.entry.score or 0.0 for row in seen]
    assert scores == sorted(scores, reverse=True)
    assert scores[1] > scores[2]


def test_keyed_facts_among_sessions_come_first(memory: NativeMemory) -> None:
    memory.import_entries(make(1, pairs=2).entries)
    facts = {
        "favourite-tea": ("Green tea with mint in the morning", "what tea in the morning"),
        "car": ("The car is a blue van, the insurance ends in October", "when does the car insurance end"),
        "neighbour": ("The neighbour is called Okafor and has the spare key", "which neighbour has the spare key"),
        "work": ("Works at the harbour office in Bergen, meetings on Monday", "harbour office meetings"),
        "film": ("Wants to watch the film about the lighthouse again", "film lighthouse"),
        "kids-school": ("The school of the kids begins at nine", "when does the school of the kids begin"),
        "lake": ("A friend has a cabin at the lake, the code is 4711", "code of the cabin at the lake"),
    }
    for key, (content, _) in facts.items():
        memory.store(key, content, "core", None)
    first = {key: memory.recall(query, 1, None, None, None)[0].key for key, (_, query) in facts.items()}
    assert first == {key: key for key in facts}


def test_rows_without_a_session_have_no_neighbours(memory: NativeMemory) -> None:
    say(memory, "harbour festival", "in Lisbon", session=None)
    assert contents(memory, "harbour") == ["harbour festival"]


def test_rows_of_another_session_are_no_neighbours(memory: NativeMemory) -> None:
    say(memory, "harbour festival", session="s1")
    say(memory, "in Lisbon", session="s2")
    assert contents(memory, "harbour") == ["harbour festival"]


def test_the_order_in_a_session_is_that_of_creation_not_of_storing(memory: NativeMemory) -> None:
    times = {"a": "10:00:03", "b": "10:00:01", "c": "10:00:02", "d": "10:00:09", "e": "10:00:10"}
    words = {"a": "after", "b": "harbour", "c": "next", "d": "much later", "e": "last"}
    memory.import_entries(Entry("", key, words[key], "x", f"2023-05-08T{at}Z", "s") for key, at in times.items())
    sources = {
        row.entry.key: row.explanation.terms[0].source
        for row in found(memory, "harbour")
        if row.explanation is not None
    }
    assert sources == {"b": "row", "c": "previous", "a": "second previous"}


def test_the_speaker_whom_the_question_names_comes_first(memory: NativeMemory) -> None:
    say(memory, "Bob: I like tea.", "x.", "y.", "z.", "Ada: I like tea.", "u.", "v.", "w.", "Ada: good night.")
    first = found(memory, "What does Ada like?", 1)[0]
    assert first.entry.content == "Ada: I like tea."
    assert first.explanation is not None
    assert first.explanation.factors["speaker"] == 1.5


def test_two_named_speakers_are_no_preference(memory: NativeMemory) -> None:
    say(memory, "Bob: I like tea.", "Ada: I like tea.", "Bob: bye.", "Ada: bye.")
    assert all("speaker" not in row.explanation.factors for row in found(memory, "Ada Bob tea") if row.explanation)


def test_a_question_with_a_name_alone_finds_what_that_speaker_said(memory: NativeMemory) -> None:
    say(memory, "Ada: hello.", "x.", "y.", "z.", "Ada: bye.", "a.", "b.", "Bob: Ada is here.")
    seen = contents(memory, "Ada")
    assert seen[0] == "Bob: Ada is here."
    assert {"Ada: hello.", "Ada: bye."} <= set(seen)


def test_a_word_that_heads_one_row_is_a_heading(memory: NativeMemory) -> None:
    say(memory, "Birthday: the eighth.", "x.", "y.", "z.", "we spoke of a birthday cake and more words.")
    assert contents(memory, "birthday", 1) == ["Birthday: the eighth."]


def test_when_prefers_rows_with_a_time(memory: NativeMemory) -> None:
    say(memory, "we went to the harbour", session=None)
    say(memory, "harbour trip yesterday", session=None)
    first = found(memory, "When did we go to the harbour?", 1)[0]
    assert first.entry.content == "harbour trip yesterday"
    assert first.explanation is not None
    assert first.explanation.factors["fits the question"] == scoring.PREFERRED_FACTOR


@pytest.mark.parametrize("question", ["How many boats?", "how much for boats", "How long, boats", "how often boats"])
def test_how_many_prefers_rows_with_a_number(memory: NativeMemory, question: str) -> None:
    say(memory, "boats came", session=None)
    say(memory, "seven boats", session=None)
    assert contents(memory, question, 1) == ["seven boats"]


def test_importance_is_a_mild_factor(memory: NativeMemory) -> None:
    for importance in (0.0, None, 1.0):
        say(memory, f"tea {importance}", session=None, importance=importance)
    weights = {
        row.entry.content: row.explanation.factors["importance"] for row in found(memory, "tea") if row.explanation
    }
    assert weights == pytest.approx({"tea 0.0": 0.8, "tea None": 0.9, "tea 1.0": 1.0})


def test_equal_rows_come_newest_first_then_by_key(memory: NativeMemory) -> None:
    for key, at in (("c", "01"), ("b", "02"), ("d", "02"), ("a", "02")):
        memory.import_entry(Entry("", key, "tea", "x", f"2023-05-08T10:00:{at}Z"))
    for limit in (2, 4):
        assert [row.entry.key for row in found(memory, "tea", limit)] == ["a", "b", "d", "c"][:limit]


def test_keys_namespaces_and_dates_are_searchable(memory: NativeMemory) -> None:
    memory.store_with_agent("favourite-drink", "tea", "x", None, "kitchen", None, None)
    memory.import_entry(Entry("", "k", "cake", "x", "2023-05-08T12:00:00Z"))
    assert contents(memory, "favourite") == ["tea"]
    assert contents(memory, "kitchen") == ["tea"]
    assert contents(memory, "default") == []
    assert contents(memory, "8 May 2023") == ["cake"]


def test_a_text_weighs_more_than_a_key(memory: NativeMemory) -> None:
    say(memory, "tea", session=None)
    memory.import_entry(Entry("", "tea", "other", "x", "2023-05-08T12:00:00Z"))
    assert contents(memory, "tea") == ["tea", "other"]


@pytest.mark.parametrize(
    "query", ["抹", "抹茶", "茶", "喜欢抹茶", "latte抹茶", "ひ", "한", "我喜欢抹茶吗我们今天去哪里"]
)
def test_cjk_of_one_character_and_more_is_found(memory: NativeMemory, query: str) -> None:
    say(memory, "我喜欢抹茶latte。ひらがな 한글", session=None)
    say(memory, "nothing of it", session=None)
    assert contents(memory, query) == ["我喜欢抹茶latte。ひらがな 한글"]


def test_the_order_of_cjk_characters_counts(memory: NativeMemory) -> None:
    say(memory, "抹茶", session=None)
    assert contents(memory, "茶抹") == []


OPERATORS = [
    '"', "'", "* *", "tea*", "(", ")", "((tea", "NEAR(tea green)", "tea AND", "OR", "NOT tea", "body : tea",
    "{body} : tea",
    "-tea", "^tea", "tea + green", 'tea" OR "green', "'; DROP TABLE entries; --", "%", "_", "\\", "\x00tea\x00",
    "a:b:c",
    "chunks_fts", "?", "tea\n\ngreen", "🧠", "\u202etea", "\ufeff", "speaker : ada",
]  # fmt: skip


@pytest.mark.parametrize("query", OPERATORS)
def test_operators_of_the_index_are_plain_text(memory: NativeMemory, query: str) -> None:
    say(memory, "green tea", session="s")
    say(memory, "a dog", session=None)
    for row in found(memory, query):
        assert row.entry.content == "green tea" or "dog" in query
    assert memory.count() == 2


ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=300)


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_question_and_no_text_is_an_error(query: str, texts: list[str]) -> None:
    with TemporaryDirectory() as folder, open_memory(Path(folder)) as memory, pytest.MonkeyPatch.context() as patch:
        for number, text in enumerate(texts):
            memory.store(f"k{number}", text, "x", "s" if number % 2 else None)
        whole = [row.entry.key for row in found(memory, query)]
        patch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
        assert [row.entry.key for row in found(memory, query)] == whole
        assert memory.reindex() == len(texts)


def test_a_very_long_question_is_answered(memory: NativeMemory) -> None:
    say(memory, "green tea", session=None)
    long = " ".join(f"word{number}" for number in range(20_000))
    assert contents(memory, f"green {long}") == ["green tea"]
    assert contents(memory, "x" * 1_000_000) == []
    assert contents(memory, "茶" * 100_000) == []


def test_a_question_of_function_words_finds_those_words(memory: NativeMemory) -> None:
    say(memory, "to be or not to be", "beach or nothing else", "tea", session=None)
    assert contents(memory, "to be or not to be") == ["to be or not to be", "beach or nothing else"]
    assert contents(memory, "tomorrow be", 1) == []


def test_frequent_terms_do_not_choose_the_candidates_of_a_large_store(
    memory: NativeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_entries(
        Entry("", f"k{number}", "common word" + (" rare" if number % 7 == 0 else ""), "x", "2023-05-08T10:00:00Z")
        for number in range(140)
    )
    whole = [(row.entry.key, row.entry.score) for row in found(memory, "common rare", 10)]
    monkeypatch.setattr(scoring, "WHOLE_STORE_ROWS", 100)
    monkeypatch.setattr(scoring, "CANDIDATES", 20)
    assert [(row.entry.key, row.entry.score) for row in found(memory, "common rare", 10)] == whole


def crowded(memory: NativeMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that counts as large, in which what the tests ask for is frequent."""
    memory.import_entries(
        Entry("", f"k{number}", "tea filler" if number % 3 else "tea zebra", "x", "2023-05-08T10:00:00Z")
        for number in range(140)
    )
    say(memory, *(f"Ada: hello {number}." for number in range(40)))
    monkeypatch.setattr(scoring, "WHOLE_STORE_ROWS", 100)
    monkeypatch.setattr(scoring, "CANDIDATES", 20)


@pytest.mark.parametrize("query", ["tea", "tea zebra", "tea Ada", "tea zebra Ada"])
def test_rare_terms_outside_of_a_selection_do_not_choose_its_candidates(
    memory: NativeMemory, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    crowded(memory, monkeypatch)
    memory.store_with_agent("five", "Ana drinks tea at five", "x", "t", "kitchen", None, "ana")
    for entries in (
        memory.recall_for_agents(["ana"], query, 10, None, None, None),
        memory.recall_namespaced("kitchen", query, 10, None, None, None),
        memory.recall(query, 10, None, "2024-01-01T00:00:00Z", None),
    ):
        assert [entry.key for entry in entries] == ["five"]


def test_rows_that_have_their_speaker_alone_are_found_in_a_selection(
    memory: NativeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowded(memory, monkeypatch)
    memory.store_with_agent("bye", "Ada: good night.", "x", "t", "kitchen", None, None)
    memory.store_with_agent("hi", "Ada: good morning.", "x", "u", "kitchen", None, None)
    found = memory.recall_namespaced("kitchen", "what Ada said of zebra", 10, None, None, None)
    assert sorted(entry.key for entry in found) == ["bye", "hi"]


@pytest.mark.parametrize("query", ["tea", "tea zebra"])
def test_a_large_store_gives_as_many_rows_as_are_asked_for(
    memory: NativeMemory, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    crowded(memory, monkeypatch)
    assert len(memory.recall(query, 120, None, None, None)) == 120
    assert len(memory.recall(query, 2**63, None, None, None)) == 140


def test_a_question_that_few_rows_answer_is_filled_with_what_its_speaker_said(
    memory: NativeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowded(memory, monkeypatch)
    memory.import_entry(Entry("", "one", "a quokka", "x", "2023-05-08T10:00:00Z"))
    assert [row.entry.key for row in found(memory, "Ada quokka", 1)] == ["one"]
    filled = found(memory, "Ada quokka", 10)
    assert [filled[0].entry.key, len(filled)] == ["one", 10]
