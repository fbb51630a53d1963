"""What a list finds is what its filters say, by whichever way it is looked for."""

from collections.abc import Callable

import pytest
from django.http import QueryDict

from audit.console.listing import facets, states
from audit.console.memory_filter import MemoryFilter
from memory.models import Memory
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import budget, remember, scope

pytestmark = pytest.mark.django_db

KINDS, SOURCES = ("fact", "rule", "event"), ("user_said", "inferred", "imported")


@pytest.fixture
def rows() -> list[Memory]:
    made = [
        remember(
            text=f"note {n} 预算" if n % 2 else f"note {n}",
            kind=KINDS[n % 3],
            source=SOURCES[n % 2 + n % 3 // 2],
            domain="kitchen" if n % 4 else "garden",
            user_id="ann" if n % 3 else "ben",
            agent_id="bee" if n % 5 == 0 else "",
            importance=n % 5 + 1,
            confidence=None if n == 7 else n / 12,
            tags=["急件"] if n % 6 == 0 else [],
        )
        for n in range(12)
    ]
    budget("800")
    budget("1200")
    apply(plan_retract(scope(), made[:2]).plan("retract", "no"))
    return list(Memory.objects.within(scope()))


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("status=any&kind=fact", lambda m: m.kind == "fact"),
        ("status=any&q=预算", lambda m: "预算" in m.text),
        ("status=any&q=note&agent_id=bee", lambda m: "note" in m.text and m.agent_id == "bee"),
        ("status=any&source=inferred", lambda m: m.source == "inferred"),
        ("status=any&importance=>=4", lambda m: m.importance >= 4),
        ("status=any&confidence=<0.5", lambda m: m.confidence is not None and m.confidence < 0.5),
        ("status=any&tag=急件&kind=fact", lambda m: "急件" in m.tags and m.kind == "fact"),
        ("status=any&not_kind=fact&not_kind=rule", lambda m: m.kind not in ("fact", "rule")),
        ("status=any&not_user_id=ann&not_domain=garden",
         lambda m: m.user_id != "ann" and m.domain != "garden"),
        ("status=any&not_source=inferred&q=note",
         lambda m: m.source != "inferred" and "note" in m.text),
        ("not_status=active", lambda m: m.status != "active"),
        ("status=active&status=retracted&not_status=active", lambda m: m.status == "retracted"),
        ("status=active&not_status=active", lambda m: False),
        ("not_agent_id=bee", lambda m: m.status == "active" and m.agent_id != "bee"),
        ("not_session_id=s1", lambda m: m.status == "active" and m.session_id != "s1"),
        ("q=预算", lambda m: m.status == "active" and "预算" in m.text),
        ("user_id=nobody", lambda m: False),
    ],
)  # fmt: skip
def test_a_query_finds_what_it_says(rows, query: str, fits: Callable[[Memory], bool]):
    chosen = MemoryFilter(QueryDict(query), scope())
    wanted = {row.pk for row in rows if fits(row)}
    assert {row.pk for row in chosen.qs} == wanted
    assert chosen.total == len(wanted)
    assert not chosen.is_cut


@pytest.mark.parametrize("query", ["kind=fact", "q=note", "importance=>=4", "not_kind=fact"])
def test_tabs_and_facets_count_the_same_rows(rows, query: str):
    chosen = MemoryFilter(QueryDict(query), scope())
    every = MemoryFilter(QueryDict(f"{query}&status=any"), scope())
    tabs = {tab.value: tab.count for tab in states(chosen)}
    for status in ("active", "superseded", "retracted"):
        assert tabs.get(status, 0) == every.qs.filter(status=status).count()
    assert tabs["any"] == every.total
    users = next(facet for facet in facets(chosen) if facet.name == "user_id")
    assert {o["value"]: o["count"] for o in users.options} == {
        user: n for user in ("ann", "ben", "u1") if (n := chosen.qs.filter(user_id=user).count())
    }


def test_of_two_that_agree_with_a_check_only_the_wanted_state_is_shown(rows):
    chosen = MemoryFilter(QueryDict("check=missing_metadata&status=retracted"), scope())
    assert chosen.total == 0
    assert MemoryFilter(QueryDict("check=missing_metadata"), scope()).total > 0
