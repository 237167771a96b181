"""Conversations made by a seed: sessions of two people with dates, and questions whose evidence is known.

What makes real conversations hard to search is in them: an answer rarely repeats what was asked, names are who speaks
rather than what is said, several people tell of the same things, and a question is put in other words later.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from zeroclaw_cli.memory.types import Entry

PEOPLE = (
    *("Ada", "Byron", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kemal", "Lucia", "Marek"),
    *("Nadia", "Oskar", "Paula", "Quentin", "Rosa", "Stefan", "Tilda"),
)
# A pastime, what one does in it, and with what.
PASTIMES: tuple[tuple[str, tuple[str, str], tuple[str, ...]], ...] = (
    ("pottery", ("made", "make"), ("vase", "bowl", "teapot", "lamp", "plate")),
    ("painting", ("painted", "paint"), ("portrait", "sunset", "lighthouse", "horse", "bridge")),
    ("baking", ("baked", "bake"), ("sourdough", "strudel", "carrot cake", "pretzels", "brioche")),
    ("hiking", ("climbed", "climb"), ("ridge", "volcano", "glacier", "cliff", "dune")),
    ("gardening", ("planted", "plant"), ("tomatoes", "roses", "lavender", "beans", "figs")),
    ("carpentry", ("built", "build"), ("shelf", "canoe", "cradle", "table", "birdhouse")),
    ("photography", ("shot", "shoot"), ("owl", "eclipse", "wedding", "waterfall", "festival")),
    ("knitting", ("knitted", "knit"), ("scarf", "jumper", "blanket", "mittens", "hat")),
    ("sailing", ("crossed", "cross"), ("bay", "strait", "lagoon", "channel", "fjord")),
    ("violin", ("played", "play"), ("sonata", "waltz", "concerto", "lullaby", "polka")),
    ("chess", ("won", "win"), ("tournament", "rematch", "trophy", "final", "blitz")),
    ("cycling", ("rode", "ride"), ("coast", "pass", "canal path", "island loop", "gravel race")),
    ("volunteering", ("helped", "help"), ("shelter", "library", "food bank", "nursery", "hospice")),
    ("cooking", ("cooked", "cook"), ("paella", "ramen", "curry", "lasagne", "dumplings")),
    ("writing", ("wrote", "write"), ("novel", "poem", "essay", "screenplay", "diary")),
    ("swimming", ("swam", "swim"), ("lake", "relay", "river", "reef", "marathon")),
)
PLACES = ("Lisbon", "Oslo", "Porto", "Kyoto", "Tbilisi", "Ghent", "Cusco", "Bergen", "Fez", "Hobart")
WITH = ("my sister", "an old friend", "my neighbour", "a colleague", "my uncle", "the kids", "nobody at all")
ASKING = (
    "So how is the {pastime} going?",
    "Did you find time for {pastime} lately?",
    "Tell me, what is new with your {pastime}?",
    "What have you been up to, still into {pastime}?",
)
TELLING = (
    "Great, I {did} a {thing} {when} with {friend}.",
    "It went well! {number} weeks of work and then I {did} the {thing} in {place}.",
    "Oh yes, finally {did} that {thing}, {friend} came along.",
    "{when} I {did} a {thing}, can you believe it.",
    "I love {pastime}, I {did} a {thing} {when}.",
)
ECHOING = (
    "That sounds wonderful, {name}!",
    "My cousin is also into {pastime}.",
    "I always wanted to try {pastime}, {name}.",
    "A {thing}, really? How lovely.",
    "You should come to {place} some time.",
)
CHATTER = (
    "The weather is awful here today.",
    "Work has been busy, meetings all week.",
    "How are the kids doing?",
    "They are fine, school started again.",
    "I watched a film last night, quite long.",
    "We should have dinner soon, {name}.",
    "Thanks {name}, take care.",
    "I am thinking of moving to {place}.",
    "Did you read the news about {place}?",
    "I was tired and slept for ten hours.",
    "My car broke down again on Monday.",
    "Good morning {name}, how was your week?",
)
WHEN = ("yesterday", "last week", "on Saturday", "two days ago", "last month", "this morning")
NUMBERS = ("two", "three", "five", "seven", "eleven")
QUESTIONS = (
    "What did {name} {do} while {pastime}?",
    "Which thing has {name} been {pastime} for?",
    "When did {name} {do} the {thing}?",
    "How many weeks did {name} need for the {thing}?",
    "With whom did {name} {do} the {thing}?",
    "What was new with the {pastime} of {name} in {month}?",
    "Was {name} able to {do} something on {day} {month}?",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question about what was said, and the keys of the rows that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    entries: tuple[Entry, ...]
    questions: tuple[Question, ...]


def make(seed: int, *, pairs: int = 10, sessions: int = 28, turns: int = 21) -> Corpus:
    """About ``pairs × sessions × turns`` rows, oldest first, and some questions a session."""
    dice = random.Random(seed)
    entries: list[Entry] = []
    questions: list[Question] = []
    for pair in range(pairs):
        two = dice.sample(PEOPLE, 2)
        loves = {name: dice.sample(PASTIMES, 6) for name in two}
        day = datetime(2023, 1, 9, 18, 0, tzinfo=UTC) + timedelta(days=dice.randrange(60))
        for session in range(sessions):
            day += timedelta(days=dice.randint(2, 13), minutes=dice.randint(-180, 180))
            name = f"p{pair}-s{session}"
            lines, asked = _session(dice, two, loves, day, name, turns)
            entries += lines
            questions += asked
    entries.sort(key=lambda entry: (entry.timestamp, entry.key))
    return Corpus(tuple(entries), tuple(questions))


def _session(
    dice: random.Random,
    two: list[str],
    loves: dict[str, list[tuple[str, tuple[str, str], tuple[str, ...]]]],
    day: datetime,
    session: str,
    turns: int,
) -> tuple[list[Entry], list[Question]]:
    spoken: list[tuple[str, str]] = []
    questions: list[Question] = []
    speaker = dice.randrange(2)
    while len(spoken) < turns:
        if dice.random() < 0.3:
            teller = two[1 - speaker]
            words = _words(dice, teller, loves[teller])
            spoken.append((two[speaker], dice.choice(ASKING).format_map(words)))
            evidence = f"{session}-t{len(spoken):03d}"
            spoken.append((teller, dice.choice(TELLING).format_map(words)))
            spoken.append((two[speaker], dice.choice(ECHOING).format_map(words | {"name": teller})))
            asked = dice.choice(QUESTIONS).format_map(words | {"day": str(day.day), "month": f"{day:%B}"})
            questions.append(Question(asked, frozenset({evidence})))
        else:
            other = {"name": two[1 - speaker], "place": dice.choice(PLACES)}
            spoken.append((two[speaker], dice.choice(CHATTER).format_map(other)))
            speaker = 1 - speaker
    return list(_rows(spoken, day, session)), questions


def _words(dice: random.Random, name: str, loves: list[tuple[str, tuple[str, str], tuple[str, ...]]]) -> dict[str, str]:
    pastime, (did, do), things = dice.choice(loves)
    return {
        "name": name,
        "pastime": pastime,
        "did": did,
        "do": do,
        "thing": dice.choice(things),
        "when": dice.choice(WHEN),
        "friend": dice.choice(WITH),
        "place": dice.choice(PLACES),
        "number": dice.choice(NUMBERS),
    }


def _rows(spoken: list[tuple[str, str]], day: datetime, session: str) -> Iterator[Entry]:
    for number, (name, text) in enumerate(spoken):
        at = (day + timedelta(seconds=40 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield Entry("", f"{session}-t{number:03d}", f"{name}: {text}", "conversation", at, session)
