"""An embeddings endpoint that knows a few meanings: texts that speak of one lie near each other
whatever their words, and all others equally far, as with a real model."""

import hashlib
import json
from contextlib import contextmanager

from memory.recall.asker import asker
from tests.model_server import ModelServer, Reply, Request, as_json

MEANINGS = (
    ("budget", "spend", "money", "预算", "花钱", "开销"),
    ("allerg", "peanut", "cannot eat", "过敏", "忌口"),
    ("moved", "lives", "home", "搬", "住", "家"),
    ("guitar", "music", "instrument", "吉他", "乐器"),
)
NOISE = 24


def vector(text: str) -> list[float]:
    """Most of a vector says nothing; a little of it is the text's own."""
    folded = text.casefold()
    about = [2.0 * any(word in folded for word in words) for words in MEANINGS]
    digest = hashlib.sha256(folded.encode()).digest()
    own = [(digest[n] - 127.5) / 800 for n in range(NOISE)]
    return [3.0, *about, *own]


def vectors(request: Request) -> Reply:
    rows = [
        {"object": "embedding", "index": place, "embedding": vector(text)}
        for place, text in enumerate(request.body["input"])
    ]
    return as_json({"object": "list", "data": rows[::-1]})


@contextmanager
def compared(settings, *script):
    """Within it recalls compare meaning, by an endpoint that goes by the script."""
    with ModelServer(*(script or (vectors,))) as server:
        settings.EMBEDDING, settings.EMBEDDING_URL = "openai", server.url
        settings.EMBEDDING_MODEL, settings.EMBEDDING_KEY = "concepts-1", "sk-very-secret"
        asker().warm()
        try:
            yield server
        finally:
            settings.EMBEDDING = ""


def broken(reply: Reply):
    """Good for a batch, and for every single question this."""
    return lambda request: reply if len(request.body["input"]) == 1 else vectors(request)


def body(value) -> Reply:
    return Reply(json.dumps(value).encode(), headers={"Content-Type": "application/json"})
