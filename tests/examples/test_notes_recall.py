"""What the example plugin finds, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.guests import component
from tests.support.raw_guest import RawGuest, keys


@pytest.fixture
def guest() -> RawGuest:
    return RawGuest(component("notes"))


def store(guest: RawGuest, **rows: str) -> None:
    """Stores rows by key and content, a second apart."""
    for key, content in rows.items():
        guest.clock.seconds += 1
        guest.store_entry(key, content)


def test_only_rows_with_a_term_of_the_query_are_found(guest: RawGuest) -> None:
    store(guest, a="the cat sat", b="a dog lay", c="nothing at all")
    assert sorted(keys(guest.recall("dog or cat"))) == ["a", "b"]
    assert guest.recall("elephant") == []


@pytest.mark.parametrize("query", ["", "*", "  ", "\t*\n", "\u3000*\u00a0"])
def test_an_empty_query_or_a_bare_star_gives_the_newest_first_without_scores(guest: RawGuest, query: str) -> None:
    store(guest, a="x", b="*", c="y")
    found = guest.recall(query, 2)
    assert keys(found) == ["c", "b"]
    assert [entry["score"] for entry in found] == [None, None]


def test_every_row_that_answers_a_query_has_a_score_and_the_best_comes_first(guest: RawGuest) -> None:
    store(guest, a="red red red", b="red", c="red and blue", d="green")
    scores = [entry["score"] for entry in guest.recall("red blue")]
    assert len(scores) == 3
    assert all(score > 0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 100, 2**63, 2**64 - 1])
def test_no_more_than_the_limit_is_found(guest: RawGuest, limit: int) -> None:
    store(guest, **{f"k{place}": "word" for place in range(5)})
    for query in ("word", ""):
        assert keys(guest.recall(query, limit)) == ["k4", "k3", "k2", "k1", "k0"][:limit]


def test_the_best_few_of_many_are_the_first_of_all(guest: RawGuest) -> None:
    for place in range(300):
        guest.store_entry(f"k{place}", "word " * (place * 7 % 41) + "filler " * (place % 13))
    everything = guest.recall("word", 1000)
    assert keys(guest.recall("word", 17)) == keys(everything)[:17]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("The Cat", "cAT"),
        ("ÜBER ÅNGSTRÖM", "über ångström"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("МОСКВА Ёлка", "москва"),
        ("Ёлка", "ёлка"),
        ("ŽLUŤOUČKÝ KŮŇ", "kůň"),
        ("ＷＩＦＩ", "ｗｉｆｉ"),
    ],
)
def test_letter_case_does_not_matter(guest: RawGuest, content: str, query: str) -> None:
    store(guest, k=content)
    assert keys(guest.recall(query)) == ["k"]
    assert keys(guest.recall(query.upper())) == ["k"]


@pytest.mark.parametrize(
    ("content", "query", "is_found"),
    [
        ("deployment", "deploy", True),
        ("employed", "deploy", False),
        ("airplane", "plane", False),
        ("air-plane", "plane", True),
        ("wifi_password", "password", True),
        ("a.b/c:d", "c", True),
        ("island", "is", False),
        ("it is", "is", True),
        ("one note", "notes", True),
        ("two notes", "note", True),
        ("glass", "glas", True),
        ("the pass", "passes", False),
        ("naïve", "na", False),
        ("Straße", "straße", True),
    ],
)
def test_a_term_is_found_at_the_beginning_of_words(guest: RawGuest, content: str, query: str, is_found: bool) -> None:
    store(guest, k=content)
    assert keys(guest.recall(query)) == ["k"] * is_found


@pytest.mark.parametrize(
    ("content", "query", "is_found"),
    [
        ("明日は東京タワーへ行く", "東京", True),
        ("明日は東京タワーへ行く", "タワー", True),
        ("明日は東京タワーへ行く", "京", True),
        ("明日は京都へ行く", "東京", False),
        ("本日は晴天", "日本", False),
        ("使用wifi密码", "wifi", True),
        ("使用wifi密码", "密码", True),
        ("ภาษาไทย", "ไทย", True),
        ("서울에서 만나요", "서울", True),
        ("party🎉🎉", "🎉", True),
        ("party🎉", "🎂", False),
    ],
)
def test_scripts_without_blanks_match_by_whole_characters(
    guest: RawGuest, content: str, query: str, is_found: bool
) -> None:
    store(guest, k=content)
    assert keys(guest.recall(query)) == ["k"] * is_found


def test_a_part_of_a_character_matches_nothing(guest: RawGuest) -> None:
    # 倀 is e5 80 80 and 耀 is e8 80 80: they share bytes, but no character.
    store(guest, k="倀倀")
    assert guest.recall("耀") == []


def test_a_query_of_signs_alone_is_looked_for_as_it_stands(guest: RawGuest) -> None:
    store(guest, a="nice :-)", b="not nice :-(", c="100 % sure")
    assert keys(guest.recall(":-)")) == ["a"]
    assert keys(guest.recall(" % ")) == ["c"]


def test_words_of_every_question_are_not_looked_for_unless_there_are_no_others(guest: RawGuest) -> None:
    store(guest, a="the wifi password is hunter2", b="what the cat is", c="cat food")
    assert keys(guest.recall("What is the wifi password?")) == ["a"]
    assert sorted(keys(guest.recall("what is the"))) == ["a", "b"]


def test_a_rare_term_weighs_more_than_a_common_one(guest: RawGuest) -> None:
    store(guest, rare="zebra and grass", **{f"k{place}": "horse and grass" for place in range(5)})
    assert keys(guest.recall("horse zebra"))[0] == "rare"


def test_a_hit_in_the_key_weighs_more_than_one_in_the_content(guest: RawGuest) -> None:
    store(guest, wifi="it is hunter2", other="wifi is down", third="filler")
    assert keys(guest.recall("wifi")) == ["wifi", "other"]


def test_repeated_hits_saturate(guest: RawGuest) -> None:
    padding = " ".join(["pad"] * 30)
    store(guest, once=f"red {padding}", ten="red " * 10 + padding[:-36], twenty="red " * 20 + padding[:-76], no=padding)
    once, ten, twenty = (guest_score(guest, "red", key) for key in ("once", "ten", "twenty"))
    assert once < ten < twenty
    assert twenty - ten < (ten - once) / 4


def test_two_terms_weigh_more_than_one_term_repeated(guest: RawGuest) -> None:
    store(guest, both="red blue", many="red red red red red red red red", other="blue", last="green")
    assert keys(guest.recall("red blue"))[0] == "both"


def test_a_long_row_is_damped(guest: RawGuest) -> None:
    store(guest, short="red ball", long="red ball " + "and more words " * 50)
    assert keys(guest.recall("red")) == ["short", "long"]


def test_a_whole_word_weighs_more_than_the_beginning_of_one(guest: RawGuest) -> None:
    store(guest, word="to plan all", beginning="to planes all", none="x")
    assert keys(guest.recall("plan")) == ["word", "beginning"]


def test_importance_is_a_mild_factor(guest: RawGuest) -> None:
    guest.store_with_agent("none", "red")
    for key, importance in (("zero", 0.0), ("half", 0.5), ("full", 1.0), ("over", 99.0), ("less", -99.0)):
        guest.store_with_agent(key, "red", importance=importance)
    scores = {entry["key"]: entry["score"] for entry in guest.recall("red")}
    assert scores["zero"] < scores["half"] < scores["full"] < 1.5 * scores["zero"]
    assert (scores["less"], scores["none"], scores["over"]) == (scores["zero"], scores["half"], scores["full"])


def test_recency_breaks_ties(guest: RawGuest) -> None:
    store(guest, a="red", b="red", c="red")
    assert keys(guest.recall("red")) == ["c", "b", "a"]
    guest.store_entry("a", "red")
    assert keys(guest.recall("red"))[0] == "a"


# Words, signs and characters of one to four bytes, some of which share bytes or belong to several kinds at once.
PIECES = [
    "a",
    "be",
    "cat",
    "cats",
    "the",
    "X9",
    "Ärger",
    "ß",
    "σοφός",
    "Ёж",
    "東",
    "東京",
    "タワー",
    "🎉",
    "ไทย",
    "서울",
    "ｗｉ",
]
SEPARATORS = ["", " ", " ", "-", "_", ". ", ", ", "、", "\u3000", "\n", "(", "\0"]


@given(st.lists(st.tuples(st.sampled_from(PIECES) | st.text(max_size=3), st.sampled_from(SEPARATORS)), max_size=40))
@settings(max_examples=150)
def test_every_token_of_a_row_finds_it_in_any_case(parts: list[tuple[str, str]]) -> None:
    content = "".join(piece + separator for piece, separator in parts)
    guest = RawGuest(component("notes"))
    guest.store_entry("", content)
    for token in content.split():
        assert keys(guest.recall(token)) == [""], token
    for token in (piece for piece, _ in parts if piece in PIECES and piece == piece.upper().lower()):
        assert len(guest.recall(token.upper())) == len(guest.recall(token)), token


def guest_score(guest: RawGuest, query: str, key: str) -> float:
    return float(next(entry["score"] for entry in guest.recall(query) if entry["key"] == key))


def test_recall_keeps_the_session(guest: RawGuest) -> None:
    guest.store_entry("a", "red", session_id="s")
    guest.store_entry("b", "red", session_id="t")
    guest.store_entry("c", "red")
    for query in ("red", ""):
        assert keys(guest.recall(query, session_id="s")) == ["a"]
        assert guest.recall(query, session_id="") == []


def test_recall_for_agents_takes_their_rows_alone(guest: RawGuest) -> None:
    for agent in (None, "a1", "a2", "a3"):
        guest.store_with_agent(f"of {agent}", "red", agent_id=agent)
    for query in ("red", "*"):
        assert len(guest.recall_for_agents(None, query)) == 4
        assert sorted(keys(guest.recall_for_agents(["a1", "a3", "nobody"], query))) == ["of a1", "of a3"]


def test_no_agents_match_nothing(guest: RawGuest) -> None:
    guest.store_entry("a", "red")
    guest.store_with_agent("b", "red", agent_id="")
    assert guest.recall_for_agents([], "red") == []
    assert guest.recall_for_agents([], "") == []


def test_recall_namespaced_finds_up_to_the_limit_among_its_own_rows(guest: RawGuest) -> None:
    for place in range(20):
        guest.store_with_agent(f"k{place:02}", "red", namespace="mine" if place % 4 == 0 else None)
    for query in ("red", ""):
        assert keys(guest.recall_namespaced("mine", query, 3)) == ["k16", "k12", "k08"]
        assert guest.recall_namespaced("theirs", query) == []


def test_how_rare_a_term_is_counts_among_the_rows_that_are_asked_for(guest: RawGuest) -> None:
    """Otherwise an answer would tell one agent what the rows of another hold."""
    guest.store_with_agent("a", "red", agent_id="me")
    guest.store_with_agent("b", "blue", agent_id="me")
    before = guest.recall_for_agents(["me"], "red")
    for place in range(50):
        guest.store_with_agent(f"c{place}", "red", agent_id="other")
    assert guest.recall_for_agents(["me"], "red") == before


def test_what_was_replaced_or_forgotten_is_not_found(guest: RawGuest) -> None:
    store(guest, a="red", b="red")
    guest.store_entry("a", "blue")
    guest.call("forget", "b")
    assert guest.recall("red") == []
    assert keys(guest.recall("blue")) == ["a"]


def test_a_long_question_does_not_outspend_the_default_fuel() -> None:
    guest = RawGuest(component("notes"))
    sentence = "the quick brown fox {} jumps over the lazy dog {} while the band plays on and on"
    for place in range(2000):
        guest.store_entry(f"note {place}", sentence.format(place, place * 17))
    before = guest.used_fuel()
    assert guest.recall("which fox did the dog see while the band was playing a song on the radio at 17 or 34?", 5)
    # 1,000,000,000 is the default of plugins.limits.call_fuel: this must hold for 100,000 rows.
    assert (guest.used_fuel() - before) * 50 < 1_000_000_000
