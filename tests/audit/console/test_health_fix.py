"""Dealing with a finding's rows: preview, cap, one batch, undo, roles."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from audit.console import health_fix
from audit.health.fixes import FIXES, REVIEWED
from audit.health.registry import checks
from memory import clock
from memory.models import Batch, Memory, Status
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.console.pages_kit import filled, operator, queries, stranger, text_of, viewer
from tests.audit.health import makers

pytestmark = pytest.mark.django_db
DUPLICATES, METADATA = "/health/exact_duplicates/fix/", "/health/missing_metadata/fix/"
EXPIRED = "/health/expired_active/fix/"


def now(memory: Memory) -> Memory:
    return Memory.everywhere.get(pk=memory.pk)


def sent(client: Client, address: str, query: str = "", **values):
    """Press the button of the preview at this address."""
    fields = filled(client.get(address + query))
    fields.pop("memory", None)
    return client.post(address, fields | {"reason": "整理一下"} | values)


def bare(n: int = 1, **fields) -> list[Memory]:
    return [make.remember(text=f"架子{number}满了", **fields) for number in range(n)]


def test_every_named_check_exists_and_every_fix_has_an_icon():
    assert set(FIXES) | set(REVIEWED) <= set(checks())
    sprite = Path(settings.BASE_DIR, "static/img/icons.svg").read_text()
    drawn = set(re.findall(r'<symbol id="([^"]+)"', sprite))
    assert {fix.symbol for fixes in FIXES.values() for fix in fixes} <= drawn
    for fixes in FIXES.values():
        names = [fix.name for fix in fixes]
        assert len(names) == len(set(names))


def test_a_preview_tells_what_would_change_and_changes_nothing():
    pair = makers.twins(make.scope(), "茶水间在三楼")
    page = text_of(operator().get(DUPLICATES))
    assert "nothing has changed yet" in page
    assert "2 rows, as one batch that can be undone." in page
    assert "At most 500 at once." in page
    assert page.count("茶水间在三楼") >= 2
    assert "superseded" in page
    assert {now(row).status for row in pair} == {Status.ACTIVE}
    assert not Batch.everywhere.filter(verb="merge").exists()


def test_merging_is_one_batch_with_its_undo():
    pair = makers.twins(make.scope(), "茶水间在三楼")
    client = operator()
    done = sent(client, DUPLICATES)
    batch = Batch.everywhere.get(verb="merge")
    assert done.headers["Location"] == f"{DUPLICATES}?fix=merge&done={batch.public_id}"
    assert (batch.actor, batch.surface, batch.reason) == ("person:olga", "console", "整理一下")
    assert sorted(now(row).status for row in pair) == ["active", "superseded"]
    page = text_of(client.get(done.headers["Location"]))
    assert f"/activity/{batch.public_id}/undo/" in page
    assert "Nothing to do" in page
    client.post(f"/activity/{batch.public_id}/undo/")
    assert {now(row).status for row in pair} == {Status.ACTIVE}


def test_expired_rows_expire():
    over = makers.overdue(make.scope(), text="旧券")
    still = makers.complete(
        make.scope(), text="The new voucher", expires_at=clock.now() + timedelta(days=1)
    )
    sent(operator(), EXPIRED)
    assert (now(over).status, now(still).status) == (Status.EXPIRED, Status.ACTIVE)


def test_filling_in_asks_for_a_value_first():
    rows = bare(2)
    client = operator()
    page = text_of(client.get(METADATA))
    assert "Fill in the session" in page
    assert "nothing has changed yet" not in page
    shown = text_of(client.get(METADATA, {"fix": "fill-session", "session_id": "s9"}))
    assert "2 rows, as one batch" in shown
    assert "<ins>s9</ins>" in shown
    sent(client, METADATA, "?fix=fill-session&session_id=s9")
    assert {now(row).session_id for row in rows} == {"s9"}
    assert Batch.everywhere.filter(verb="fill").count() == 1


def test_only_rows_that_lack_it_are_filled_in():
    told = make.remember(text="架子满了", session_id="own", agent_id="helper")
    (lacking,) = bare()
    client = operator()
    page = text_of(client.get(METADATA, {"fix": "fill-session", "session_id": "s9"}))
    assert "1 row, as one batch" in page
    sent(client, METADATA, "?fix=fill-session&session_id=s9")
    assert (now(told).session_id, now(lacking).session_id) == ("own", "s9")


def test_chosen_rows_alone_are_changed():
    first, second = bare(2)
    sent(operator(), METADATA, "?fix=fill-agent&agent_id=helper", memory=[str(first.public_id)])
    assert (now(first).agent_id, now(second).agent_id) == ("helper", "")


def test_one_users_rows_alone_are_changed():
    (mine,), (other,) = bare(), bare(user_id="bo")
    client = operator()
    query = "?fix=fill-agent&agent_id=helper&user_id=bo"
    assert "1 row, as one batch" in text_of(client.get(METADATA + query))
    sent(client, METADATA, query)
    assert (now(mine).agent_id, now(other).agent_id) == ("", "helper")


def test_a_source_is_one_of_the_known_ones():
    (row,) = bare()
    client = operator()
    page = client.get(METADATA, {"fix": "fill-source", "source": "rumour"})
    assert "nothing has changed yet" not in text_of(page)
    sent(client, METADATA, "?fix=fill-source&source=imported")
    assert now(row).source == "imported"


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_changed(reason):
    makers.twins(make.scope(), "茶水间在三楼")
    answer = sent(operator(), DUPLICATES, reason=reason)
    assert answer.status_code == 409
    assert "Say why" in text_of(answer)
    assert not Batch.everywhere.filter(verb="merge").exists()


def test_rows_that_moved_since_are_not_changed():
    makers.twins(make.scope(), "茶水间在三楼")
    client = operator()
    fields = filled(client.get(DUPLICATES)) | {"reason": "整理"}
    fields.pop("memory")
    makers.twins(make.scope(), "The printer is called Otto")
    answer = client.post(DUPLICATES, fields)
    assert answer.status_code == 409
    assert "the rows have moved since you looked" in text_of(answer)
    assert not Batch.everywhere.filter(verb="merge").exists()


def test_what_was_never_previewed_is_not_changed():
    makers.twins(make.scope(), "茶水间在三楼")
    for previewed in ("", "0" * 64):
        answer = operator_named(previewed).post(
            DUPLICATES, {"fix": "merge", "reason": "快", "previewed": previewed}
        )
        assert answer.status_code == 409
    assert not Batch.everywhere.filter(verb="merge").exists()


def operator_named(text: str) -> Client:
    return make.logged_in(make.person(f"op{text[:3]}"))


def test_over_the_cap_is_blocked_and_says_what_to_do(monkeypatch):
    monkeypatch.setattr(health_fix, "CAP", 2)
    rows = bare(3)
    client = operator()
    query = "?fix=fill-agent&agent_id=helper"
    page = text_of(client.get(METADATA + query))
    assert "3 rows are more than the 2 that may be changed at once" in page
    assert "Narrow them to one user, or choose rows below." in page
    answer = sent(client, METADATA, query)
    assert answer.status_code == 409
    assert "Choose rows, or narrow them to one user" in text_of(answer)
    assert {now(row).agent_id for row in rows} == {""}
    sent(client, METADATA, query, memory=[str(rows[0].public_id)])
    assert [now(row).agent_id for row in rows] == ["helper", "", ""]


def test_more_than_the_cap_is_not_chosen_either(monkeypatch):
    monkeypatch.setattr(health_fix, "CAP", 2)
    rows = bare(4)
    query = "?fix=fill-agent&agent_id=helper"
    chosen = [str(row.public_id) for row in rows]
    answer = sent(operator(), METADATA, query, memory=chosen)
    assert answer.status_code == 409
    assert {now(row).agent_id for row in rows} == {""}


def test_a_fix_that_would_make_two_current_values_is_refused():
    first = make.budget("800", agent_id="", session_id="")
    make.budget("1200", agent_id="helper")
    answer = sent(operator(), METADATA, "?fix=fill-agent&agent_id=helper")
    assert answer.status_code == 409
    assert now(first).agent_id == ""


def test_a_busy_store_changes_nothing(monkeypatch):
    def full(*args, **kwargs):
        raise QueueTimeout("full")

    makers.twins(make.scope(), "茶水间在三楼")
    monkeypatch.setattr("audit.console.health_fix.apply", full)
    assert "The store is busy" in text_of(sent(operator(), DUPLICATES))


@pytest.mark.parametrize(
    "address", ["/health/nonsense/fix/", "/health/ledger_chain/fix/", "/health/hit_rate/fix/"]
)
def test_no_such_fix(address):
    assert operator().get(address).status_code == 404


def test_an_unknown_way_is_the_usual_one():
    makers.twins(make.scope(), "茶水间在三楼")
    answer = operator().get(DUPLICATES, {"fix": "burn"})
    assert answer.context["way"].name == "merge"


def test_near_duplicates_are_decided_in_the_review_queue():
    answer = operator().get("/health/near_duplicates/fix/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/review/?status=pair")


def test_a_viewer_may_not():
    makers.twins(make.scope(), "茶水间在三楼")
    client = viewer()
    assert client.get(DUPLICATES).status_code == 403
    assert client.post(DUPLICATES, {"reason": "x"}).status_code == 403


def test_anonymous_goes_to_login():
    assert Client().get(DUPLICATES).headers["Location"].startswith("/login/")


def test_a_stranger_neither_sees_nor_changes():
    pair = makers.twins(make.scope(), "茶水间在三楼")
    client = stranger()
    page = text_of(client.get(DUPLICATES))
    assert "茶水间" not in page
    fields = filled(operator().get(DUPLICATES)) | {"reason": "x"}
    fields["memory"] = [str(row.public_id) for row in pair]
    fields.pop("csrfmiddlewaretoken", None)
    assert client.post(DUPLICATES, fields).status_code == 409
    assert {now(row).status for row in pair} == {Status.ACTIVE}


def test_queries_of_a_preview_do_not_grow_with_rows():
    client = operator()
    bare(2)
    address = f"{METADATA}?fix=fill-agent&agent_id=helper"
    few = queries(client, address)
    for number in range(6):
        make.remember(text=f"箱子{number}空了")
    assert queries(client, address) == few


def test_in_chinese():
    makers.twins(make.scope(), "茶水间在三楼")
    client = operator()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in text_of(client.get(DUPLICATES))


def test_another_value_than_the_previewed_one_is_not_written():
    (row,) = bare()
    answer = sent(operator(), METADATA, "?fix=fill-agent&agent_id=helper", agent_id="other")
    assert answer.status_code == 409
    assert now(row).agent_id == ""


@pytest.mark.parametrize(
    ("name", "status", "verb"),
    [("hold", "quarantined", "hold"), ("retract", "retracted", "retract"),
     ("confirm", "active", "confirm")],
)  # fmt: skip
def test_doubtful_rows_are_held_retracted_or_confirmed(name, status, verb):
    make.policy("other", threshold=0.1)
    doubtful = makers.complete(make.scope(), text="茶室大概在三楼", confidence=0.2)
    sure = makers.complete(make.scope(), text="The kettle is blue")
    make.policy("other", threshold=0.5)
    client = operator()
    address = "/health/low_confidence/fix/"
    assert "茶室大概在三楼" in text_of(client.get(address, {"fix": name}))
    sent(client, address, f"?fix={name}")
    assert (now(doubtful).status, now(sure).status) == (status, Status.ACTIVE)
    assert Batch.everywhere.get(verb=verb).reason == "整理一下"
