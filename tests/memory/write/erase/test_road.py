"""Erasing a fact: every place that held it, and what stays."""

import pytest
from django.db import connection

from memory.index.upkeep import drift
from memory.models import (
    Batch,
    Change,
    Correction,
    DuplicatePair,
    Erasure,
    Extraction,
    Memory,
    Owner,
    Recall,
    Status,
    Turn,
    Vector,
)
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome
from memory.write import queue
from memory.write.apply import apply
from memory.write.correction.road import propose
from memory.write.erase.road import erase, preview
from memory.write.erase.tombstones import was_erased
from memory.write.ledger import first_break
from memory.write.plan import Conflict, StalePlan
from memory.write.planner import Planner
from memory.write.revise import Erased, NotFound, find, plan_confirm
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db
STREET, CANARY = "青鹭路", "zqcanary7788"
VALUE = f"{STREET}{CANARY}号"


def fact(value: str = VALUE, **fields) -> Memory:
    said = {"entity": "user", "attribute": "住址", "value": value, "text": f"住址是{value}"}
    return make.remember(**said | {"kind": "identity", "session_id": "s1"} | fields)


def everything() -> str:
    """All that any table holds, as text."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'SELECT * FROM "{name}"')
            found += [repr(row) for row in cursor.fetchall()]
    return "\n".join(found).encode().decode("unicode_escape", "replace") + "\n".join(found)


def story() -> Memory:
    """A fact with a history, in every place that the road in and the road out have."""
    said = make.turn(content=f"我说过，住址是{VALUE}，谢谢", agent_id="")
    make.turn(content="好的，记住了", role="assistant")
    fact(turn_id=said.public_id, reason=f"他说住在{STREET}", confidence=0.9)
    now = fact(f"{VALUE}2室", reason="换了门牌")
    asked = make.ask(f"{CANARY}在哪里", session_id="s1").record
    add_outcome(asked, prompt=f"资料：{VALUE}", answer="你住在青鹭那边")
    add_feedback(asked, "wrong", f"不在{STREET}了", "person:ann")
    make.ask("我的住址是什么")
    propose(make.scope(user_id="ann"), f"不对，我的住址是{VALUE}3室", session_id="s1")
    return now


def test_no_table_holds_a_word_of_it():
    now = story()
    assert STREET in everything()
    done = erase(make.scope(), now, f"请忘掉{VALUE}2室")
    assert STREET not in everything()
    assert CANARY not in everything()
    assert "青鹭" not in everything()
    assert set(done.erasure.removed) >= {
        "rows", "history", "reasons", "turns", "recalls", "feedback", "corrections", "index",
    }  # fmt: skip
    assert first_break() is None
    assert list(drift()) == []


def test_what_is_left_is_a_tombstone_for_each_version():
    now = story()
    old = Memory.everywhere.get(version=1)
    done = erase(make.scope(), now, "on request")
    kept = list(Erasure.everywhere.order_by("pk"))
    assert [one.memory_id for one in kept] == [now.public_id, old.public_id]
    assert {(one.actor, one.surface, one.reason) for one in kept} == {
        ("person:ann", "console", "on request")
    }
    assert done.erasure == kept[0]
    assert kept[0].removed["rows"] == 2
    assert kept[1].removed == {"with": str(kept[0].public_id)}
    assert Change.objects.filter(memory_id=now.public_id).last().action == "erase"
    assert not Change.objects.filter(fact=now.fact, payload__isnull=False).exists()
    assert Owner.objects.get(user_id="ann").active == 0


def test_its_words_are_known_again_and_no_others():
    now = story()
    erase(make.scope(), now, "x")
    scope = make.scope()
    assert was_erased(scope, "ann", f"住址是{VALUE}2室").memory_id == now.public_id
    assert was_erased(scope, "ann", f" 住址是{VALUE}2室。 ") is not None
    assert was_erased(scope, "ben", f"住址是{VALUE}2室") is None
    assert was_erased(scope, "ann", "住址是别处") is None
    assert was_erased(make.scope(make.workspace("w2")), "ann", f"住址是{VALUE}2室") is None
    assert VALUE not in Erasure.everywhere.first().digest


def test_a_preview_counts_the_same_and_changes_nothing():
    now = story()
    before = everything()
    told = preview(make.scope(), now)
    assert everything() == before
    counts = {name: n for name, n in told.counts.items() if n}
    assert counts == erase(make.scope(), now, "x").erasure.removed


def test_only_the_place_of_evidence_is_blotted_out():
    said = make.turn(content="预算是800元。押金也是800元。")
    row = make.remember(text="预算是800元", entity="user", attribute="预算", value="800元",
                        turn_id=said.public_id)  # fmt: skip
    assert row.evidence_start == 0
    other = make.turn(content="800元是押金")
    erase(make.scope(), row, "x")
    assert Turn.everywhere.get(pk=said.pk).content == "███████。押金也是800元。"
    assert Turn.everywhere.get(pk=said.pk).erased_at is not None
    assert Turn.everywhere.get(pk=other.pk).content == "800元是押金"
    assert Turn.everywhere.get(pk=other.pk).erased_at is None


def test_a_particular_value_goes_wherever_the_user_said_it():
    row = fact()
    mine = make.turn(content=f"又说一次：{VALUE}", metadata={"note": VALUE})
    of_another = make.turn(content=f"邻居：{VALUE}", user_id="ben")
    erase(make.scope(), row, "x")
    mine.refresh_from_db()
    assert mine.content == "又说一次：" + "█" * len(VALUE)
    assert mine.metadata == {"note": "█" * len(VALUE)}
    of_another.refresh_from_db()
    assert of_another.content == f"邻居：{VALUE}"


def test_a_turn_and_the_one_after_it_are_no_longer_found_by_it():
    said = make.turn(content=f"住址是{VALUE}")
    make.turn(content="明白", role="assistant")
    row = fact(turn_id=said.public_id)
    erase(make.scope(), row, "x")
    assert make.ask(CANARY).turns == ()
    assert list(drift()) == []


def test_other_memories_that_say_it_are_named_and_stay():
    row = fact()
    other = make.remember(text=f"包裹寄到{VALUE}", kind="event")
    done = erase(make.scope(), row, "x")
    assert done.erasure.removed["also"] == [str(other.public_id)]
    assert done.erasure.removed["also_count"] == 1
    other.refresh_from_db()
    assert VALUE in other.text


def test_a_summary_of_the_session_that_tells_it_goes_along():
    said = make.turn(content=f"住址是{VALUE}")
    row = fact(turn_id=said.public_id)
    summary = make.remember(
        text=f"用户说住址是{VALUE}；另外喜欢茶", kind="event", session_id="s1",
        entity="session:s1", attribute="summary", metadata={"snapshot": {"turns": 20, "gone": 0}},
    )  # fmt: skip
    done = erase(make.scope(), row, "x")
    assert not Memory.everywhere.filter(pk=summary.pk).exists()
    assert done.erasure.removed["summaries"] == 1
    assert first_break() is None


def test_what_pointed_to_it_lets_go_in_the_ledger():
    kept = make.remember(text="she keeps bees in town")
    row = make.remember(text="She keeps bees.")
    planner_sets = {"status": Status.SUPERSEDED, "superseded_by_id": row.public_id}
    planner = Planner(make.scope())
    planner.change(kept, "merge", **planner_sets)
    apply(planner.plan("merge", ""))
    done = erase(make.scope(), row, "x")
    kept.refresh_from_db()
    assert (kept.status, kept.superseded_by_id) == (Status.SUPERSEDED, None)
    assert [entry.action for entry in done.applied.entries] == ["relink", "erase"]
    assert first_break() is None


def test_a_reason_of_another_batch_that_says_it_goes_with_an_entry_of_its_own():
    row = fact()
    make.remember(text="喜欢茶", reason=f"住在{VALUE}的人说的")
    make.remember(text="喜欢酒", reason="聊天时说的")
    done = erase(make.scope(), row, "x")
    assert [entry.action for entry in done.applied.entries] == ["erase", "erase_reason"]
    reasons = list(Batch.everywhere.order_by("id").values_list("reason", flat=True))
    assert reasons == ["", "", "聊天时说的", "x"]
    assert first_break() is None


def test_the_own_reason_does_not_say_what_it_forgets():
    done = erase(make.scope(), fact(), f"忘掉{VALUE}，谢谢")
    assert done.applied.batch.reason == "忘掉" + "█" * len(VALUE) + "，谢谢"
    assert first_break() is None


def test_readings_pairs_and_vectors_go():
    said = make.turn(content=f"住址是{VALUE}")
    row = fact(turn_id=said.public_id)
    now = row.created_at
    Extraction.objects.create(
        turn=said, workspace_id=said.workspace_id, fields={"domain": VALUE}, reason=VALUE,
        actor="a", surface="api", asked_at=now, due_at=now,
    )  # fmt: skip
    DuplicatePair.everywhere.create(
        workspace_id=row.workspace_id, user_id="ann", first=row.public_id,
        second=make.remember(text="other").public_id, score=0.9, found_at=now,
    )  # fmt: skip
    Vector.objects.create(memory=row, model="m", print="p", data=b"\0\0")
    done = erase(make.scope(), row, "x")
    assert {name: done.erasure.removed[name] for name in ("extractions", "vectors")} == {
        "extractions": 1, "vectors": 1,
    }  # fmt: skip
    assert done.erasure.removed["duplicate_pairs"] == 1
    assert Extraction.objects.get().fields == {"domain": "█" * len(VALUE)}
    assert not DuplicatePair.everywhere.exists()
    assert not Vector.objects.exists()


def test_an_open_correction_of_it_is_closed():
    now = story()
    assert Correction.everywhere.get().state == "open"
    erase(make.scope(), now, "x")
    assert Correction.everywhere.get().state == "dismissed"


def test_it_cannot_be_had_again_nor_undone():
    first, now = make.budget("800"), make.budget("1200")
    batch = Batch.everywhere.first()
    done = erase(make.scope(), now, "x")
    for row in (first, now):
        with pytest.raises(Erased) as told:
            find(make.scope(), row.public_id)
        assert told.value.erasure.memory_id == row.public_id
    with pytest.raises(NotFound) as refused:
        find(make.scope(make.workspace("w2")), now.public_id)
    assert not isinstance(refused.value, Erased)
    for one in (batch, done.applied.batch):
        with pytest.raises(Conflict, match="erased"):
            undo(make.scope(), one)


def test_one_that_moved_meanwhile_is_not_erased():
    row = fact()
    apply(plan_confirm(make.scope(), row).plan("confirm", ""))
    with pytest.raises(StalePlan):
        erase(make.scope(), row, "x", seen=row.revision - 1)
    assert Memory.everywhere.filter(pk=row.pk).exists()
    assert not Erasure.everywhere.exists()


def test_a_full_queue_changes_nothing(monkeypatch):
    row = fact()

    def full(*args):
        raise queue.QueueTimeout("full")

    monkeypatch.setattr("memory.write.erase.road.queue.turn", full)
    with pytest.raises(queue.QueueTimeout):
        erase(make.scope(), row, "x")
    assert Memory.everywhere.filter(pk=row.pk).exists()


def test_a_key_of_one_user_erases_only_what_is_the_users():
    row = fact()
    bound = make.scope(user_id="ann", actor="key:bot", surface="api")
    other = make.scope(user_id="ben", actor="key:bot", surface="api")
    with pytest.raises(NotFound):
        find(other, row.public_id)
    done = erase(bound, row, "x")
    assert (done.applied.batch.user_id, done.applied.batch.actor) == ("ann", "key:bot")
    assert first_break() is None


def test_a_recall_of_something_else_keeps_its_digest():
    row = fact()
    make.remember(text="最喜欢喝茉莉花茶")
    make.ask("最喜欢喝什么茶")
    kept = Recall.everywhere.get()
    erase(make.scope(), row, "x")
    after = Recall.everywhere.get()
    assert (after.digest, after.erased_at) == (kept.digest, None)
