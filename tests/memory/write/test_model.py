"""Asking a model: what is sent, what is taken for an answer, and every way to fail."""

import json
import logging
import runpy
import socket
import threading
import time
import traceback
from pathlib import Path

import pytest
from environ import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict

from memory.write import model
from memory.write.model import ModelUnavailable, ask, is_configured
from tests import model_server
from tests.model_server import ModelServer, Reply, as_json, error, message, said

KEY = "sk-own-5f1c-secret"
CHAT = [{"role": "user", "content": "茶 or coffee?"}]


class Drink(BaseModel):
    model_config = ConfigDict(strict=True)

    name: str
    cups: int


TEA = {"name": "茶", "cups": 2}


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


def test_a_question_as_it_goes_out_and_its_answer(asked):
    answer, requests = asked(said(TEA))
    assert answer == Drink(name="茶", cups=2)
    (request,) = requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body["model"] == "small"
    assert request.body["messages"] == CHAT
    assert request.body["temperature"] == 0
    assert request.body["stream"] is False
    wanted = request.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"]["required"] == ["name", "cups"]


def test_without_a_key_no_authorization_goes_out(configured, settings):
    with ModelServer(said(TEA)) as server:
        configured(server)
        settings.MODEL_KEY = ""
        ask(CHAT, Drink)
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize("missing", ["MODEL_URL", "MODEL_NAME"])
def test_nothing_is_asked_without_an_address_and_a_name(configured, settings, missing):
    with ModelServer(said(TEA)) as server:
        configured(server)
        assert is_configured()
        setattr(settings, missing, "")
        assert not is_configured()
        with pytest.raises(ModelUnavailable, match=r"^not_configured$"):
            ask(CHAT, Drink)
    assert server.requests == []


@pytest.mark.parametrize(
    "content",
    [
        "```json\n" + json.dumps(TEA) + "\n```",
        "Here you are: " + json.dumps(TEA, ensure_ascii=False) + " Enjoy!",
        '<think>{"name": "coffee"} or tea?</think>\n' + json.dumps(TEA),
        json.dumps(TEA | {"why": "cheap"}),
    ],
)
def test_the_json_is_found_in_what_a_model_says_around_it(asked, content):
    answer, requests = asked(said(content))
    assert answer == Drink(**TEA)
    assert len(requests) == 1


def test_the_body_decides_not_its_content_type(asked):
    answer, _ = asked(said(TEA, headers={"Content-Type": "text/plain"}))
    assert answer == Drink(**TEA)
    code, requests = asked(model_server.PAGE)
    assert (code, len(requests)) == ("not_json", 1)


BROKEN = said('{"name": "茶", "cups": ')
MISSHAPEN = said({"name": "茶", "cups": "two"})


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (BROKEN, "no JSON"),
        (said("I would rather not."), "no JSON"),
        (said('{"name": "茶", "cups": NaN}'), "no JSON"),
        (said("[" * 100_000), "no JSON"),
        (MISSHAPEN, "cups"),
        (said([TEA]), "the whole"),
        (said({"cups": 2}), "name"),
        (model_server.TOOL_CALL, "no tools"),
    ],
)
def test_a_bad_answer_is_told_to_the_model_once(asked, bad, complaint):
    answer, requests = asked(bad, said(TEA))
    assert answer == Drink(**TEA)
    first, second = requests
    assert first.messages == CHAT
    assert second.messages[:1] == CHAT
    assert [said["role"] for said in second.messages] == ["user", "assistant", "user"]
    assert complaint in second.messages[-1]["content"]
    assert all(len(said["content"]) <= 2_000 for said in second.messages)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (BROKEN, "not_json"),
        (MISSHAPEN, "wrong_shape"),
        (model_server.TOOL_CALL, "tool_call"),
        (model_server.NO_CHOICE, "empty"),
        (model_server.SILENCE, "empty"),
        (as_json(message(None)), "empty"),
        (error(500), "http_500"),
        (error(503), "http_503"),
    ],
)
def test_what_stays_bad_is_asked_twice_and_no_more(asked, bad, code):
    got, requests = asked(bad)
    assert (got, len(requests)) == (code, 2)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (error(401), "http_401"),
        (error(404, "no such model"), "http_404"),
        (error(400, "context is too long"), "http_400"),
        (error(429), "http_429"),
        (error(429, Retry_After="30"), "http_429"),
        (error(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"), "http_429"),
        (error(429, Retry_After="-1"), "http_429"),
        (as_json({"choices": "none"}), "wrong_shape"),
        (as_json([]), "wrong_shape"),
        (as_json({"choices": [{"message": "hello"}]}), "wrong_shape"),
        (as_json(message([{"type": "text", "text": "{}"}])), "wrong_shape"),
        (as_json(message('{"name": "te', "length")), "too_long"),
        (model_server.HUGE, "too_long"),
        (Reply(b"\xff\xfe\xfa"), "not_json"),
        (Reply(b"[" * 100_000), "not_json"),
    ],
)
def test_what_asking_again_would_not_mend_is_asked_once(asked, bad, code):
    got, requests = asked(bad)
    assert (got, len(requests)) == (code, 1)


def test_after_a_failure_of_the_server_the_same_is_asked_again(asked):
    answer, (first, second) = asked(error(502), said(TEA))
    assert answer == Drink(**TEA)
    assert second.body == first.body


def test_a_short_retry_after_is_waited_for(asked, monkeypatch):
    slept = []
    monkeypatch.setattr(model.time, "sleep", slept.append)
    answer, requests = asked(error(429, Retry_After="2"), said(TEA))
    assert (answer, len(requests), slept) == (Drink(**TEA), 2, [2])


def test_a_retry_after_beyond_the_time_left_is_not_waited_for(asked, monkeypatch):
    monkeypatch.setattr(model.time, "sleep", lambda seconds: pytest.fail("waited"))
    code, requests = asked(error(429, Retry_After="2"), said(TEA), seconds=1)
    assert (code, len(requests)) == ("http_429", 1)


@pytest.mark.parametrize(
    "slow", [said(TEA, delay=0.5), said(TEA, drip=0.05)], ids=["silent", "drop by drop"]
)
def test_the_time_is_bounded_however_the_server_spends_it(asked, slow):
    begun = time.monotonic()
    code, requests = asked(slow, seconds=0.2)
    assert (code, len(requests)) == ("timeout", 1)
    # The drops alone would take 8 s.
    assert time.monotonic() - begun < 4


def test_the_second_try_has_only_the_time_that_the_first_left(asked):
    code, requests = asked(said("hm", delay=0.25), said(TEA, delay=0.4), seconds=0.5)
    assert (code, len(requests)) == ("timeout", 2)


def test_a_redirect_is_not_followed(asked):
    with ModelServer(said(TEA)) as elsewhere:
        for status in (301, 302, 307, 308):
            away = error(status, Location=elsewhere.url + "/chat/completions")
            code, requests = asked(away)
            assert (code, len(requests)) == (f"http_{status}", 1)
    assert elsewhere.requests == []


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
        return runpy.run_path(str(Path(__file__).parents[3] / "mase_site" / "settings.py"))

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
