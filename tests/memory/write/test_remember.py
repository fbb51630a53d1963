from datetime import timedelta

import pytest

from memory import clock
from memory.models import Batch, Change, Memory, Owner, Scope, ScopeError, Status
from memory.write.proposal import Proposal
from memory.write.remember import remember
from memory.write.snapshot import snapshot
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def deposit(value: str, **fields):
    """押金, a fact of its own: value after value."""
    return make.written(
        **{
            "entity": "仓库",
            "attribute": "押金",
            "value": value,
            "text": f"仓库的押金是{value}元",
            "kind": "fact",
        }
        | fields
    ).outcomes[0]


def current():
    return list(
        Memory.everywhere.filter(status=Status.ACTIVE, entity_key="仓库").values_list(
            "value", flat=True
        )
    )


def test_a_new_fact_is_added_and_written_down():
    with clock.at(START):
        outcome = deposit("800", source="user_said", session_id="s1")
    row = Memory.everywhere.get()
    assert (outcome.action, outcome.previous, outcome.reason) == ("added", None, "")
    assert (row.status, row.version, row.revision, row.confirmations) == ("active", 1, 1, 0)
    assert (row.created_at, row.valid_from, row.confirmed_at) == (START, START, START)
    assert (row.single_valued, row.layer, row.importance) == (True, "semantic", 3)
    assert row.fact == row.public_id
    entry = Change.objects.get()
    assert (entry.before, entry.after) == (None, snapshot(row))
    assert (entry.status_before, entry.status_after) == ("", "active")
    assert Owner.objects.get().active == 1


def test_a_changed_value_supersedes():
    with clock.at(START):
        deposit("800")
    with clock.at(START + timedelta(days=1)):
        outcome = deposit("1200")
    old, new = Memory.everywhere.order_by("id")
    assert outcome.action == "superseded"
    assert (outcome.memory, outcome.previous) == (new, old)
    assert (old.status, old.valid_to) == ("superseded", START + timedelta(days=1))
    assert (old.superseded_by, new.supersedes) == (new, old)
    assert (new.fact, new.version) == (old.fact, 2)
    assert Batch.everywhere.count() == 2
    assert {entry.action for entry in outcome_batch_entries(2)} == {"supersede", "add"}
    assert Owner.objects.get().active == 1


def outcome_batch_entries(number: int):
    return list(Batch.everywhere.order_by("id")[number - 1].changes.all())


@pytest.mark.parametrize(
    "again", ["1200", "1200 ", " 1200", "1200。", "１２００", "1200.", "12\u200b00"]
)
def test_saying_the_same_again_makes_no_version(again):
    with clock.at(START):
        first = deposit("1200", confidence=0.5).memory
    with clock.at(START + timedelta(hours=1)):
        outcome = deposit(again)
    row = Memory.everywhere.get()
    assert (outcome.action, outcome.reason, outcome.memory) == ("confirmed", "exact_repeat", row)
    assert (row.version, row.confirmations, row.revision) == (1, 1, 2)
    assert row.confidence == pytest.approx(0.65)
    assert row.confirmed_at == START + timedelta(hours=1)
    assert (row.value, row.text) == (first.value, first.text)


def test_confirming_never_moves_the_confirmation_back_or_into_the_future():
    with clock.at(START):
        deposit("1200")
    with clock.at(START + timedelta(days=2)):
        deposit("1200", occurred_at=START + timedelta(days=9))
        assert Memory.everywhere.get().confirmed_at == START + timedelta(days=2)
        deposit("1200", occurred_at=START)
        assert Memory.everywhere.get().confirmed_at == START + timedelta(days=2)


@pytest.mark.parametrize("other", ["12000", "120", "1200美元", "-1200", "1 200", "1200?x"])
def test_a_value_that_only_looks_alike_is_another(other):
    deposit("1200")
    assert deposit(other).action == "superseded"
    assert current() == [other]


def test_going_back_to_an_old_value_is_a_version_of_its_own():
    for value in ("800", "800。", "1200", "800"):
        deposit(value)
    rows = Memory.everywhere.order_by("version")
    assert [(row.version, row.value, row.status) for row in rows] == [
        (1, "800", "superseded"),
        (2, "1200", "superseded"),
        (3, "800", "active"),
    ]
    assert rows[0].confirmations == 1
    assert Memory.everywhere.values("fact").distinct().count() == 1


@pytest.mark.parametrize(
    ("subject", "alike"),
    [
        ("东区展台", ["西区展台", "东区展台二号", "东区"]),
        ("Lin", ["Lin Mei", "Linda", "Colin"]),
        ("C", ["C++", "C#"]),
    ],
)
def test_a_look_alike_subject_is_left_alone(subject, alike):
    columns = {"attribute": "deadline", "kind": "fact"}
    make.remember(entity=subject, value="Friday", **columns)
    for entity in alike:
        make.remember(entity=entity, value="Friday", **columns)
    make.remember(user_id="ben", entity=subject, value="Friday", **columns)
    others = Memory.everywhere.exclude(entity=subject, user_id="ann").order_by("id")
    before = [snapshot(row) for row in others]
    outcome = make.written(entity=subject, value="Monday", **columns).outcomes[0]
    assert outcome.action == "superseded"
    assert [snapshot(row) for row in others.all()] == before
    assert Memory.everywhere.filter(status="superseded").count() == 1


def test_the_agent_is_part_of_the_key():
    deposit("800")
    assert deposit("900", agent_id="planner").action == "added"
    assert deposit("950", agent_id="planner").action == "superseded"
    assert sorted(current()) == ["800", "950"]


def test_the_user_and_the_workspace_are_part_of_the_key():
    deposit("800")
    assert deposit("900", user_id="ben").action == "added"
    elsewhere = make.scope(make.workspace("w2"))
    again = remember(
        elsewhere, [Proposal(user_id="ann", entity="仓库", attribute="押金", value="1")]
    )
    assert again.outcomes[0].action == "added"
    assert sorted(current()) == ["1", "800", "900"]


def test_keys_are_compared_normalised():
    deposit("800")
    assert deposit("900", entity="倉庫", attribute=" 押金：").action == "superseded"
    assert current() == ["900"]
    assert Memory.everywhere.get(status="active").entity == "倉庫"


@pytest.mark.parametrize("kind", ["event", "other"])
def test_a_kind_of_many_values_keeps_many(kind):
    columns = {"entity": "Mei", "attribute": "visited", "kind": kind}
    for value in ("Oslo", "Bergen"):
        assert make.written(value=value, **columns).outcomes[0].action == "added"
    assert make.written(value=" oslo. ", **columns).outcomes[0].action == "confirmed"
    rows = Memory.everywhere.filter(status="active")
    assert sorted(rows.values_list("value", "confirmations")) == [("Bergen", 0), ("Oslo", 1)]
    assert not rows.filter(single_valued=True).exists()


def test_a_plain_text_is_repeated_exactly_or_added():
    for text in (
        "Mei prefers window seats",
        "mei prefers window seats.",
        "Mei prefers aisle seats",
    ):
        make.remember(text=text)
    rows = Memory.everywhere.order_by("id")
    assert [(row.confirmations, row.kind) for row in rows] == [(1, "other"), (0, "other")]
    assert make.written(text="Mei prefers window seats", agent_id="x").outcomes[0].action == "added"
    assert (
        make.written(text="Mei prefers window seats", user_id="ben").outcomes[0].action == "added"
    )


def test_live_stock_expires_after_a_day_and_other_kinds_do_not():
    with clock.at(START):
        stock = make.remember(entity="货架七", attribute="库存", value="41", kind="inventory")
        plain = make.remember(entity="货架七", attribute="位置", value="北墙", kind="fact")
        seen = START - timedelta(hours=5)
        older = make.remember(
            entity="货架八", attribute="库存", value="9", kind="inventory", occurred_at=seen
        )
        own = make.remember(
            entity="货架九", attribute="库存", value="1", kind="inventory",
            expires_at=START + timedelta(hours=2),
        )  # fmt: skip
    assert stock.expires_at == START + timedelta(hours=24)
    assert plain.expires_at is None
    assert older.expires_at == seen + timedelta(hours=24)
    assert own.expires_at == START + timedelta(hours=2)


def test_a_new_version_inherits_what_is_not_said():
    deposit("800", domain="finance", importance=5, tags=("合同",), links=("仓库",))
    heir = deposit("900").memory
    assert (heir.domain, heir.importance, heir.tags, heir.links) == (
        "finance", 5, ["合同"], ["仓库"],
    )  # fmt: skip
    said = deposit("950", domain="legal", importance=1, tags=("新",)).memory
    assert (said.domain, said.importance, said.tags, said.links) == ("legal", 1, ["新"], ["仓库"])


def test_a_kind_not_said_is_the_current_ones():
    make.remember(entity="Mei", attribute="tea", value="oolong", kind="preference")
    heir = make.remember(entity="Mei", attribute="tea", value="green")
    assert (heir.kind, heir.importance, heir.version) == ("preference", 4, 2)


@pytest.mark.parametrize(
    ("source", "confidence"),
    [("user_said", 0.9), ("external_sync", 0.95), ("imported", 0.6), ("inferred", 0.5), ("", None)],
)
def test_confidence_starts_by_who_said_it(source, confidence):
    assert make.remember(text="x", source=source).confidence == confidence
    assert make.remember(text="y", source=source, confidence=0.0).confidence == 0.0


def test_several_proposals_are_one_batch_and_see_each_other():
    keys = {"entity": "仓库", "attribute": "押金", "kind": "fact"}
    offered = [
        Proposal(value="800", **keys),
        Proposal(value="1200", **keys),
        Proposal(value="1200。", **keys),
        Proposal(text="仓库钥匙在前台"),
        Proposal(text="仓库钥匙在前台。"),
    ]
    done = remember(make.scope(user_id="ann"), offered, reason="搬仓")
    assert [outcome.action for outcome in done.outcomes] == [
        "added", "superseded", "confirmed", "added", "confirmed",
    ]  # fmt: skip
    assert Batch.everywhere.get() == done.batch
    assert done.batch.reason == "搬仓"
    assert current() == ["1200"]
    rows = Memory.everywhere.filter(entity_key="仓库").order_by("version")
    assert [(row.value, row.confirmations) for row in rows] == [("800", 0), ("1200", 1)]
    assert rows[0].superseded_by == rows[1]
    assert Change.objects.count() == 6


def test_no_proposals_make_no_batch():
    assert remember(make.scope(), []).batch is None
    assert not Batch.everywhere.exists()


def test_a_bound_scope_writes_for_its_user_only():
    bound = make.scope(user_id="ann")
    assert make.remember(bound, user_id="", text="x").user_id == "ann"
    for other in ("ben", " ", "ann "):
        with pytest.raises(ScopeError):
            make.remember(bound, user_id=other, text="y")
    assert Memory.everywhere.count() == 1


def test_a_row_may_come_without_a_user_and_is_then_nobodys():
    row = make.remember(user_id="", text="unowned")
    assert row.user_id == ""
    assert not Memory.objects.within(make.scope(user_id="ann")).exists()


def test_the_ledger_keeps_who_wrote_through_which_door():
    scope = Scope(make.workspace().pk, "key:bot", "api", "ann")
    make.remember(scope, text="x", reason="told so")
    batch = Batch.everywhere.get()
    assert (batch.actor, batch.surface, batch.user_id, batch.verb, batch.reason) == (
        "key:bot", "api", "ann", "remember", "told so",
    )  # fmt: skip


def test_what_is_said_to_happen_later_does_not_outrank_what_is_said_next():
    make.budget("800", occurred_at=make.instant("2126-01-01 00:00"))
    now = make.budget("1200")
    assert now.status == "active"
    assert Memory.everywhere.get(value="800").status == "superseded"


def test_a_validity_that_begins_later_does_not_outrank_what_is_said_next():
    make.budget("800", valid_from=make.instant("2126-01-01 00:00"))
    assert make.budget("1200").status == "active"
