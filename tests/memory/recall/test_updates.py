"""After any number of updates an agent is given the current value and none that was before it.

Written and asked through the API. Every value is a number of its own, so that an old one is seen
wherever it turns up.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from tests.factories import instant
from tests.memory.api.calls import call, get, owner, post

pytestmark = pytest.mark.django_db

BEGAN = instant("2026-01-05 09:00")


@dataclass(frozen=True)
class Language:
    things: tuple[str, ...]
    sides: dict[str, str]
    statement: str
    questions: tuple[str, ...]


LANGUAGES = {
    "zh": Language(
        ("青禾展位", "云雀仓库", "白露门店", "远山车间"),
        {"预算": "{}元", "容量": "{}升", "合同号": "HT-{}", "租金": "每月{}元"},
        "{thing}的{side}是{value}",
        ("{thing}的{side}是多少？", "现在{thing}{side}多少", "请问我上次说的{thing}的{side}？"),
    ),
    "en": Language(
        ("Harbour booth", "Lark depot", "Willow shop", "Summit plant"),
        {"budget": "{} dollars", "capacity": "{} litres", "contract": "CT-{}", "rent": "{} euros"},
        "The {side} of {thing} is {value}",
        ("What is the {side} of {thing}?", "{thing} {side} now", "Remind me: {thing}, its {side}?"),
    ),
}
USERS = ("ann", "bob", "eve")


@dataclass
class Fact:
    """One key of one user, with the values that it has had; the last of them is current."""

    user: str
    thing: str
    side: str
    values: list[str]
    agent: str = ""
    memory_id: str = ""

    @property
    def current(self) -> str:
        return self.values[-1]


class Store:
    """A client that writes facts in one language and keeps count of what is outdated."""

    def __init__(self, language: Language):
        self.client, self.language, self.hours = owner(), language, 0

    def sentence(self, fact: Fact, value: str) -> str:
        return self.language.statement.format(thing=fact.thing, side=fact.side, value=value)

    def write(self, fact: Fact, value: str, **more) -> dict:
        """As entity, attribute and value, observed an hour after what was written before."""
        self.hours += 1
        body = {
            "user_id": fact.user,
            "session_id": f"s{self.hours % 9}",
            "agent_id": fact.agent,
            "entity": fact.thing,
            "attribute": fact.side,
            "value": value,
            "text": self.sentence(fact, value),
            "kind": "fact",
            "occurred_at": (BEGAN + timedelta(hours=self.hours)).isoformat(),
        }
        answer = post(self.client, "/memories", body | more)
        assert answer.status_code == 201, answer.data
        memory = answer.data["results"][0]["memory"]
        fact.memory_id = fact.memory_id if "occurred_at" in more else memory["id"]
        return memory

    def say(self, fact: Fact, value: str) -> None:
        """As a sentence, from which the key is inferred."""
        body = {"user_id": fact.user, "text": self.sentence(fact, value), "agent_id": fact.agent}
        assert post(self.client, "/memories", body).status_code == 201

    def correct(self, fact: Fact, value: str) -> None:
        body = {"value": value, "text": self.sentence(fact, value), "reason": "said again"}
        answer = call(self.client, "PATCH", f"/memories/{fact.memory_id}", body)
        assert answer.status_code == 200, answer.data
        fact.memory_id = answer.data["results"][0]["memory"]["id"]

    def asked(self, fact: Fact, question: str) -> dict:
        body = {"query": question, "user_id": fact.user, "agent_id": fact.agent, "limit": 10}
        answer = post(self.client, "/recall", body | {"budget_tokens": 4000})
        assert answer.status_code == 200, answer.data
        return answer.data


def in_turn(store: Store, fact: Fact) -> None:
    for value in fact.values:
        store.write(fact, value)


def as_sentences(store: Store, fact: Fact) -> None:
    for value in fact.values:
        store.say(fact, value)


def with_repeats(store: Store, fact: Fact) -> None:
    for value in fact.values:
        store.write(fact, value)
        store.write(fact, value)


def with_a_late_one(store: Store, fact: Fact) -> None:
    """What was true before all of it is heard of last."""
    late, *values = fact.values
    for value in values:
        store.write(fact, value)
    store.write(fact, late, occurred_at=BEGAN.isoformat())


def by_correction(store: Store, fact: Fact) -> None:
    store.write(fact, fact.values[0])
    for value in fact.values[1:]:
        store.correct(fact, value)


def back_and_forth(store: Store, fact: Fact) -> None:
    """Changed, and changed back by saying the first value again."""
    first, *others = fact.values
    for value in (first, *others, first):
        store.write(fact, value)
    fact.values = [*others, first]


WAYS: tuple[Callable[[Store, Fact], None], ...] = (
    in_turn, as_sentences, with_repeats, with_a_late_one, by_correction, back_and_forth,
)  # fmt: skip


def facts(language: Language, chance: random.Random) -> Iterator[Fact]:
    """Each user has every key, so that each has the others' attributes and users beside it."""
    numbers = iter(chance.sample(range(10_000, 100_000), 2000))
    for user in USERS:
        for thing in language.things:
            for side, form in language.sides.items():
                count = chance.randint(2, 5)
                yield Fact(user, thing, side, [form.format(next(numbers)) for _ in range(count)])


def wrong(store: Store, every: list[Fact], chance: random.Random) -> list[tuple]:
    """Questions that miss the current value in the first five, or are given an old one."""
    found = []
    for fact in every:
        own = [other for other in every if other.user == fact.user]
        old = {value for other in own for value in other.values[:-1]}
        question = chance.choice(store.language.questions).format(thing=fact.thing, side=fact.side)
        data = store.asked(fact, question)
        texts = [item["memory"]["text"] for item in data["items"]]
        clean = any(fact.current in text for text in texts[:5])
        given = [*texts, *(item["memory"]["value"] for item in data["items"])]
        given.append(data["context"]["text"])
        stale = {value for value in old if any(value in text for text in given)}
        if not clean or stale or fact.current not in data["context"]["text"]:
            found.append((question, fact, texts, stale))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_current_value_is_given_and_no_other(language):
    chance, store = random.Random(f"updates {language}"), Store(LANGUAGES[language])
    every = list(facts(store.language, chance))
    for number, fact in enumerate(every):
        WAYS[number % len(WAYS)](store, fact)
    assert len({WAYS[n % len(WAYS)] for n in range(len(every))}) == len(WAYS)
    assert wrong(store, every, chance) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_agents_own_value_has_its_own_history(language):
    chance, store = random.Random(f"agents {language}"), Store(LANGUAGES[language])
    every = list(facts(store.language, chance))[:12]
    shared = [fact for number, fact in enumerate(every) if number % 2]
    own = [fact for number, fact in enumerate(every) if not number % 2]
    for fact in own:
        fact.agent = "planner"
    for fact in every:
        in_turn(store, fact)
    assert wrong(store, every, chance) == []
    for fact in own:
        # Another agent is given neither the current value nor an old one.
        fact.agent = "seller"
        data = store.asked(fact, f"{fact.thing} {fact.side}")
        assert not any(value in data["context"]["text"] for value in fact.values)
        assert "agent" in {drop["gate"] for drop in data["dropped"]}
    assert wrong(store, shared, chance) == []


# Statements about the world, most of them overwritten once by one that contradicts it.
RELATIONS = (
    ("{} was founded in the town of {}.", "In which town was {} founded?", "founding town"),
    ("The director of {} is {}.", "Who is the director of {}?", "director"),
    ("{} plays the position of {}.", "Which position does {} play?", "position"),
    ("The author of {} is {}.", "Who is the author of {}?", "author"),
)
SYLLABLES = ("bra", "ten", "mor", "vel", "kas", "lin", "dor", "pho", "ran", "gal")


def test_the_last_of_contradicting_statements_wins():
    chance, store = random.Random("statements"), Store(LANGUAGES["en"])
    names = iter(dict.fromkeys("".join(chance.choices(SYLLABLES, k=4)).title() for _ in range(300)))
    slots = [(next(names), relation) for relation in RELATIONS for _ in range(15)]
    said: dict[tuple, list[str]] = {}
    for slot in [*slots, *chance.sample(slots, 40)]:
        (thing, (statement, _, side)), value = slot, next(names)
        said.setdefault(slot, []).append(value)
        body = {"entity": thing, "attribute": side, "value": value, "user_id": "ann"}
        post(store.client, "/memories", body | {"text": statement.format(thing, value)})
    for (thing, (_, question, _)), values in said.items():
        asked = {"query": question.format(thing), "user_id": "ann", "limit": 10}
        data = post(store.client, "/recall", asked).data
        texts = [item["memory"]["text"] for item in data["items"]]
        assert any(values[-1] in text for text in texts[:5]), question
        assert not any(
            old in text for old in values[:-1] for text in [*texts, str(data["context"])]
        )


def test_the_old_value_is_kept_where_history_is_asked_for():
    """The sets above would pass just as well if nothing old were kept."""
    store = Store(LANGUAGES["en"])
    fact = Fact("ann", "Lark depot", "budget", ["11111 dollars", "22222 dollars"])
    in_turn(store, fact)
    rows = get(store.client, "/memories", user_id="ann", status="superseded").data["items"]
    assert [row["value"] for row in rows] == ["11111 dollars"]
