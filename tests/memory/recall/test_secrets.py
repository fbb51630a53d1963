"""Secrets that come in with a question or an answer: masked before anything is kept."""

import json

import pytest

from memory.models import Recall
from memory.recall.record import add_outcome
from memory.recall.request import RecallRequest
from tests import factories as make

pytestmark = pytest.mark.django_db

SECRET = "-".join(["sk", "proj", "Zq8Lw2" + "Vd5Xt9" * 6])


def test_a_secret_in_a_question_is_in_no_record():
    make.remember(text="网关的地址是东区3号")
    answer = make.ask(f"网关的地址 {SECRET}")
    kept = Recall.everywhere.get(pk=answer.record.pk)
    assert [item.memory.text for item in answer.items] == ["网关的地址是东区3号"]
    told = [kept.query, kept.query_used, kept.context, json.dumps([kept.terms, kept.moves])]
    assert not [text for text in told if SECRET.lower() in text.lower()]


def test_a_question_without_one_is_kept_as_it_is():
    request = RecallRequest(make.scope(user_id="ann"), "网关的地址 ORD-20771 在哪")
    assert request.checked(("balanced",)) is request


def test_a_secret_in_prompt_or_answer_is_masked_and_the_rest_stays():
    make.remember(text="网关的地址是东区3号")
    kept = make.ask("网关的地址").record
    add_outcome(kept, prompt=f"key {SECRET} 请回答", answer=f"用 {SECRET} 登录东区3号")
    kept = Recall.everywhere.get(pk=kept.pk)
    assert SECRET not in kept.prompt + kept.answer
    assert kept.prompt.endswith("请回答")
    assert "东区3号" in kept.answer
