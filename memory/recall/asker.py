"""A question's vector, in the time that a recall can spare."""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from queue import Empty, SimpleQueue
from typing import Any

from django.conf import settings

from memory.index.embedding import Embedder, EmbeddingError, embedder
from memory.text.language import language

from .unrelated import UNRELATED

logger = logging.getLogger(__name__)
# After a failure the model is left alone for so long, and no recall waits for it.
SILENT_SECONDS = 30.0
# A command's process has just begun and may wait for the model to load.
PATIENT_SECONDS = 30.0
REMEMBERED = 256


@dataclass(frozen=True)
class Asked:
    """A question's `vector` of length 1. `base` is its mean cosine to sentences that have nothing
    to do with it, `spread` the usual deviation of such cosines."""

    vector: Any = field(repr=False)
    base: float
    spread: float


@dataclass(frozen=True)
class _Unrelated:
    vectors: Any
    spread: float


class Asker:
    """Asks one model for questions' vectors; it tells the log once when that begins to fail."""

    def __init__(self, model: Embedder) -> None:
        self.model = model
        self._loading = threading.Lock()
        self._unrelated: Mapping[str, _Unrelated] | None = None
        self._silent_until, self._problem = 0.0, ""
        self._remembered = lru_cache(REMEMBERED)(self._work)

    def ask(self, text: str, *, patient: bool = False) -> Asked:
        """The question's vector within the time that the settings give. Raises `EmbeddingError`,
        at once while the model is loading ("loading") or has just failed."""
        if time.monotonic() < self._silent_until:
            raise EmbeddingError(self._problem)
        if self._unrelated is None and not patient:
            threading.Thread(target=self.warm, name="embedding-warm", daemon=True).start()
            raise EmbeddingError("loading")
        seconds = PATIENT_SECONDS if patient else settings.EMBEDDING_TIMEOUT
        # In a thread, because looking up a host's name knows no time limit.
        answer: SimpleQueue[Asked | EmbeddingError] = SimpleQueue()
        threading.Thread(
            target=lambda: answer.put(self._tried(text, seconds)), name="embedding", daemon=True
        ).start()
        try:
            found = answer.get(timeout=seconds)
        except Empty:
            found = EmbeddingError("timeout")
        if isinstance(found, EmbeddingError):
            self._fall_silent(found.code)
            raise found
        self._problem = ""
        return found

    def warm(self) -> None:
        """Load the model, so that no question waits for it."""
        if not self._loading.acquire(blocking=False):
            return
        try:
            self._load()
        except EmbeddingError as error:
            self._fall_silent(error.code)
        finally:
            self._loading.release()

    def _tried(self, text: str, seconds: float) -> Asked | EmbeddingError:
        try:
            if self._unrelated is None:
                with self._loading:
                    self._load()
            return self._remembered(text, seconds)
        except EmbeddingError as error:
            return error

    def _load(self) -> None:
        if self._unrelated is None:
            self._unrelated = {
                name: _measured(self.model, sentences) for name, sentences in UNRELATED.items()
            }

    def _work(self, text: str, seconds: float) -> Asked:
        from memory.index.vectors import unit

        vector = unit(self.model.question(text, seconds))
        unrelated = self._unrelated[language(text)]
        if vector.shape != unrelated.vectors.shape[1:]:
            raise EmbeddingError("wrong_size")
        return Asked(vector, float((unrelated.vectors @ vector).mean()), unrelated.spread)

    def _fall_silent(self, problem: str) -> None:
        if not self._problem:
            logger.warning("No meaning from %s for now: %s", self.model.name, problem)
        self._silent_until, self._problem = time.monotonic() + SILENT_SECONDS, problem


def warm_meaning() -> None:
    """Begin to load the model, in the background, where the settings name one."""
    if model := asker():
        threading.Thread(target=model.warm, name="embedding-warm", daemon=True).start()


def asker() -> Asker | None:
    """The one for the model that the settings name; None when they name none."""
    model = embedder()
    return model and _asker(model)


@cache
def _asker(model: Embedder) -> Asker:
    return Asker(model)


def _measured(model: Embedder, sentences: tuple[str, ...]) -> _Unrelated:
    """The sentences' vectors, and how far one's cosines to the others lie apart on average."""
    from memory.index.vectors import unit

    vectors = unit(model.passages(sentences))
    cosines = vectors @ vectors.T
    count = len(sentences)
    others = cosines[[[i != j for j in range(count)] for i in range(count)]]
    spread = others.reshape(count, count - 1).std(axis=1).mean()
    return _Unrelated(vectors, float(spread))
