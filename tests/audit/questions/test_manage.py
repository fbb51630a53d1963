"""What may be a question, and what is said of one that may not."""

import pytest

from audit.models import Question
from audit.questions import manage
from audit.questions.manage import Draft, archive, create, edit, unarchive
from memory.models import ScopeError
from memory.write.held import SecretRefused
from memory.write.proposal import InvalidInput
from tests import factories as make

from .makers import question

pytestmark = pytest.mark.django_db


def refused(**fields) -> set[tuple[str, str]]:
    with pytest.raises(InvalidInput) as error:
        question(**fields)
    assert not Question.objects.within(make.scope()).exists()
    return set(error.value.errors)


def test_a_question_is_kept_as_it_was_said():
    made = question(expected=(" 640 元 ", "６４０元", "周二"), forbidden=("700",), note="上限")
    kept = Question.objects.within(make.scope()).get()
    assert (kept.expected, kept.forbidden) == (["640 元", "周二"], ["700"])
    assert (kept.kind, kept.actor, kept.note, kept.archived_at) == (
        "plain", "person:ann", "上限", None,
    )  # fmt: skip
    assert kept == made


@pytest.mark.parametrize(
    ("fields", "objection"),
    [
        ({"user_id": ""}, ("user_id", manage.EMPTY)),
        ({"user_id": "*"}, ("user_id", manage.ONE_USER)),
        ({"user_id": "a" * 201}, ("user_id", "is too long")),
        ({"text": "  "}, ("text", manage.EMPTY)),
        ({"text": "多" * 2001}, ("text", "is too long")),
        ({"text": "a\0b"}, ("text", "holds a NUL character")),
        ({"text": "你好"}, ("text", manage.SMALL_TALK)),
        ({"kind": "other"}, ("kind", manage.UNKNOWN_KIND)),
        ({"expected": ()}, ("expected", manage.NO_VALUE)),
        ({"expected": ("…",)}, ("expected", manage.NO_WORDS)),
        ({"expected": ("a" * 501,)}, ("expected", manage.VALUE_TOO_LONG)),
        ({"expected": tuple(map(str, range(21)))}, ("expected", manage.TOO_MANY_VALUES)),
        ({"forbidden": ("６４０。",)}, ("forbidden", manage.BOTH)),
        ({"note": "n" * 501}, ("note", "is too long")),
        ({"now_said": "今天不一样"}, ("now_said", manage.ONLY_OF_PREFERENCE)),
        ({"kind": "preference", "forbidden": ("a",)}, ("now_said", manage.NO_PRESENT_WORDS)),
        ({"kind": "preference", "now_said": "b"}, ("forbidden", manage.NO_OLD_PREFERENCE)),
        ({"kind": "expired"}, ("forbidden", manage.NO_EXPIRED)),
        ({"kind": "confusion"}, ("forbidden", manage.NO_OTHER)),
        ({"kind": "confusion", "expected": (), "forbidden": ("a",)},
         ("expected", manage.NO_OWN)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_at_its_field(fields, objection):
    assert objection in refused(**fields)


def test_everything_wrong_is_told_at_once():
    assert {name for name, _ in refused(user_id="", text="", expected=())} == {
        "user_id", "text", "expected",
    }  # fmt: skip


@pytest.mark.parametrize("field", ["text", "note", "expected", "forbidden"])
def test_a_secret_is_not_kept_in_a_question(field):
    secret = "密码是 Tr0ub4dor&3xyz"
    value = (secret,) if field in ("expected", "forbidden") else secret
    with pytest.raises(SecretRefused) as error:
        question(**{field: value})
    assert [name for name, _ in error.value.errors] == [field]
    assert "Tr0ub" not in str(error.value)


def test_an_edit_is_checked_too_and_changes_nothing_else():
    one = question()
    edit(make.scope(actor="person:bea"), one, Draft(user_id="ann", text="上限？", expected=("9",)))
    one.refresh_from_db()
    assert (one.text, one.expected, one.actor) == ("上限？", ["9"], "person:ann")
    with pytest.raises(InvalidInput):
        edit(make.scope(), one, Draft(user_id="ann", text="上限？"))
    one.refresh_from_db()
    assert one.expected == ["9"]


def test_another_users_question_is_out_of_reach_of_a_bound_scope():
    bound = make.scope(user_id="bea")
    with pytest.raises(ScopeError):
        question(bound)
    one = question()
    with pytest.raises(ScopeError):
        edit(bound, one, Draft.of(one))


def test_archiving_makes_room_and_coming_back_needs_it(monkeypatch):
    monkeypatch.setattr(manage, "MOST", 2)
    one, _two = question(), question()
    with pytest.raises(InvalidInput) as error:
        question(user_id="bea")
    assert error.value.errors == [("", manage.FULL)]
    archive(one)
    three = question()
    with pytest.raises(InvalidInput):
        unarchive(make.scope(), one)
    one.refresh_from_db()
    assert one.archived_at is not None
    archive(three)
    assert unarchive(make.scope(), one).archived_at is None
    # Another workspace has its own room.
    create(make.scope(make.workspace("w2")), Draft.of(one))
