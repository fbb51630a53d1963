from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from memory import clock
from memory.models import Batch, Memory, Recall
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
EARLIER = make.instant("2026-03-01 09:00")


def address(record: Recall) -> str:
    return reverse("recall-replay", args=[record.public_id])


def harbour(*texts: str) -> list[Memory]:
    with clock.at(EARLIER):
        return [make.remember(text=text) for text in texts]


def recorded(query: str = "港口", **fields) -> Recall:
    with clock.at(EARLIER + timedelta(minutes=1)):
        return make.ask(query, **fields).record


def test_an_unchanged_store_is_equal_and_the_same_now():
    harbour("港口七点开门")
    record = recorded()
    with clock.at(EARLIER + timedelta(hours=1)):
        page = text_of(operator().get(address(record)))
    assert "Equal to the record, and the same now" in page
    assert page.count("港口七点开门") == 3
    assert "What moved, and why" not in page


def test_a_move_names_its_batch_with_verb_actor_and_reason():
    (gone,) = harbour("港口七点开门")
    record = recorded()
    batch = apply(plan_retract(make.scope(), [gone]).plan("retract", "港口 <b>搬走</b>了")).batch
    answer = operator().get(address(record))
    page = text_of(answer)
    assert "Equal to the record; another answer now" in page
    assert "it was changed" in page
    assert reverse("batch", args=[batch.public_id]) in page
    assert "retract · person:ann" in page
    assert "港口 &lt;b&gt;搬走&lt;/b&gt;了" in page
    assert f"{reverse('recall-why-not', args=[record.public_id])}?memory={gone.public_id}" in page
    (row,) = answer.context["moves"]
    assert (row.move.was_rank, row.move.now_rank) == (1, None)


def test_a_newcomer_is_told_beside_those_that_it_moves():
    harbour("港口的仓库里有一只灯塔模型")
    record = recorded()
    make.remember(text="港口")
    answer = operator().get(address(record))
    page = text_of(answer)
    assert "not in the record" in page
    assert "was 1." in page
    assert "others that it is ranked among were changed" in page
    assert [len(places) for _, _, places in answer.context["columns"]] == [1, 1, 2]


def test_only_the_newest_batches_are_listed():
    (row,) = harbour("港口")
    record = recorded()
    for number in range(7):
        make.remember(text=f"港口 {number}号")
        row.refresh_from_db()
    page = text_of(operator().get(address(record)))
    assert "and 2 older batches" in page


def test_a_record_that_differs_from_its_own_store_says_so():
    (row,) = harbour("港口七点开门")
    record = recorded()
    Memory.everywhere.filter(pk=row.pk).delete()
    page = text_of(operator().get(address(record)))
    assert "Not equal to the record" in page
    assert "erased since" in page


def test_small_talk_replays_to_nothing():
    harbour("港口七点开门")
    page = text_of(operator().get(address(recorded("谢谢"))))
    assert "Equal to the record, and the same now" in page
    assert "港口" not in page


def test_an_unknown_profile_is_told_and_does_not_fail():
    harbour("港口七点开门")
    record = recorded()
    Recall.everywhere.filter(pk=record.pk).update(profile="of old")
    answer = operator().get(address(record))
    assert answer.status_code == 200
    assert "cannot be replayed" in text_of(answer)


def test_nothing_is_recorded_or_written():
    harbour("港口七点开门")
    record = recorded()
    client = operator()
    client.get(address(record))
    assert client.post(address(record)).status_code == 405
    assert Recall.everywhere.count() == 1
    assert Batch.objects.within(make.scope()).count() == 1


def test_a_viewer_reads():
    harbour("港口七点开门")
    assert "港口七点开门" in text_of(viewer().get(address(recorded())))


def test_a_stranger_gets_the_same_404_as_for_no_record():
    harbour("港口七点开门")
    client, record = stranger(), recorded()
    for path in (address(record), reverse("recall-replay", args=[uuid4()])):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "港口" not in text_of(answer)


def test_anonymous_goes_to_login():
    assert Client().get(address(recorded())).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_rows():
    client = operator()
    harbour("港口一号")
    one = recorded()
    harbour(*(f"港口 {number}号仓库" for number in range(12)))
    many = recorded(limit=12)
    for number in range(3):
        make.remember(text=f"港口新来的 {number}号")
    assert queries(client, address(many)) <= queries(client, address(one))


def test_the_answer_is_private():
    answer = operator().get(address(recorded()))
    assert "Cookie" in answer["Vary"]
    assert "private" in answer["Cache-Control"]


def test_in_chinese():
    client = operator()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in text_of(client.get(address(recorded())))


def test_a_policy_that_moved_a_memory_is_named():
    with clock.at(EARLIER - timedelta(days=2)):
        make.remember(text="港口有一座灯塔", kind="event", confidence=0.66)
    with clock.at(EARLIER):
        make.remember(text="港口有两座灯塔", kind="event", confidence=0.6)
    record = recorded("港口的灯塔", profile="confident")
    with clock.at(EARLIER + timedelta(hours=2)):
        make.policy("event", half_life_hours=2)
        page = text_of(operator().get(address(record)))
    assert "Equal to the record; another answer now" in page
    assert f'href="{reverse("policy", args=["event"])}"' in page
    assert "half-life 720 → 2 hours" in page
    assert "policy · event · version 1" in page


def test_where_a_value_took_another_s_place_the_words_are_compared():
    with clock.at(EARLIER):
        make.budget("800")
    record = recorded("我的预算")
    new, client = make.budget("1200"), operator()
    page = text_of(client.get(address(record)))
    assert "我的预算是<del>800</del><ins>1200</ins>元" in page
    assert reverse("memory", args=[new.public_id]) in page
    apply(plan_retract(make.scope(), [new]).plan("retract", "x"))
    (gone,) = harbour("港口七点开门")
    record = recorded()
    apply(plan_retract(make.scope(), [gone]).plan("retract", "x"))
    assert "what it says now" not in text_of(client.get(address(record)))
