"""The list of memories as a file: what its filters show, in three forms."""

import csv
import io
import json
import re

import pytest

from memory import clock
from tests import factories as make
from tests.audit.console.pages_kit import operator, stranger, text_of, viewer
from tests.memory.exchange.test_export_memories import notes_of
from tests.memory.write.test_undo_property import START
from tests.memory.write.verbs import amend

pytestmark = pytest.mark.django_db


def taken(client, query: str) -> bytes:
    answer = client.get(f"/memories/export/?{query}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def values(data: bytes) -> list[str]:
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return sorted(row["value"] or row["text"] for row in rows)


def story() -> None:
    with clock.at(START):
        first = make.budget("500")
        make.remember(text="本喜欢茶", user_id="本")
    amend(first, value="800")
    make.remember(make.scope(make.workspace("w2")), text="Sam likes tea", user_id="sam")


def test_what_the_filters_show():
    story()
    client = operator()
    assert values(taken(client, "format=csv")) == ["800", "本喜欢茶"]
    assert values(taken(client, "format=csv&status=superseded&sort=-created")) == ["500"]
    assert values(taken(client, "format=csv&status=any&user_id=ann")) == ["500", "800"]
    assert values(taken(client, "format=csv&q=喜欢&cursor=x&peek=y")) == ["本喜欢茶"]
    assert values(taken(client, f"format=csv&status=any&as_of={START:%Y-%m-%dT%H:%M:%SZ}")) == [
        "500", "本喜欢茶"
    ]  # fmt: skip
    assert values(taken(client, f"format=csv&q=预算&as_of={START:%Y-%m-%dT%H:%M:%SZ}")) == ["500"]


def test_in_three_forms():
    story()
    client = operator()
    lines = [json.loads(x) for x in taken(client, "format=jsonl&user_id=ann").splitlines()]
    assert (lines[0]["whole"], lines[0]["counts"]["memories"]) == (False, 1)
    assert json.loads(taken(client, "format=jsonl&status=any").splitlines()[0])["whole"] is True
    assert set(notes_of(taken(client, "format=markdown"))) == {"ann/user.md", "本/memories.md"}
    assert client.get("/memories/export/?format=xml").status_code == 404
    assert client.get("/memories/export/").status_code == 404
    assert client.post("/memories/export/?format=csv").status_code == 405


def test_the_button_keeps_the_filters():
    story()
    client = operator()
    page = text_of(client.get("/memories/?user_id=ann&status=any"))
    links = re.findall(r'href="(/memories/export/\?[^"]*)"', page)
    assert len(links) == 3
    for link in links:
        assert "user_id=ann" in link
        assert client.get(link.replace("&amp;", "&")).status_code == 200


def test_a_reader_of_pages_takes_nothing_away():
    story()
    client = viewer()
    assert client.get("/memories/export/?format=csv").status_code == 403
    assert "/memories/export/" not in text_of(client.get("/memories/"))


def test_another_workspace_gets_its_own():
    story()
    assert values(taken(stranger(), "format=csv")) == ["Sam likes tea"]
