"""The same fact in other words, between memories of one owner."""

import pytest

from memory.models import DuplicatePair, Memory, PairState
from memory.write import sameness
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.queue import QueueTimeout
from memory.write.review import merge_pairs, plan_merge
from memory.write.revise import plan_amend, plan_retract
from memory.write.sameness import keep_apart, note_pairs, offer_again, open_pairs, similar, sweep
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db


def pairs(scope=None) -> list[tuple]:
    found = open_pairs(scope or make.scope()).order_by("id")
    return [(pair.first, pair.second) for pair in found]


def tea() -> tuple[Memory, Memory]:
    return make.remember(text="我喜欢喝龙井"), make.remember(text="我爱喝龙井")


def test_a_write_keeps_the_pair_that_it_makes_the_older_first():
    first, second = tea()
    assert pairs() == [(first.public_id, second.public_id)]
    assert DuplicatePair.objects.within(make.scope()).get().user_id == "ann"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("甲项目的预算是800元", "乙项目的预算是800元"),
        ("项目的预算是800元", "项目的预算是1200元"),
        ("The deposit is 300 euros", "The deposit is 350 euros"),
        ("The retro is on Tuesday", "The retro is on Thursday"),
        ("我会开车", "我不会开车"),
        ("Ms Ito reviews the code", "Ms Sato reviews the code"),
        ("我喜欢喝龙井", "打印机在二楼"),
    ],
)
def test_what_differs_is_no_pair(one, other):
    make.remember(text=one, kind="other")
    make.remember(text=other, kind="other")
    assert pairs() == []


def test_other_owners_and_what_is_not_active_are_no_pairs():
    first, second = tea()
    make.remember(text="我偏爱喝龙井", user_id="ben")
    make.remember(make.scope(make.workspace("w2")), text="我偏爱喝龙井")
    make.remember(text="我偏爱喝龙井", agent_id="planner")
    make.remember(text="我喜爱喝龙井", confidence=0.1)
    assert pairs() == [(first.public_id, second.public_id)]
    assert similar(make.scope(user_id="ben"), first) == []


def test_a_pair_goes_when_one_of_its_memories_does():
    _, second = tea()
    apply(plan_retract(make.scope(), [second]).plan("retract", "wrong"))
    assert pairs() == []


def test_the_parts_of_a_statement_keep_memories_apart_that_their_texts_do_not():
    make.remember(text="就按老样子来", entity="早餐", attribute="做法", value="水煮", kind="fact")
    make.remember(text="就按老样子来吧", entity="晚餐", attribute="做法", value="水煮", kind="fact")
    make.remember(text="按老样子来", entity="早餐", attribute="口味", value="清淡", kind="fact")
    assert pairs() == []


def test_the_same_event_on_two_days_is_two_events():
    days = [make.instant("2026-03-02 09:00"), make.instant("2026-03-09 09:00")]
    for day, text in zip(days, ["和陶工一起吃了午饭", "和陶工一起吃午餐"], strict=True):
        make.remember(text=text, kind="event", occurred_at=day)
    assert pairs() == []


def test_kept_apart_is_remembered_also_of_later_versions_and_can_be_taken_back():
    _, second = tea()
    scope = make.scope()
    assert keep_apart(scope, open_pairs(scope), "tea and a brand") == 1
    assert pairs() == []
    kept = DuplicatePair.objects.within(scope).get()
    assert (kept.state, kept.decided_by, kept.reason) == ("apart", "person:ann", "tea and a brand")
    sweep(make.workspace())
    changed = apply(plan_amend(scope, second, {"text": "我很爱喝龙井"}).plan("correct", ""))
    note_pairs(scope, [m for m in changed.memories.values() if m.status == "active"])
    assert pairs() == []
    offer_again(scope, [kept], "a slip")
    assert DuplicatePair.objects.within(scope).get().state == PairState.OPEN


def test_a_sweep_goes_on_where_it_stopped_and_finds_each_pair_once(monkeypatch):
    monkeypatch.setattr(sameness, "AT_WRITE", 0)
    rows = [make.remember(text=text) for text in ("我喜欢喝龙井", "我爱喝龙井", "厨房要换灯")]
    assert pairs() == []
    here = make.workspace()
    one = sweep(here, limit=2)
    assert (one.last, one.looked, one.found) == (rows[1].pk, 2, 1)
    assert sweep(here, limit=2, after=one.last) == (None, 1, 0)
    assert sweep(here, limit=10) == (None, 3, 0)
    assert pairs() == [(rows[0].public_id, rows[1].public_id)]
    assert sweep(make.workspace("w2")) == (None, 0, 0)


def test_a_busy_store_does_not_fail_the_write(monkeypatch):
    def full():
        raise QueueTimeout("full")

    monkeypatch.setattr(sameness, "write_transaction", full)
    tea()
    assert pairs() == []
    monkeypatch.undo()
    sweep(make.workspace())
    assert len(pairs()) == 1


def test_a_pair_is_found_among_many_that_share_the_common_words(monkeypatch):
    monkeypatch.setattr("memory.index.similar.ROWS", 5)
    first = make.remember(text="我喜欢喝龙井")
    for place in ("书房", "厨房", "阳台", "车库", "院子", "客厅", "走廊", "地窖"):
        make.remember(text=f"我喜欢{place}")
    second = make.remember(text="我爱喝龙井")
    assert [row for row, _ in similar(make.scope(), second)] == [first]


def test_a_merge_keeps_the_originals_and_takes_over_what_they_bring():
    scope = make.scope()
    said = make.turn(content="对了，我爱喝龙井")
    keep = make.remember(text="我喜欢喝龙井", tags=("茶",), confidence=0.6)
    other = make.remember(
        text="我爱喝龙井",
        tags=("饮料", "茶"),
        links=("杭州",),
        importance=5,
        turn_id=said.public_id,
    )
    applied = merge_pairs(scope, open_pairs(scope), {}, "same taste")
    kept, merged = (applied.memories[row.public_id] for row in (keep, other))
    assert (merged.status, merged.superseded_by_id) == ("superseded", keep.public_id)
    assert (merged.text, kept.text) == ("我爱喝龙井", "我喜欢喝龙井")
    assert (kept.confirmations, kept.tags, kept.links) == (1, ["茶", "饮料"], ["杭州"])
    assert (kept.importance, kept.turn_id, kept.quote) == (5, said.public_id, "我爱喝龙井")
    assert kept.confidence == pytest.approx(0.72)
    assert (applied.batch.verb, applied.batch.reason) == ("merge", "same taste")
    pair = DuplicatePair.objects.within(scope).get()
    assert (pair.state, pair.batch, pair.decided_by) == ("merged", applied.batch, "person:ann")
    assert pairs() == []


def test_an_undone_merge_offers_the_pair_again():
    first, second = tea()
    scope = make.scope()
    batch = merge_pairs(scope, open_pairs(scope), {}, "same").batch
    undone = undo(scope, batch)
    assert pairs() == [(first.public_id, second.public_id)]
    before = [Memory.objects.within(scope).get(pk=m.pk) for m in (first, second)]
    assert [(m.status, m.confirmations, m.superseded_by_id) for m in before] == [
        ("active", 0, None)
    ] * 2
    undo(scope, undone.batch)
    assert pairs() == []


def test_pairs_that_hang_together_are_merged_into_the_one_that_is_chosen():
    scope = make.scope()
    texts = ("我喜欢喝龙井", "我爱喝龙井", "我喜爱喝龙井")
    rows = [make.remember(text=text) for text in texts]
    assert len(pairs()) == 3
    found = list(open_pairs(scope))
    keep = {pair.pk: rows[1].public_id for pair in found if rows[1].public_id == pair.first}
    applied = merge_pairs(scope, found, keep, "one taste")
    states = {row.text: applied.memories[row.public_id].status for row in rows}
    assert states == {texts[0]: "superseded", texts[1]: "active", texts[2]: "superseded"}
    assert applied.memories[rows[1].public_id].confirmations == 2


def test_only_active_memories_of_one_user_are_merged():
    from memory.write.plan import Conflict

    scope = make.scope()
    one, other = tea()
    foreign = make.remember(text="我爱喝龙井", user_id="ben")
    gone = make.remember(text="我偏爱龙井")
    gone = apply(plan_retract(scope, [gone]).plan("retract", "")).memories[gone.public_id]
    for others in ([foreign], [gone], [one], []):
        with pytest.raises(Conflict):
            plan_merge(scope, one, others)
    assert len(plan_merge(scope, one, [other]).changes) == 2


def test_a_policy_lets_the_same_in_other_words_confirm_by_itself():
    make.policy("preference", merge_similar=True)
    first = make.remember(text="我喜欢喝龙井", kind="preference", confidence=0.6)
    written = make.written(text="我喜爱喝龙井", kind="preference")
    outcome = written.outcomes[0]
    assert (outcome.action, outcome.reason) == ("merged", "other_words")
    assert outcome.memory.public_id == first.public_id
    assert (outcome.memory.confirmations, outcome.memory.text) == (1, "我喜欢喝龙井")
    other = Memory.objects.within(make.scope()).exclude(pk=first.pk).get()
    assert (other.status, other.text) == ("superseded", "我喜爱喝龙井")
    assert other.superseded_by_id == first.public_id
    assert make.ask("龙井").record.candidates.filter(rank__isnull=False).count() == 1
    assert pairs() == []
    undo(make.scope(), written.batch)
    assert Memory.objects.within(make.scope()).get(pk=first.pk).confirmations == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("我喜爱喝龙井", "other"),
        ("我不喜爱喝龙井", "preference"),
        ("我喜爱喝碧螺春", "preference"),
        ("我妈妈喜爱喝龙井", "preference"),
        ("我喜爱每天喝龙井", "preference"),
        ("我喜爱喝龙井和咖啡", "preference"),
    ],
)
def test_the_policy_merges_nothing_of_another_kind_or_sense(text, kind):
    make.policy("preference", merge_similar=True)
    make.remember(text="我喜欢喝龙井", kind="preference")
    assert make.written(text=text, kind=kind).outcomes[0].action == "added"


def test_without_the_policy_other_words_are_a_memory_of_their_own():
    make.remember(text="我喜欢喝龙井", kind="preference")
    assert make.written(text="我喜爱喝龙井", kind="preference").outcomes[0].action == "added"
    assert len(pairs()) == 1


def test_a_policy_does_not_merge_into_what_the_same_batch_takes_away():
    make.policy("preference", merge_similar=True)
    first = make.remember(text="我喜欢喝龙井", kind="preference")
    planner = Planner(make.scope())
    planner.change(first, "retract", status="retracted")
    rules = make.draft("preference")
    row = {"user_id": "ann", "agent_id": "", "text": "我喜爱喝龙井", "kind": "preference"}
    assert sameness.same_in_other_words(planner, row, rules) is None
    assert sameness.same_in_other_words(Planner(make.scope()), row, rules) == first
