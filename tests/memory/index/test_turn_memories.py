"""Which turns became memories."""

import pytest

from memory.index.turn_memories import Became, became
from memory.models import Memory, Status
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_a_turn_is_told_with_its_first_memory_and_their_number():
    turn, other = make.turn(content="茶室在三楼，门是红的"), make.turn(content="好")
    first = make.remember(text="茶室在三楼", turn_id=turn.public_id)
    make.remember(text="茶室的门是红的", turn_id=turn.public_id)
    make.remember(text="The kettle is blue")
    ids = [turn.public_id, other.public_id]
    assert became(make.scope(), ids) == [Became(first.pk, 2)]
    assert became(make.scope(), [other.public_id]) == []
    assert became(make.scope(), []) == []


def test_what_was_rejected_is_no_memory_of_a_turn():
    turn = make.turn(content="茶室在三楼")
    memory = make.remember(text="茶室在三楼", turn_id=turn.public_id)
    Memory.everywhere.filter(pk=memory.pk).update(status=Status.REJECTED)
    assert became(make.scope(), [turn.public_id]) == []


def test_another_scope_sees_none_of_it():
    turn = make.turn(content="茶室在三楼")
    memory = make.remember(text="茶室在三楼", turn_id=turn.public_id)
    ids = [turn.public_id]
    assert became(make.scope(make.workspace("w2")), ids) == []
    assert became(make.scope(user_id="bo"), ids) == []
    assert became(make.scope(user_id="ann"), ids) == [Became(memory.pk, 1)]
