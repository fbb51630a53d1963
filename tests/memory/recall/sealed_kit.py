"""A record that has all that can be sealed, and its rows changed by hand."""

import json
from datetime import timedelta

from django.db import connection

from memory import clock
from memory.models import Recall, Scope
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome
from memory.recall.verify import read_document
from tests import factories as make

START = make.instant("2026-03-01 09:00")


def kept() -> Recall:
    """A record that has all: rewrite-free texts, filters, kept back rows, outcome, feedback."""
    with clock.at(START):
        make.remember(text="灯塔的守塔人姓陆", kind="fact", domain="harbour", user_id="lamp-keeper")
        make.remember(text="灯塔每周擦玻璃", kind="rule", domain="harbour", user_id="lamp-keeper")
        make.remember(text="the lighthouse wick is new", kind="event", user_id="lamp-keeper")
    scope = Scope(make.workspace().pk, "key:guide", "api", "lamp-keeper")
    with clock.at(START + timedelta(hours=1)):
        record = make.ask(
            "灯塔的守塔人是谁，wick lighthouse?", scope, session_id="night-9", limit=1,
            domains=["harbour"], prompt_tokens=9000,
        ).record  # fmt: skip
        add_outcome(record, prompt="守塔人？", answer="灯塔的守塔人姓陆。")
        add_feedback(record, "good", "", "key:guide")
        add_feedback(record, "wrong", "擦玻璃不够", "key:guide")
    return Recall.everywhere.get(pk=record.pk)


def as_sent(document: dict) -> dict:
    return read_document(json.dumps(document, ensure_ascii=False).encode())


def sql(statement: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1
