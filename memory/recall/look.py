"""Looking: search, rank and assemble, without keeping a record. `recall` looks and records;
replays and explanations only look."""

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memory import clock
from memory.index.entry import entry_for
from memory.index.policies import ruling
from memory.index.read import read
from memory.index.search import BEST, NEWEST, Found, Hit, search, search_as_of
from memory.index.storage import one_view
from memory.models import Memory, Policies, policies_of
from memory.text.terms import Query, query_terms

from .assemble import Context, assemble
from .dates import of_a_day
from .evidence import Evidence, find_evidence
from .filtering import filters_of
from .fusion import Near, fused, fused_as_of, weighed
from .hops import hopped, hopped_again
from .links import Links
from .past import standing
from .question import Question, read_question
from .rank import PROFILES, Hop, Ranked, rank
from .relevance import Match, Scorer
from .request import RecallRequest
from .rewrite import domain_move


@dataclass(frozen=True)
class Swap:
    """Rows that are thought to become active, and active rows that are thought no longer to be."""

    enters: tuple[Memory, ...] = ()
    leaves: tuple[Memory, ...] = ()


@dataclass(frozen=True)
class Look:
    """`ranked` before the limit; `context.kept` and `context.turns` are what is served. `at` is
    when it was looked."""

    at: datetime
    question: Question
    query: Query
    found: Found
    ranked: list[Ranked]
    evidence: Evidence = field(repr=False)
    context: Context = field(repr=False)
    near: Near | None = None
    hops: tuple[Hop, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more rows may have matched than the search gave."""
        return was_cut(len(self.found.hits) - len(self.found.by_meaning), self.found.newest_only)


def look(
    request: RecallRequest,
    moment: datetime | None = None,
    *,
    question: Question | None = None,
    past: datetime | None = None,
    among: Set[UUID] | None = None,
    among_turns: Collection[int] | None = None,
    near: Near | None = None,
    hops: Sequence[Hop] | None = None,
    swap: Swap | None = None,
    policies: Policies | None = None,
    ends: Callable[[Memory], datetime | None] | None = None,
) -> Look:
    """Ask the store as it is, or as it was at `past`; times and freshness count from `moment`,
    else from the instant at which the store is looked at.

    `question` is the request's as it was read before, else it is read now. `among` is a cut made
    earlier: no other memories are candidates; `among_turns` likewise, by key. `near` is how near
    those lay to the question in meaning then; the past is not compared anew. `hops` are those that
    were made then; without them links are followed.

    `policies` rank instead of those that ruled at `past`, else now; `ends` says when a row of the
    past is over, instead of the row itself.
    """
    with one_view():
        at = clock.now()
        moment = moment or at
        question = question or read_question(request)
        query = of_a_day(_query(request, question), request.day)
        if past:
            found, rows = _past(request, query, moment, past, among, near, ends)
        else:
            found, rows, near = _present(request, question, query, moment)
        if swap is not None:
            found, rows = _swapped(query, found, rows, swap)
        question, domain = _with_domain(question, found)
        scorer = Scorer(query, found)
        pairs = [
            (rows[hit.pk], weighed(scorer.score(hit), near, hit.public_id)) for hit in found.hits
        ]
        profile = PROFILES[request.profile]
        if profile.by_half_life and policies is None:
            workspace = request.scope.workspace_id
            policies = policies_of(workspace, past) if past else ruling(workspace)
        ranked = rank(pairs, profile, moment, policies=policies, domain=domain)
        gone = {memory.pk for memory in swap.leaves} if swap else set()
        links = Links(request, moment, past, ends, gone)
        if past and hops is not None:
            ranked, hops = hopped_again(ranked, hops, links)
        else:
            ranked, hops = hopped(question.used, scorer, ranked, links)
        ranked = _read(request, ranked)
        evidence = Evidence() if not found.turns else find_evidence(
            request, query, ranked, moment, policies=policies, past=past, among=among_turns,
            standing=[memory.public_id for memory in swap.enters] if swap else (),
        )  # fmt: skip
    if not question.trigger.triggered:
        request = replace(request, working=())
    context = assembled(request, ranked, evidence, moment)
    return Look(at, question, query, found, ranked, evidence, context, near, hops)


def _query(request: RecallRequest, question: Question) -> Query:
    """The terms that are searched. An id is required where it was asked for; one that a rewrite
    put in is a guess and must not hide what lacks it."""
    if not question.trigger.triggered:
        return query_terms("")
    query = query_terms(question.used)
    if question.used == request.query:
        return query
    asked = {term.text for term in query_terms(request.query).terms if term.required}
    terms = (replace(term, required=term.required and term.text in asked) for term in query.terms)
    return replace(query, terms=tuple(terms))


def _with_domain(question: Question, found: Found) -> tuple[Question, str]:
    """A word of the question that names a domain of what was found lifts that domain."""
    move = domain_move(question.used, sorted({hit.domain for hit in found.hits} - {""}))
    return (question.with_move(move), move.after) if move else (question, "")


def _read(request: RecallRequest, ranked: list[Ranked]) -> list[Ranked]:
    """The same, with the rows themselves for those within the limit."""
    hits = [item.memory for item in ranked[: request.limit] if isinstance(item.memory, Hit)]
    rows = read(request.scope, [hit.pk for hit in hits])
    return [
        replace(item, memory=rows[item.memory.pk]) if item.memory.pk in rows else item
        for item in ranked
    ]


def assembled(
    request: RecallRequest, ranked: Sequence[Ranked], evidence: Evidence, moment: datetime
) -> Context:
    """The context that a ranking and the turns give within the request's limits and room."""
    return assemble(
        ranked[: request.limit],
        request.query,
        request.budget_tokens,
        moment=moment,
        prompt_tokens=request.prompt_tokens,
        turns=evidence.offered,
        most_turns=request.turns,
        session_id=request.session_id,
        working=request.working,
    )


def hit_of(memory: Memory) -> Hit:
    """The hit that the index would give for a row, as the analyser reads it now."""
    terms = entry_for(memory).terms
    own = {"words": tuple(terms.words), "bigrams": tuple(terms.bigrams), "gate": ""}
    return Hit(**own, **{name: getattr(memory, name) for name in Hit._fields if name not in own})


def matches_of(query: Query, memory: Memory) -> tuple[tuple[Match, ...], bool]:
    """The question's terms that a row holds, and whether they make it a candidate."""
    held = Scorer(query, Found([], [], 0, {})).score(hit_of(memory)).matches
    names = {match.term for match in held}
    required = {term.text for term in query.terms if term.required}
    return held, bool(names) and required <= names


def was_cut(hits: int, newest_only: bool = False) -> bool:
    return hits >= (NEWEST if newest_only else BEST)


def _present(
    request: RecallRequest, question: Question, query: Query, moment: datetime
) -> tuple[Found, dict[int, Memory | Hit], Near | None]:
    filters = filters_of(request, moment)
    found = search(request.scope, query, filters)
    found, near = fused(request.scope, question.used, query, found, filters)
    return found, {hit.pk: hit for hit in found.hits}, near


def _past(
    request: RecallRequest,
    query: Query,
    moment: datetime,
    past: datetime,
    among: Set[UUID] | None,
    near: Near | None,
    ends: Callable[[Memory], datetime | None] | None,
) -> tuple[Found, dict[int, Memory]]:
    # A row's end may have moved since: it is judged by the row as it was.
    filters = replace(filters_of(request, None), statuses=())
    found = search_as_of(request.scope, query, filters, past, among)
    found = fused_as_of(request.scope, found, filters, past, among, near)
    rows = standing(request.scope, found.hits, past, moment, ends)
    return replace(found, hits=[hit for hit in found.hits if hit.pk in rows]), rows


def _swapped(
    query: Query, found: Found, rows: dict[int, Memory], swap: Swap
) -> tuple[Found, dict[int, Memory]]:
    """As the search would answer after the swap. Where it cuts, a newcomer is let in only if it
    answers the question better than all that got in: who else would is not known here."""
    leaving = {memory.pk for memory in swap.leaves}
    stay = [hit for hit in found.hits if hit.pk not in leaving]
    gone = [hit_of(memory) for memory in swap.leaves]
    come = [hit_of(memory) for memory in swap.enters if matches_of(query, memory)[1]]
    frequency = dict(found.frequency)
    for step, hits in ((-1, gone), (1, come)):
        for hit in hits:
            for token in {*hit.words, *hit.bigrams}:
                frequency[token] = max(frequency.get(token, 0) + step, 0)
    size = max(found.rows + len(swap.enters) - len(swap.leaves), len(stay) + len(come))
    after = replace(found, hits=[*stay, *come], rows=size, frequency=frequency)
    by_words = sum(hit.public_id not in found.by_meaning for hit in stay)
    if was_cut(by_words, found.newest_only):
        scorer = Scorer(query, after)
        best = max(scorer.score(hit).score for hit in stay)
        come = [h for h in come if not found.newest_only and scorer.score(h).score > best]
        after = replace(after, hits=[*stay, *come])
    return after, rows | {memory.pk: memory for memory in swap.enters}
