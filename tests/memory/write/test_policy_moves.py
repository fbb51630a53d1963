"""How a new version of a policy moves the rows that stand, at once or by upkeep."""

import pytest

from memory import clock
from memory.index.upkeep import drift
from memory.models import Batch, Policy, Scope, policies_of, policy_changes
from memory.write import policies as module
from memory.write import queue
from memory.write.ledger import first_break
from memory.write.policies import StalePolicy, awaiting, redate_due, remove_policy, save_policy
from memory.write.sweep import expire_due
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.verbs import fresh

from .policy_kit import START, ends, hours, stock

pytestmark = pytest.mark.django_db


def test_a_new_limit_moves_the_rows_that_it_rules_and_no_others():
    make.policy("inventory", "冷库", ttl_hours=6)
    elsewhere = make.scope(make.workspace("w2"))
    with clock.at(START):
        row, bens = stock(), stock(user_id="ben")
        own = stock("货架二", expires_at=START + hours(30))
        cold, other = stock("货架三", domain="冷库"), stock(in_scope=elsewhere)
        fact = make.remember(text="Quay four is closed", kind="fact")
        old = stock("货架四")
        new = stock("货架四", "7")
        kept = {r.pk: ends(r) for r in (own, cold, other, fact, old)}
    with clock.at(START + hours(5)):
        draft = make.draft("inventory", ttl_hours=48)
        assert awaiting(make.scope(), draft) == 3
        saved = save_policy(make.scope(), draft, reason="盘点改为隔日")
        assert (len(saved.batches), saved.left) == (1, 0)
    for moved in (row, bens, new):
        assert ends(moved) == (START + hours(48), 48)
    assert {r.pk: ends(r) for r in (own, cold, other, fact, old)} == kept
    (batch,) = saved.batches
    assert (batch.verb, batch.actor, batch.changes.count()) == ("policy", "person:ann", 3)
    assert batch.reason == "inventory, version 1: 盘点改为隔日"
    assert first_break() is None
    assert list(drift()) == []


def test_a_limit_taken_away_and_one_where_there_was_none():
    with clock.at(START):
        row = stock()
        fact = make.remember(text="Quay four is closed", kind="fact")
        make.policy("inventory", ttl_hours=None)
        make.policy("fact", ttl_hours=10)
    assert ends(row) == (None, None)
    assert ends(fact) == (START + hours(10), 10)


def test_a_shorter_limit_is_counted_from_the_last_confirmation_and_expires_rows():
    with clock.at(START):
        row = stock()
    with clock.at(START + hours(4)):
        stock()
        make.policy("inventory", ttl_hours=2)
        assert ends(row) == (START + hours(6), 2)
    with clock.at(START + hours(6)):
        assert make.ask("货架一库存").items == ()
        assert expire_due() == 1


def test_what_has_ended_stays_so():
    with clock.at(START):
        swept, _ = stock(), stock("货架二")
    with clock.at(START + hours(24)):
        assert expire_due() == 2
    with clock.at(START):
        unswept = stock("货架三")
    with clock.at(START + hours(25)):
        draft = make.draft("inventory", ttl_hours=99)
        assert awaiting(make.scope(), draft) == 0
        assert save_policy(make.scope(), draft, reason="").batches == ()
    assert fresh(swept).status == "expired"
    assert ends(unswept) == (START + hours(24), 24)


def test_the_batch_of_a_policy_can_be_undone():
    with clock.at(START):
        row = stock()
        saved = save_policy(make.scope(), make.draft("inventory", ttl_hours=48), reason="")
        undo(make.scope(), saved.batches[0])
    assert ends(row) == (START + hours(24), 24)


def test_what_is_too_much_for_a_request_is_done_by_upkeep(monkeypatch):
    monkeypatch.setattr(module, "BATCH", 2)
    monkeypatch.setattr(module, "AT_ONCE", 4)
    with clock.at(START):
        rows = [stock(f"货架 {number}") for number in range(7)]
        saved = save_policy(make.scope(), make.draft("inventory", ttl_hours=48), reason="")
        assert ([b.changes.count() for b in saved.batches], saved.left) == ([2, 2], 3)
        assert redate_due() == 3
        assert redate_due() == 0
    assert {ends(row) for row in rows} == {(START + hours(48), 48)}
    assert {b.actor for b in Batch.everywhere.filter(verb="policy")} == {
        "person:ann", "maintenance",
    }  # fmt: skip


def test_a_full_queue_leaves_the_rows_to_upkeep(monkeypatch):
    with clock.at(START):
        row = stock()

    def full(plan):
        raise queue.QueueTimeout("the write queue is longer than its deadline")

    with clock.at(START), monkeypatch.context() as patched:
        patched.setattr(module, "apply", full)
        saved = save_policy(make.scope(), make.draft("inventory", ttl_hours=48), reason="")
    assert (saved.policy.version, saved.batches) == (1, ())
    with clock.at(START):
        assert redate_due() == 1
    assert ends(row) == (START + hours(48), 48)


def test_a_domain_without_its_own_policy_goes_by_its_kind_again():
    with clock.at(START):
        make.policy("inventory", "冷库", ttl_hours=6)
        cold, dry = stock(domain="冷库"), stock("货架二", domain="干货")
        seen = make.draft("inventory", "冷库")
        gone = remove_policy(make.scope(), seen, reason="冷库停用")
        assert (gone.policy.version, gone.policy.removed) == (2, True)
        assert len(gone.batches) == 1
        assert (ends(cold), ends(dry)) == ((START + hours(24), 24),) * 2
        with pytest.raises(StalePolicy):
            save_policy(make.scope(), seen, reason="")
        assert [p.domain for p in policies_of(make.workspace().pk).all() if p.domain] == []
        assert make.policy("inventory", "冷库", ttl_hours=3).version == 3
    assert ends(cold) == (START + hours(3), 3)
    changes = [c.changes.get("ttl_hours") for c in policy_changes(make.workspace().pk)]
    assert changes == [(24, 6), (6, 24), (24, 3)]


def test_upkeep_looks_at_no_kind_that_nobody_changed(django_assert_num_queries):
    stock()
    with django_assert_num_queries(1):
        assert redate_due() == 0


def test_upkeep_keeps_workspaces_apart():
    w2 = make.workspace("w2")
    with clock.at(START):
        row, other = stock(), stock(in_scope=make.scope(w2))
        Policy.objects.create(
            workspace=w2, kind="inventory", at=START, actor="x", version=1,
            **make.draft("inventory", of=w2, ttl_hours=5).values(),
        )  # fmt: skip
        assert redate_due() == 1
    assert (ends(row)[1], ends(other)[1]) == (24, 5)
    (batch,) = Batch.objects.within(Scope(w2.pk, "x", "command")).filter(verb="policy")
    assert batch.changes.get().memory_id == other.public_id
