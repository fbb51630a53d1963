"""A record's digest, its document with and without texts, and what verifying finds."""

import copy
import json
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import clock
from memory.models import Recall, Scope
from memory.recall import sealed
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome
from memory.recall.sealed import digest_of, export, fields_of, head_of, leaves_of
from memory.recall.verify import (
    DOCUMENT_LIMIT,
    NotJson,
    UnreadableDocument,
    read_document,
    verify,
)
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
SECRETS = (
    "灯塔",
    "守塔人",
    "wick",
    "lamp-keeper",
    "night-9",
    "key:guide",
    "harbour",
    "擦玻璃",
    "不够",
)


def kept() -> Recall:
    """A record that has all: rewrite-free texts, filters, kept back rows, outcome, feedback."""
    with clock.at(START):
        make.remember(text="灯塔的守塔人姓陆", kind="fact", domain="harbour", user_id="lamp-keeper")
        make.remember(text="灯塔每周擦玻璃", kind="rule", domain="harbour", user_id="lamp-keeper")
        make.remember(text="the lighthouse wick is new", kind="event", user_id="lamp-keeper")
    scope = Scope(make.workspace().pk, "key:guide", "api", "lamp-keeper")
    with clock.at(START + timedelta(hours=1)):
        record = make.ask(
            "灯塔的守塔人是谁，wick lighthouse?", scope, session_id="night-9", limit=1,
            domains=["harbour"], prompt_tokens=9000,
        ).record  # fmt: skip
        add_outcome(record, prompt="守塔人？", answer="灯塔的守塔人姓陆。")
        add_feedback(record, "good", "", "key:guide")
        add_feedback(record, "wrong", "擦玻璃不够", "key:guide")
    return Recall.everywhere.get(pk=record.pk)


def as_sent(document: dict) -> dict:
    return read_document(json.dumps(document, ensure_ascii=False).encode())


def sql(statement: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


def test_the_digest_is_kept_with_the_record_and_follows_from_its_rows():
    record = kept()
    assert len(record.digest) == 64
    assert record.candidates.count() == 3
    assert digest_of(head_of(record), leaves_of(record, fields_of(record))) == record.digest


def test_every_column_of_a_record_is_sealed_or_comes_later():
    later = {"id", "public_id", "at", "digest", "erased_at", *sealed.ANSWERED}
    split = {"filters"}
    columns = {field.attname for field in Recall._meta.concrete_fields}
    assert columns == later | split | set(sealed.OPEN) | set(sealed.CLOSED)


def test_every_column_of_a_candidate_is_sealed():
    from memory.models import RecallCandidate

    columns = {field.attname for field in RecallCandidate._meta.concrete_fields}
    known = {*sealed.OPEN_OF_CANDIDATE, *sealed.CLOSED_OF_CANDIDATE}
    assert columns == known | {"id", "recall_id"}


@pytest.mark.parametrize("redact", [False, True])
def test_a_document_verifies_by_itself_and_against_its_store(redact):
    record = kept()
    document = as_sent(export(record, redact))
    alone, beside = verify(document), verify(document, make.scope())
    assert (alone.valid, alone.in_store, alone.differences) == (True, "not_asked", ())
    assert (beside.valid, beside.in_store, beside.differences) == (True, "equal", ())
    assert alone.digest == beside.digest == record.digest
    assert bool(alone.redacted) is redact


def test_a_full_document_says_all_that_the_record_holds():
    record = kept()
    fields = export(record)["fields"]
    assert fields["query"]["value"] == record.query
    assert fields["context"]["value"] == record.context
    assert fields["filters"]["value"] == {"limit": 1, "budget_tokens": 1200, "prompt_tokens": 9000}
    assert fields["filters_named"]["value"] == {
        "user_id": "lamp-keeper", "session_id": "night-9", "domains": ["harbour"],
    }  # fmt: skip
    table = fields["candidates"]["value"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [row["memory_id"] for row in rows] == [
        str(c.memory_id) for c in record.candidates.order_by("id")
    ]
    assert (rows[0]["rank"], rows[0]["gate"]) == (1, "")


def test_a_redacted_document_has_no_text_of_a_person_and_keeps_the_rest():
    record = kept()
    document = export(record, redact=True)
    told = json.dumps(document, ensure_ascii=False) + json.dumps(document)
    for secret in SECRETS:
        assert secret not in told
        assert json.dumps(secret)[1:-1] not in told
    whole = json.dumps(export(record), ensure_ascii=False)
    assert [secret for secret in SECRETS if secret not in whole] == []
    for shown in (str(record.public_id), str(record.candidates.first().memory_id), "domain"):
        assert shown in told
    assert document["outcome"]["fields"]["feedback.2"]["value"]["verdict"] == "wrong"
    assert document["digest"] == export(record)["digest"]


def test_a_short_answer_cannot_be_guessed_from_its_hash():
    first, second = make.ask("3").record, make.ask("3").record
    one, two = (export(record, redact=True)["fields"]["query"] for record in (first, second))
    assert one["sha256"] != two["sha256"]


def test_half_of_the_texts_may_be_kept_back_by_hand():
    record = kept()
    document, bare = export(record), export(record, redact=True)
    document["fields"]["context"] = bare["fields"]["context"]
    result = verify(document, make.scope())
    assert (result.valid, result.redacted) == (True, ("context",))


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


def test_a_document_that_another_program_wrote_again_still_holds():
    document = json.dumps(export(kept()), indent=4, sort_keys=True)
    assert verify(read_document(b"\xef\xbb\xbf" + document.encode()), make.scope()).valid


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'["\\ud800"]', "lone surrogate"),
        (b'{"\\udfff": 1}', "lone surrogate"),
        (b"[" * 100 + b"]" * 100, "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (b'"' + b"x" * 10_000_000 + b'"', f"{DOCUMENT_LIMIT:,}"),
    ],
)
def test_what_cannot_be_read_is_said(data, told):
    with pytest.raises(UnreadableDocument) as error:
        read_document(data)
    assert told in str(error.value)
    assert isinstance(error.value, NotJson) is (
        told in ("not JSON", "NaN") or data[:200] == b"[" * 200
    )


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ((), [], "not a JSON object"),
        ((), {"format": "other/1"}, "format"),
        (("format",), 1, "format"),
        (("id",), "7", "id"),
        (("id",), 7, "id"),
        (("id",), "0190C0DE-0000-7000-8000-000000000000", "id"),
        (("at",), "yesterday", "at"),
        (("at",), "2026-03-01T09:00:00", "at"),
        (("made_at",), None, "made_at"),
        (("digest",), "", "digest"),
        (("digest",), "G" * 64, "digest"),
        (("digest",), 5, "digest"),
        (("fields",), [], "fields"),
        (("fields", "query"), "text", "fields.query"),
        (("fields", "query"), {"value": 1}, "fields.query"),
        (("fields", "query"), {"value": 1, "salt": "00", "sha256": ""}, "fields.query"),
        (("fields", "query", "salt"), "0", "fields.query.salt"),
        (("fields", "query", "salt"), 0, "fields.query.salt"),
        (("fields", "query"), {"sha256": "A" * 64}, "fields.query.sha256"),
        (("outcome",), None, "outcome"),
        (("outcome", "fields"), 3, "outcome.fields"),
        (("outcome", "digest"), "x", "outcome.digest"),
        (("outcome", "more"), 1, "outcome.more"),
        (("approved_by",), "me", "approved_by"),
    ],
)
def test_what_is_not_a_document_is_said(path, value, told):
    document = export(make.ask("灯塔").record)
    if path:
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = value
    else:
        document = value
    with pytest.raises(UnreadableDocument, match=told):
        verify(document)


def test_what_is_missing_is_named():
    document = export(make.ask("灯塔").record)
    for name in list(document):
        entry = document.pop(name)
        with pytest.raises(UnreadableDocument, match=name):
            verify(document)
        document[name] = entry


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
