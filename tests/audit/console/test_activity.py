from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from audit.console import log
from memory.models import Batch, Memory, Status
from memory.write.apply import apply
from memory.write.revise import plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


def newest() -> Batch:
    return Batch.everywhere.latest("pk")


def address(batch: Batch, name: str = "batch") -> str:
    return reverse(name, args=[batch.public_id])


def test_the_list_says_when_who_why_and_what_changed():
    make.budget("640")
    make.budget("910", reason="新学期")
    page = owner().get("/activity/").content.decode()
    assert "person:ann" in page
    assert "新学期" in page
    assert "2 changes" in page
    assert "<del>640</del>" in page
    assert "<ins>910</ins>" in page


def test_a_list_row_shows_no_more_than_the_first_statements():
    scope = make.scope()
    rows = [make.remember(scope, text=f"statement number {n}") for n in range(9)]
    apply(plan_retract(scope, rows).plan("retract", "all wrong"))
    page = owner().get("/activity/?verb=retract").content.decode()
    assert "9 changes" in page
    assert page.count('<span class="plain">statement number') == 3


def test_an_empty_workspace_and_an_empty_match_say_different_things():
    client = owner()
    assert "Nothing has happened yet" in client.get("/activity/").content.decode()
    make.budget("640")
    page = client.get("/activity/?actor=nobody").content.decode()
    assert "Nothing matches" in page
    assert "Drop By: nobody" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("verb=remember", {"remember"}),
        ("verb=undo", {"undo"}),
        ("user_id=bo", {"remember"}),
        ("user_id=nobody", set()),
        ("surface=api", set()),
        ("actor=person:ann", {"remember", "undo"}),
        ("since=2020-01-01", {"remember", "undo"}),
        ("until=2020-01-01", set()),
    ],
)
def test_filters(query, shown):
    undo(make.scope(), make.written(text="first").batch)
    make.remember(text="of another user", user_id="bo")
    rows = owner().get(f"/activity/?{query}").context["rows"]
    assert {batch.verb for batch, *_rest in rows} == shown


@pytest.mark.parametrize(
    "query", ["cursor=zz", "since=soon", "until=9999-12-31", "since=0001-01-01", "sort=x", "a=b"]
)
def test_what_does_not_parse_filters_nothing(query):
    make.budget("640")
    answer = owner().get(f"/activity/?{query}")
    assert answer.status_code == 200
    assert len(answer.context["rows"]) == 1


def test_paging_keeps_the_filters_and_loses_no_batch():
    for number in range(60):
        make.remember(text=f"纪要 {number}")
    client = owner()
    first = client.get("/activity/", {"verb": "remember", "team": "北区"})
    page = first.content.decode()
    assert "verb=remember&amp;team=%E5%8C%97%E5%8C%BA&amp;cursor=" in page
    second = client.get("/activity/", {"verb": "remember", "cursor": first.context["page"].next})
    seen = [batch.pk for answer in (first, second) for batch, *_ in answer.context["rows"]]
    assert len(seen) == len(set(seen)) == 60
    facet_links = [part for part in page.split('"') if part.startswith("?surface=")]
    assert facet_links == []
    assert "?verb=remember&amp;team=%E5%8C%97%E5%8C%BA&amp;surface=console" in page


def test_a_filter_without_an_index_reads_a_bounded_number_of_rows(monkeypatch):
    monkeypatch.setattr(log, "WINDOW", 3)
    for number in range(5):
        make.remember(text=f"note {number}")
    client = owner()
    answer = client.get("/activity/?verb=remember")
    assert len(answer.context["rows"]) == 3
    assert "Only the newest" in answer.content.decode()
    whole = client.get("/activity/?user_id=ann")
    assert len(whole.context["rows"]) == 5
    assert "Only the newest" not in whole.content.decode()


def test_a_batch_shows_each_change_before_and_after():
    old = make.budget("640")
    make.budget("910")
    page = owner().get(address(newest())).content.decode()
    assert "<del>640</del>" in page
    assert "<ins>910</ins>" in page
    assert "superseded" in page
    assert reverse("memory", args=[old.public_id]) in page


def test_a_batch_shows_other_fields_that_moved():
    memory = make.remember(text="likes tea", importance=2)
    make.remember(text="likes tea")
    page = owner().get(address(newest())).content.decode()
    assert "confirmations" in page
    assert "last confirmed" in page
    assert str(memory.public_id) in page


def test_memory_text_is_plain_text():
    make.remember(text='<img src=x onerror="go()"> bold', reason="<b>why</b>")
    client = owner()
    for path in ("/activity/", address(newest())):
        page = client.get(path).content.decode()
        assert "<img src=x" not in page
        assert "<b>why" not in page
        assert "&lt;img" in page


def test_undo_puts_back_says_so_and_can_be_undone():
    old = make.budget("640")
    new = make.budget("910")
    batch = newest()
    client = owner()
    answer = client.post(address(batch, "batch-undo"), {"reason": "typed twice"}, follow=True)
    page = answer.content.decode()
    assert address(batch) in page
    assert "Undone:" in page
    made = newest()
    assert (made.undoes, made.reason, made.actor) == (batch, "typed twice", "person:olive")
    assert Memory.everywhere.get(pk=old.pk).status == Status.ACTIVE
    assert Memory.everywhere.get(pk=new.pk).status == Status.RETRACTED
    client.post(address(made, "batch-undo"))
    assert Memory.everywhere.get(pk=old.pk).status == Status.SUPERSEDED
    assert Memory.everywhere.get(pk=new.pk).status == Status.ACTIVE


def test_undo_that_would_trample_names_the_later_batches_and_changes_nothing():
    make.budget("640")
    first = newest()
    make.budget("910")
    second = newest()
    answer = owner().post(address(first, "batch-undo"))
    assert answer.status_code == 409
    assert address(second) in answer.content.decode()
    assert newest() == second


def test_a_second_undo_changes_nothing_and_says_why():
    make.budget("640")
    batch = newest()
    client = owner()
    client.post(address(batch, "batch-undo"))
    made = newest()
    answer = client.post(address(batch, "batch-undo"), follow=True)
    assert "already been undone" in answer.content.decode()
    assert newest() == made


def test_a_reason_that_is_too_long_is_said_and_nothing_is_undone():
    make.budget("640")
    batch = newest()
    answer = owner().post(address(batch, "batch-undo"), {"reason": "x" * 501})
    assert answer.status_code == 422
    assert "500" in answer.content.decode()
    assert newest() == batch


def test_an_undone_batch_offers_no_undo():
    make.budget("640")
    batch = newest()
    client = owner()
    assert address(batch, "batch-undo") in client.get(address(batch)).content.decode()
    client.post(address(batch, "batch-undo"))
    assert address(batch, "batch-undo") not in client.get(address(batch)).content.decode()


def test_a_viewer_reads_and_may_not_undo():
    make.budget("640")
    batch = newest()
    viewer = make.logged_in(make.person("vic", role="viewer"))
    assert "640" in viewer.get("/activity/").content.decode()
    page = viewer.get(address(batch)).content.decode()
    assert "640" in page
    assert address(batch, "batch-undo") not in page
    assert viewer.post(address(batch, "batch-undo")).status_code == 403
    assert newest() == batch


def test_a_stranger_sees_nothing_and_gets_the_same_404_as_for_no_batch():
    make.budget("640")
    batch = newest()
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    assert "640" not in stranger.get("/activity/").content.decode()
    foreign, missing = stranger.get(address(batch)), stranger.get(f"/activity/{uuid4()}/")
    assert foreign.status_code == missing.status_code == 404
    assert stranger.post(address(batch, "batch-undo")).status_code == 404
    assert newest() == batch


def test_anonymous_goes_to_login():
    make.budget("640")
    for path in ("/activity/", address(newest())):
        assert Client().get(path).headers["Location"].startswith("/login/")
    assert Client().post(address(newest(), "batch-undo")).headers["Location"].startswith("/login/")


def test_undo_is_a_post():
    make.budget("640")
    assert owner().get(address(newest(), "batch-undo")).status_code == 405


def test_queries_do_not_grow_with_rows(django_assert_max_num_queries):
    client = owner()
    make.budget("640")
    client.get("/activity/")
    for number in range(20):
        make.budget(str(1000 + number))
    for path in ("/activity/", address(newest())):
        with django_assert_max_num_queries(20):
            client.get(path)


def test_htmx_gets_the_list_and_back_gets_the_page():
    make.budget("640")
    client = owner()
    whole = client.get("/activity/")
    part = client.get("/activity/", headers={"HX-Request": "true"})
    back = client.get(
        "/activity/", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
    )
    assert "<html" in whole.content.decode()
    assert "<html" in back.content.decode()
    assert "<html" not in part.content.decode()
    assert "640" in part.content.decode()
    for answer in (whole, part, back):
        assert "HX-Request" in answer.headers["Vary"]
        assert "private" in answer.headers["Cache-Control"]


def test_in_chinese():
    make.budget("640")
    for path in ("/activity/", address(newest())):
        page = owner_in_chinese().get(path).content.decode()
        assert '<html lang="zh-hans"' in page
        assert "我的预算是640元" in page


def owner_in_chinese() -> Client:
    user = make.person(f"lan{uuid4().hex[:6]}", role="operator")
    client = Client(headers={"accept-language": "zh-hans"})
    client.force_login(user)
    return client
