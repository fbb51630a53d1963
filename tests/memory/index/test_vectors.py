"""Which rows lie nearest: within one owner, within the filters, and the same from the file."""

import random
from datetime import timedelta

import numpy as np
import pytest

from memory import clock
from memory.index import large, vector_files
from memory.index.embedding import EmbeddingError
from memory.index.filters import ACTIVE_ONLY, Filters
from memory.index.vectors import Nearest, misfits, nearest, refresh_file, unit, vector_rows
from memory.models import Memory, Owner, Vector
from tests import factories as make
from tests.memory.write.verbs import retract

pytestmark = pytest.mark.django_db
MODEL = "model-1"
ACTIVE = Filters(statuses=ACTIVE_ONLY)
NORTH = np.array([1.0, 0.0], np.float32)


def kept(memory: Memory, *numbers: float, model: str = MODEL) -> Memory:
    Vector.objects.bulk_create(vector_rows([memory], model, [numbers]))
    return memory


def found(user_id: str = "ann", filters: Filters = ACTIVE, **how) -> list[int]:
    return list(nearest(make.scope(user_id=user_id), MODEL, NORTH, filters, **how).cosines)


def test_the_nearest_come_first_with_their_cosines():
    east, north, between = (
        kept(make.remember(text=text), *numbers)
        for text, numbers in (("a b", (0, 2)), ("c d", (5, 0)), ("e f", (1, 1)))
    )
    near = nearest(make.scope(user_id="ann"), MODEL, NORTH, ACTIVE)
    assert list(near.cosines) == [north.pk, between.pk, east.pk]
    assert list(near.cosines.values()) == pytest.approx([1, 0.7071, 0], abs=0.001)
    assert (near.mean, near.rows) == (pytest.approx(0.569, abs=0.001), 3)
    assert found(limit=1) == [north.pk]
    assert found(limit=1, beside=[east.pk]) == [north.pk, east.pk]


def test_other_users_workspaces_and_states_are_not_looked_at():
    mine = kept(make.remember(text="mine"), 1, 0)
    kept(make.remember(text="theirs", user_id="bob"), 1, 0)
    kept(make.remember(make.scope(make.workspace("w2")), text="elsewhere"), 1, 0)
    gone = kept(make.remember(text="gone"), 1, 0)
    retract(gone)
    assert found() == [mine.pk]
    assert found("carol") == []


def test_filters_hold_for_meaning_as_for_words():
    now = clock.now()
    fact = kept(make.remember(text="a fact", kind="fact", agent_id="a1"), 1, 0)
    event = kept(make.remember(text="an event", kind="event", occurred_at=now - timedelta(9)), 1, 0)
    over = kept(make.remember(text="over", expires_at=now + timedelta(hours=1)), 1, 0)
    assert found(filters=Filters(statuses=ACTIVE_ONLY, kinds=["event"])) == [event.pk]
    assert fact.pk not in found(filters=Filters(statuses=ACTIVE_ONLY, agent_id="a2"))
    later = Filters(statuses=ACTIVE_ONLY, alive_at=now + timedelta(hours=2))
    assert over.pk in found()
    assert over.pk not in found(filters=later)
    assert event.pk not in found(filters=Filters(statuses=ACTIVE_ONLY, since=now - timedelta(1)))


def test_vectors_of_another_model_or_size_are_passed_over():
    kept(make.remember(text="old model"), 1, 0, model="model-0")
    kept(make.remember(text="three"), 1, 0, 0)
    right = kept(make.remember(text="right"), 0, 1)
    assert found() == [right.pk]


@pytest.mark.parametrize("rows", [[], [[0.0, 0.0]], [[1.0, float("nan")]], [[1e39, 1]], [["x", 1]]])
def test_what_has_no_direction_is_no_vector(rows):
    with pytest.raises(EmbeddingError, match="wrong_shape"):
        unit(rows)


def test_misfits_are_told_by_what_is_wrong():
    right, lacking, old, torn, other = (
        make.remember(text=f"memory {name}") for name in ("one", "two", "three", "four", "five")
    )
    kept(right, 1, 0)
    kept(old, 1, 0, model="model-0")
    kept(torn, 1, 0)
    Vector.objects.filter(memory=torn).update(data=b"\0\0")
    kept(other, 1, 0)
    Vector.objects.filter(memory=other).update(print="0" * 32)
    newest = kept(make.remember(text="memory six"), 1, 0)
    told = {memory.pk: what for memory, what in misfits(MODEL)}
    assert told == {
        lacking.pk: "missing", old.pk: "model", torn.pk: "different", other.pk: "different",
    }  # fmt: skip
    assert newest.pk not in told


@pytest.fixture
def many(monkeypatch, settings, tmp_path):
    """An owner above the limit, which is lowered: 40 memories with vectors of 8 numbers."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(large, "LARGE", 10)
    chance = random.Random(7)
    memories = [make.remember(text=f"memory {n}", kind="event") for n in range(40)]
    for memory in memories:
        kept(memory, *(chance.gauss(0, 1) for _ in range(8)))
    return memories


def owner() -> Owner:
    return Owner.objects.get(user_id="ann")


def asked(**how) -> dict[int, float]:
    return near(**how).cosines


def near(**how) -> Nearest:
    chance = random.Random(11)
    question = unit([chance.gauss(0, 1) for _ in range(8)])
    return nearest(make.scope(user_id="ann"), MODEL, question, how.pop("filters", ACTIVE), **how)


def test_a_large_owner_is_answered_the_same_from_its_file(many):
    every_row, mean = asked(limit=10), near().mean
    assert refresh_file(owner(), MODEL)
    assert near().mean == pytest.approx(mean, abs=1e-3)
    assert vector_files.path_of(owner(), MODEL).stat().st_mode & 0o77 == 0
    assert asked(limit=10) == every_row


def test_rows_newer_than_the_file_are_found_and_gone_ones_are_not(many):
    refresh_file(owner(), MODEL)
    best, chance = next(iter(asked(limit=10))), random.Random(11)
    new = kept(make.remember(text="new"), *(chance.gauss(0, 1) for _ in range(8)))
    retract(Memory.everywhere.get(pk=best))
    after = asked(limit=10)
    assert next(iter(after)) == new.pk
    assert best not in after
    assert len(after) == 10


def test_the_file_is_looked_through_for_what_passes_the_filters(many):
    for memory in many[:25]:
        Memory.everywhere.filter(pk=memory.pk).update(kind="rule")
    rules = Filters(statuses=ACTIVE_ONLY, kinds=["rule"])
    every_row = asked(filters=rules, limit=10)
    refresh_file(owner(), MODEL)
    assert asked(filters=rules, limit=10) == every_row
    assert set(asked(filters=rules, limit=10)) <= {memory.pk for memory in many[:25]}


def test_a_file_is_made_anew_only_when_it_is_far_from_the_table(many):
    assert refresh_file(owner(), MODEL)
    assert not refresh_file(owner(), MODEL)
    kept(make.remember(text="one more"), *range(1, 9))
    assert not refresh_file(owner(), MODEL)
    for memory in many[:4]:
        retract(memory)
    assert refresh_file(owner(), MODEL)


def test_a_torn_file_is_not_believed(many):
    every_row = asked(limit=10)
    refresh_file(owner(), MODEL)
    path = vector_files.path_of(owner(), MODEL)
    path.write_bytes(path.read_bytes()[:-3])
    assert asked(limit=10) == every_row


def test_a_deleted_row_takes_its_vector_and_its_owners_file_along(many):
    refresh_file(owner(), MODEL)
    make.remember(text="another's", user_id="bob")
    path = vector_files.path_of(owner(), MODEL)
    Memory.everywhere.get(user_id="bob").delete()
    assert path.exists()
    many[0].delete()
    assert not path.exists()
    assert not Vector.objects.filter(memory_id=many[0].pk).exists()
    assert many[0].pk not in asked()
