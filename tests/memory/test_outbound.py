"""One exchange with a server outside, held to its time and its size."""

import socket
import threading

import pytest

from memory.outbound import NoAnswer, post_json
from tests.model_server import ModelServer, Reply, error


def ask(url: str, *, seconds: float = 10, limit: int = 100):
    return post_json(url, {"茶": 1}, key="", seconds=seconds, limit=limit)


def test_an_answer_comes_as_it_is_whatever_its_status():
    with ModelServer(error(429, "later", Retry_After="7")) as server:
        answer = ask(server.url + "/x")
    assert (answer.status, answer.retry_after) == (429, "7")
    assert answer.body == b'{"error": {"message": "later"}}'
    (request,) = server.requests
    assert (request.path, request.body) == ("/v1/x", {"茶": 1})


def test_an_answer_of_the_limit_is_taken_and_one_byte_more_is_not():
    with ModelServer(Reply(b"x" * 100), Reply(b"x" * 101)) as server:
        assert len(ask(server.url).body) == 100
        with pytest.raises(NoAnswer, match=r"^too_long$"):
            ask(server.url)


def test_headers_that_drip_in_do_not_stretch_the_time():
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_dripping, args=(listening, over), daemon=True).start()
        with pytest.raises(NoAnswer, match=r"^timeout$"):
            ask(f"http://127.0.0.1:{listening.getsockname()[1]}/", seconds=0.2)
        over.set()


def _dripping(listening: socket.socket, over: threading.Event) -> None:
    connection, _ = listening.accept()
    with connection:
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"o" * 60_000:
            try:
                connection.send(bytes([byte]))
            except OSError:
                return
            if over.wait(0.05):
                return


def test_no_time_is_no_exchange():
    with ModelServer(Reply(b"x")) as server, pytest.raises(NoAnswer, match=r"^timeout$"):
        ask(server.url, seconds=0)
    assert server.requests == []
