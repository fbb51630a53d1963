"""A ledger of many kinds of entries."""

import pytest

from memory.write.apply import apply
from memory.write.revise import plan_amend, plan_confirm, plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make


@pytest.fixture
def story(db):
    """Entries of many kinds, by two people, in two workspaces."""
    scope = make.scope()
    first = make.budget("800", reason="开户")
    second = make.budget("1200", metadata={"比例": 0.1, "深": [1, {"x": None}]}, confidence=0.6)
    make.remember(
        make.scope(make.workspace("w2"), actor="key:bot", surface="api"), text="elsewhere"
    )
    plan = plan_amend(scope, second, {"value": "1500"}).plan("amend", "又涨了")
    amended = apply(plan)
    newest = amended.memories[amended.entries[-1].memory_id]
    apply(plan_confirm(scope, newest).plan("confirm", ""))
    first.refresh_from_db()
    retracted = apply(plan_retract(scope, [first]).plan("retract", "记错"))
    undo(scope, retracted.batch, "其实没错")
    first.refresh_from_db()
    apply(plan_restore(scope, first).plan("restore", ""))
