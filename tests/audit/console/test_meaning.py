"""Meaning beside words, as the pages show it."""

import pytest
from django.urls import reverse

from memory.index.embedding import embedder
from memory.models import Recall
from memory.recall.sealed import export
from memory.recall.verify import verify
from memory.write.embed import embed_pending
from tests import factories as make
from tests.meanings import broken, compared
from tests.model_server import error

pytestmark = pytest.mark.django_db
QUESTION = "How much money may we burn?"


def pages(record: Recall | None = None) -> list[str]:
    """The record's page and the explorer's, as text."""
    client = make.logged_in(make.person("olive", role="operator"))
    addresses = [f"{reverse('recall-explorer')}?user_id=ann&query={QUESTION.replace(' ', '+')}"]
    if record is not None:
        addresses.append(reverse("recall", args=[record.public_id]))
    return [client.get(address).content.decode() for address in addresses]


def test_pages_show_what_meaning_found_and_how_near_it_lies(settings):
    make.remember(text="The trip has a budget of 1200 euros", kind="fact")
    with compared(settings):
        embed_pending(embedder())
        answer = make.ask(QUESTION)
        cosine = answer.items[0].cosine
        for page in pages(answer.record):
            assert "Meaning was compared too, by concepts-1 at 127.0.0.1." in page
            assert "no word, only its meaning" in page
            assert f"{cosine:.3f}" in page


def test_pages_say_that_words_went_alone(settings):
    make.remember(text="We burn money on the trip", kind="fact")
    with compared(settings, broken(error(500))):
        answer = make.ask(QUESTION)
        for page in pages(answer.record):
            assert "Only words were compared: concepts-1 at 127.0.0.1 gave no answer" in page


def test_where_nothing_compares_meaning_no_page_speaks_of_it():
    make.remember(text="We burn money on the trip", kind="fact")
    for page in pages(make.ask(QUESTION).record):
        assert "eaning" not in page
        assert "cosine" not in page


def test_a_record_by_meaning_is_sealed_like_any_other(settings):
    make.remember(text="The trip has a budget of 1200 euros", kind="fact")
    with compared(settings):
        embed_pending(embedder())
        record = Recall.everywhere.get(pk=make.ask(QUESTION).record.pk)
    assert verify(export(record), make.scope()).valid
    shared = export(record, redact=True)
    assert verify(shared, make.scope()).valid
    assert "cosines" not in str(shared["fields"])
