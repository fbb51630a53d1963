"""Links: what a memory names, kept in step with it, and proved."""

import pytest

from memory.index.links import names_in
from memory.index.upkeep import drift, rebuild
from memory.models import EntityLink, Memory
from memory.write.apply import apply
from memory.write.revise import plan_restore, plan_retract
from memory.write.transaction import write_transaction
from tests import factories as make

pytestmark = pytest.mark.django_db


def links() -> set[tuple[int, str, str]]:
    return set(EntityLink.objects.values_list("memory_id", "key", "role"))


def test_each_name_counts_once_as_its_nearest():
    assert names_in("云母板", "海川公司", ["海川公司", "云母板", "ＱＸ-31"]) == (
        ("qx-31", "link"), ("云母板", "entity"), ("海川公司", "link"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "value", ["120", "120 kg", "三百元", "2026-03-01", "周三", "15:30", "x", "猫", "字" * 101, ""]
)
def test_what_cannot_be_a_name_is_no_value_to_follow(value):
    assert names_in("e", value, []) == (("e", "entity"),)


@pytest.mark.parametrize("value", ["qx-31", "3m", "三一重工", "birch plywood", "海川公司"])
def test_what_can_be_a_name_is(value):
    assert names_in("", value, []) == ((value, "value"),)


def test_links_come_and_go_with_the_active_state():
    row = make.remember(entity="灰鲸", attribute="用料", value="云母板")
    held = {(row.pk, "灰鲸", "entity"), (row.pk, "云母板", "value")}
    assert links() == held
    new = make.remember(entity="灰鲸", attribute="用料", value="竹板", kind="fact")
    gone = new.supersedes_id == row.public_id
    assert ((row.pk, "云母板", "value") in links()) != gone
    apply(plan_retract(make.scope(), [new]).plan("retract", ""))
    assert not EntityLink.objects.filter(memory=new).exists()
    new.refresh_from_db()
    apply(plan_restore(make.scope(), new).plan("restore", ""))
    assert EntityLink.objects.filter(key="竹板", role="value").count() == 1
    assert list(drift()) == []


@pytest.mark.parametrize("what", ["missing", "different", "extra"])
def test_wrong_links_are_found_and_made_anew(what):
    row = make.remember(entity="灰鲸", attribute="用料", value="云母板")
    gone = make.remember(text="gate code", user_id="ben")
    apply(plan_retract(make.scope(), [gone]).plan("retract", ""))
    right, own = links(), EntityLink.objects.filter(memory=row)
    if what == "missing":
        own.delete()
    elif what == "different":
        own.filter(role="value").update(user_id="ben")
    else:
        EntityLink.objects.create(
            memory=gone, workspace_id=gone.workspace_id, user_id="ben", key="x", role="link"
        )
    wrong = gone if what == "extra" else row
    assert [(d.index, d.what, d.rowid) for d in drift()] == [("links", what, wrong.pk)]
    with write_transaction():
        assert rebuild() == Memory.everywhere.count()
    assert list(drift()) == []
    assert links() == right
