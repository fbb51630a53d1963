"""The road of a correction where two come at once, and where its rows have gone."""

import threading
from collections import Counter

import pytest
from django.db import connection

from memory.models import Batch, Correction, Memory, ScopeError, Status
from memory.write.correction.preview import CAP, Moved, needed_count
from memory.write.correction.propose import understand
from memory.write.correction.road import (
    Refused,
    apply_correction,
    dismiss_correction,
    find_correction,
    propose,
    propose_again,
)
from memory.write.ledger import first_break
from memory.write.revise import NotFound
from memory.write.undo import undo
from tests import factories as make

TEXT = "白鹭组的差旅上限改成1800"


def fact(value="1500", **fields) -> Memory:
    return make.remember(
        entity="白鹭组", attribute="差旅上限", value=value, session_id="s1", **fields
    )


def shop(count: int) -> list[Memory]:
    return [make.remember(entity="蓝湾店", attribute=f"货架{n}", value=f"第{n}层")
            for n in range(count)]  # fmt: skip


def together(*works) -> Counter:
    """What each of these came to, run in threads that start at once."""
    gate, told = threading.Barrier(len(works)), []

    def run(work):
        gate.wait()
        try:
            work()
            told.append("done")
        except (Refused, Moved) as error:
            told.append(getattr(error, "code", type(error).__name__))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(told)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_apply_it_at_once_one_does():
    fact()
    scope = make.scope()
    found = propose(scope, TEXT, user_id="ann")
    works = [lambda: apply_correction(scope, found)] * 4
    assert together(*works) == {"done": 1, "already_applied": 3}
    assert Batch.everywhere.filter(verb="correct").count() == 1
    assert Memory.everywhere.get(status=Status.ACTIVE).value == "1800"


@pytest.mark.django_db(transaction=True)
def test_of_two_corrections_of_one_fact_the_second_is_stale():
    fact()
    scope = make.scope()
    one = propose(scope, TEXT, user_id="ann")
    two = propose(scope, "白鹭组的差旅上限改成1900", user_id="ann")
    works = [lambda: apply_correction(scope, one), lambda: apply_correction(scope, two)]
    assert together(*works) == {"done": 1, "Moved": 1}
    assert Memory.everywhere.filter(status=Status.ACTIVE).count() == 1
    assert Correction.everywhere.filter(state="open").count() == 1


@pytest.mark.django_db
def test_every_moved_row_is_named_and_none_is_touched():
    rows, scope = shop(3), make.scope()
    found = propose(scope, "忘掉所有关于蓝湾店的内容", user_id="ann")
    for n in (0, 2):
        make.remember(entity="蓝湾店", attribute=f"货架{n}", value="搬空了")
    with pytest.raises(Moved) as moved:
        apply_correction(scope, found, confirm_count=3)
    assert set(moved.value.memory_ids) == {rows[0].public_id, rows[2].public_id}
    rows[1].refresh_from_db()
    assert rows[1].status == Status.ACTIVE
    assert find_correction(scope, found.public_id).state == "open"


@pytest.mark.django_db
@pytest.mark.parametrize(("count", "needed"), [(1, None), (2, 2), (CAP, CAP)])
def test_up_to_the_cap_its_number_is_enough_and_one_undo_restores_all(count, needed):
    rows, scope = shop(count), make.scope()
    found = propose(scope, "忘掉所有关于蓝湾店的内容", user_id="ann")
    assert (needed_count(found), found.blocked) == (needed, False)
    applied = apply_correction(scope, found, confirm_count=needed)
    assert Memory.everywhere.filter(status=Status.RETRACTED).count() == count
    undo(scope, applied.batch)
    for row in rows:
        row.refresh_from_db()
        assert row.status == Status.ACTIVE
    assert first_break() is None


@pytest.mark.django_db
def test_one_more_than_the_cap_is_blocked():
    shop(CAP + 1)
    found = propose(make.scope(), "忘掉所有关于蓝湾店的内容", user_id="ann")
    assert (found.blocked, needed_count(found)) == (True, None)


@pytest.mark.django_db
def test_a_correction_is_always_for_one_user():
    with pytest.raises(ScopeError):
        propose(make.scope(), TEXT)
    with pytest.raises(ScopeError):
        propose(make.scope(user_id="ben"), TEXT, user_id="ann")


@pytest.mark.django_db
def test_it_is_found_in_its_own_scope_only():
    fact()
    found = propose(make.scope(), TEXT, user_id="ann")
    for other in (make.scope(user_id="ben"), make.scope(make.workspace("w2"))):
        with pytest.raises(NotFound):
            find_correction(other, found.public_id)
        with pytest.raises(NotFound):
            apply_correction(other, found)
        with pytest.raises(NotFound):
            dismiss_correction(other, found)
    assert Memory.everywhere.get().status == Status.ACTIVE


@pytest.mark.django_db
def test_proposed_again_it_sees_the_store_as_it_is_now():
    fact()
    scope = make.scope()
    found = propose(scope, TEXT, user_id="ann", session_id="s1")
    newer = fact("1600")
    again = propose_again(scope, found)
    assert [entry["id"] for entry in again.targets] == [str(newer.public_id)]
    assert again.session_id == "s1"
    found.refresh_from_db()
    assert found.state == "dismissed"
    apply_correction(scope, again)
    assert Memory.everywhere.get(status=Status.ACTIVE).value == "1800"


@pytest.mark.django_db
def test_reasons_are_kept_without_their_secrets():
    fact()
    scope, secret = make.scope(), "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    applied = apply_correction(scope, propose(scope, TEXT, user_id="ann"), reason=f"see {secret}")
    assert secret not in applied.batch.reason
    gone = dismiss_correction(scope, propose(scope, "好的", user_id="ann"), f"see {secret}")
    assert secret not in str(gone.change)


@pytest.mark.django_db
@pytest.mark.parametrize("topic", ["3", "3000", "的", "我"])
def test_a_topic_too_small_to_name_anything_reaches_nothing(topic):
    make.remember(text="3月的预算我记得是3000")
    found = understand(make.scope(user_id="ann"), f"忘掉所有关于{topic}的内容")
    assert (found.targets, found.candidates, found.reason) == ((), (), "too_short")


@pytest.mark.django_db
def test_a_topic_is_shown_and_not_taken():
    rows = [make.remember(text=text) for text in ("海上露营的清单", "露营要带帐篷")]
    make.remember(text="周末去爬山")
    found = understand(make.scope(user_id="ann"), "忘掉所有关于露营的内容")
    assert (found.verdict, found.reason, found.targets) == ("ambiguous", "too_broad", ())
    assert set(found.candidates) == set(rows)
    assert found.count == 2


def phone(value: str, **fields) -> Memory:
    return make.remember(entity="白鹭组", attribute="电话", value=value, session_id="s1", **fields)


@pytest.mark.django_db
def test_what_is_held_can_be_corrected_and_its_successor_is_held_too():
    held = phone("13410008888")
    assert held.status == Status.QUARANTINED
    found = propose(make.scope(user_id="ann"), "白鹭组的电话改成13410009999", session_id="s1")
    assert [target["id"] for target in found.targets] == [str(held.public_id)]
    apply_correction(make.scope(user_id="ann"), found, reason="")
    held.refresh_from_db()
    assert held.status == Status.REJECTED
    after = Memory.everywhere.get(value="13410009999")
    assert after.status == Status.QUARANTINED
    assert [reason["code"] for reason in after.held_for] == ["personal_data"] * len(after.held_for)


@pytest.mark.django_db
def test_beside_a_current_value_what_waits_is_not_meant():
    current = fact("1500")
    waiting = fact("1700", source="inferred")
    assert waiting.status == Status.CANDIDATE
    found = propose(make.scope(user_id="ann"), TEXT, session_id="s1")
    assert [target["id"] for target in found.targets] == [str(current.public_id)]
