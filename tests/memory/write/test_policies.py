"""Policies by kind and domain: what they give to new rows, and how their versions are kept."""

import pytest

from memory import clock
from memory.models import Memory, Policy, ScopeError, policies_of, policy_changes, policy_draft
from memory.write.apply import apply
from memory.write.policies import StalePolicy, remove_policy, save_policy
from memory.write.proposal import InvalidInput
from memory.write.revise import plan_confirm
from memory.write.sweep import expire_due
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.verbs import amend, fresh, restore, retract

from .policy_kit import START, ends, hours, stock

pytestmark = pytest.mark.django_db

# fmt: off
REPEATS = [
    lambda row: stock(row.entity, source="external_sync"),
    lambda row: apply(plan_confirm(make.scope(), row).plan("confirm", "")),
]
# fmt: on


@pytest.mark.parametrize("repeat", REPEATS)
def test_a_confirmation_moves_the_end_that_a_policy_made(repeat):
    with clock.at(START):
        row = stock()
        assert ends(row) == (START + hours(24), 24)
    with clock.at(START + hours(10)):
        repeat(row)
    assert fresh(row).confirmations == 1
    assert ends(row) == (START + hours(34), 24)


@pytest.mark.parametrize("repeat", REPEATS)
def test_a_confirmation_leaves_the_end_that_the_writer_gave(repeat):
    with clock.at(START):
        row = stock(expires_at=START + hours(30))
    with clock.at(START + hours(10)):
        repeat(row)
    assert fresh(row).confirmations == 1
    assert ends(row) == (START + hours(30), None)


@pytest.mark.parametrize("kind", ["inventory", "event"])
def test_a_repeat_of_a_plain_text_moves_its_end_and_an_older_one_does_not(kind):
    if kind == "event":
        make.policy("event", ttl_hours=24)
    with clock.at(START):
        row = make.remember(text="Forty crates wait on quay four", kind=kind)
    with clock.at(START + hours(5)):
        make.remember(text="Forty crates wait on quay four", kind=kind, occurred_at=START)
        assert ends(row) == (START + hours(24), 24)
        make.remember(text="Forty crates wait on quay four", kind=kind)
    assert ends(row) == (START + hours(29), 24)


def test_a_row_that_ran_out_unswept_lives_on_when_it_is_said_again():
    with clock.at(START):
        row = stock()
    with clock.at(START + hours(30)):
        assert make.ask("货架一库存").items == ()
        stock(source="external_sync")
        (item,) = make.ask("货架一库存").items
        assert item.memory.pk == row.pk
        assert expire_due() == 0


def test_an_undone_confirmation_gives_the_end_back():
    with clock.at(START):
        row = stock()
    with clock.at(START + hours(3)):
        batch = apply(plan_confirm(make.scope(), row).plan("confirm", "")).batch
        undo(make.scope(), batch)
    assert ends(row) == (START + hours(24), 24)


def test_a_correction_starts_the_limit_anew_and_keeps_what_the_writer_gave():
    with clock.at(START):
        mine, own = stock(), stock("货架二", expires_at=START + hours(30))
    with clock.at(START + hours(10)):
        assert ends(amend(mine, value="40")) == (START + hours(34), 24)
        assert ends(amend(own, value="40")) == (START + hours(30), None)
        given = amend(stock("货架三"), expires_at=START + hours(99))
        assert ends(given) == (START + hours(99), None)
        handed_back = amend(given, expires_at=None)
        assert ends(handed_back) == (START + hours(34), 24)
        assert ends(amend(handed_back, kind="fact")) == (None, None)


def test_a_restored_row_keeps_an_end_to_come_that_the_writer_gave():
    with clock.at(START):
        own = retract(stock(expires_at=START + hours(30)))
        mine = retract(stock("货架二"))
    with clock.at(START + hours(10)):
        assert ends(restore(own)) == (START + hours(30), None)
        assert ends(restore(mine)) == (START + hours(34), 24)
        gone = retract(fresh(own))
    with clock.at(START + hours(31)):
        assert ends(restore(gone)) == (START + hours(55), 24)


def test_the_policy_of_a_domain_beats_that_of_its_kind():
    make.policy("inventory", "冷库", ttl_hours=6, importance=5)
    make.policy("event", "docks", single_valued=True)
    with clock.at(START):
        cold, dry = stock(domain="冷库"), stock("货架二", domain="干货")
        bare = stock("货架三")
        assert (ends(cold), cold.importance) == ((START + hours(6), 6), 5)
        assert (ends(dry), dry.importance) == ((START + hours(24), 24), 4)
        assert ends(bare) == (START + hours(24), 24)
        event = {"entity": "crane", "attribute": "check", "kind": "event"}
        first = make.remember(value="done", domain="docks", **event)
        make.remember(value="failed", domain="docks", **event)
        assert fresh(first).status == "superseded"
        event |= {"entity": "lift", "domain": "yard"}
        elsewhere = make.remember(value="done", **event)
        make.remember(value="failed", **event)
        assert fresh(elsewhere).status == "active"
    with clock.at(START + hours(7)):
        assert expire_due() == 1
    assert (fresh(cold).status, fresh(dry).status) == ("expired", "active")


def test_a_version_inherits_its_domain_and_so_its_policy():
    make.policy("inventory", "冷库", ttl_hours=6)
    with clock.at(START):
        stock(domain="冷库")
        later = make.remember(entity="货架一", attribute="库存", value="40")
    assert (later.domain, later.kind) == ("冷库", "inventory")
    assert ends(later) == (START + hours(6), 6)


def test_versions_grow_and_each_day_has_its_own():
    with clock.at(START):
        make.policy("preference", half_life_hours=100)
    with clock.at(START + hours(2)):
        make.policy("preference", half_life_hours=50)
    workspace = make.workspace().pk

    def then(after: float) -> int:
        return policies_of(workspace, START + hours(after)).of("preference").half_life_hours

    assert (then(-1), then(0), then(1), then(2), then(9)) == (720, 100, 100, 50, 50)
    assert policies_of(workspace).of("preference").version == 2
    assert policies_of(make.workspace("w2").pk).of("preference").half_life_hours == 720
    assert [(c.policy.version, c.changes) for c in policy_changes(workspace)] == [
        (1, {"half_life_hours": (720, 100)}),
        (2, {"half_life_hours": (100, 50)}),
    ]
    assert Policy.objects.latest("id").actor == "person:ann"


def test_two_admins_do_not_trample_each_other():
    mine, theirs = (make.draft("fact", half_life_hours=n) for n in (10, 20))
    save_policy(make.scope(actor="person:bea"), theirs, reason="")
    with pytest.raises(StalePolicy, match="version 1, by person:bea"):
        save_policy(make.scope(), mine, reason="")
    assert policies_of(make.workspace().pk).of("fact").half_life_hours == 20
    again = make.draft("fact", half_life_hours=10)
    assert save_policy(make.scope(), again, reason="agreed").policy.version == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("half_life_hours", 0), ("half_life_hours", 876_001), ("half_life_hours", None),
        ("half_life_hours", True), ("half_life_hours", 1.5), ("half_life_hours", "7"),
        ("ttl_hours", 0), ("ttl_hours", -4), ("ttl_hours", 876_001), ("importance", 0),
        ("importance", 6), ("kind", "mood"), ("domain", "库" * 101), ("domain", "a\0b"),
        ("domain", "\ud800"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_by_name(field, value):
    draft = make.draft("fact", half_life_hours=10)
    setattr(draft, field, value)
    with pytest.raises(InvalidInput) as raised:
        save_policy(make.scope(), draft, reason="")
    assert [name for name, _ in raised.value.errors] == [field]
    assert not Policy.objects.exists()


def test_other_refusals_change_nothing():
    with pytest.raises(InvalidInput, match="already says"):
        save_policy(make.scope(), make.draft("fact"), reason="")
    with pytest.raises(InvalidInput, match="reason"):
        save_policy(make.scope(), make.draft("fact", importance=1), reason="r" * 501)
    with pytest.raises(ScopeError):
        save_policy(make.scope(user_id="ann"), make.draft("fact", importance=1), reason="")
    with pytest.raises(InvalidInput, match="no policy of its own"):
        remove_policy(make.scope(), make.draft("fact", "docks"), reason="")
    with pytest.raises(InvalidInput, match="no policy of its own"):
        remove_policy(make.scope(), make.draft("fact"), reason="")
    assert not Policy.objects.exists()


def test_a_domain_is_kept_clean():
    assert make.policy("fact", "  冷库 \x07", importance=1).domain == "冷库"


def test_a_draft_starts_from_what_rules_there():
    make.policy("inventory", ttl_hours=48)
    draft = policy_draft(policies_of(make.workspace().pk), "inventory", "冷库")
    assert (draft.version, draft.ttl_hours, draft.pk) == (0, 48, None)


def test_one_value_at_a_time_holds_for_later_writes_only():
    first = make.remember(entity="crane", attribute="check", value="done", kind="event")
    make.policy("event", single_valued=True)
    assert not fresh(first).single_valued
    make.remember(entity="crane", attribute="check", value="failed", kind="event")
    make.remember(entity="crane", attribute="check", value="passed", kind="event")
    rows = Memory.everywhere.filter(status="active")
    assert set(rows.values_list("value", "single_valued")) == {("done", False), ("passed", True)}
