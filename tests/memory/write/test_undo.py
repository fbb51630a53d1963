import pytest

from memory.index.upkeep import drift
from memory.models import Batch, Change, Memory
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.plan import Conflict, StalePlan
from memory.write.proposal import Proposal
from memory.write.remember import remember
from memory.write.revise import plan_amend, plan_confirm, plan_expire, plan_restore, plan_retract
from memory.write.undo import WouldTrample, plan_undo, undo
from tests import factories as make
from tests.memory.write.verbs import fresh, state

pytestmark = pytest.mark.django_db


def do(planner, verb: str) -> Batch:
    return apply(planner.plan(verb, "")).batch


def seats(value: str) -> Memory:
    return make.remember(entity="礼堂", attribute="座位", value=value, kind="fact")


VERBS = {
    "add": lambda row: make.written(text="一件新事").batch,
    "supersede": lambda row: make.written(
        entity="礼堂", attribute="座位", value="300", kind="fact"
    ).batch,
    "confirm by repeat": lambda row: make.written(
        entity="礼堂", attribute="座位", value="２５０", kind="fact"
    ).batch,
    "late arrival": lambda row: make.written(
        entity="礼堂", attribute="座位", value="200", kind="fact",
        occurred_at=make.instant("2020-01-01 00:00"),
    ).batch,
    "confirm": lambda row: do(plan_confirm(make.scope(), row), "confirm"),
    "amend": lambda row: do(plan_amend(make.scope(), row, {"value": "260"}), "amend"),
    "move to another key": lambda row: do(
        plan_amend(make.scope(), row, {"entity": "小礼堂", "user_id": "ben"}), "amend"
    ),
    "retract": lambda row: do(plan_retract(make.scope(), [row]), "retract"),
    "retract history": lambda row: do(
        plan_retract(make.scope(), [Memory.everywhere.get(value="240")]), "retract"
    ),
    "expire": lambda row: do(plan_expire(make.scope(), [row]), "expire"),
    "restore": lambda row: do(
        plan_restore(make.scope(), Memory.everywhere.get(value="240")), "restore"
    ),
    "many at once": lambda row: remember(
        make.scope(),
        [
            Proposal(user_id="ann", entity="礼堂", attribute="座位", value=v, kind="fact")
            for v in ("300", "310", "310", "320")
        ],
    ).batch,
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_taken_back_and_done_again(verb):
    seats("240")
    row = seats("250")
    bystander = make.remember(text="礼堂在二楼")
    before, rows = state(), set(state())
    batch = VERBS[verb](row)
    after = state()
    assert after != before
    back = undo(make.scope(), batch, "by mistake")
    now = state()
    assert {key: now[key] for key in rows} == before
    made = [now[key] for key in now.keys() - rows]
    assert {row["status"] for row in made} <= {"retracted"}
    assert {row[link] for row in made for link in ("supersedes_id", "superseded_by_id")} <= {None}
    assert (back.batch.undoes, back.batch.verb, back.batch.reason) == (batch, "undo", "by mistake")
    assert Batch.everywhere.get(pk=batch.pk).is_undone
    undo(make.scope(), back.batch)
    assert state() == after
    assert fresh(bystander).revision == 1
    assert first_break() is None
    assert list(drift()) == []


def test_nothing_is_deleted_by_an_undo():
    batch = make.written(text="x").batch
    entries = Change.objects.count()
    undo(make.scope(), batch)
    assert Memory.everywhere.get().status == "retracted"
    assert Change.objects.count() == entries + 1


def test_a_batch_is_undone_once():
    batch = make.written(text="x").batch
    undo(make.scope(), batch)
    before = state()
    with pytest.raises(Conflict, match="already been undone"):
        undo(make.scope(), Batch.everywhere.get(pk=batch.pk))
    assert state() == before


def test_an_undo_that_would_trample_says_which_and_stops():
    batch = make.written(entity="礼堂", attribute="座位", value="240", kind="fact").batch
    second = make.written(entity="礼堂", attribute="座位", value="250", kind="fact").batch
    make.remember(text="somewhere else")
    third = make.written(entity="礼堂", attribute="座位", value="260", kind="fact").batch
    before, entries = state(), Change.objects.count()
    with pytest.raises(WouldTrample) as refused:
        undo(make.scope(), batch)
    assert refused.value.batches == [second]
    with pytest.raises(WouldTrample) as refused:
        undo(make.scope(), second)
    assert refused.value.batches == [third]
    assert (state(), Change.objects.count()) == (before, entries)


def test_later_changes_that_were_taken_back_do_not_stand_in_the_way():
    first = make.written(entity="礼堂", attribute="座位", value="240", kind="fact").batch
    second = make.written(entity="礼堂", attribute="座位", value="250", kind="fact").batch
    before = state()
    third = make.written(entity="礼堂", attribute="座位", value="260", kind="fact").batch
    undone = undo(make.scope(), third).batch
    assert {key: state()[key] for key in before} == before
    undo(make.scope(), second)
    undo(make.scope(), first)
    assert {row["status"] for row in state().values()} == {"retracted"}
    assert not Memory.everywhere.exclude(supersedes=None).exists()
    with pytest.raises(WouldTrample):
        undo(make.scope(), undone)


def test_only_batches_still_in_force_are_named():
    row = seats("240")
    first = Batch.everywhere.get()
    confirmed = do(plan_confirm(make.scope(), row), "confirm")
    undone = undo(make.scope(), confirmed).batch
    last = do(plan_confirm(make.scope(), fresh(row)), "confirm")
    with pytest.raises(WouldTrample) as refused:
        undo(make.scope(), first)
    assert refused.value.batches == [last]
    undo(make.scope(), last)
    again = undo(make.scope(), undone).batch
    with pytest.raises(WouldTrample) as refused:
        undo(make.scope(), first)
    assert refused.value.batches == [again]


def test_a_taken_place_is_a_conflict_and_changes_nothing():
    row = seats("240")
    gone = do(plan_retract(make.scope(), [row]), "retract")
    seats("250")
    before = state()
    with pytest.raises(Conflict, match="another value is current"):
        undo(make.scope(), gone)
    assert state() == before
    assert list(drift()) == []


def test_a_plan_to_undo_goes_stale_like_any_other():
    row = seats("240")
    batch = do(plan_confirm(make.scope(), row), "confirm")
    plan = plan_undo(make.scope(), batch).plan("undo", "", undoes=batch)
    do(plan_confirm(make.scope(), fresh(row)), "confirm")
    with pytest.raises(StalePlan):
        apply(plan)


def test_what_was_erased_since_is_not_undone():
    batch = make.written(text="x").batch
    Change.objects.filter(batch=batch).update(payload=None)
    with pytest.raises(Conflict, match="erased"):
        undo(make.scope(), batch)
