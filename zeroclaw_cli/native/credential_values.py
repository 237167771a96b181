"""Whether what stands after the name of a credential is its value or speaks of it (specs/native-memory.md §12)."""

from __future__ import annotations

import re
from typing import Final, Literal

# What joins a name to what follows: "is" or "was", a colon or an equals sign, a comparison, or a place beside it.
Joint = Literal["verb", "sign", "comparison", "beside"]

_MARKS: Final = "\"'`*_~"
# What is longer without a blank is not a word, a call or a placeholder that anybody writes.
_LONGEST_JUDGED: Final = 200
_LONGEST_PHRASE: Final = 2_000

# Words that carry on a sentence about a credential ("the password is stored in the safe") and are none themselves.
_PROSE: Final = re.compile(
    r"about|active|actually|again|almost|already|also|always|and|any|automatic|available|because|been|being|blank|both|"
    r"broken|but|changed|complex|compromised|confidential|correct|currently|default|different|disabled|dynamic|either|"
    r"empty|enabled|encrypted|enough|expired|expiring|external|fine|for|free|from|generated|given|global|gone|good|hard|"
    r"hashed|held|her|here|hers|hidden|his|how|inactive|incorrect|inside|internal|invalid|its|just|jwt|kept|known|"
    r"leaked|like|listed|local|long|lost|managed|mandatory|mine|missing|more|most|much|needed|never|new|nice|not|"
    r"nothing|now|obsolete|often|okay|old|one|only|opaque|optional|our|ours|outdated|pending|per|permanent|personal|"
    r"private|probably|protected|public|random|read|ready|requested|required|reset|revoked|right|rotated|rotating|safe|"
    r"same|saved|secret|secure|see|sensitive|sent|set|shared|short|simple|something|static|still|stored|strong|stolen|"
    r"temporary|that|the|their|theirs|there|this|too|under|unique|unknown|unset|unused|up|used|useless|usually|valid|"
    r"weak|what|when|where|which|who|why|with|within|without|working|written|wrong|your|yours"
    r"|[a-z]{3,}(?:ed|able|ible)|[\w-]+-(?:[a-z]{2,}ed|sensitive|only|known|long|wide|based|free|specific|lived)",
    re.IGNORECASE,
)
# After a colon or an equals sign almost every word may be a password.
_REMARKS: Final = re.compile(
    r"any|ask|contact|default|expired|forgotten|from|get|hidden|in|mandatory|missing|must|my|needed|no|none|not|"
    r"optional|our|please|provided|redacted|required|rotated|same|see|should|stored|the|their|unchanged|unknown|unset|"
    r"use|via|yes|your",
    re.IGNORECASE,
)
_PHRASE_REMARKS: Final = re.compile(r"ask|none|optional|required|see|stored|the|unknown", re.IGNORECASE)
# Names of types and values that say that there is none.
_TYPES: Final = (
    r"any|bool(?:ean)?|bytes?|char|dict|float|int(?:eger)?|list|number|object|optional|secret(?:str|string)|secret|"
    r"str(?:ing)?|text|tuple|union|uuid|varchar"
)
_EMPTY: Final = re.compile(
    rf"(?:{_TYPES}|none|null|nil|undefined|true|false|tbd|tba|todo|n/?a|[x*•.#?_-]+"
    r"|args|await|data|field|input|key|kwargs|lambda|pass|pwd|self|token|value|your[-_][\w-]+)",
    re.IGNORECASE,
)
_TYPE_HEAD: Final = re.compile(rf"(?:typing\.)?(?:{_TYPES})(?=[\[\]|),;=?&*<>(}}])", re.IGNORECASE)
ANNOTATION: Final = rf"(?:typing\.)?(?:{_TYPES})(?![A-Za-z0-9_])[\w\[\], |?.]{{0,60}}"
# What another program or a person fills in.
_PLACEHOLDER: Final = re.compile(
    r"\$(?:[A-Z_][A-Z0-9_]*|[A-Za-z_]+)(?![\w!-/:-@])|\$[({]|\{{1,2}\s*[\w.$]+\s*(?:[|}]|\Z)|<[A-Za-z][^<>]*(?:>|\Z)"
    r"|!vault\b|%[A-Z_]+%|%(?:\(\w+\))?s\Z|\[(?:redacted|hidden|secret)",
    re.IGNORECASE,
)
_SEGMENT: Final = r"[A-Za-z_$][A-Za-z_$]*\d{0,2}"
_DOTTED: Final = re.compile(rf"{_SEGMENT}(?:(?:\?\.|\.|->|::){_SEGMENT})+(?=\Z|[\[(,\]);|}}])")
_CALL: Final = re.compile(rf"{_SEGMENT}(?:(?:\?\.|\.|->|::){_SEGMENT})*[\[(]")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?(?:/[a-z0-9._-]+){2,}/?|(?:~|\.{1,2})/[a-z0-9._/-]+|[a-z]{2,10}://.*")
_UNITS: Final = (
    r"(?:char(?:acter)?|letter|digit|symbol|byte|bit|word|second|minute|hour|day|week|month|year|attempt)s?(?![A-Za-z])"
)
_AMOUNT: Final = re.compile(rf"\d+(?:[-–]\d+|\+)?[\s-]?{_UNITS}", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+(?:[-–]\d+|\+)?")
_COUNTED: Final = re.compile(rf"[\s-]+{_UNITS}", re.IGNORECASE)
_ALGORITHM: Final = re.compile(
    r"(?:sha|md|aes|rsa|oauth|base|argon|utf|hs|rs|es|ed|hmac|pbkdf|bcrypt|scrypt|ecdsa|totp|saml|jwt)"
    r"[-_]?\d*(?:[-_](?:sha|md|gcm|cbc|ctr)?\d*)?",
    re.IGNORECASE,
)
_COLUMN: Final = re.compile(r"\w+\(\d+\)?|\d+\+\w*|sha\d+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_POSSESSIVE: Final = re.compile(r"\w+(?:['’]s|s['’])", re.IGNORECASE)
_FOLLOWED: Final = re.compile(r"[^\S\r\n]+(?:\w|\[REDACTED)")
_REST: Final = re.compile(rf"[^\r\n\"|;]{{0,{_LONGEST_PHRASE}}}")
_WORDS: Final = re.compile(r"[a-z]{2,12}(?: [a-z]{2,12}){2,7}(?=[.!]?[^\S\r\n]*(?:[\r\n;|]|\Z))")
# No phrase of plain words has one of these.
_SENTENCE: Final = re.compile(
    r"\b(?:an?|and|are|as|at|be|by|can|for|from|has|have|if|in|is|its?|may|must|no|not|of|on|or|should|that|the|then"
    r"|this|to|under|use|was|we|when|will|with|your?)\b"
)


def bare(written: str) -> str:
    """What is written without the marks around it and the end of a sentence after it."""
    return written.strip(_MARKS).rstrip(".!?)]}:,;").rstrip(_MARKS)


def is_value(written: str, after: str, joint: Joint, *, phrase: bool = False) -> bool:
    """Whether ``written``, with its quotation marks, is a credential; ``after`` is how the text goes on.

    ``phrase`` says that its name is a passphrase, which is made of plain words.
    """
    if len(written) > _LONGEST_JUDGED:
        return True
    value = bare(written)
    if not value or _EMPTY.fullmatch(value) or is_placeholder(written.lstrip(_MARKS)):
        return False
    if joint in ("beside", "comparison"):
        return has_letters_and_digits(value) and not _is_reference(value, after) and not _COLUMN.fullmatch(value)
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "\"'"
    if not quoted and _is_reference(written.strip(_MARKS), after):
        return False
    if joint == "sign":
        return not (_PHRASE_REMARKS if phrase else _REMARKS).fullmatch(value)
    return not _is_prose(value, written, after, quoted=quoted)


def is_placeholder(written: str) -> bool:
    """Whether it stands for what another program or a person fills in."""
    return _PLACEHOLDER.match(written) is not None


def has_letters_and_digits(value: str) -> bool:
    """Whether a value looks like a password where nothing but its place says that it is one."""
    return len(value) >= 4 and re.search(r"[0-9]", value) is not None and re.search(r"[A-Za-z]", value) is not None


def phrase_end(text: str, start: int, end: int, *, phrase: bool) -> int:
    """Where the value that begins at ``start`` ends when it is made of several words; ``end`` when it is not."""
    if text[start] in "\"'`":
        return end
    if phrase and (rest := _REST.match(text, start)) is not None:
        return max(end, start + len(rest[0].rstrip()))
    words = _WORDS.match(text, start)
    if words is None or _SENTENCE.search(words[0]):
        return end
    return max(end, words.end())


def _is_reference(value: str, after: str) -> bool:
    """Whether it names where the credential is, or what kind it is: code, a path, a type, an amount."""
    if _TYPE_HEAD.match(value) or _DOTTED.match(bare(value)) or _PATH.fullmatch(bare(value)):
        return True
    if _CALL.match(value):
        return value.rstrip(".,;:")[-1:] in (")", "]") or after[:1] in (" ", "\t", '"', "'", ",", ")")
    if _NUMBER.fullmatch(bare(value)) and _COUNTED.match(after):
        return True
    return any(pattern.fullmatch(bare(value)) for pattern in (_AMOUNT, _ALGORITHM))


def _is_prose(value: str, written: str, after: str, *, quoted: bool) -> bool:
    """Whether a sentence goes on with it after "is" or "was"."""
    if _PROSE.fullmatch(value):
        return True
    if quoted or written[:1] in "\"'`":
        return False
    if _POSSESSIVE.fullmatch(value):
        return True
    whole = written.strip(_MARKS) == value
    return whole and _WORD.fullmatch(value) is not None and _FOLLOWED.match(after) is not None
