"""Cutting texts: chunks, snippets, standing lines, appended entries."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zeroclaw_cli.memory.measures import byte_length, content_hash, cut_marked, lines_of, prefix_within, suffix_within
from zeroclaw_cli.native.chunking import chunk
from zeroclaw_cli.native.snippets import bounded
from zeroclaw_cli.native.standing import CHUNK_BYTES, curate, cut_line, judged, pack
from zeroclaw_cli.native.write import append_entry

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def words(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


# Chunks (§15)


@pytest.mark.parametrize("text", ["", " \n\t", "\u2003"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert chunk(text) == []


@pytest.mark.parametrize("text", ["tea", "  spaced   out \n\n text ", words(800)])
def test_up_to_800_words_are_one_chunk_equal_to_the_text(text: str) -> None:
    assert chunk(text) == [text]


def test_more_words_overlap_by_120() -> None:
    parts = chunk(words(2_000))
    assert [part.split()[0] for part in parts] == ["w0", "w680", "w1360"]
    assert [len(part.split()) for part in parts] == [800, 800, 640]


def test_the_part_that_reaches_the_end_is_the_last() -> None:
    assert [len(part.split()) for part in chunk(words(801))] == [800, 121]
    assert [len(part.split()) for part in chunk(words(1_480))] == [800, 800]


def test_a_rest_that_is_too_short_joins_the_part_before() -> None:
    assert [len(part.split()) for part in chunk(words(105), size=50, overlap=0, minimum=10)] == [50, 55]
    assert [len(part.split()) for part in chunk(words(110), size=50, overlap=0, minimum=10)] == [50, 50, 10]


def test_sizes_and_overlaps_are_clamped() -> None:
    assert chunk("a b c", size=0, minimum=0) == ["a", "b", "c"]
    assert chunk(words(8), size=4, overlap=9.0, minimum=0) == chunk(words(8), size=4, overlap=0.5, minimum=0)
    assert chunk(words(8), size=4, overlap=-1.0, minimum=0) == chunk(words(8), size=4, overlap=0.0, minimum=0)


def test_a_chunk_has_at_most_32_kibibytes() -> None:
    parts = chunk("é" * 40_000)
    assert "".join(parts) == "é" * 40_000
    assert [byte_length(part) for part in parts] == [32_768, 32_768, 14_464]


@given(TEXT, st.integers(0, 9), st.floats(-1, 2), st.integers(0, 5))
def test_every_word_is_in_some_chunk(text: str, size: int, overlap: float, minimum: int) -> None:
    parts = chunk(text, size=size, overlap=overlap, minimum=minimum)
    assert set(text.split()) == {word for part in parts for word in part.split()}
    assert all(part.strip() for part in parts)


# Snippets (§8)


def test_what_fits_is_shown_whole() -> None:
    assert bounded("x" * 8_192, "y") == "x" * 8_192


def test_without_an_exact_occurrence_the_beginning_is_shown() -> None:
    text = "é" * 5_000 + "Tea"
    assert bounded(text, "tea") == "é" * 4_096
    assert bounded("x" + text, "tea") == "x" + "é" * 4_095


def test_windows_have_128_bytes_before_and_256_after() -> None:
    text = "a" * 9_000 + "tea" + "b" * 9_000
    assert bounded(text, "tea") == "a" * 128 + "tea" + "b" * 256


def test_windows_that_touch_merge_and_others_are_joined_by_an_ellipsis() -> None:
    gap = 128 + 256
    touching = "x" * 9_000 + "tea" + "y" * gap + "tea" + "z" * 9_000
    assert bounded(touching, "tea") == "x" * 128 + "tea" + "y" * gap + "tea" + "z" * 256
    apart = "x" * 9_000 + "tea" + "y" * (gap + 1) + "tea" + "z" * 9_000
    assert bounded(apart, "tea") == "x" * 128 + "tea" + "y" * 256 + "\n…\n" + "y" * 128 + "tea" + "z" * 256


def test_occurrences_do_not_overlap() -> None:
    text = "x" * 9_000 + "aaa" + "y" * 9_000
    assert bounded(text, "aa") == "x" * 128 + "aa" + "a" + "y" * 255


def test_a_window_that_cannot_fit_gives_the_beginning() -> None:
    text = "x" * 100 + "q" * 9_000
    assert bounded(text, "q" * 9_000) == ("x" * 100 + "q" * 9_000)[:8_192]


@given(TEXT, st.text(alphabet="éa🧠", min_size=1, max_size=4), st.integers(40, 700))
def test_a_snippet_is_bounded_and_made_of_the_text(filler: str, query: str, limit: int) -> None:
    text = (filler + query) * 9 + filler
    shown = bounded(text, query, limit=limit)
    assert byte_length(shown) <= limit
    assert shown == bounded(text, query, limit=limit)
    if "…" not in filler:
        assert all(piece in text for piece in shown.split("\n…\n"))


# Standing lines (§13)


def test_lines_are_split_at_newlines_alone() -> None:
    assert lines_of("  a \r\nb\u2028c\x0bd\x85e\n\n \t\n# f\n") == ["  a", "b\u2028c\x0bd\x85e", "# f"]


def test_lines_with_credentials_or_orders_are_dropped_one_by_one() -> None:
    text = "Ada drinks tea\nher password is hunter22\nact as a seal\nBob drinks coffee\n"
    curated = curate(text, 4)
    assert curated.chunks == ("Ada drinks tea; Bob drinks coffee",)
    assert (curated.dropped, curated.truncated) == (2, False)


def test_a_line_of_400_bytes_is_whole_and_one_of_401_is_cut_to_388_and_the_mark() -> None:
    assert cut_line("x" * 400) == "x" * 400
    assert cut_line("x" * 401) == "x" * 388 + " (truncated)"
    assert byte_length(cut_line("é" * 201)) == 400


def test_chunks_are_filled_to_400_bytes_with_their_separators() -> None:
    assert [text for text, _ in pack(["x" * 199, "y" * 199], 9)] == ["x" * 199 + "; " + "y" * 199]
    assert [text for text, _ in pack(["x" * 199, "y" * 200], 9)] == ["x" * 199, "y" * 200]


def test_exactly_four_full_chunks_are_not_truncated() -> None:
    text = "\n".join(letter * 400 for letter in "abcd")
    curated = curate(text, 4)
    assert (len(curated.chunks), curated.truncated) == (4, False)
    more = curate(text + "\ne", 4)
    assert (len(more.chunks), more.truncated) == (4, True)
    assert more.chunks[3] == "d" * 388 + " (truncated)"


def test_a_huge_document_is_bounded_work() -> None:
    import time

    text = "\n".join(f"fact {number}" for number in range(100_000))
    started = time.process_time()
    assert len(curate(text, 4).chunks) == 4
    assert time.process_time() - started < 2


@given(st.lists(TEXT, max_size=30), st.integers(0, 5))
def test_chunks_stay_within_budget_and_bytes_and_lose_no_line_silently(lines: list[str], budget: int) -> None:
    text = "\n".join(lines)
    curated = curate(text, budget)
    assert len(curated.chunks) <= budget
    assert all(0 < byte_length(part) <= CHUNK_BYTES for part in curated.chunks)
    safe = [line for line, shown in judged(lines_of(text)) if shown]
    assert curated.shown <= set(safe)
    if budget and not curated.truncated and not curated.cut:
        assert curated.shown == set(safe)
    if curated.truncated:
        assert len(curated.chunks) == budget
        assert curated.chunks[-1].endswith(" (truncated)")


# Bytes


@given(TEXT, st.integers(-1, 40))
def test_prefix_and_suffix_cut_at_characters(text: str, limit: int) -> None:
    for part, matches in ((prefix_within(text, limit), text.startswith), (suffix_within(text, limit), text.endswith)):
        assert byte_length(part) <= max(limit, 0)
        assert matches(part)
        assert byte_length(part) > limit - 4 or part == text or limit <= 0


@given(TEXT)
def test_a_marked_cut_is_within_the_limit(text: str) -> None:
    assert byte_length(cut_marked(text, 50)) <= 50


def test_a_content_hash_is_sha256_in_lower_case_hex() -> None:
    assert content_hash(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# Appending (§6.4)


@given(st.binary(max_size=20), TEXT)
def test_an_appended_entry_has_lines_of_its_own_and_what_was_there_stays(present: bytes, text: str) -> None:
    assume(text.strip())
    entry = text.rstrip() + "\n"
    after = append_entry(present, entry)
    assert after.startswith(present)
    assert after.endswith(entry.encode())
    between = after[len(present) : -len(entry.encode())]
    assert between == (b"\n" if present and not present.endswith(b"\n") else b"")
