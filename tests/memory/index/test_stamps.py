"""Stamps: what they prove is not segmented again, and nothing wrong hides behind one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.index import proof, stamps, upkeep
from memory.index.schema import BROWSE, RECALL, TURNS
from memory.index.upkeep import drift, rebuild
from memory.models import Memory, MemoryStamp, Owner, Turn, TurnStamp
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def segmented(monkeypatch) -> list[int]:
    """The keys of rows that a comparison analyses anew, in order."""
    seen: list[int] = []

    def watched(analyse):
        return lambda row: seen.append(row.pk) or analyse(row)

    for name in ("entry_for", "turn_entry"):
        monkeypatch.setattr(proof, name, watched(getattr(proof, name)))
    return seen


def run(sql: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def told() -> set[tuple[str, str, int]]:
    return {(one.index, one.what, one.rowid) for one in drift()}


def store() -> list[Memory]:
    """Two users' rows in both languages, one of them retracted."""
    rows = [
        make.remember(text="花园的水龙头周五修好"),
        make.remember(text="the ferry leaves at half past seven"),
        make.budget("800"),
        make.remember(user_id="ben", text="gate code of the garden"),
    ]
    apply(plan_retract(make.scope(), rows[:1]).plan("retract", ""))
    return rows


def test_a_sound_store_is_proved_without_segmenting_a_text(segmented):
    store()
    make.turn(content="渡船几点开？")
    make.turn(content="half past seven", agent_id="planner")
    make.turn(content="be brief", role="system")
    assert told() == set()
    assert segmented == []
    rebuild()
    assert told() == set()
    assert segmented == []


def test_only_the_wrong_row_is_segmented(segmented):
    rows = store()
    run(f"UPDATE {RECALL} SET words = words || ' 1~more' WHERE rowid = %s", rows[1].pk)
    assert told() == {(RECALL, "different", rows[1].pk)}
    assert segmented == [rows[1].pk]


@pytest.mark.parametrize("column", ["text", "entity", "attribute", "value", "summary"])
def test_any_text_that_the_analyser_reads_is_under_the_stamp(column):
    row = make.budget("800")
    run(f"UPDATE memory_memory SET {column} = 'lighthouse' WHERE id = %s", row.pk)
    assert (BROWSE, "different", row.pk) in told()


def test_the_day_it_happened_is_under_the_stamp():
    row = make.remember(text="the roof was mended")
    run("UPDATE memory_memory SET occurred_at = '2026-03-01 12:00:00' WHERE id = %s", row.pk)
    assert (BROWSE, "different", row.pk) in told()


def test_a_row_moved_to_another_user_is_told():
    row = store()[1]
    run("UPDATE memory_memory SET user_id = 'ben' WHERE id = %s", row.pk)
    assert {(RECALL, "different", row.pk), (BROWSE, "different", row.pk)} <= told()


def test_without_a_stamp_a_row_is_segmented_and_no_drift(segmented):
    rows = store()
    MemoryStamp.objects.filter(pk=rows[3].pk).delete()
    assert told() == set()
    assert segmented == [rows[3].pk]


def test_an_altered_stamp_hides_nothing_and_breaks_nothing(segmented):
    rows = store()
    MemoryStamp.objects.filter(pk=rows[1].pk).update(words="0" * 32)
    MemoryStamp.objects.filter(pk=rows[2].pk).update(said="0" * 32)
    MemoryStamp.objects.filter(pk=rows[3].pk).update(analyser="0" * 32)
    assert told() == set()
    assert segmented == [row.pk for row in rows[1:]]
    run(f"UPDATE {BROWSE} SET words = '' WHERE rowid = %s", rows[1].pk)
    assert told() == {(BROWSE, "different", rows[1].pk)}


def test_another_rows_stamp_and_index_rows_prove_nothing():
    rows = store()
    theirs = MemoryStamp.objects.get(pk=rows[1].pk)
    MemoryStamp.objects.filter(pk=rows[2].pk).update(said=theirs.said, words=theirs.words)
    for table in (BROWSE, RECALL):
        run(
            f"UPDATE {table} SET words = (SELECT words FROM {table} WHERE rowid = %s), "
            f"bigrams = (SELECT bigrams FROM {table} WHERE rowid = %s) WHERE rowid = %s",
            rows[1].pk, rows[1].pk, rows[2].pk,
        )  # fmt: skip
    assert told() == {(BROWSE, "different", rows[2].pk), (RECALL, "different", rows[2].pk)}


def test_a_stamp_cannot_be_made_without_the_pepper(settings, segmented):
    row = store()[1]
    run(f"UPDATE {BROWSE} SET words = 'x' WHERE rowid = %s", row.pk)
    kept, settings.PEPPER = settings.PEPPER, "a guess"
    forged = stamps.stamp("0" * 32, ("x", ""))
    said = stamps.memory_said(
        [getattr(row, name) for name in stamps.READ], Owner.objects.get(user_id="ann").pk
    )
    MemoryStamp.objects.filter(pk=row.pk).update(said=said, words=forged.words)
    settings.PEPPER = kept
    assert told() == {(BROWSE, "different", row.pk)}
    assert segmented == [row.pk]


def test_another_version_of_the_analyser_trusts_no_stamp(monkeypatch, segmented):
    rows = store()
    monkeypatch.setattr(stamps, "ANALYSER", "f" * 32)
    assert told() == set()
    assert segmented == [row.pk for row in rows]


def test_a_retracted_row_that_comes_back_to_the_recall_index_is_told():
    row = store()[0]
    run(
        f"INSERT INTO {RECALL}(rowid, words, bigrams) "
        f"SELECT rowid, words, bigrams FROM {BROWSE} WHERE rowid = %s",
        row.pk,
    )
    assert told() == {(RECALL, "extra", row.pk)}


def test_a_turns_stamp_covers_the_turn_before_it(segmented):
    first = make.turn(content="渡船几点开？")
    second = make.turn(content="七点半")
    third = make.turn(content="好的", session_id="other")
    run("UPDATE memory_turn SET content = '火车几点开？' WHERE id = %s", first.pk)
    assert told() == {(TURNS, "different", first.pk), (TURNS, "different", second.pk)}
    assert third.pk not in segmented


def test_a_turn_that_changed_its_session_is_told():
    first = make.turn(content="渡船几点开？")
    second = make.turn(content="七点半")
    run("UPDATE memory_turn SET session_id = 'other' WHERE id = %s", first.pk)
    assert told() == {(TURNS, "different", second.pk)}


def test_stamps_go_with_their_rows_and_with_the_indexes():
    rows = store()
    turn = make.turn(content="渡船几点开？")
    assert MemoryStamp.objects.count() == len(rows)
    assert TurnStamp.objects.get().turn == turn
    Memory.everywhere.filter(pk=rows[3].pk).delete()
    Turn.everywhere.all().delete()
    assert set(MemoryStamp.objects.values_list("pk", flat=True)) == {row.pk for row in rows[:3]}
    assert not TurnStamp.objects.exists()
    upkeep.clear()
    assert not MemoryStamp.objects.exists()


def test_a_proof_asks_no_more_of_a_larger_store():
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert told() == set()
        return len(queries)

    store()
    for number in range(3):
        make.turn(content=f"渡船 {number}", session_id=f"s{number}")
    before = asked()
    for number in range(12):
        make.remember(user_id=f"user-{number}", text=f"note {number} about the garden")
        make.turn(content=f"渡船 {number}", session_id=f"t{number}", agent_id="planner")
    assert asked() == before
