"""One decision about many memories: whom it takes, what is left and why, and exactly those seen."""

from datetime import timedelta

import pytest

from memory import clock
from memory.index import upkeep
from memory.models import Batch, Change, Memory, Source, Status
from memory.write.apply import apply
from memory.write.held import SecretRefused
from memory.write.many import VERBS, change_many, checked_value, pack, sort_out, unpack
from memory.write.proposal import InvalidInput
from memory.write.review import plan_hold
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db
TEXTS = ["周三上午不开会", "prefers the window seat", "咖啡不加糖"]


def said(*texts: str, **fields) -> list[Memory]:
    return [make.remember(text=text, kind="other", **fields) for text in texts]


def held(*texts: str) -> list[Memory]:
    rows = said(*texts)
    apply(plan_hold(make.scope(), rows).plan("hold", ""))
    return [again(row) for row in rows]


def again(row: Memory) -> Memory:
    return Memory.everywhere.get(pk=row.pk)


def seen(*rows: Memory) -> list[tuple[int, int]]:
    return [(row.pk, row.revision) for row in rows]


def change(verb: str, *rows: Memory, to: str = "", reason: str = "why"):
    return change_many(make.scope(), VERBS[verb], to, seen(*rows), reason)


@pytest.mark.parametrize(
    ("verb", "waits", "becomes"),
    [
        ("retract", False, Status.RETRACTED),
        ("hold", False, Status.QUARANTINED),
        ("expire", False, Status.EXPIRED),
        ("confirm", False, Status.ACTIVE),
        ("approve", True, Status.ACTIVE),
        ("reject", True, Status.REJECTED),
    ],
)
def test_each_verb_is_one_batch_with_one_undo(verb, waits, becomes):
    rows = held(*TEXTS) if waits else said(*TEXTS)
    before = [row.status for row in rows]
    done = change(verb, *rows)
    assert (done.count, list(done.left), done.batch.reason) == (3, [], "why")
    assert {again(row).status for row in rows} == {becomes}
    undo(make.scope(), done.batch)
    assert [again(row).status for row in rows] == before


@pytest.mark.parametrize(
    ("verb", "to", "column", "value"),
    [
        ("domain", "仓库", "domain", "仓库"),
        ("importance", "5", "importance", 5),
        ("tag", "待核对", "tags", ["old", "待核对"]),
        ("kind", "event", "kind", "event"),
    ],
)
def test_what_is_set_is_no_new_version(verb, to, column, value):
    rows = said(*TEXTS, tags=("old",))
    done = change(verb, *rows, to=to)
    assert [getattr(again(row), column) for row in rows] == [value] * 3
    assert Memory.everywhere.count() == 3
    assert not any(upkeep.drift())
    undo(make.scope(), done.batch)
    assert [getattr(again(row), column) for row in rows] == [getattr(r, column) for r in rows]
    # What is so already is left.
    change(verb, again(rows[0]), to=to)
    assert [one.code for one in change(verb, again(rows[0]), to=to).left] == ["same"]


def test_a_new_kind_brings_its_end_and_whether_a_key_has_one_value():
    row = make.budget("800", kind="event")
    change("kind", row, to="inventory")
    now = again(row)
    assert (now.layer, now.single_valued, now.ttl_hours) == ("semantic", True, 24)
    assert now.expires_at - now.confirmed_at == timedelta(hours=24)


def test_of_two_values_of_one_key_only_one_becomes_the_current_one():
    first, second = (make.budget(value, kind="event") for value in ("800", "1200"))
    done = change("kind", first, second, to="fact")
    assert (done.count, [(one.pk, one.code) for one in done.left]) == (1, [(second.pk, "refused")])
    assert [again(row).kind for row in (first, second)] == ["fact", "event"]


def test_only_what_is_as_it_was_seen_is_changed():
    first, second, third = said(*TEXTS)
    looked_at = seen(first, second, third)
    change("confirm", second)
    done = change_many(make.scope(), VERBS["retract"], "", [*looked_at, (9999, 1)], "")
    codes = {one.pk: one.code for one in done.left}
    assert codes == {second.pk: "moved", 9999: "gone"}
    assert again(second).status == Status.ACTIVE
    assert (done.count, done.batch.changes.count()) == (2, 2)


def test_of_another_workspace_nothing_is_there():
    (row,) = said(TEXTS[0])
    other = make.scope(make.workspace("w2"))
    done = change_many(other, VERBS["retract"], "", seen(row), "")
    assert (done.batch, [one.code for one in done.left]) == (None, ["gone"])
    assert again(row).status == Status.ACTIVE


def test_sorting_out_says_why_not():
    active, (waiting,) = said(TEXTS[0])[0], held(TEXTS[1])
    able, left = sort_out(VERBS["approve"], [active, waiting], "")
    assert (able, left) == ([waiting], {"state": [active]})
    waiting.expires_at, waiting.ttl_hours = clock.now() - timedelta(1), None
    assert sort_out(VERBS["approve"], [waiting], "") == ([], {"over": [waiting]})
    active.tags = [str(n) for n in range(50)]
    assert sort_out(VERBS["tag"], [active], "more")[1] == {"full": [active]}


def test_merging_takes_those_that_others_repeat():
    rows = said("喜欢热豆浆", "另一件事")
    twin = make.remember(text="喜欢热豆浆", kind="other", agent_id="b", source=Source.USER_SAID)
    able, left = sort_out(VERBS["merge"], [*rows, twin], "")
    assert (able, left) == ([rows[0], twin], {"alone": [rows[1]]})
    done = change("merge", *rows, twin)
    assert done.count == 2
    assert [again(row).status for row in (*rows, twin)] == ["superseded", "active", "active"]


@pytest.mark.parametrize(
    ("verb", "value"),
    [("kind", "rumour"), ("importance", "6"), ("importance", "x"), ("tag", " "), ("domain", "")],
)
def test_a_value_that_cannot_be_is_refused(verb, value):
    with pytest.raises(InvalidInput):
        checked_value(VERBS[verb], value)


def test_a_secret_is_no_tag():
    with pytest.raises(SecretRefused):
        checked_value(VERBS["tag"], "sk-proj-Zq8Lw3vTn5Rk2Yp7Xd4Hb9Mc6Fj1Gs0Ae")
    assert checked_value(VERBS["retract"], "whatever") == ""


def test_what_is_packed_comes_back_in_the_order_of_keys():
    rows = said(*TEXTS)
    assert unpack(pack(reversed(seen(*rows)))) == seen(*rows)
    assert unpack(pack([])) == []
    many = [(pk, 1) for pk in range(1, 10_001)]
    assert len(pack(many)) < 300


def test_nothing_to_change_makes_no_batch():
    rows = said(TEXTS[0])
    change("retract", *rows)
    batches = Batch.everywhere.count()
    done = change("retract", again(rows[0]))
    assert (done.batch, done.count, done.left[0].code) == (None, 0, "state")
    assert Batch.everywhere.count() == batches
    assert Change.objects.filter(memory_id=rows[0].public_id).count() == 2
