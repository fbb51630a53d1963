"""mem0's filters: which rows each meets, and what is refused."""

import uuid

import pytest

from memory.api.mem0.filters import MOST_CONDITIONS, MOST_LISTED, read_filters
from memory.models import Memory
from memory.write.proposal import InvalidInput
from tests.factories import remember, scope

pytestmark = pytest.mark.django_db


def stored() -> None:
    remember(
        text="tea", user_id="ann", agent_id="bot", session_id="r1", tags=("饮料",),
        metadata={"n": 1, "city": "Paris", "app_id": "shop", "gt": 5},
    )  # fmt: skip
    remember(text="coffee", user_id="ann", tags=("drink",), metadata={"n": 2, "city": "paris"})
    remember(text="Bread", user_id="bob", session_id="r1")


def met(filters) -> set[str]:
    rows = read_filters(filters).rows(Memory.objects.within(scope()))
    return set(rows.values_list("text", flat=True))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"user_id": "ann"}, {"tea", "coffee"}),
        ({"user_id": "*"}, {"tea", "coffee", "Bread"}),
        ({"user_id": {"ne": "ann"}}, {"Bread"}),
        ({"user_id": {"in": ["ann", "bob"]}}, {"tea", "coffee", "Bread"}),
        ({"user_id": ["bob"]}, {"Bread"}),
        ({"user_id": "ann", "run_id": "r1"}, {"tea"}),
        ({"agent_id": "*"}, {"tea"}),
        ({"agent_id": None}, {"coffee", "Bread"}),
        ({"agent_id": {"ne": None}}, {"tea"}),
        ({"user_id": {"contains": "N"}}, set()),
        ({"user_id": {"contains": "n"}}, {"tea", "coffee"}),
        ({"user_id": {"icontains": "N"}}, {"tea", "coffee"}),
        ({"app_id": "shop"}, {"tea"}),
        ({"app_id": "*"}, {"tea"}),
        ({"AND": [{"user_id": "ann"}, {"run_id": "r1"}]}, {"tea"}),
        ({"OR": [{"user_id": "bob"}, {"agent_id": "bot"}]}, {"tea", "Bread"}),
        ({"NOT": [{"user_id": "bob"}]}, {"tea", "coffee"}),
        ({"NOT": {"OR": [{"user_id": "bob"}, {"agent_id": "bot"}]}}, {"coffee"}),
        ({"NOT": [{"user_id": "bob"}, {"agent_id": "bot"}]}, {"coffee"}),
        ({"NOT": [{"metadata": {"n": 1}}]}, {"coffee", "Bread"}),
        ({"NOT": [{"metadata": {"n": {"gt": 1}}}]}, {"tea", "Bread"}),
        ({"metadata": {"n": 1}}, {"tea"}),
        ({"metadata": {"n": {"gte": 1, "lt": 2}}}, {"tea"}),
        ({"metadata": {"n": {"gt": 1}}}, {"coffee"}),
        ({"metadata": {"n": {"lte": 2}}}, {"tea", "coffee"}),
        ({"metadata": {"n": {"in": [2, 3]}}}, {"coffee"}),
        ({"metadata": {"n": {"ne": 1}}}, {"coffee", "Bread"}),
        ({"metadata": {"city": "*"}}, {"tea", "coffee"}),
        ({"metadata": {"city": {"contains": "Par"}}}, {"tea"}),
        ({"metadata": {"city": {"icontains": "PAR"}}}, {"tea", "coffee"}),
        ({"metadata": {"city": "Paris", "n": 2}}, set()),
        ({"metadata": {"gt": 5}}, {"tea"}),
        ({"metadata": {"n__gt": 0}}, set()),
        ({"categories": {"in": ["饮料"]}}, {"tea"}),
        ({"categories": ["饮料", "drink"]}, {"tea", "coffee"}),
        ({"categories": {"contains": "drink"}}, {"coffee"}),
        ({"categories": {"ne": "drink"}}, {"tea", "Bread"}),
        ({"keywords": {"contains": "ea"}}, {"tea", "Bread"}),
        ({"keywords": {"icontains": "BREAD"}}, {"Bread"}),
        ({"created_at": {"gte": "2020-01-01", "lt": "2099-01-01"}}, {"tea", "coffee", "Bread"}),
        ({"created_at": {"gt": "2099-01-01T00:00:00Z"}}, set()),
        ({"updated_at": {"lte": "2020-01-01T00:00:00"}}, set()),
    ],
)
def test_which_rows_are_met(filters, expected):
    stored()
    assert met(filters) == expected


def test_a_day_is_the_whole_day():
    memory = remember(text="tea")
    day = memory.created_at.date().isoformat()
    assert met({"created_at": {"lte": day}}) == met({"created_at": {"eq": day}}) == {"tea"}
    assert met({"created_at": {"gte": day}}) == {"tea"}
    assert met({"created_at": {"gt": day}}) == met({"created_at": {"lt": day}}) == set()


def test_ids_are_those_of_facts():
    memory = remember(text="tea")
    assert met({"memory_ids": [str(memory.fact)]}) == {"tea"}


@pytest.mark.parametrize(
    "filters",
    [
        None, {}, {"AND": []}, {"OR": [{}]}, {"NOT": {}}, {"AND": [{"user_id": "ann"}, {}]},
        {"AND": "x"}, {"AND": ["x"]}, {"user": "ann"}, {"status": "active"},
        {"user_id": {}}, {"user_id": {"like": "a"}}, {"user_id": {"in": []}},
        {"user_id": {"contains": ""}}, {"user_id": {"eq": {"x": 1}}}, {"metadata": {}},
        {"metadata": {"n": {"eq": [1]}}}, {"metadata": "x"}, {"created_at": "soon"},
        {"created_at": {"contains": "2020"}}, {"created_at": {"gt": 5}}, {"memory_ids": ["x"]},
        {"memory_ids": []}, {"categories": {"gt": "x"}}, {"categories": []},
        {"OR": [{"user_id": "ann"}] * (MOST_CONDITIONS + 1)},
        {"metadata": {f"n{n}": 1 for n in range(MOST_CONDITIONS + 1)}},
        {"user_id": {"in": ["ann"] * (MOST_LISTED + 1)}},
        {"OR": [{"user_id": {"in": ["ann"] * MOST_LISTED}}] * 2},
        {"keywords": {"icontains": "a" * 1001}},
        {"metadata": {"n": {"gt": 10**30}}}, {"metadata": {'a"b': 1}}, {"metadata": {"a\\b": 1}},
        {"metadata": {"": 1}}, {"categories": ["x"] * (MOST_LISTED + 1)},
    ],
)  # fmt: skip
def test_what_says_nothing_or_is_not_known_is_refused(filters):
    with pytest.raises(InvalidInput):
        read_filters(filters)


@pytest.mark.parametrize(
    "filters",
    [
        {"OR": [{"user_id": {"in": ["ann"] * (MOST_LISTED - 2)}}] * 2},
        {"NOT": [{"metadata": {f"n{n}": {"icontains": "%_a" * 300} for n in range(100)}}]},
        {"metadata": {"1": 1, "a b": 2, "$.x": {"gt": "y"}, "预算": {"contains": "元"}}},
        {"metadata": {"n": {"gt": "y", "lt": True, "ne": None}}},
        {"user_id": 5, "agent_id": True, "run_id": {"gt": 1.5}},
        {"memory_ids": [str(uuid.UUID(int=7))] * MOST_LISTED},
    ],
)
def test_the_largest_and_the_oddest_are_still_answered(filters):
    stored()
    assert met(filters) <= {"tea", "coffee", "Bread"}


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"user_id": "ann"}, {"user_id": "ann"}),
        ({"AND": [{"user_id": "ann"}, {"run_id": "r1"}]}, {"user_id": "ann", "run_id": "r1"}),
        ({"user_id": {"in": ["ann"]}}, {"user_id": "ann"}),
        ({"OR": [{"user_id": "ann"}]}, {"user_id": "ann"}),
        ({"AND": {"OR": {"user_id": "ann"}}}, {"user_id": "ann"}),
        ({"OR": [{"user_id": "ann"}, {"user_id": "bob"}]}, {}),
        ({"NOT": [{"user_id": "ann"}]}, {}),
        ({"user_id": "*"}, {}),
        ({"user_id": {"ne": "ann"}}, {}),
    ],
)
def test_whose_they_are_is_taken_only_where_it_is_certain(filters, names):
    assert read_filters(filters).names == names
