from contextlib import contextmanager
from datetime import datetime

import pytest

from memory import clock
from memory.models import ScopeError, Turn
from memory.write import turns as turns_module
from memory.write.apply import MERGE_EVERY
from memory.write.proposal import InvalidInput
from memory.write.turns import Utterance, add_turns
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def test_turns_are_kept_in_the_order_in_which_they_were_said():
    with clock.at(START):
        turns = add_turns(
            make.scope(user_id="ann"),
            [Utterance("user", "早\n安"), Utterance("assistant", "hi", session_id="s9")],
        )
    rows = list(Turn.everywhere.order_by("id"))
    assert rows == turns
    assert [(row.role, row.content, row.user_id) for row in rows] == [
        ("user", "早\n安", "ann"), ("assistant", "hi", "ann"),
    ]  # fmt: skip
    assert (rows[0].occurred_at, rows[0].created_at, rows[1].session_id) == (START, START, "s9")


@pytest.mark.parametrize(
    ("field", "columns"),
    [
        ("role", {"role": "narrator"}),
        ("content", {"content": " \n"}),
        ("content", {"content": "x" * 100_001}),
        ("content", {"content": "\ud800"}),
        ("content", {"content": "a\0"}),
        ("user_id", {"user_id": "u" * 201}),
        ("agent_id", {"agent_id": "a" * 201}),
        ("session_id", {"session_id": "\0"}),
        ("occurred_at", {"occurred_at": datetime(2026, 3, 1)}),
        ("metadata", {"metadata": {"x": float("nan")}}),
    ],
)
def test_one_wrong_turn_keeps_all_out_and_is_named(field, columns):
    good, wrong = Utterance("user", "fine"), Utterance(**{"role": "user", "content": "x"} | columns)
    with pytest.raises(InvalidInput) as refused:
        add_turns(make.scope(), [good, wrong])
    assert field in [name for name, _ in refused.value.errors]
    assert not Turn.everywhere.exists()


def test_a_bound_scope_speaks_for_its_user_only():
    with pytest.raises(ScopeError):
        add_turns(make.scope(user_id="ann"), [Utterance("user", "x", user_id="ben")])
    assert not Turn.everywhere.exists()


def test_turns_and_their_index_are_one_write(monkeypatch):
    def broken(*args):
        raise RuntimeError("no index")

    monkeypatch.setattr("memory.write.turns.put_turns", broken)
    with pytest.raises(RuntimeError):
        add_turns(make.scope(user_id="ann"), [Utterance("user", "渡船")])
    assert not Turn.everywhere.exists()


def test_a_turn_is_analysed_before_the_lock_is_taken(monkeypatch):
    from memory.index import turn_rows

    add_turns(make.scope(user_id="ann"), [Utterance("user", "渡船几点开")])
    order = []

    @contextmanager
    def locked():
        order.append("lock")
        with transaction():
            yield

    transaction, analyse = turns_module.write_transaction, turn_rows.index_terms
    monkeypatch.setattr(turns_module, "write_transaction", locked)
    monkeypatch.setattr(turn_rows, "index_terms", lambda text: order.append(text) or analyse(text))
    add_turns(make.scope(user_id="ann"), [Utterance("user", text) for text in ("七点", "好")])
    assert order == ["七点", "好", "lock", "渡船几点开"]


def test_the_index_is_merged_now_and_then(monkeypatch, django_capture_on_commit_callbacks):
    merged = []
    monkeypatch.setattr(turns_module, "merge_a_little", lambda: merged.append(1))
    for number in range(MERGE_EVERY):
        with django_capture_on_commit_callbacks(execute=True):
            make.turn(content=f"渡船 {number}")
    assert merged == [1]
