"""The look at an export, and the plan for its rows."""

import pytest

from audit.hygiene.clean import cleaned
from audit.hygiene.inside import look_over
from audit.hygiene.plan import DROP, MASK, plan
from memory.exchange.source import FormatError
from memory.models import Memory, Workspace
from tests.audit.hygiene.samples import DROPPED, KEY, MASKED, document, lines, written

pytestmark = pytest.mark.django_db


def looked(path, form: str = "auto") -> tuple[dict, list]:
    Workspace.objects.filter(name="export").update(name=f"before-{Workspace.objects.count()}")
    found = look_over(path, path.name, form, lambda what, count: None)
    return found, plan(found, ids_of(found))


def ids_of(found: dict) -> dict:
    return {(number, nth): name for number, nth, name in found["ids"]}


def of(steps: list, found: dict, action: str) -> set[str]:
    ids = ids_of(found)
    return {ids[step.place] for step in steps if step.action == action}


@pytest.mark.parametrize("name", ["export.json", "export.jsonl"])
def test_each_row_gets_what_is_to_be_done_about_it(tmp_path, name):
    found, steps = looked(written(tmp_path, name))
    assert found["rows"] == 8
    assert of(steps, found, DROP) == DROPPED
    assert of(steps, found, MASK) == MASKED
    why = {(ids_of(found)[s.place], s.check): s for s in steps}
    assert why["m2", "exact_duplicates"].reason == "says exactly the same as m1 (row 1)"
    assert why["m1", "missing_metadata"].reason == "lacks: agent or session, source, confidence"
    assert {"m1", "m5"} <= {name for name, check in why if check == "conflicting_actives"}
    # What is dropped needs nothing else.
    assert [name for name, _ in why if name in DROPPED] == sorted(DROPPED)
    checks = {check["id"]: check for check in found["report"]["checks"]}
    assert checks["exact_duplicates"]["count"] == 2
    assert checks["secrets_at_rest"]["sample"] == ["m3"]


@pytest.mark.parametrize(("form", "text"), [("mem0", document()), ("jsonl", lines())])
def test_the_cleaned_export_is_clean(tmp_path, form, text):
    name = "export.jsonl" if form == "jsonl" else "export.json"
    steps = looked(written(tmp_path, name))[1]
    places = {action: {s.place for s in steps if s.action == action} for action in (DROP, MASK)}
    (tmp_path / name).write_bytes(cleaned(form, text.encode(), places[DROP], places[MASK]))
    assert KEY not in (tmp_path / name).read_text(encoding="utf-8")
    again, steps = looked(tmp_path / name)
    assert again["rows"] == 4
    assert of(steps, again, DROP) | of(steps, again, MASK) == set()


def test_what_cannot_be_read_is_told_with_its_row(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"id": "a", "memory": "Ann likes tea"}, 7, {"id": "b"}]', encoding="utf-8")
    found, _ = looked(path)
    assert [(one["row"], one["code"]) for one in found["rejects"]] == [
        (2, "not_an_object"), (3, "invalid")
    ]  # fmt: skip
    assert found["rows"] == 2


def test_a_file_of_no_format_and_one_of_too_many_rows(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"\x00\x01")
    with pytest.raises(FormatError):
        looked(tmp_path / "a")
    monkeypatch.setattr("audit.hygiene.inside.MOST_ROWS", 7)
    with pytest.raises(FormatError, match="more than 7"):
        looked(written(tmp_path))


def test_earlier_values_and_states_do_not_count_as_current(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(
        '[{"id": "a", "memory": "Ann likes tea", "state": "deleted"},'
        ' {"id": "b", "memory": "Ann likes tea"}]',
        encoding="utf-8",
    )
    found, steps = looked(path)
    assert found["report"]["counts"]["retracted"] == 1
    assert of(steps, found, DROP) == set()
    assert Memory.everywhere.filter(external_id="a").get().status == "retracted"
