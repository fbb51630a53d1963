from itertools import product

import pytest

from memory.models import MOVES, ForbiddenMove, Status, check_move
from memory.models.states import BIRTHS

# Written out a second time on purpose: a changed table must be changed here too.
ALLOWED = {
    "candidate": {"active", "quarantined", "rejected", "expired", "retracted"},
    "quarantined": {"active", "rejected", "retracted"},
    "active": {"superseded", "expired", "retracted", "quarantined"},
    "superseded": {"retracted"},
    "expired": {"active", "retracted"},
    "retracted": {"active"},
    "rejected": {"quarantined"},
}
PAIRS = list(product(Status.values, repeat=2))


def test_the_table_names_every_state_once():
    assert {state.value: set(MOVES[state]) for state in Status} == ALLOWED


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_only_the_listed_moves_pass(before, after):
    if before == after or after in ALLOWED[before]:
        check_move(before, after)
    else:
        with pytest.raises(ForbiddenMove) as refused:
            check_move(before, after)
        assert (refused.value.before, refused.value.after) == (before, after)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_an_undo_may_also_walk_a_listed_move_backwards(before, after):
    if before == after or after in ALLOWED[before] or before in ALLOWED[after]:
        check_move(before, after, undoing=True)
    else:
        with pytest.raises(ForbiddenMove):
            check_move(before, after, undoing=True)


@pytest.mark.parametrize(("before", "after"), [("active", "erased"), ("gone", "active")])
def test_a_word_that_is_no_state_is_refused(before, after):
    with pytest.raises((ValueError, ForbiddenMove)):
        check_move(before, after)


def test_nothing_is_born_expired_or_retracted():
    assert set(BIRTHS) == set(Status) - {Status.EXPIRED, Status.RETRACTED}
