"""The nearest changes that would recall a memory. Each is tried on what recall would then see,
so that what is advised is known to work; nothing is changed by asking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memory import clock
from memory.index.entry import searchable
from memory.index.filters import Filters
from memory.index.search import search
from memory.models import Memory, Status, policies_of
from memory.text.terms import CHARACTERS, query_terms
from memory.write.plan import Conflict
from memory.write.planner import Planner
from memory.write.proposal import InvalidInput, Proposal
from memory.write.resolve import take
from memory.write.revise import plan_amend, plan_restore

from .gates import Place, happened, of_its_day, placed, without_missing
from .look import Look, Swap, assembled, look
from .relevance import Scorer
from .request import MAX_BUDGET, MAX_LIMIT, RecallRequest

STEPS = 8
TERMS_TRIED = 5
# Larger than any key that a row has: a row that is thought to be written now is the newest.
UNWRITTEN = 2**62


@dataclass(frozen=True)
class Advice:
    """One change. `values` is what a program needs to make it, `sentence` says it to a person.

    Kinds: restore, approve, remember (write it again), extend_expiry, ask_for_user,
    drop_filter:NAME (agent_id, kinds, domains, as_of, prompt_tokens), widen_time, ask_with_term,
    ask_without_term, raise_limit, raise_budget, reindex.
    """

    kind: str
    sentence: str
    values: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.values, "sentence": self.sentence}


def advise(request: RecallRequest, memory: Memory, place: Place) -> tuple[Advice, ...]:
    """The changes that together recall a memory from where it came out, or none."""
    trial, steps = _Trial(request, memory), []
    while not place.served and len(steps) < STEPS:
        try:
            advice = _MAKERS[place.gate](trial, place)
        except (Conflict, InvalidInput):
            # The road in would not take it.
            return ()
        if advice is None:
            return ()
        steps.append(advice)
        place = trial.place()
    return tuple(steps) if place.served else ()


@dataclass
class _Trial:
    """A question and a memory, as the changes tried so far leave them."""

    request: RecallRequest
    memory: Memory
    swap: Swap | None = None

    @property
    def moment(self) -> datetime:
        return self.request.as_of or clock.now()

    def look(self, request: RecallRequest | None = None) -> Look:
        asked = request or self.request
        return look(asked, self.moment, past=asked.as_of, swap=self.swap)

    def place(self, request: RecallRequest | None = None) -> Place:
        asked = request or self.request
        return placed(asked, self.memory, self.look(asked), self.moment)

    def ask(self, **changes: Any) -> None:
        self.request = replace(self.request, **changes)

    def become(self, enters: Memory, leaves: Iterable[Memory] = ()) -> None:
        """Go on as if the memory stood as `enters`, and the rows `leaves` stood no more."""
        if enters.pk is None:
            enters.pk = UNWRITTEN
        self.memory, self.swap = enters, Swap((enters,), tuple(leaves))

    def follow(self, planner: Planner) -> list[Memory]:
        """Go on as if the plan had been carried out; the rows that it takes out of the active."""
        stands = next((r for r in planner.rows.values() if r.status == Status.ACTIVE), None)
        if stands is None:
            raise Conflict("it would wait for a person")
        gone = [row for row in planner.before.values() if row.status == Status.ACTIVE]
        self.become(stands, gone)
        return gone


def _state(trial: _Trial, place: Place) -> Advice | None:
    if trial.request.as_of is not None:
        return _drop_past(trial)
    memory = trial.memory
    values: dict[str, Any] = {}
    if memory.status in (Status.CANDIDATE, Status.QUARANTINED):
        kind, told = "approve", "Approve it"
        rival = Planner(trial.request.scope).standing(memory)
        gone = [rival] if rival else []
        trial.become(_changed(memory, status=Status.ACTIVE), gone)
    elif memory.status == Status.REJECTED:
        kind, told = "remember", "Write it again"
        values = {name: getattr(memory, name) for name in _SAID}
        planner = Planner(trial.request.scope)
        take(planner, Proposal(**values).checked(), policies_of(memory.workspace_id))
        gone = trial.follow(planner)
    else:
        kind, told = "restore", "Restore it"
        gone = trial.follow(plan_restore(trial.request.scope, memory))
    replaces = [str(row.public_id) for row in gone]
    tail = f" It takes the place of {', '.join(replaces)}." if replaces else ""
    return Advice(kind, f"{told}: it is {memory.status}.{tail}", {**values, "replaces": replaces})


_SAID = (
    "user_id", "agent_id", "entity", "attribute", "value", "text", "kind", "domain", "importance",
)  # fmt: skip


def _changed(memory: Memory, **columns: Any) -> Memory:
    names = [column.attname for column in Memory._meta.concrete_fields]
    return Memory(**{name: getattr(memory, name) for name in names} | columns)


def _drop_past(trial: _Trial) -> Advice | None:
    """The past cannot be changed, only not be asked for."""
    workspace = replace(trial.request.scope, user_id=None)
    trial.memory = Memory.objects.within(workspace).get(public_id=trial.memory.public_id)
    trial.ask(as_of=None)
    return Advice("drop_filter:as_of", "Ask the store as it is now.")


def _expiry(trial: _Trial, place: Place) -> Advice | None:
    if trial.request.as_of is not None:
        return _drop_past(trial)
    memory = trial.memory
    hours = policies_of(memory.workspace_id).of(memory.kind, memory.domain).ttl_hours or 24
    ends = clock.now() + timedelta(hours=hours)
    if trial.swap is None:
        trial.follow(plan_amend(trial.request.scope, memory, {"expires_at": ends}))
    else:
        trial.become(_changed(memory, expires_at=ends), trial.swap.leaves)
    return Advice(
        "extend_expiry",
        f"Let it hold until {ends:%Y-%m-%d %H:%M}: its time was over.",
        {"expires_at": ends.isoformat()},
    )


def _user(trial: _Trial, place: Place) -> Advice | None:
    if not trial.memory.user_id:
        return None
    trial.ask(scope=replace(trial.request.scope, user_id=trial.memory.user_id))
    return Advice(
        "ask_for_user", "Ask for the user whose memory it is.", {"user_id": trial.memory.user_id}
    )


def _drop_filter(name: str, empty: Any, told: str):
    def make(trial: _Trial, place: Place) -> Advice:
        trial.ask(**{name: empty})
        return Advice(f"drop_filter:{name}", f"Ask without naming {told}.")

    return make


def _time(trial: _Trial, place: Place) -> Advice:
    asked, at = trial.request, happened(trial.memory)
    wider = {}
    if asked.day is not None and not of_its_day(asked, trial.memory):
        query = asked.query.replace(asked.day.said, " ", 1)
        trial.ask(query=query)
        told = f"Ask without {asked.day.said}, when it did not happen."
        return Advice("ask_without_term", told, {"without": [asked.day.said], "query": query})
    if asked.since is not None and at < asked.since:
        wider["since"] = at
    if asked.until is not None and at >= asked.until:
        wider["until"] = at + timedelta(milliseconds=1)
    trial.ask(**wider)
    return Advice(
        "widen_time",
        f"Ask for a time that takes in {at:%Y-%m-%d %H:%M}, when it happened.",
        {name: moment.isoformat() for name, moment in wider.items()},
    )


def _words(trial: _Trial, place: Place) -> Advice | None:
    """Other words: those that serve it outright, else the first that get it past this gate."""
    past = None
    for advice in _other_words(trial):
        asked = replace(trial.request, query=advice.values["query"])
        came = trial.place(asked)
        if came.served:
            trial.request = asked
            return advice
        if past is None and place.gate in _OF_WORDS and came.gate not in _OF_WORDS:
            past = asked, advice
    if past is None:
        return None
    trial.request, advice = past
    return advice


_OF_WORDS = {"trigger", "words", "candidates", "index"}


def _other_words(trial: _Trial) -> Iterator[Advice]:
    query, without = without_missing(trial.request.query[:CHARACTERS], trial.memory)
    told = f", without {', '.join(without)}, which it does not hold" if without else ""
    if without and query.strip():
        values = {"without": without, "query": query}
        yield Advice("ask_without_term", f"Ask{told}.", values)
    terms = _rarest(trial)
    for spelling in [*terms, *(f'"{term}"' for term in terms)]:
        values = {"term": spelling.strip('"'), "without": without, "query": f"{spelling} {query}"}
        yield Advice("ask_with_term", f"Ask with {spelling}, which it says{told}.", values)
    if terms:
        # Stop-words count in a question of nothing else.
        alone = " ".join(terms)
        values = {"term": terms[0], "without": [query], "query": alone}
        yield Advice("ask_with_term", f"Ask for nothing but {alone}.", values)


def _rarest(trial: _Trial) -> list[str]:
    """A memory's own words as they stand in it, those first that fewest others hold."""
    text = searchable(trial.memory)
    own = query_terms(text)
    scorer = Scorer(own, search(trial.request.scope, own, Filters()))
    terms = sorted(own.terms, key=lambda t: (len(t.text) < 2, -scorer.rarity(t.text), t.start))
    said = (" ".join(text[term.start : term.end].replace('"', " ").split()) for term in terms)
    return list(dict.fromkeys(word for word in said if word))[:TERMS_TRIED]


def _limit(trial: _Trial, place: Place) -> Advice | None:
    if place.rank > MAX_LIMIT:
        return _words(trial, place)
    trial.ask(limit=place.rank)
    return Advice("raise_limit", f"Ask for {place.rank} memories.", {"limit": place.rank})


def _budget(trial: _Trial, place: Place) -> Advice | None:
    """The smallest room in which it is served; where the prompt allows no more room, words that
    put others behind it."""
    seen = trial.look()

    def fits(budget: int) -> bool:
        asked = replace(trial.request, budget_tokens=budget)
        context = assembled(asked, seen.ranked, seen.evidence, trial.moment)
        return any(item.memory.public_id == trial.memory.public_id for item in context.kept)

    low, high = trial.request.budget_tokens, MAX_BUDGET
    if not fits(high):
        return _words(trial, place) or _drop_prompt(trial, place)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    trial.ask(budget_tokens=high)
    return Advice("raise_budget", f"Give it {high} tokens.", {"budget_tokens": high})


def _drop_prompt(trial: _Trial, place: Place) -> Advice | None:
    if trial.request.prompt_tokens is None:
        return None
    trial.ask(prompt_tokens=None)
    return Advice("drop_filter:prompt_tokens", "Its share of the prompt is too small: name none.")


def _index(trial: _Trial, place: Place) -> Advice:
    trial.become(trial.memory)
    return Advice("reindex", "Run reindex: the index does not say what the table says.")


_MAKERS = {
    "trigger": _words,
    "state": _state,
    "user": _user,
    "expiry": _expiry,
    "kind": _drop_filter("kinds", (), "kinds"),
    "domain": _drop_filter("domains", (), "domains"),
    "agent": _drop_filter("agent_id", "", "an agent"),
    "time": _time,
    "words": _words,
    "candidates": _words,
    "limit": _limit,
    "budget": _budget,
    "index": _index,
}
