"""The cleaned export: the same file but for what was dropped and masked."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.hygiene.clean import NotCleaned, cleaned, without
from tests.audit.hygiene.samples import KEY, ROWS, document, lines

TEXTS = st.text('a"\\\n:{}[],好', max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
OBJECTS = st.lists(st.dictionaries(TEXTS, SCALARS, min_size=1, max_size=3), max_size=6)


def test_every_other_byte_of_a_document_stays():
    text = document()
    same = cleaned("mem0", text.encode(), set(), set()).decode()
    assert same == text
    left = cleaned("mem0", text.encode(), {(1, 0), (4, 0), (8, 0)}, {(3, 0)}).decode()
    rows = json.loads(left)
    assert [row["id"] for row in rows["results"]] == ["m2", "m3", "m5", "m6", "m7"]
    assert (rows["count"], rows["took"]) == (5, 3)
    assert KEY not in left
    for row in (ROWS[1], ROWS[4], ROWS[6]):
        assert json.dumps(row, ensure_ascii=False) in left
    assert '"hash": "0cc175b9c0f1b6a8"' in left


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[1, 2, 3]", "[2]"),
        ('{"memories":[1,2,3]}', '{"memories":[2]}'),
        ('{"data": {"items": [ 1 , 2 , 3 ]}, "x": [9]}', '{"data": {"items": [  2  ]}, "x": [9]}'),
        ('\ufeff[\n 1,\n 2,\n 3\n]\n', '\ufeff[\n\n 2\n]\n'),
        ('{"other": [1], "results": [1, 2, 3]}', '{"other": [1], "results": [ 2]}'),
    ],
)  # fmt: skip
def test_the_list_is_found_in_its_wrapper(before, after):
    left = cleaned("mem0", before.encode(), {(1, 0), (3, 0)}, set()).decode()
    assert json.loads(left.lstrip("\ufeff")) == json.loads(after.lstrip("\ufeff"))
    assert "".join(left.split()) == "".join(after.split())


def test_all_may_go():
    places = {(n, 0) for n in range(1, 9)}
    assert json.loads(cleaned("mem0", document().encode(), places, set()))["results"] == []
    assert cleaned("jsonl", lines().encode(), places, set()) == b""


def test_lines_and_two_objects_on_one():
    text = '{"id": 1}{"id": 2}, {"id": 3}\r\n\r\nnot json {"id": 4}\n{"id": 5}'
    assert cleaned("jsonl", text.encode(), set(), set()).decode() == text
    left = cleaned("jsonl", text.encode(), {(1, 1), (4, 0)}, set()).decode()
    assert left == '{"id": 1}{"id": 3}\r\n\r\nnot json {"id": 4}\n'


@given(OBJECTS, st.sets(st.integers(1, 6)))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_document_loses_exactly_its_dropped_rows(rows, dropped):
    kept = [row for n, row in enumerate(rows, start=1) if n not in dropped]
    text = json.dumps({"results": rows, "count": len(rows)}, ensure_ascii=False)
    places = {(n, 0) for n in dropped}
    assert json.loads(cleaned("mem0", text.encode(), places, set())) == {
        "results": kept, "count": len(kept)
    }  # fmt: skip
    many = "".join(json.dumps(row) + "\n" for row in rows).encode()
    left = cleaned("jsonl", many, places, set()).decode()
    assert [json.loads(line) for line in left.split("\n") if line] == kept


def test_a_masked_row_keeps_its_order_its_names_and_its_ids():
    raw = '{ "user_id":"a@b.example","memory" : "key KEY, mail a@b.example", "n": 1.50 }'
    assert without(raw.replace("KEY", KEY)) == raw.replace("KEY", "[api key]").replace(
        "mail a@", "mail a***@"
    )
    assert without(raw, personal=False) == raw
    assert without('{"password": "hunter2-Xy9", "x": "\\u597d"}').endswith('"x": "\\u597d"}')
    assert "hunter2" not in without('{"password": "hunter2-Xy9"}')


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("csv", b"a"), ("mem0", b"\xff\xfe"), ("mem0", b"{}"), ("mem0", b"[1,"), ("mem0", b"7"),
        ("mem0", b""),
    ],
)  # fmt: skip
def test_what_cannot_be_cleaned_is_said(form, data):
    with pytest.raises(NotCleaned):
        cleaned(form, data, set(), set())


@given(st.binary(max_size=200))
def test_any_bytes_are_cleaned_or_refused(data):
    for form in ("mem0", "jsonl"):
        with suppress(NotCleaned):
            assert cleaned(form, data, set(), set()) == data
