"""Settings that point at a server of a test, and one question to it."""

import pytest

from memory.write.model import ModelUnavailable, ask
from tests.model_server import ModelServer

from .drink import CHAT, KEY, Drink


@pytest.fixture
def configured(settings):
    """Points the settings at a server; short on time unless the test says otherwise."""

    def point(server: ModelServer | str, seconds: float = 10) -> None:
        settings.MODEL_URL = server if isinstance(server, str) else server.url
        settings.MODEL_NAME = "small"
        settings.MODEL_KEY = KEY
        settings.MODEL_TIMEOUT_SECONDS = seconds

    return point


@pytest.fixture
def asked(configured):
    """What comes of one question to a server with this script: the answer or the code, and
    the requests that it took."""

    def run(*script, seconds: float = 10):
        with ModelServer(*script) as server:
            configured(server, seconds)
            try:
                return ask(CHAT, Drink), server.requests
            except ModelUnavailable as error:
                return error.code, server.requests

    return run
