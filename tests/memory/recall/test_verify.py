"""What verifying a document finds, and what is no difference."""

import copy
import json
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import clock
from memory.models import Recall
from memory.recall import sealed
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome
from memory.recall.sealed import digest_of, export, fields_of, head_of, leaves_of
from memory.recall.verify import UnreadableDocument, read_document, verify
from tests import factories as make

from .sealed_kit import START, kept, sql

pytestmark = pytest.mark.django_db


def changed(document: dict) -> list[dict]:
    """The document with each value, hash, salt and digest changed, one at a time."""
    found = []
    for part in (document["fields"], document["outcome"]["fields"]):
        for name, entry in part.items():
            for key in entry:
                other = copy.deepcopy(document)
                fields = (
                    other["fields"] if part is document["fields"] else other["outcome"]["fields"]
                )
                fields[name][key] = _unlike(entry[key], key)
                found.append(other)
    for path in (("digest",), ("outcome", "digest"), ("id",), ("at",), ("made_at",)):
        other = copy.deepcopy(document)
        holder = other if len(path) == 1 else other[path[0]]
        holder[path[-1]] = _unlike(holder[path[-1]], path[-1])
        found.append(other)
    return found


def _unlike(value, key: str):
    if key in ("salt", "sha256", "digest"):
        return ("0" if value[0] != "0" else "1") + value[1:]
    if key == "id":
        return str(UUID(int=UUID(value).int ^ 1))
    if key in ("at", "made_at"):
        return value.replace("2026", "2025") if "2026" in value else f"2001{value[4:]}"
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + " " if value else "x"
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, 1]
    if isinstance(value, dict):
        return value | {"more": 1}
    return "x"


@pytest.mark.parametrize("redact", [False, True])
def test_whatever_is_changed_in_a_document_is_found(redact):
    document = export(kept(), redact)
    others = changed(document)
    assert len(others) > 50
    for other in others:
        assert not verify(other).valid
        assert not verify(other, make.scope()).valid


def test_a_field_taken_away_or_added_is_found():
    document = export(kept())
    for part in (document["fields"], document["outcome"]["fields"]):
        for name in list(part):
            entry = part.pop(name)
            assert not verify(document).valid
            part[name] = entry
        part["note"] = {"value": "fine", "salt": "0" * 32}
        assert not verify(document).valid
        del part["note"]
    assert verify(document).valid


def test_the_store_names_what_a_forged_document_says_otherwise():
    record = kept()
    document = export(record)
    document["fields"]["query"]["value"] = "谁是守塔人"
    document["outcome"]["fields"]["answer"]["value"] = "没人"
    result = verify(document, make.scope())
    assert (result.valid, result.in_store) == (False, "differs")
    assert set(result.differences) == {"digest", "outcome", "query", "answer"}


def test_a_document_sealed_anew_by_somebody_else_differs_from_the_store():
    record = kept()
    document = export(record)
    document["fields"]["query"]["value"] = "谁是守塔人"
    document["digest"] = verify(document).digest
    document["outcome"]["digest"] = digest_of(
        [document["id"], document["at"], document["digest"], document["made_at"]],
        leaves_of(record, sealed.outcome_of(record)),
    )
    assert verify(document).valid
    result = verify(document, make.scope())
    assert (result.valid, result.in_store, result.differences) == (False, "differs", ("query",))


STATEMENTS = [
    ("UPDATE memory_recall SET query = 'x'", "query"),
    ("UPDATE memory_recall SET context = context || '.'", "context"),
    ("UPDATE memory_recall SET user_id = 'bo'", "user_id"),
    ("UPDATE memory_recall SET took_ms = took_ms + 1", "took_ms"),
    ("UPDATE memory_recall SET filters = '{}'", "filters"),
    ("UPDATE memory_recall SET at = '2026-03-01 08:00:00'", "at"),
    ("UPDATE memory_recallcandidate SET score = 0.5 WHERE rank = 1", "candidates"),
    ("UPDATE memory_recallcandidate SET stale = 1 WHERE rank = 1", "candidates"),
    ("UPDATE memory_recallcandidate SET matched = '[]' WHERE rank = 1", "candidate_texts"),
    ("DELETE FROM memory_recallcandidate WHERE rank = 1", "candidates"),
    ("UPDATE memory_recall SET answer = 'x'", "answer"),
    ("DELETE FROM memory_recallfeedback WHERE verdict = 'good'", "feedback.1"),
    ("UPDATE memory_recallfeedback SET text = '' WHERE verdict = 'wrong'", "feedback.2.text"),
]


@pytest.mark.parametrize(("statement", "named"), STATEMENTS)
@pytest.mark.parametrize("redact", [False, True])
def test_a_row_changed_in_the_database_is_found(statement, named, redact):
    document = export(kept(), redact)
    sql(statement)
    result = verify(document, make.scope())
    assert (result.valid, result.in_store) == (False, "differs")
    assert named in result.differences
    assert "digest" not in result.differences
    later = named in (*sealed.ANSWERED, "feedback.1", "feedback.2.text")
    assert ("record.digest" in result.differences) is not later
    assert verify(document).valid


def test_an_export_of_a_changed_row_does_not_hold():
    record = kept()
    sql("UPDATE memory_recall SET query = 'x'")
    record.refresh_from_db()
    result = verify(export(record), make.scope())
    assert not result.valid
    assert {"digest", "record.digest"} <= set(result.differences)


def test_a_digest_that_was_changed_with_its_row_still_differs():
    record = kept()
    document = export(record)
    sql("UPDATE memory_recall SET query = 'x'")
    record.refresh_from_db()
    forged = digest_of(head_of(record), leaves_of(record, fields_of(record)))
    sql("UPDATE memory_recall SET digest = %s", forged)
    assert verify(document, make.scope()).differences == ("query",)


def test_what_came_later_is_no_difference():
    with clock.at(START):
        record = make.ask("灯塔").record
    document = export(record)
    add_outcome(record, prompt="p", answer="a")
    answered = export(record)
    add_feedback(record, "good", "", "key:guide")
    assert verify(document, make.scope()).in_store == "equal"
    assert verify(answered, make.scope()).in_store == "equal"


def test_a_record_of_another_scope_is_missing_as_one_that_never_was():
    record = kept()
    document = export(record)
    nothing = copy.deepcopy(document)
    Recall.everywhere.filter(pk=record.pk).update(public_id=UUID(int=9))
    never = verify(nothing, make.scope())
    Recall.everywhere.filter(pk=record.pk).update(public_id=record.public_id)
    for scope in (make.scope(make.workspace("w2")), make.scope(user_id="ann")):
        assert verify(document, scope) == never
    assert (never.valid, never.in_store) == (True, "missing")


@given(place=st.integers(min_value=0), flip=st.integers(1, 255))
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_flipped_byte_is_found(place, flip):
    record = Recall.everywhere.first() or kept()
    document = export(record)
    data = bytearray(json.dumps(document, ensure_ascii=False).encode())
    data[place % len(data)] ^= flip
    try:
        other = read_document(bytes(data))
        is_found = other == document or not verify(other, make.scope()).valid
    except UnreadableDocument:
        is_found = True
    assert is_found


def test_turns_are_sealed_with_the_memories():
    turn = make.turn(content="守塔人养了一只猫")
    record = make.ask("守塔人").record
    document = export(record, redact=True)
    assert str(turn.public_id) in json.dumps(document["fields"]["candidates"])
    assert "猫" not in json.dumps(document, ensure_ascii=False)
    assert verify(document, make.scope()).in_store == "equal"
    sql("UPDATE memory_recallcandidate SET score = score / 2 WHERE turn_id IS NOT NULL")
    assert verify(document, make.scope()).differences == ("candidates", "record.digest")
