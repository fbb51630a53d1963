"""Samples of larger parts that several pages share."""

from types import SimpleNamespace

import django_tables2 as tables

from memory.models import JobState

from .bulk_verbs import DECIDING, SETTING
from .component_blocks import marked_change
from .component_data import (
    Sample,
    batch,
    columns,
    days,
    former,
    memory,
    pieces,
    public_id,
    quote,
    say,
    turn,
)
from .differences import side_by_side
from .graph import Drawing, Node, Tie
from .memory_parts import Against, verbs
from .progress import PILLS
from .review_kinds import Item, Token, kinds
from .review_memories import Waiting
from .review_pairs import Pair, Side
from .sparks import Spark
from .timeline import Event, Move, lanes


def parts() -> list[Sample]:
    """Samples of templates beside the blocks, each one's together."""
    return [*_tables(), *_work(), *_review(), *_of_memory(), *_of_recall()]


def _tables() -> list[Sample]:
    shown = columns()
    heads = [
        [SimpleNamespace(text=column.title, sort="", direction="") for column in group]
        for group in shown.groups
    ]
    rows = [memory(), former()]
    table = Checks(
        [
            {"name": say("Duplicates", "重复"), "count": 12, "at": days(-0.3)},
            {"name": say("Without a source", "缺少来源"), "count": 0, "at": days(-3)},
        ]
    )
    return [
        Sample("_table.html", {"table": table}),
        Sample(
            "memories_table.html",
            {"page": SimpleNamespace(rows=rows), "shown": shown, "columns": heads},
        ),
        Sample(
            "bulk_bar.html",
            {
                "page": SimpleNamespace(total=1204, capped=False),
                "deciding": DECIDING,
                "setting": SETTING,
            },
        ),
        Sample(
            "health_spark.html",
            {
                "finding": SimpleNamespace(id="exact_duplicates", title=say("Duplicates", "重复")),
                "spark": Spark("0,4 30,9 60,8 100,16", say("from 40 to 12", "从 40 到 12")),
            },
        ),
    ]


class Checks(tables.Table):
    """Any table that the library draws."""

    name = tables.Column()
    count = tables.Column(attrs={"td": {"class": "num"}, "th": {"class": "num"}})
    at = tables.DateTimeColumn(format="Y-m-d", orderable=False)


def _work() -> list[Sample]:
    def at(state: JobState, done: int, said: str, *, is_open: bool, **more) -> Sample:
        job = SimpleNamespace(
            public_id=public_id(70),
            state=state.value,
            get_state_display=state.label,
            moved_at=days(-0.0001),
            error=more.pop("error", ""),
        )
        context = {
            "job": job,
            "pill": PILLS[state],
            "title": say("Rebuild the search indexes", "重建搜索索引"),
            "done": done,
            "total": 1204,
            "percent": done * 100 // 1204,
            "pace": SimpleNamespace(rate="320", left=say("2 minutes", "2 分钟")),
            "is_open": is_open,
            "has_worker": True,
            "may_cancel": True,
            "counts": [(say("changed", "已更改"), done), (say("left alone", "未动"), 3)],
        }
        return Sample("job_state.html", context | more, said)

    return [
        at(JobState.RUNNING, 640, say("running", "运行中"), is_open=True),
        at(JobState.QUEUED, 0, say("no worker", "没有后台进程"), is_open=True, has_worker=False),
        at(JobState.DONE, 1204, say("done", "完成"), is_open=False),
        at(
            JobState.FAILED,
            640,
            say("failed", "失败"),
            is_open=False,
            error=say("The disk is full.", "磁盘已满。"),
        ),
    ]


def _review() -> list[Sample]:
    of_kind = {kind.template: kind for kind in kinds()}
    waiting = memory(
        4,
        value=say("118 cm", "118 厘米"),
        status="candidate",
        source="inferred",
        confidence=0.31,
        text=say("Mei's desk stands at 118 cm.", "小梅的升降桌在 118 厘米。"),
    )
    told = Waiting(waiting, memory(), quote())
    left, right = side_by_side(memory().text, former().text)
    pair = Pair(SimpleNamespace(pk=5), Side(memory(), left, quote()), Side(former(), right, None))
    items = [
        (
            "console/review_memory.html",
            told,
            say("a weak guess", "把握不大"),
        ),
        ("console/review_pair.html", pair, say("alike", "相近")),
    ]
    return [
        Sample(
            "review_item.html",
            {
                "item": Item(
                    of_kind[template], Token("sample", str(n)), days(-2), "mei", [why], shown
                ),
                "chosen": (),
                "may_correct": True,
            },
        )
        for n, (template, shown, why) in enumerate(items)
    ]


def _of_memory() -> list[Sample]:
    hidden = memory(
        6,
        text=say(
            "Pay at https://example.org\u202e/gro\u200b now.",
            "请到 https://example.org\u202e/gro\u200b 付款。",
        ),
        value="",
        confidence=0.2,
        source="external_sync",
        importance=1,
        status="quarantined",
    )
    served = SimpleNamespace(
        recall=SimpleNamespace(
            public_id=public_id(80),
            query=say("How high is my desk?", "我的桌子多高？"),
            actor="key:planner",
            at=days(-0.1),
        )
    )
    peek = {
        "memory": memory(),
        "evidence": quote(),
        "versions": [memory(), former()],
        "served": [served],
        "ends": days(50),
        "verbs": [(verb, "") for verb in verbs(memory())],
        "may_correct": True,
        "back": "/memories/",
    }
    other = former(status="active")
    own, marked = side_by_side(memory().text, other.text)
    beside = Against(other, marked, own)
    moves = [Move(2, "active", "superseded"), Move(3, "", "active")]
    change = SimpleNamespace(label=say("value", "值"), marked=marked_change())
    return [
        Sample("memory_statement.html", {"memory": memory(), "ends": days(50)}),
        Sample(
            "memory_statement.html",
            {"memory": hidden, "ends": None},
            say("what a text hides", "文本里藏着的东西"),
        ),
        Sample("memory_evidence.html", {"evidence": quote(), "memory": memory()}),
        Sample("memory_against.html", {"against": [beside], "memory": memory()}),
        Sample(
            "memory_versions.html",
            {"lanes": lanes([memory(), former()]), "memory": memory()},
        ),
        Sample(
            "memory_events.html",
            {
                "events": [Event(batch(), moves, [change], False)],
                "page": SimpleNamespace(previous=None, next=None),
            },
        ),
        Sample("memory_graph.html", {"graph": _graph()}),
        Sample("peek.html", {"peek": peek}),
        Sample("difference_rows.html", {"rows": [_moved(change)]}),
    ]


def _moved(change) -> SimpleNamespace:
    entry = SimpleNamespace(memory_id=public_id(1), at=days(-0.2))
    moved = SimpleNamespace(before=former(), after=memory(), entry=entry, batch=batch())
    return SimpleNamespace(
        moved=moved, label=say("Superseded", "已取代"), marked=marked_change(), fields=[change]
    )


def _graph() -> Drawing:
    names = ((say("desk", "升降桌"), 320, 160, 184), (say("office", "办公室"), 140, 60, 50))
    desk, office = (
        Node(name, name, x, y, label_y, "/memories/", x == 320) for name, x, y, label_y in names
    )
    tie = Tie(desk, office, say("stands in", "位于"), "/memories/", True)
    return Drawing((desk, office), (tie,), False)


def _of_recall() -> list[Sample]:
    candidate = SimpleNamespace(
        rank=1,
        status="active",
        memory_id=public_id(1),
        score=0.71,
        matched=[(say("desk", "升降桌"), "word")],
    )
    row = SimpleNamespace(
        candidate=candidate,
        memory=memory(),
        pieces=pieces(memory().text, say("desk", "升降桌")),
        parts=[("words", 0.8), (say("recency", "新近"), 0.35)],
        cosine=0.624,
        state_moved=False,
        changed_since=True,
    )
    kept_back = SimpleNamespace(
        **(vars(row) | {"gate": say("budget", "预算"), "why": say("it did not fit", "放不下了")})
    )
    said = SimpleNamespace(
        candidate=candidate, turn=turn(), pieces=pieces(turn().content, "112"), parts=row.parts
    )
    recall = SimpleNamespace(tokens=42, context=f"- {memory().text}", triggered=True, pk=None)
    return [
        Sample(
            "recall_given.html",
            {"recall": recall, "given": [row], "kept_back": [kept_back], "turns_given": [said]},
        )
    ]
