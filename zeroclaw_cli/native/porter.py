"""Porter's stemmer with the deviations of SQLite's own, so that both give the same stems.

Words of fewer than three or more than 64 characters, and those that are not ASCII, stay as they are. (M. F. Porter,
"An algorithm for suffix stripping", 1980; specs/native-memory.md §22.4.)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

_STEP_2: Final = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log")),
    *(("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize")),
    *(("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful")),
    *(("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
)
_STEP_3: Final = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")),
)
_STEP_4: Final = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize"),
)


def stem(word: str) -> str:
    """The stem of one lower-case word."""
    if not 3 <= len(word) <= 64 or not word.isascii():
        return word
    word = _step_1a(word)
    word = _step_1b(word)
    if len(word) > 1 and word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    word = _step_4(word)
    return _step_5(word)


def _step_1a(word: str) -> str:
    if not word.endswith("s") or len(word) < 2:
        return word
    if word.endswith("es"):
        if (len(word) > 4 and word.endswith("sses")) or (len(word) > 3 and word.endswith("ies")):
            return word[:-2]
        return word[:-1]
    return word if word.endswith("ss") else word[:-1]


def _step_1b(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        kept = word[: -len(suffix)]
        if word.endswith(suffix) and kept:
            return _mended(kept) if _has_vowel(kept) else word
    return word


def _mended(word: str) -> str:
    """What is left after ``ed`` or ``ing``, with the ending that English spells: hop(p)ing, fil(e)ing."""
    if len(word) > 2 and word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and not _is_vowel(word[-1], False) and word[-1] not in "lsz":
        return word[:-1]
    if _measure(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, other in rules:
        if word.endswith(suffix) and len(word) > len(suffix):
            kept = word[: -len(suffix)]
            return kept + other if _measure(kept) > 0 else word
    return word


def _step_4(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix) and len(word) > len(suffix):
            kept = word[: -len(suffix)]
            if suffix == "ent" and word.endswith("ment"):
                continue
            if _measure(kept) > 1 and (suffix != "ion" or kept[-1] in "st"):
                return kept
            return word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        kept = word[:-1]
        measure = _measure(kept)
        if measure > 1 or (measure == 1 and not _ends_short(kept)):
            word = kept
    if len(word) > 1 and word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _is_vowel(char: str, y: bool) -> bool:
    return char in "aeiou" or (y and char == "y")


def _consonants(word: str) -> list[bool]:
    """For each character whether it is a consonant; a y is a vowel exactly if a consonant stands before it."""
    found, consonant = [], False
    for char in word:
        consonant = not _is_vowel(char, consonant)
        found.append(consonant)
    return found


def _has_vowel(word: str) -> bool:
    return any(_is_vowel(char, number > 0) for number, char in enumerate(word))


def _measure(word: str) -> int:
    """How many times a consonant follows a vowel."""
    found = _consonants(word)
    return sum(after and not before for before, after in pairwise(found))


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant, the last of them none of w, x, y."""
    return word[-1] not in "wxy" and _consonants(word)[-3:] == [True, False, True]
