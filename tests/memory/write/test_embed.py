"""Vectors are made behind the writers' backs, of what is active, and nothing is lost."""

import logging
import threading

import pytest

from memory.index import large, vector_files
from memory.index.embedding import EmbeddingError, embedder
from memory.index.vectors import embedded
from memory.models import Memory, Vector
from memory.write import embed_thread as module
from memory.write.embed import embed, embed_pending, embed_these, refresh_files, repair
from memory.write.embed_thread import EmbedThread
from tests import factories as make
from tests.meanings import compared, vectors
from tests.memory.write.verbs import fresh, restore, retract
from tests.model_server import error

in_one_transaction = pytest.mark.django_db
for_a_thread = pytest.mark.django_db(transaction=True)


def with_vectors() -> set[int]:
    return set(Vector.objects.values_list("memory_id", flat=True))


@in_one_transaction
def test_active_memories_get_a_vector_of_their_text(settings):
    old, new = make.budget("800"), make.budget("1200")
    with compared(settings) as server:
        assert embed_pending(embedder()) == 1
        assert embed_pending(embedder()) == 0
        said = [request.body["input"] for request in server.requests[2:]]
    assert said == [[embedded(new)]]
    assert "1200" in embedded(new)
    (vector,) = Vector.objects.all()
    assert (vector.memory_id, vector.model) == (new.pk, "concepts-1 at 127.0.0.1")
    assert old.pk not in with_vectors()


@in_one_transaction
def test_a_limit_takes_the_oldest(settings):
    memories = [make.remember(text=f"memory {n}") for n in range(4)]
    with compared(settings):
        assert embed_pending(embedder(), 3) == 3
        assert with_vectors() == {memory.pk for memory in memories[:3]}
        assert embed_pending(embedder(), 3) == 1


@in_one_transaction
def test_another_model_makes_all_vectors_anew(settings):
    make.remember(text="some text")
    with compared(settings):
        embed_pending(embedder())
        settings.EMBEDDING_MODEL = "concepts-2"
        assert embed_pending(embedder()) == 1
    assert Vector.objects.get().model == "concepts-2 at 127.0.0.1"


@in_one_transaction
def test_a_very_long_text_is_cut_for_the_model(settings):
    memory = make.remember(text="很长" * 10_000)
    assert len(embedded(memory)) == 6000


@in_one_transaction
def test_what_is_no_longer_active_when_the_model_has_answered_gets_none(settings):
    stays, goes, vanishes = (make.remember(text=f"memory {n}") for n in range(3))
    with compared(settings):
        model = embedder()

        class Slow:
            name = model.name

            def passages(self, texts):
                retract(goes)
                Memory.everywhere.get(pk=vanishes.pk).delete()
                return model.passages(texts)

        assert embed(Slow(), [stays, goes, vanishes]) == 1
    assert with_vectors() == {stays.pk}


@in_one_transaction
def test_what_was_made_before_a_failure_is_kept(settings):
    for n in range(40):
        make.remember(text=f"memory {n}")
    script = [vectors, vectors, vectors, error(500)]
    with compared(settings, *script), pytest.raises(EmbeddingError, match="http_500"):
        embed_pending(embedder())
    assert Vector.objects.count() == 32


@in_one_transaction
def test_repair_makes_anew_what_does_not_fit_and_nothing_else(settings):
    fits, torn, gone = (make.remember(text=f"memory {n}") for n in range(3))
    with compared(settings) as server:
        embed_pending(embedder())
        retract(gone)
        Vector.objects.filter(memory=torn).update(print="0" * 32)
        before = len(server.requests)
        assert repair(embedder()) == 1
        assert [len(r.body["input"]) for r in server.requests[before:]] == [1]
        assert with_vectors() == {fits.pk, torn.pk}
        assert repair(embedder()) == 0


@in_one_transaction
def test_repair_makes_the_files_of_large_owners_anew(settings, monkeypatch, tmp_path):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(large, "LARGE", 1)
    memories = [make.remember(text=f"memory {n}") for n in range(3)]
    make.remember(text="small", user_id="bob")
    with compared(settings):
        embed_pending(embedder())
        assert refresh_files(embedder()) == 1
        (path,) = vector_files.folder().iterdir()
        before = path.read_bytes()
        vector = Vector.objects.get(memory=memories[0])
        vector.data, vector.print = vector.data[::-1], "0" * 32
        vector.save()
        refresh_files(embedder())
        assert path.read_bytes() == before
        path.write_bytes(before[::-1])
        assert repair(embedder()) == 1
        assert path.read_bytes() == before


@in_one_transaction
def test_a_restored_memory_is_pending_by_its_id(settings):
    memory = make.remember(text="some text")
    retract(memory)
    back = restore(fresh(memory))
    other = make.remember(text="not asked for")
    with compared(settings):
        assert embed_these(embedder(), [back.public_id]) == 1
    assert with_vectors() == {back.pk} != {other.pk}


@pytest.fixture
def thread(settings, monkeypatch):
    monkeypatch.setattr(module, "GATHER_SECONDS", 0)
    one = EmbedThread()
    monkeypatch.setattr("memory.write.apply.embed_thread", one)
    yield one
    one.stop()


@for_a_thread
def test_a_write_is_followed_by_its_vector(settings, thread):
    with compared(settings):
        memory = make.remember(text="first")
        assert thread.settle()
        assert with_vectors() == {memory.pk}
        second = make.remember(text="second")
        assert thread.settle()
        assert second.pk in with_vectors()


@for_a_thread
def test_a_write_does_not_wait_for_the_model(settings, thread):
    gate = threading.Event()

    def held(request):
        gate.wait(30)
        return vectors(request)

    with compared(settings, vectors, vectors, held):
        make.remember(text="first")
        make.remember(text="second")
        assert Vector.objects.count() == 0
        gate.set()
        assert thread.settle()
        assert Vector.objects.count() == 2


@for_a_thread
def test_what_a_crash_left_is_found_at_the_next_start(settings, thread):
    left = make.remember(text="written while nothing compared meaning")
    with compared(settings):
        thread.wake()
        assert thread.settle()
    assert with_vectors() == {left.pk}


@for_a_thread
def test_a_failing_model_is_told_once_and_asked_again(settings, thread, monkeypatch, caplog):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    script = [vectors, vectors, error(503), error(503), error(503), vectors]
    with compared(settings, *script), caplog.at_level(logging.WARNING):
        memory = make.remember(text="some text")
        for _ in range(20):
            thread.wake()
            thread.settle()
            if with_vectors():
                break
    assert with_vectors() == {memory.pk}
    told = [line.getMessage() for line in caplog.records]
    assert told == ["No vectors from concepts-1 at 127.0.0.1 for now: http_503"]


@for_a_thread
def test_one_process_works_at_a_time(settings, thread):
    with compared(settings):
        memory = make.remember(text="some text")
        thread.settle()
        Vector.objects.all().delete()
        with module._Alone() as mine:
            assert mine
            make.remember(text="another")
            thread.settle()
            assert with_vectors() == set()
        make.remember(text="a third")
        thread.settle()
    assert memory.pk not in with_vectors()
    assert Vector.objects.count() == 2


@for_a_thread
def test_without_a_model_no_thread_is_started(thread):
    make.remember(text="some text")
    thread.wake()
    assert thread._thread is None
