"""Finding for people: every state, newest first, by pages."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.index import browse as module
from memory.index.browse import browse, browse_count
from memory.index.filters import Filters
from memory.models import Memory
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

pytestmark = pytest.mark.django_db


def rows(text: str, scope=None, limit: int = 50, filters=None, **page) -> list[str]:
    ids = browse(scope or make.scope(), text, filters or Filters(), limit=limit, **page)
    found = Memory.everywhere.in_bulk(ids)
    return [found[pk].text for pk in ids]


def test_rows_of_every_state_newest_first():
    make.budget("800")
    make.budget("1200")
    gone = make.remember(text="预算表在柜子里")
    apply(plan_retract(make.scope(), [gone]).plan("retract", ""))
    assert rows("预算") == ["预算表在柜子里", "我的预算是1200元", "我的预算是800元"]
    assert rows("预算", filters=Filters(statuses=["active"])) == ["我的预算是1200元"]
    assert rows("预算", filters=Filters(statuses=["superseded", "retracted"])) == [
        "预算表在柜子里", "我的预算是800元",
    ]  # fmt: skip
    assert rows("800", filters=Filters(statuses=["active"])) == []


def test_all_words_must_be_there():
    make.remember(text="north gate")
    make.remember(text="north pier")
    assert rows("north gate") == ["north gate"]
    assert rows("pier gate") == []


def test_pages_go_down_and_up():
    for number in range(7):
        make.remember(text=f"gate {number}")
    ids = list(Memory.everywhere.order_by("id").values_list("pk", flat=True))
    first = browse(make.scope(), "gate", Filters(), limit=3)
    assert first == ids[:3:-1]
    second = browse(make.scope(), "gate", Filters(), limit=3, before=first[-1])
    assert second == ids[3:0:-1]
    assert browse(make.scope(), "gate", Filters(), limit=3, before=second[-1]) == ids[:1]
    assert browse(make.scope(), "gate", Filters(), limit=3, after=second[0]) == first
    assert browse(make.scope(), "gate", Filters(), limit=3, after=first[0]) == []
    assert browse(make.scope(), "gate", Filters(), limit=3, before=ids[0]) == []


def test_the_count_is_capped(monkeypatch):
    for number in range(5):
        make.remember(text=f"gate {number}")
    assert browse_count(make.scope(), "gate", Filters()) == 5
    assert browse_count(make.scope(), "pier", Filters()) == 0
    monkeypatch.setattr(module, "COUNT_CAP", 3)
    assert browse_count(make.scope(), "gate", Filters()) == 4


def test_a_scope_sees_its_own():
    make.remember(text="gate of ann")
    make.remember(user_id="ben", text="gate of ben")
    other = make.workspace("w2")
    make.remember(make.scope(other), text="gate elsewhere")
    assert rows("gate") == ["gate of ben", "gate of ann"]
    assert rows("gate", make.scope(user_id="ann")) == ["gate of ann"]
    assert rows("gate", make.scope(other)) == ["gate elsewhere"]
    assert rows("elsewhere") == []
    assert browse_count(make.scope(user_id="ann"), "gate", Filters()) == 1


def test_nothing_to_search_finds_nothing():
    make.remember(text="gate!")
    for text in ("", " ", "！！", '"'):
        assert rows(text) == []
        assert browse_count(make.scope(), text, Filters()) == 0


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=40))
def test_no_text_raises(text):
    browse(make.scope(), text, Filters(), limit=3)
    browse_count(make.scope(), text, Filters())
