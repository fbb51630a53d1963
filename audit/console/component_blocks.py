"""Samples of the blocks, those of a group in the order of their files."""

from types import SimpleNamespace

from django.utils.safestring import SafeString

from memory.models import Kind, Source, Status

from .component_data import (
    LIST,
    NEW,
    OLD,
    Form,
    Looks,
    Sample,
    batch,
    days,
    former,
    memory,
    pieces,
    public_id,
    quote,
    say,
    turn,
)
from .component_lists import of_lists, of_the_frame
from .templatetags.console import word_diff


def blocks() -> list[Sample]:
    """At least one sample of every file in `templates/console/blocks/`."""
    groups = {
        "frame": of_the_frame(),
        "lists": of_lists(),
        "memories": _memory(),
        "records": _records(),
        "forms": _forms(),
    }
    return [
        Sample(
            f"blocks/{name}.html",
            {key: value for key, value in look.items() if not key.startswith("_")},
            look.get("_said", ""),
            look.get("_address", LIST),
            look.get("_as_text", False),
            group,
        )
        for group, found in groups.items()
        for name in sorted(found)
        for look in found[name]
    ]


def _memory() -> Looks:
    return {
        "confidence": [{"value": value} for value in (0.86, 0.31, None)],
        "fact_name": [{"told": memory()}, {"told": None}],
        "id": [{"id": public_id(1), "url": "/memories/"}],
        "importance": [{"value": value} for value in (1, 4)],
        "kind": [{"kind": kind} for kind in [*Kind.values, ""]],
        "links": [
            {"links": [SimpleNamespace(page="/link/", host="example.org", text="example.org/desk")]}
        ],
        "move": [
            {"before": "candidate", "after": "active"},
            {"before": "active", "after": "superseded"},
            {"before": "active", "after": ""},
        ],
        "source": [{"source": source} for source in [*Source.values, ""]],
        "status": [{"status": status} for status in Status.values],
        "validity": [
            {"begin": days(-40), "end": None},
            {"begin": days(-40), "end": days(50)},
            {"begin": days(-90), "end": days(-40)},
            {"begin": None, "end": None},
        ],
    }


def _records() -> Looks:
    word, said = say("desk", "升降桌"), say(*NEW)
    said_112 = pieces(turn().content, "112")
    fact = SimpleNamespace(
        given=former(), current=memory(), is_valid_again=False, marked=marked_change()
    )
    return {
        "differences": [
            {
                "changes": [
                    SimpleNamespace(label=say("value", "值"), marked=marked_change()),
                    SimpleNamespace(
                        label=say("domain", "领域"), marked=word_diff("office", "home office")
                    ),
                ]
            }
        ],
        "done": [
            {"batch": batch()},
            {"batch": batch(is_undone=True), "_said": say("undone since", "后来又撤销")},
        ],
        "fact_then_now": [
            {"fact": fact},
            {
                "fact": SimpleNamespace(**(vars(fact) | {"is_valid_again": True})),
                "_said": say("valid again", "又有效"),
            },
        ],
        "key_values": [
            {"pairs": [(say("User", "用户"), "mei"), (say("Agent", "智能体"), "")]},
        ],
        "ledger_text": [
            {"item": SimpleNamespace(erased=False, text_moved=True, before=say(*OLD), after=said)},
            {"item": SimpleNamespace(erased=True), "_said": say("erased", "已抹除")},
        ],
        "marked": [{"pieces": pieces(said, word)}],
        "meaning": [
            {"meaning": {"model": "nano"}},
            {"meaning": {"model": "nano", "problem": "timeout"}},
        ],
        "outcome": [
            {"outcome": SimpleNamespace(gate="", rank=2, why="")},
            {
                "outcome": SimpleNamespace(
                    gate=say("budget", "预算"), rank=0, why=say("it did not fit", "放不下了")
                )
            },
        ],
        "reached": [{"names": ["mei", "tao", "lan", "wen"], "is_cut": True}],
        "score": [
            {
                "score": 0.71,
                "parts": [("words", 0.8), (say("recency", "新近"), 0.35), ("importance", 0.6)],
            }
        ],
        "tokens": [
            {"tokens": SimpleNamespace(shown=[(word, True), ("112", False)], more=5)},
        ],
        "turn": [
            {"row": SimpleNamespace(turn=turn(), pieces=said_112, is_cut=True)},
            {"row": SimpleNamespace(turn=None), "_said": say("erased", "已抹除")},
        ],
        "turn_source": [{"row": SimpleNamespace(turn=turn(), evidence=quote())}],
    }


def _forms() -> Looks:
    plain, refused = Form.filled(), Form.filled(name="", days="0")
    return {
        "field": [{"field": plain["name"]}, {"field": refused["days"]}],
        "input": [
            {"field": plain["name"], "hint": say("As people call it.", "大家怎么叫它。")},
            {"field": refused["days"]},
        ],
    }


def marked_change() -> SafeString:
    return word_diff(say(*OLD), say(*NEW))
