"""Endpoints of a model: nobody there, one with manners of its own, and what settings name."""

import logging
import runpy
import socket
import threading
import traceback
from pathlib import Path

import pytest
from environ import ImproperlyConfigured

from memory.write.model import ModelUnavailable, ask
from tests.model_server import ModelServer, Reply, error, said

from .drink import CHAT, KEY, TEA, Drink


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_nobody_there(configured):
    configured(f"http://127.0.0.1:{closed_port()}/v1")
    with pytest.raises(ModelUnavailable, match=r"^refused$"):
        ask(CHAT, Drink)


def test_no_question_goes_in_the_clear_where_tls_was_asked_for(configured):
    with ModelServer(said(TEA)) as server:
        configured(server.url.replace("http://", "https://"))
        with pytest.raises(ModelUnavailable, match=r"^refused$"):
            ask(CHAT, Drink)
    assert server.requests == []


def test_somebody_there_who_speaks_no_http(configured):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_mumble, args=(listening,), daemon=True).start()
        configured(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        with pytest.raises(ModelUnavailable, match=r"^refused$"):
            ask(CHAT, Drink)


def _mumble(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.sendall(b"220 ready\r\n\r\n")


def picky(*refuses: str):
    """A server that does not know some settings, as older ones and small ones do not."""

    def answer(request):
        kind = request.body.get("response_format", {}).get("type")
        if kind in refuses:
            return error(400, f"'response_format' of type '{kind}' is not supported")
        if "temperature" in refuses and "temperature" in request.body:
            return error(400, "Unsupported value: 'temperature' must be 1")
        return said(TEA)

    return answer


@pytest.mark.parametrize(
    ("refuses", "settled"),
    [
        (("json_schema",), {"type": "json_object"}),
        (("json_schema", "json_object"), None),
    ],
)
def test_what_a_server_does_not_know_is_left_out_and_remembered(configured, refuses, settled):
    with ModelServer(picky(*refuses)) as server:
        configured(server)
        assert ask(CHAT, Drink) == Drink(**TEA)
        assert len(server.requests) == len(refuses) + 1
        assert server.requests[-1].body.get("response_format") == settled
        assert ask(CHAT, Drink) == Drink(**TEA)
        assert len(server.requests) == len(refuses) + 2


def test_a_model_that_takes_no_temperature_is_asked_without(configured):
    with ModelServer(picky("temperature")) as server:
        configured(server)
        ask(CHAT, Drink)
        ask(CHAT, Drink)
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]
    assert all("response_format" in request.body for request in server.requests)


def test_one_endpoint_s_manners_are_not_another_s(configured):
    for server in (ModelServer(picky("json_schema")), ModelServer(picky())):
        with server:
            configured(server)
            ask(CHAT, Drink)
    assert server.requests[0].body["response_format"]["type"] == "json_schema"


def test_a_server_that_refuses_everything_is_left_in_peace(asked):
    code, requests = asked(error(400, "response_format and temperature: unknown"))
    assert (code, len(requests)) == ("http_400", 4)


@pytest.mark.parametrize(
    "bad",
    [
        error(401, f"wrong key {KEY}"),
        error(500, f"wrong key {KEY}"),
        said(f"your key is {KEY}"),
        said({"name": KEY, "cups": KEY}),
        said(TEA, delay=0.3),
        Reply(KEY.encode(), headers={"Transfer-Encoding": "chunked"}),
    ],
)
def test_the_key_is_in_no_error_and_no_log(configured, caplog, bad):
    caplog.set_level(logging.DEBUG)
    with ModelServer(bad) as server:
        configured(server, seconds=0.2)
        with pytest.raises(ModelUnavailable) as caught:
            ask(CHAT, Drink)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert KEY not in told


def test_a_key_that_no_header_takes_is_not_shown_either(configured, settings):
    with ModelServer(said(TEA)) as server:
        configured(server)
        settings.MODEL_KEY = f"{KEY}\r\nX-More: 1"
        with pytest.raises(ModelUnavailable, match=r"^refused$") as caught:
            ask(CHAT, Drink)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert server.requests == []


@pytest.fixture
def site(monkeypatch, tmp_path):
    """The settings as they come out of these environment variables."""

    def read(**variables: str) -> dict:
        for name, value in {"MASE_DATA_DIR": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(Path(__file__).parents[4] / "mase_site" / "settings.py"))

    return read


def test_the_settings_name_an_endpoint(site):
    address = "https://model.example:8443/v1"
    read = site(MASE_MODEL_URL=f" {address} ", MASE_MODEL="small", MASE_MODEL_KEY=f"{KEY}\n")
    assert (read["MODEL_URL"], read["MODEL_NAME"]) == (address, "small")
    assert (read["MODEL_KEY"], read["MODEL_TIMEOUT_SECONDS"]) == (KEY, 60)


@pytest.mark.parametrize(
    "variables",
    [
        {"MASE_MODEL_URL": "file:///etc/hosts"},
        {"MASE_MODEL_URL": "model.example/v1"},
        {"MASE_MODEL_URL": "http:///v1"},
        {"MASE_MODEL_URL": "http://model.example:port/v1"},
        {"MASE_MODEL_URL": "http://[::1/v1"},
        {"MASE_MODEL_URL": f"http://me:{KEY}@model.example/v1"},
        {"MASE_MODEL_URL": f"http://model.example/v1?key={KEY}"},
        {"MASE_MODEL": ""},
        {"MASE_MODEL_KEY": f"{KEY}\n{KEY}"},
        {"MASE_MODEL_KEY": f"{KEY}。"},
        {"MASE_MODEL_TIMEOUT": "0"},
        {"MASE_MODEL_TIMEOUT": "601"},
    ],
)
def test_an_endpoint_that_cannot_be_meant_is_refused_at_start(site, variables):
    good = {"MASE_MODEL_URL": "http://model.example/v1", "MASE_MODEL": "small"}
    with pytest.raises(ImproperlyConfigured) as caught:
        site(**good | variables)
    assert KEY not in str(caught.value)
