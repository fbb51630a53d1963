"""Write-back over HTTP: what a stock system tells every hour."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from memory import clock
from memory.api.bulk import BulkChanged
from memory.index.upkeep import drift
from memory.models import Batch, Change, Memory
from tests import factories as make
from tests.memory.api.calls import call, fields_named, get, holds_to, owner, post

pytestmark = pytest.mark.django_db
START = make.instant("2026-05-04 00:00")
HOUR = timedelta(hours=1)


def row(value, at: datetime | None = None, **fields) -> dict:
    told = {"user_id": "ann", "entity": "三号仓", "attribute": "水泥库存", "value": value} | fields
    return told | ({"observed_at": at.isoformat()} if at else {})


def sync(client, *rows, **body):
    answer = post(client, "/memories/bulk", {"items": list(rows)} | body)
    assert answer.status_code == 200, answer.data
    assert holds_to(BulkChanged, answer.data)
    return answer.data


def actions(answer: dict) -> list[tuple[str, str | None]]:
    return [(result["action"], result["reason"]) for result in answer["results"]]


def trend() -> list[tuple[str, str]]:
    rows = Memory.everywhere.order_by("valid_from", "id")
    return list(rows.values_list("value", "status"))


def test_a_day_of_polls_keeps_one_row_a_change():
    client = owner()
    for hour in range(24):
        value = ["40", "40", "55", "12"][hour // 6]
        with clock.at(START + hour * HOUR):
            sync(client, row(value, START + hour * HOUR), reason="hourly")
    # Two changes, 24 answers.
    assert trend() == [("40", "superseded"), ("55", "superseded"), ("12", "active")]
    current = Memory.everywhere.get(status="active")
    assert (current.kind, current.source) == ("inventory", "external_sync")
    assert current.confirmed_at == START + 23 * HOUR
    assert current.expires_at == START + 47 * HOUR
    assert (current.confirmations, current.confidence) == (0, 0.95)
    history = get(client, f"/memories/{current.public_id}/history").data["items"]
    assert [e["after"]["value"] for e in history if e["action"] == "add"] == ["40", "55", "12"]
    listed = get(client, "/memories", entity="三号仓", attribute="水泥库存", status="any").data
    assert listed["total"] == 3
    assert list(drift()) == []


def test_three_changes_in_a_day_leave_three_rows_of_history():
    client = owner()
    values = [40] * 5 + [38] * 7 + [60] * 6 + [51] * 6
    for hour, value in enumerate(values):
        with clock.at(START + hour * HOUR):
            sync(client, row(value))
    assert [status for _, status in trend()] == ["superseded"] * 3 + ["active"]
    links = Memory.everywhere.order_by("version")
    assert [(link.version, link.value) for link in links] == [
        (1, "40"), (2, "38"), (3, "60"), (4, "51"),
    ]  # fmt: skip
    for before, after in pairwise(links):
        assert (before.superseded_by, before.valid_to) == (after, after.valid_from)


def test_the_same_again_changes_nothing_whatever_came_between():
    client = owner()
    rows = [row("40", START), row("55", START + HOUR), row("55", START + 2 * HOUR)]
    with clock.at(START + 3 * HOUR):
        first = sync(client, *rows)
        assert actions(first) == [
            ("added", None), ("superseded", None), ("confirmed", "same_value"),
        ]  # fmt: skip
        before = (trend(), Change.objects.count(), Batch.everywhere.count())
        for again in (rows, rows[::-1], rows[:1]):
            answer = sync(client, *again)
            assert set(actions(answer)) == {("skipped", "unchanged")}
            assert answer["batch_id"] is None
        assert (trend(), Change.objects.count(), Batch.everywhere.count()) == before
        assert actions(sync(client, row("12", START + 2 * HOUR))) == [("superseded", None)]


def test_a_late_observation_goes_to_the_history():
    client = owner()
    with clock.at(START + 9 * HOUR):
        sync(client, row("40", START), row("55", START + 6 * HOUR))
        late = sync(client, row("47", START + 3 * HOUR))
        assert actions(late) == [("superseded", "older_observation")]
        assert actions(sync(client, row("47", START + 3 * HOUR))) == [("skipped", "unchanged")]
    assert trend() == [("40", "superseded"), ("47", "superseded"), ("55", "active")]
    assert Memory.everywhere.get(value="40").valid_to == START + 3 * HOUR


def test_a_late_equal_observation_only_moves_when_the_value_began():
    client = owner()
    with clock.at(START + 9 * HOUR):
        sync(client, row("40", START), row("55", START + 6 * HOUR))
        assert actions(sync(client, row("55", START + 4 * HOUR))) == [
            ("confirmed", "older_observation")
        ]
        assert actions(sync(client, row("40", START + 2 * HOUR))) == [("skipped", "unchanged")]
    assert trend() == [("40", "superseded"), ("55", "active")]
    old, new = Memory.everywhere.order_by("version")
    assert (old.valid_to, new.valid_from) == (START + 4 * HOUR, START + 4 * HOUR)
    assert new.confirmed_at == START + 6 * HOUR


def test_stock_expires_a_day_after_it_was_last_confirmed():
    client = owner()
    with clock.at(START):
        sync(client, row("40"))
    with clock.at(START + 20 * HOUR):
        sync(client, row("40"))
    for hours, found in ((43, 1), (44, 0)):
        with clock.at(START + hours * HOUR):
            answer = post(client, "/recall", {"user_id": "ann", "query": "三号仓的水泥库存"})
            assert len(answer.data["items"]) == found


def test_bad_rows_are_rejected_one_by_one_and_the_others_written():
    client = owner()
    rows = [
        row("40"),
        {"user_id": "ann", "entity": "bin", "attribute": "stock"},
        row("1", observed_at="yesterday"),
        row("1", colour="red"),
        row(" ", entity="bin 2"),
        row("1", kind="event"),
        row("7", entity="bin 7"),
    ]
    answer = sync(client, *rows)
    assert [action for action, _ in actions(answer)] == [
        "added", *["rejected"] * 5, "added",
    ]  # fmt: skip
    told = [result["errors"] and result["errors"][0]["field"] for result in answer["results"]]
    assert told == [None, "value", "observed_at", "colour", "value", "kind", None]
    assert all((r["memory"] is None) == bool(r["errors"]) for r in answer["results"])
    assert sorted(Memory.everywhere.values_list("value", flat=True)) == ["40", "7"]
    batch = Batch.everywhere.get(public_id=answer["batch_id"])
    assert (batch.verb, batch.changes.count()) == ("sync", 2)


def test_nothing_but_bad_rows_writes_nothing():
    answer = sync(owner(), {"user_id": "ann"}, {})
    assert answer["batch_id"] is None
    assert Batch.everywhere.count() == 0


def test_a_key_of_one_user_writes_for_no_other():
    bound = make.client_for(make.api_key(user_id="ann", name="bound")[1])
    answer = sync(bound, row("40", user_id=None), row("41", user_id="bob"))
    assert [action for action, _ in actions(answer)] == ["added", "rejected"]
    assert answer["results"][1]["errors"][0]["field"] == "user_id"
    assert post(bound, "/memories/bulk", {"user_id": "bob", "items": [row("1")]}).problem == (
        "outside_scope"
    )
    assert list(Memory.everywhere.values_list("user_id", "value")) == [("ann", "40")]


def test_other_users_workspaces_and_agents_keep_their_own_value():
    client, other = owner(), owner(of=make.workspace("w2"), name="other")
    sync(client, row("40"), row("41", user_id="bob"), row("42", agent_id="a1"))
    sync(other, row("43"))
    assert sorted(Memory.everywhere.filter(status="active").values_list("value", flat=True)) == [
        "40", "41", "42", "43",
    ]  # fmt: skip
    assert get(other, "/memories").data["total"] == 1


def test_a_batch_is_undone_as_one():
    client = owner()
    sync(client, row("40"), row("7", entity="bin 7"))
    with clock.at(clock.now() + HOUR):
        second = sync(client, row("55"), row("7", entity="bin 7"))
        undone = post(client, f"/batches/{second['batch_id']}/undo", {"reason": "wrong feed"})
    assert undone.status_code == 200
    active = Memory.everywhere.filter(status="active").values_list("value", flat=True)
    assert sorted(active) == ["40", "7"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": [{}] * 1001}, "items"),
        ({"items": [1]}, "items.0"),
        ({"items": [row("1")], "source": "user_said"}, "source"),
        ({"items": [row("1")], "rows": []}, "rows"),
    ],
)
def test_a_body_of_another_shape_is_refused_as_a_whole(body, field):
    answer = call(owner(), "POST", "/memories/bulk", body)
    assert answer.problem == "invalid"
    assert field in fields_named(answer)
    assert Memory.everywhere.count() == 0


def test_a_secret_is_refused_row_by_row_and_never_said_back():
    secret = "sk-proj-" + "Zk41vQ9eTb7LmX2c" * 3
    rows = [
        row("40"),
        row(secret, entity="billing"),
        row("1", entity="bin 8", metadata={"note": f"token {secret}"}),
        row("2", entity="bin 9", external_id=secret),
    ]
    answer = sync(owner(), *rows, reason=f"sync with {secret}")
    assert actions(answer)[0] == ("added", None)
    assert actions(answer)[1:] == [("rejected", "secret_refused")] * 3
    assert secret[8:] not in str(answer)
    assert list(Memory.everywhere.values_list("value", flat=True)) == ["40"]
    assert secret[8:] not in Batch.everywhere.get().reason


def test_personal_data_waits_for_a_person_and_is_not_asked_for_twice():
    client = owner()
    told = row("13912345678", START, entity="仓库", attribute="值班电话")
    with clock.at(START + HOUR):
        assert [action for action, _ in actions(sync(client, told))] == ["quarantined"]
        assert actions(sync(client, told)) == [("skipped", "unchanged")]
    assert Memory.everywhere.get().status == "quarantined"


def test_a_value_that_policy_masks_is_known_again():
    make.policy("inventory", personal_data="mask")
    client = owner()
    told = row("13912345678", START, entity="仓库", attribute="值班电话")
    with clock.at(START + HOUR):
        assert actions(sync(client, told)) == [("added", None)]
        assert actions(sync(client, told)) == [("skipped", "unchanged")]
    assert "13912345678" not in str(list(Memory.everywhere.values()))


def test_it_takes_the_place_of_an_import_and_an_inference_does_not_take_its():
    client = owner()
    make.remember(
        entity="三号仓", attribute="水泥库存", value="9", kind="inventory", source="imported"
    )
    assert actions(sync(client, row("40"))) == [("superseded", None)]
    guess = make.written(
        entity="三号仓", attribute="水泥库存", value="3", kind="inventory", source="inferred"
    )
    assert guess.outcomes[0].action == "candidate"
    assert Memory.everywhere.get(status="active").value == "40"


def test_many_rows_are_written_by_the_hundred_each_a_batch(monkeypatch):
    monkeypatch.setattr("memory.write.sync.BATCH", 2)
    client = owner()
    rows = [row(str(n), START + n * HOUR) for n in range(3)] + [row("x", entity="bin 2"), {}]
    with clock.at(START + 5 * HOUR):
        answer = sync(client, *rows)
        assert [action for action, _ in actions(answer)] == [
            "added", "superseded", "superseded", "added", "rejected",
        ]  # fmt: skip
        assert len(answer["batches"]) == 2
        assert answer["batch_id"] == answer["batches"][0]
        assert {action for action, _ in actions(sync(client, *rows))} == {"skipped", "rejected"}
    assert [value for value, _ in trend()] == ["0", "1", "2", "x"]
    assert list(drift()) == []


def test_rows_that_tell_nothing_new_cost_no_question_each(django_assert_max_num_queries):
    client = owner()
    rows = [row("1", START, entity=f"bin {n}") for n in range(20)]
    with clock.at(START + HOUR):
        sync(client, *rows)
        with django_assert_max_num_queries(10):
            assert set(actions(sync(client, *rows))) == {("skipped", "unchanged")}
