"""From text to the terms of the index, and from a question to what is looked up (specs/native-memory.md §8, §22.4).

A term is a word of letters, marks and numbers: compatibility-normalised, folded, without diacritics, stemmed. English
function words are not terms; an emoji is one. In a script written without spaces (Han, Kana, Hangul, Thai, Lao, Khmer,
Burmese, Tibetan and their relatives) every character with its marks is a term, and a run of them in a question is a
phrase. The terms of one field are written with two spaces between them and one around the whole (`` green  tea ``), so
that counting a term or phrase is counting a substring. Whoever changes these rules raises ``schema.VERSION``: the next
writer then rebuilds the index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from zeroclaw_cli.native.porter import stem
from zeroclaw_cli.native.stamps import date_words

MAX_QUERY_TERMS: Final = 64
MAX_TERM_CHARS: Final = 100
# Longer runs are sentences rather than words: they are looked up piece by piece as well. A script of syllables needs
# fewer characters for a word than one of letters.
LONGEST_CJK_WORD: Final = 4
_CJK_PIECE: Final = 2
LONGEST_UNSPACED_WORD: Final = 8
_UNSPACED_PIECE: Final = 3


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: Final = _word_set(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves what which who whom this that these those am is are
    was were be been being have has had having do does did doing a an the and but if or because as until while
    of at by for with about against between into through during before after above below to from up down in out
    on off over under again further then once here there when where why how all any both each few more most
    other some such no nor not only own same so than too very s t can will just don should now
    """
)

_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
# Thai, Lao, Tibetan, Burmese, Khmer, Tai Le, New Tai Lue, Tai Tham, Balinese, Javanese, Tai Viet, Yi, Ahom.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f"
    "\ua000-\ua4cf\ua980-\ua9ff\uaa60-\uaadf\U00011700-\U0001174f"
)
_EMOJI: Final = re.compile("[\u231a-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_FLAG: Final = "[\U0001f1e6-\U0001f1ff]{2}"
# Diacritics, and what only says how the character before it looks: variation selectors, the joiner and the keycap of
# emoji, skin tones.
_DROPPED: Final = re.compile(
    "[\u0300-\u036f\u180b-\u180d\u180f\u200d\u20e3\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]"
)
_ASCII: Final = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))

_ASCII_ROWS: Final = b"\0" + _ASCII[1:]


# What the ranking wants to know of a text beside its terms: bits of one number.
HAS_QUESTION: Final = 1
ONLY_ASKS: Final = 2
HAS_TIME: Final = 4
HAS_NUMBER: Final = 8


class Terms(NamedTuple):
    """One row of the index: the terms of its fields, each as one text, its length in tenths of a word, its traits."""

    body: str
    label: str
    dates: str
    speaker: str
    length: int
    traits: int


class Columns(NamedTuple):
    """The fields of :class:`Terms` for many rows, one list a field."""

    body: list[str]
    label: list[str]
    dates: list[str]
    speaker: list[str]
    length: list[int]
    traits: list[int]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term or phrase of a question. ``pattern`` is what is counted in a field's text; ``literal`` is the same for
    FTS5: quoted, made of letters, marks, numbers and spaces alone, so that nothing in it is an operator."""

    text: str
    pattern: str
    literal: str


LABEL_WEIGHT: Final = 0.5
DATE_WEIGHT: Final = 1.4
# Lengths are whole tenths of a word, so that their sums are exact whatever the order in which they are added.
_WORD: Final = 10
_LABEL_WORD: Final = round(LABEL_WEIGHT * _WORD)
_DATE_WORD: Final = round(DATE_WEIGHT * _WORD)


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]+|[{_UNSPACED}]+|{_FLAG}|[^{_CJK}{_UNSPACED}]+?(?={_FLAG}|[{_CJK}{_UNSPACED}]|$)", re.S)


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}{_UNSPACED}]")


# Around a character of a script without spaces: where a mark would still belong to it, and before such a mark.
_OPEN_END: Final = "\1"
_MARK: Final = "\2"


class _Separators(dict[int, str]):
    """For ``str.translate``: letters, marks and numbers stay, emoji and letters of a script without spaces stand alone,
    all else becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category[0] not in "LMN":
            # What is younger than Python's tables (Cn) may be an emoji too.
            mapped = f" {char} " if category in ("So", "Cn") and _EMOJI.match(char) else " "
        elif not _unspaced().match(char):
            mapped = char
        elif category[0] == "M":
            mapped = f"{_MARK}{char}{_OPEN_END}"
        else:
            mapped = f" {char}{_OPEN_END}"
        self[code] = mapped
        return mapped


_SEPARATORS: Final = _Separators()


def fold(text: str) -> str:
    """Compatibility-normalised, case-folded, and without diacritics, so that ``Café`` and ``ＣＡＦＥ`` are ``cafe``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _DROPPED.sub("", decomposed))


def words_of(text: str) -> list[str]:
    """The folded words of ``text`` in order, function words and all."""
    if text.isascii():
        return text.encode().translate(_ASCII).decode().split()
    folded = fold(text)
    if folded.isascii():
        return folded.encode().translate(_ASCII).decode().split()
    separated = folded.translate(_SEPARATORS)
    if _OPEN_END in separated:
        separated = separated.replace(_OPEN_END + _MARK, "").replace(_OPEN_END, " ").replace(_MARK, " ")
    return separated.split()


def _words_of_all(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text. Those of an import are many and short, and nearly always ASCII: they go as one."""
    whole = "\0".join(texts)
    if whole.isascii() and whole.count("\0") == len(texts) - 1:
        return [row.split() for row in whole.encode().translate(_ASCII_ROWS).decode().split("\0")]
    return list(map(words_of, texts))


class _Stems(dict[str, str]):
    """The term of each word met so far; empty for a function word, which is none."""

    def __missing__(self, word: str) -> str:
        if word in STOP_WORDS:
            term = ""
        elif "0" <= word[-1] <= "9":
            # A number has no stem, and there are too many long ones to remember.
            term = word[:MAX_TERM_CHARS]
            if len(term) > 4:
                return term
        else:
            term = stem(word)[:MAX_TERM_CHARS]
        if len(self) >= _REMEMBERED_WORDS:
            self.clear()
        self[word] = term
        return term


_REMEMBERED_WORDS: Final = 1 << 16
_STEMS: Final = _Stems()


def _stems(words: Iterable[str]) -> list[str]:
    return [*filter(None, map(_STEMS.__getitem__, words))]


def terms(text: str) -> list[str]:
    """The terms of ``text`` in order."""
    return _stems(words_of(text))


def joined(found: Iterable[str]) -> str:
    """Terms as a field of the index keeps them; empty for none."""
    text = "  ".join(found)
    return f" {text} " if text else ""


def _fields_of_all(words: Iterable[Iterable[str]]) -> list[str]:
    """``joined`` of the terms of each of many texts, given by its words."""
    term_of = _STEMS.__getitem__
    texts = ["  ".join(filter(None, map(term_of, found))) for found in words]
    return [f" {text} " if text else "" for text in texts]


@lru_cache(maxsize=1024)
def _name_terms(name: str) -> str:
    return joined(terms(name))


@lru_cache(maxsize=4096)
def _date_terms(hour: str) -> tuple[str, int]:
    words = date_words(hour)
    return joined(stem(word) for word in words), len(words)


def analyse(content: str, *, label: str, created_at: str, in_session: bool, author: str = "") -> Terms:
    """The index row of ``content``: see :func:`analyse_all`."""
    columns = analyse_all([content], [label], [created_at], [in_session], [author])
    return Terms._make(column[0] for column in columns)


def analyse_all(
    contents: Sequence[str],
    labels: Sequence[str],
    created_at: Sequence[str],
    in_session: Sequence[bool],
    authors: Sequence[str],
) -> Columns:
    """The index rows of texts, each argument one value a text.

    ``labels`` are what is searchable beside the text (key, namespace, path); ``created_at`` stamps; ``authors`` the
    name of the agent that wrote it, empty for none. A leading ``Name:`` is the speaker and no part of the text when the
    text is one of a session; a note such as ``Birthday: 8 May`` keeps its first word.
    """
    parts = [
        split_speaker(content) if spoken else ("", content)
        for content, spoken in zip(contents, in_session, strict=True)
    ]
    said = [text for _, text in parts]
    words = _words_of_all(said)
    names = _fields_of_all(_words_of_all(labels))
    dates = [_date_terms(at[:13]) for at in created_at]
    speakers = [name or author for (name, _), author in zip(parts, authors, strict=True)]
    return Columns(
        _fields_of_all(words),
        names,
        [text for text, _ in dates],
        [_name_terms(speaker) if speaker else "" for speaker in speakers],
        [
            _WORD * len(found) + _LABEL_WORD * ((name.count("  ") + 1) if name else 0) + _DATE_WORD * date_count
            for found, name, (_, date_count) in zip(words, names, dates, strict=True)
        ],
        list(map(_traits, said, words)),
    )


_COLON: Final = re.compile("[:：]").search
_SPEAKER: Final = re.compile(r"\s{0,8}([^\W\d_][^\s:：]{0,39}(?:[ ][^\W\d_][^\s:：]{0,39}){0,2})(?::(?=\s)|：)")
# As long as the longest text that the pattern above can match before its colon.
_LONGEST_HEAD: Final = 8 + 40 + 2 * 41


class _Heads(dict[str, tuple[str, int]]):
    """The speaker of each head met so far, and where it ends; no name for a head that is none.

    A head is a text up to its first colon and one character more: what the pattern looks at.
    """

    def __missing__(self, head: str) -> tuple[str, int]:
        match = _SPEAKER.match(head)
        if match is None or any(word[0].islower() for word in match[1].split()):
            found = ("", 0)
        else:
            found = (match[1], match.end())
        if len(self) >= _REMEMBERED_HEADS:
            self.clear()
        self[head] = found
        return found


_REMEMBERED_HEADS: Final = 1 << 12
_HEADS: Final = _Heads()


def split_speaker(content: str) -> tuple[str, str]:
    """The name before the first colon and the rest, when the text starts like ``Ada Lovelace: …``; else no name."""
    if content.isascii():
        colon = content.find(":")
    else:
        match = _COLON(content)
        colon = -1 if match is None else match.start()
    if not 0 < colon <= _LONGEST_HEAD:
        return "", content
    name, end = _HEADS[content[: colon + 2]]
    return (name, content[end:]) if name else ("", content)


_SENTENCE_END: Final = re.compile(r"[.!?。！？]+(?=\s|$|[^\x00-\x7f])")
_DIGIT: Final = re.compile("[0-9]")
_YEAR_OR_CLOCK: Final = re.compile(r"\b(?:1[5-9]\d\d|2[01]\d\d|\d{1,2}:\d\d|\d{1,2} ?[ap]m)\b", re.IGNORECASE)
_TIME_WORDS: Final = _word_set(
    """
    yesterday today tonight tomorrow ago day days week weeks weekend month months year years morning afternoon
    evening night noon midnight spring summer autumn winter monday tuesday wednesday thursday friday saturday
    sunday january february march april june july august september october november december recently earlier
    later 天 日 月 年 周 週
    """
)
_NUMBER_WORDS: Final = _word_set(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
    million millions dozen dozens half once twice couple several daily weekly monthly yearly
    一 二 三 四 五 六 七 八 九 十 百 千 万
    """
)
_TRAIT_WORDS: Final = _TIME_WORDS | _NUMBER_WORDS


def _traits(text: str, words: Sequence[str]) -> int:
    found = 0
    if "?" in text or (not text.isascii() and "？" in text):
        only = text.rstrip()[-1:] in ("?", "？") and all(
            "?" in end or "？" in end for end in _SENTENCE_END.findall(text)
        )
        found = HAS_QUESTION | (ONLY_ASKS if only else 0)
    if not _TRAIT_WORDS.isdisjoint(words):
        found |= 0 if _NUMBER_WORDS.isdisjoint(words) else HAS_NUMBER
        found |= 0 if _TIME_WORDS.isdisjoint(words) else HAS_TIME
    if _DIGIT.search(text):
        found |= HAS_NUMBER | (HAS_TIME if _YEAR_OR_CLOCK.search(text) else 0)
    return found


def _split(folded: str) -> list[str]:
    return [folded] if folded.isascii() else _runs().findall(folded)


def query_terms(query: str) -> list[QueryTerm]:
    """What a question asks for: its terms, each once, at most :data:`MAX_QUERY_TERMS`; none for a question without any.

    A run of a script without spaces is a phrase; a run longer than a word is in addition every short piece of it, since
    nobody's note repeats a whole sentence of the question.
    """
    found: dict[str, None] = {}
    for run in _split(fold(query)):
        characters = _stems(words_of(run))
        if not characters:
            continue
        if run.isascii() or not (_unspaced().match(run) or re.fullmatch(_FLAG, run)):
            found.update(dict.fromkeys(characters))
        else:
            found.update(dict.fromkeys(_phrases(characters, is_cjk=bool(_cjk().match(run)))))
        if len(found) >= MAX_QUERY_TERMS:
            break
    return [QueryTerm(text.replace("  ", ""), f" {text} ", f'"{text}"') for text in list(found)[:MAX_QUERY_TERMS]]


def _phrases(characters: Sequence[str], *, is_cjk: bool) -> Iterator[str]:
    """A run as a phrase, as far as a term may be long, and the pieces of one that is longer than a word."""
    longest, size = (LONGEST_CJK_WORD, _CJK_PIECE) if is_cjk else (LONGEST_UNSPACED_WORD, _UNSPACED_PIECE)
    ends = accumulate(map(len, characters))
    whole = [char for char, end in zip(characters, ends, strict=True) if end <= MAX_TERM_CHARS]
    yield "  ".join(whole)
    if len(characters) > longest:
        for start in range(min(len(characters) - size + 1, MAX_QUERY_TERMS)):
            piece = characters[start : start + size]
            if sum(map(len, piece)) <= MAX_TERM_CHARS:
                yield "  ".join(piece)


def common_words(query: str) -> list[str]:
    """The words of a question that has no terms, each once: function words, which the index leaves out."""
    return [word for word in dict.fromkeys(words_of(query)) if word in STOP_WORDS]
