import pytest
from django.contrib.auth import get_user_model
from django.http import QueryDict

from audit.models import Finding, FindingEvent, Question, ReviewMark, SavedView
from memory.models import Memory
from memory.write.erase.certificate import certificate
from memory.write.erase.road import erase, preview
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def finding(row: Memory) -> Finding:
    found = Finding.everywhere.create(
        workspace_id=row.workspace_id, check_name="invalidated_retrieved", user_id="ann",
        memory_id=row.public_id, first_at=row.created_at, last_at=row.created_at,
    )  # fmt: skip
    FindingEvent.objects.create(
        finding=found, at=row.created_at, actor="person:ann", verb="commented", text=SECRET
    )
    return found


def question(text: str, **fields) -> Question:
    row = make.remember(text="喜欢茶")
    return Question.everywhere.create(
        workspace_id=row.workspace_id, user_id="ann", text=text, at=row.created_at, actor="a",
        **fields,
    )  # fmt: skip


def test_findings_and_what_was_put_off_go_with_it():
    row, other = make.remember(text=SECRET), make.remember(text="喜欢茶")
    for one in (row, other):
        finding(one)
        ReviewMark.objects.create(
            workspace_id=one.workspace_id, item_type="memory", item_id=one.public_id,
            snoozed_until=one.created_at, at=one.created_at, actor="a",
        )  # fmt: skip
    told = preview(make.scope(), row)
    assert (told.counts["findings"], told.counts["put_off"]) == (1, 1)
    done = erase(make.scope(), row, "x")
    assert (done.erasure.removed["findings"], done.erasure.removed["put_off"]) == (1, 1)
    assert [one.memory_id for one in Finding.everywhere.all()] == [other.public_id]
    assert [one.item_id for one in ReviewMark.objects.all()] == [other.public_id]


def test_questions_that_say_it_lose_the_words():
    row = make.remember(text=SECRET)
    saying = question("代号是什么", expected=[SECRET], forbidden=["别的"])
    other = question("喝什么", expected=["茶"])
    erase(make.scope(), row, "x")
    saying.refresh_from_db()
    assert saying.expected == ["██████ ████████████"]
    assert saying.forbidden == ["别的"]
    other.refresh_from_db()
    assert other.expected == ["茶"]


def view(name: str, query: str, **fields) -> SavedView:
    owner, _made = get_user_model().objects.get_or_create(username="ann")
    row = make.remember(text="喜欢茶")
    workspace = fields.pop("workspace_id", row.workspace_id)
    return SavedView.objects.create(
        workspace_id=workspace, owner=owner, page="memories", name=name, query=query,
        created_at=row.created_at, **fields,
    )  # fmt: skip


def query_of(**said: str) -> str:
    query = QueryDict(mutable=True)
    query.update(said)
    return query.urlencode()


def test_saved_views_that_look_for_it_lose_the_words_and_keep_the_rest():
    row = make.remember(text=SECRET)
    looking = view("代号", query_of(q=SECRET, kind="fact"))
    named = [view(SECRET, "kind=fact"), view(SECRET.upper(), "kind=fact")]
    other = view("茶", "kind=fact&q=%E8%8C%B6&")
    elsewhere = view("x", query_of(q=SECRET), workspace_id=make.workspace("w2").pk)
    assert preview(make.scope(), row).counts["saved_views"] == 3
    done = erase(make.scope(), row, "x").erasure
    assert {"place": "saved_views", "count": 3} in certificate(done)["removed"]
    for one in (looking, other, elsewhere, *named):
        one.refresh_from_db()
    assert (looking.name, looking.query) == ("代号", "kind=fact")
    assert [one.name for one in named] == [f"██████ ████████████ {one.pk}" for one in named]
    assert other.query == "kind=fact&q=%E8%8C%B6&"
    assert elsewhere.query == query_of(q=SECRET)
