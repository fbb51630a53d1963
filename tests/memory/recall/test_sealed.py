"""A record's digest, its document with and without texts, and what is no document."""

import json

import pytest

from memory.models import Recall
from memory.recall import sealed
from memory.recall.sealed import digest_of, export, fields_of, head_of, leaves_of
from memory.recall.verify import DOCUMENT_LIMIT, NotJson, UnreadableDocument, read_document, verify
from tests import factories as make

from .sealed_kit import as_sent, kept

pytestmark = pytest.mark.django_db
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
