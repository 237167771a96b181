from __future__ import annotations

import re
import sqlite3
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.native import segment
from zeroclaw_cli.native.porter import stem
from zeroclaw_cli.native.segment import analyse, analyse_all, fold, joined, query_terms, split_speaker, terms

DAY = "2023-05-08T12:00:00.000000000Z"


def texts(query: str) -> list[str]:
    return [term.text for term in query_terms(query)]


def test_the_stop_list_is_the_usual_127_words() -> None:
    assert len(segment.STOP_WORDS) == 127
    assert {"s", "t", "don", "the", "now"} <= segment.STOP_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats sat", ["cat", "sat"]),
        ("don't stop", ["stop"]),
        ("Café CAFÉ ＣＡＦＥ cafe\u0301", ["cafe"] * 4),
        ("user_lang: en-US", ["user", "lang", "en", "us"]),
        ("latte抹茶", ["latt", "抹", "茶"]),
        ("ひらカタ한글", ["ひ", "ら", "カ", "タ", "한", "글"]),
        ("がぱ", ["が", "ぱ"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ПРИВЕТ Straße ΑΘΗΝΑ", ["привет", "strass", "αθηνα"]),
        ("v1.2.3 4711", ["v1", "2", "3", "4711"]),
        ("the of and", []),
        ("🧠 ☂ — …", ["🧠", "☂"]),
        ("❤️ ❤ 👍🏽 1️⃣", ["❤", "❤", "👍", "1"]),
        ("葛\U000e0100城", ["葛", "城"]),
        ("ชาน้ำ", ["ช", "า", "น้\u0e4d", "า"]),
        ("ภาษาไทย tea", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "tea"]),
        ("བོད་ཡིག", ["བོ", "ད", "ཡི", "ག"]),
        ("ខ្មែរ", ["ខ្", "មែ", "រ"]),
        ("", []),
    ],
)
def test_terms_are_folded_words_without_function_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_each_term_of_a_question_comes_once() -> None:
    assert texts("Tea tea TEAS green tea") == ["tea", "green"]


def test_a_cjk_run_of_a_question_is_a_phrase() -> None:
    (phrase,) = query_terms("抹茶")
    assert phrase.literal == '"抹  茶"'
    assert phrase.pattern in joined(terms("我喜欢抹茶。"))
    assert phrase.pattern not in joined(terms("茶抹"))


def test_a_run_that_is_a_sentence_is_looked_up_in_pairs_as_well() -> None:
    assert texts("我喜欢抹茶吗") == ["我喜欢抹茶吗", "我喜", "喜欢", "欢抹", "抹茶", "茶吗"]
    assert texts("北京大学") == ["北京大学"]


def test_a_long_run_of_letters_is_looked_up_in_pieces_as_well() -> None:
    assert texts("ชาเขียว") == ["ชาเขียว"]
    assert texts("ฉันชอบชาเขียว")[:3] == ["ฉันชอบชาเขียว", "ฉันช", "นชอ"]


def test_a_flag_is_a_phrase_and_other_emoji_are_terms() -> None:
    assert texts("🇩🇪🎉👨\u200d👩") == ["🇩🇪", "🎉", "👨", "👩"]


def test_scripts_that_touch_are_told_apart_in_questions() -> None:
    assert texts("latte抹茶 NEAR") == ["latt", "抹茶", "near"]


@given(st.text(max_size=200))
def test_nothing_of_a_question_is_an_operator_of_the_index(query: str) -> None:
    for term in query_terms(query):
        assert re.fullmatch(r'"[^"*:^(){}+\x00-\x1f-]+"', term.literal)


@given(st.text(max_size=3_000))
def test_a_question_has_a_bounded_number_of_bounded_terms(query: str) -> None:
    found = query_terms(query)
    assert len(found) <= segment.MAX_QUERY_TERMS
    assert all(len(term.text) <= segment.MAX_TERM_CHARS for term in found)


@given(st.text(max_size=100))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.sampled_from(["a", "aa", "b", "抹", "tea"]), max_size=12))
def test_counting_a_pattern_counts_the_term(words: list[str]) -> None:
    field = joined(words)
    for word, count in Counter(words).items():
        assert field.count(f" {word} ") == count


@given(st.lists(st.text(st.characters(categories=["L", "M", "N"]), min_size=1, max_size=8), min_size=1, max_size=6))
def test_every_term_of_a_text_is_found_by_the_index(words: list[str]) -> None:
    from zeroclaw_cli.native import schema

    connection = sqlite3.connect(":memory:")
    schema.create(connection)
    body = joined(terms(" ".join(words)))
    connection.execute("INSERT INTO chunks_fts (rowid, body, label, dates, speaker) VALUES (1, ?, '', '', '')", (body,))
    for term in query_terms(" ".join(words)):
        if term.pattern in body:
            found = connection.execute("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", (term.literal,))
            assert found.fetchall() == [(1,)], term
    connection.close()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Ada: I like tea", ("Ada", " I like tea")),
        ("Ada Lovelace: hello", ("Ada Lovelace", " hello")),
        ("Jean-Luc O'Neil:\nhello", ("Jean-Luc O'Neil", "\nhello")),
        ("小明：你好", ("小明", "你好")),
        ("see http://example.org", ("", "see http://example.org")),
        ("The meeting is at: five", ("", "The meeting is at: five")),
        ("12:30 lunch", ("", "12:30 lunch")),
        ("nothing here", ("", "nothing here")),
    ],
)
def test_a_leading_name_is_the_speaker(content: str, expected: tuple[str, str]) -> None:
    assert split_speaker(content) == expected


def test_the_speaker_is_no_part_of_the_text_of_a_session() -> None:
    said = analyse("Ada: I like tea", label="k1", created_at=DAY, in_session=True)
    assert (said.body, said.speaker) == (" like  tea ", " ada ")


def test_a_note_keeps_its_heading() -> None:
    note = analyse("Birthday: 8 May", label="k1", created_at=DAY, in_session=False)
    assert (note.body, note.speaker) == (" birthdai  8  mai ", "")


def test_the_agent_speaks_where_no_name_leads() -> None:
    assert analyse("I like tea", label="k", created_at=DAY, in_session=True, author="Helper").speaker == " helper "


def test_length_weighs_the_fields() -> None:
    row = analyse("the green tea", label="k1 n", created_at=DAY, in_session=False)
    assert row.length == 10 * 3 + 5 * 2 + 14 * len(row.dates.split())


def test_date_words_are_those_of_the_day() -> None:
    dates = analyse("x", label="", created_at=DAY, in_session=False).dates.split()
    assert {"8", "mai", "2023", "mondai"} <= set(dates)


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("Where do you live?", segment.HAS_QUESTION | segment.ONLY_ASKS),
        ("Really? I see. Where?", segment.HAS_QUESTION),
        ("I moved. Where to?", segment.HAS_QUESTION),
        ("什么？", segment.HAS_QUESTION | segment.ONLY_ASKS),
        ("we met yesterday", segment.HAS_TIME),
        ("it was in 1984", segment.HAS_TIME | segment.HAS_NUMBER),
        ("at 10:30", segment.HAS_TIME | segment.HAS_NUMBER),
        ("five apples", segment.HAS_NUMBER),
        ("room 7", segment.HAS_NUMBER),
        ("plain words", 0),
    ],
)
def test_traits_tell_questions_times_and_numbers(text: str, traits: int) -> None:
    assert analyse(text, label="", created_at=DAY, in_session=True).traits == traits


def word_list(text: str) -> list[str]:
    return text.split()


WORDS = word_list("""
relational conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli
vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti
triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic
adjustable defensible irritant replacement adjustment dependent adoption homologou communism activate angulariti
homologous effective bowdlerize probate rate cease controll roll caresses ponies ties caress cats feed agreed plastered
bled motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing filing happy sky eed pyace
yes yy skies dying lying news agreement argument ies ss s is as es ing ed eding
""")


def _stems_of_sqlite(words: list[str]) -> dict[str, str]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(a, tokenize = 'porter unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
    connection.executemany("INSERT INTO f (rowid, a) VALUES (?, ?)", enumerate(words))
    found = {words[row]: term for term, row, _, _ in connection.execute("SELECT * FROM v")}
    connection.close()
    return found


def test_stems_are_those_of_the_index() -> None:
    assert {word: stem(word) for word in WORDS} == _stems_of_sqlite(WORDS)


ENDINGS = st.sampled_from(word_list("s es ed ing eed y e ll ational izer ness ement ion ence ible iviti bl at iz er"))


@given(
    st.lists(st.tuples(st.text("abcdeioustlyz", min_size=1, max_size=8), ENDINGS).map("".join), min_size=1, max_size=50)
)
def test_stems_of_invented_words_are_those_of_the_index(words: list[str]) -> None:
    assert {word: stem(word) for word in words} == _stems_of_sqlite(words)


def test_a_doubled_y_before_an_ending_is_halved_as_the_index_does() -> None:
    assert {"yyed": stem("yyed")} == _stems_of_sqlite(["yyed"])


def test_many_texts_at_once_give_the_rows_of_each_alone() -> None:
    texts = [
        "Ada: tea?",
        "",
        "a\0b c",
        "Ünal: Привет",
        "茶 and 3 cups",
        "x: y",
        "no colon here",
        "Ada Lovelace: when? Now.",
    ]
    labels, at = [f"key-{number}" for number in range(len(texts))], "2023-05-08T12:00:00.000000000Z"
    spoken = [number % 3 > 0 for number in range(len(texts))]
    together = analyse_all(texts, labels, [at] * len(texts), spoken, ["Bo"] * len(texts))
    alone = [
        analyse(text, label=label, created_at=at, in_session=said, author="Bo")
        for text, label, said in zip(texts, labels, spoken, strict=True)
    ]
    assert list(zip(*together, strict=True)) == [tuple(row) for row in alone]
