"""What a sentence ties together, and what ties nothing."""

import pytest

from memory.write.apply import apply
from memory.write.relations import relations
from memory.write.revise import plan_amend
from tests import factories as make

TIES = [
    ("灰鲸项目使用云母板", ("灰鲸项目", "云母板")),
    ("灰鲸项目采用云母板和铝型材。", ("灰鲸项目", "云母板", "铝型材")),
    ("我们的展台现在使用竹板", ("展台", "竹板")),
    ("云母板由海川公司供应", ("云母板", "海川公司")),
    ("海川公司给灰鲸项目供应云母板", ("灰鲸项目", "海川公司", "云母板")),
    ("云母板的供应商是海川公司，交期两周", ("云母板", "海川公司")),
    ("计费服务依赖支付网关", ("计费服务", "支付网关")),
    ("Project Otter uses larch boards.", ("Project Otter", "larch boards")),
    ("Larch boards are supplied by Rokko Sawmill", ("Larch boards", "Rokko Sawmill")),
    ("The kiosk is made of birch plywood for the fair", ("kiosk", "birch plywood")),
    ("Billing depends on the payment gateway", ("Billing", "payment gateway")),
    ("Rokko Sawmill supplies larch and oak to Project Otter", ("Rokko Sawmill", "larch", "oak")),
]
NO_TIES = [
    "灰鲸项目不使用云母板",
    "灰鲸项目使用云母板吗？",
    "如果灰鲸项目使用云母板，要先报备",
    "灰鲸项目之前使用云母板",
    "他使用云母板",
    "我使用电脑",
    "灰鲸项目使用3吨",
    "我的预算是800",
    "灰鲸项目使用" + "云母板" * 90,
    "Project Otter does not use larch",
    "If Project Otter uses larch, it rots",
    "Project Otter used to use larch",
    "Does Project Otter use larch?",
    "He uses larch boards",
    "Project Otter uses 30",
    "She thinks that Project Otter uses larch",
    "The desk opens at nine",
    "",
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), TIES)
def test_a_plain_sentence_ties_things_together(text, names):
    assert set(relations(text)) == set(names)


@pytest.mark.parametrize("text", NO_TIES)
def test_all_else_ties_nothing(text):
    assert relations(text) == ()


@pytest.mark.django_db
def test_a_text_without_links_gets_those_that_it_says():
    assert set(make.remember(text="灰鲸项目使用云母板").links) == {"灰鲸项目", "云母板"}
    given = make.remember(text="松木展台使用云母板", links=("另一个",))
    assert given.links == ["另一个"]


@pytest.mark.django_db
def test_a_new_value_does_not_keep_the_old_ones_link():
    fact = {"entity": "灰鲸项目", "attribute": "用料", "kind": "fact"}
    first = make.remember(value="云母板", text="灰鲸项目使用云母板", **fact)
    second = make.remember(value="松木板", text="灰鲸项目的用料是松木板", **fact)
    assert "云母板" in first.links
    assert second.supersedes_id == first.public_id
    assert set(second.links) == {"灰鲸项目", "松木板"}
    third = make.remember(value="竹板", text="灰鲸项目改为竹板", links=("竹料厂",), **fact)
    fourth = make.remember(value="铝板", text="灰鲸项目换成铝板", **fact)
    assert (third.links, fourth.links) == (["竹料厂"], ["竹料厂"])


@pytest.mark.django_db
def test_a_corrected_text_ties_what_it_says_now():
    row = make.remember(text="Project Otter uses larch boards")
    change = {"text": "Project Otter uses oak beams"}
    applied = apply(plan_amend(make.scope(), row, change).plan("correct", ""))
    new = next(r for r in applied.memories.values() if r.public_id != row.public_id)
    assert set(new.links) == {"Project Otter", "oak beams"}
