"""The real client of mem0, kept from writing into the home folder and from calling anybody."""

import atexit
import os
import shutil
import socket
import tempfile

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

# Read when the client is imported, which the tests do after this.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
atexit.register(shutil.rmtree, os.environ["MEM0_DIR"], ignore_errors=True)
LOCAL = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(autouse=True)
def _calls_nobody(monkeypatch):
    connect = socket.socket.connect

    def only_here(self, address):
        assert self.family == socket.AF_UNIX or address[0] in LOCAL, address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)


@pytest.fixture(autouse=True)
def _one_connection():
    """A request in this process ends without closing the test's own connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
