"""Samples of the blocks of a page's frame and of lists."""

from types import SimpleNamespace

from django.contrib.messages.constants import ERROR, SUCCESS
from django.contrib.messages.storage.base import Message
from django.http import QueryDict

from memory.models import Role

from .component_data import NEW, Form, Looks, columns, days, say
from .navigation import Entry, Group
from .sparks import Spark


def of_the_frame() -> Looks:
    alert = say("The worker has not been seen for an hour.", "后台进程已有一小时没有动静。")
    return {
        "alert": [
            {"level": level, "title": level == "danger" and say("Stopped", "已停止"), "text": alert}
            for level in ("info", "success", "warning", "danger")
        ],
        "breadcrumbs": [{"crumbs": [(say("Memories", "记忆"), "/memories/"), (say(*NEW), "")]}],
        "cut": [{"rows": range(3), "most": 3}],
        "empty": [
            {
                "title": say("No memory yet", "还没有记忆"),
                "hint": say("Bring some in from a file.", "可以从文件导入。"),
                "action_url": "/imports/",
                "action_text": say("Import", "导入"),
                "symbol": "database",
            }
        ],
        "keys": [{}],
        "keys_button": [{}],
        "language": [{}],
        "messages": [
            {
                "messages": [
                    Message(SUCCESS, say("The view is kept.", "视图已保存。")),
                    Message(ERROR, say("That name is taken.", "名称已被使用。")),
                ]
            }
        ],
        "navigation": [
            {
                "groups": [
                    Group(
                        say("To decide", "待决定"),
                        [
                            Entry(
                                say("Review", "审核"),
                                "circle-dashed",
                                "/review/",
                                is_current=True,
                                badge="7",
                                badge_text=say("waiting", "待处理"),
                            ),
                            Entry(say("Inbox", "收件箱"), "alert-triangle", "/inbox/"),
                        ],
                    )
                ]
            }
        ],
        "page_header": [
            {
                "title": say("Desk", "升降桌"),
                "hint": say("What agents know of it.", "智能体所知道的。"),
                "crumbs": [(say("Memories", "记忆"), "/memories/"), (say("Desk", "升降桌"), "")],
            }
        ],
        "sidebar": [{}],
        "stat": [
            {
                "text": say("Clean checks", "通过的检查"),
                "value": 1234,
                "hint": say("of 1,240", "共 1,240 项"),
                "url": "/health/",
                "symbol": "heartbeat",
                "level": level,
                "way": way,
                "spark": Spark("0,18 25,14 50,15 75,6 100,3", say("from 3 to 12", "从 3 到 12")),
            }
            for level, way in (("", "better"), ("warning", "same"), ("danger", "worse"))
        ],
        "theme": [{}],
        "times": [{}],
        "workspace": [{}],
    }


def of_lists() -> Looks:
    chips = [
        SimpleNamespace(name="user_id", label=say("User", "用户"), text="mei", left=12),
        SimpleNamespace(name="kind", label=say("Kind", "类型"), text=say("fact", "事实"), left=3),
    ]
    options = [
        {"value": "fact", "text": say("fact", "事实"), "count": 1204, "active": True},
        {"value": "rule", "text": say("rule", "规则"), "count": 37, "active": False},
    ]
    return {
        "as_file": [{"exports": True}],
        "as_of": [
            {"then": SimpleNamespace(moment=days(-30), problem="", text="2026-03-01")},
            {
                "then": SimpleNamespace(
                    moment=None,
                    problem=say("This is no date.", "这不是日期。"),
                    text="the first of May",
                ),
                "_said": say("refused", "被拒绝"),
            },
        ],
        "chips": [{"chips": chips}],
        "column_menu": [{"shown": columns()}],
        "facet_field": [{"title": say("User", "用户"), "param": "user_id"}],
        "facets": [{"title": say("Kind", "类型"), "param": "kind", "options": options}],
        "filters_button": [{"active": 2}],
        "headings": [
            {
                "columns": [
                    [_heading(say("Memory", "记忆"))],
                    [
                        _heading(say("Updated", "更新"), "updated", "descending"),
                        _heading(say("Importance", "重要性"), "-importance"),
                    ],
                ]
            }
        ],
        "kept": [{"fields": "q", "_as_text": True}],
        "log_filters": [
            {
                "log": SimpleNamespace(form=Form.filled(name="mei", days="0")),
                "inputs": ["name", "days"],
                "facets": [(say("Kind", "类型"), "kind", options)],
                "users": ["mei", "tao"],
            }
        ],
        "no_match": [{"chips": chips}],
        "pager": [
            {
                "total": 10_000,
                "capped": True,
                "page": SimpleNamespace(start=51, end=100),
                "previous": "a",
                "next": "b",
            }
        ],
        "search": [
            {
                "search": say("desk is:active mood:good", "升降桌 is:active mood:good"),
                "hint": say("Search memories", "搜索记忆"),
                "typed": True,
                "unknown": ["mood:good"],
            }
        ],
        "states": [
            {
                "states": [
                    _state("active", say("Active", "有效"), 1204, active=True),
                    _state("any", say("Any", "全部"), 10_000, capped=True),
                ]
            }
        ],
        "view_fields": [{"shelf": _shelf(), "prefix": "new", "name": "", "role": "auditor"}],
        "views": [{"shelf": _shelf()}],
    }


def _heading(text: str, sort: str = "", direction: str = "") -> SimpleNamespace:
    return SimpleNamespace(text=text, sort=sort, direction=direction)


def _state(value: str, text: str, count: int, **fields) -> SimpleNamespace:
    return SimpleNamespace(
        **(
            {"value": value, "text": text, "count": count, "capped": False, "active": False}
            | fields
        )
    )


def _shelf() -> SimpleNamespace:
    def entry(name: str, owner: str, **fields) -> SimpleNamespace:
        view = SimpleNamespace(
            pk=1, name=name, shared=True, default_for="", owner=SimpleNamespace(get_username=owner)
        )
        usual = {"view": view, "address": "?view=1", "is_open": False, "is_mine": True, "role": ""}
        return SimpleNamespace(**(usual | fields))

    opened = entry(say("Desks", "升降桌"), "mei", is_open=True)
    return SimpleNamespace(
        page="memories",
        opened=opened.view,
        changed=True,
        query=QueryDict("user_id=mei"),
        everything="/memories/?view=none",
        entries=[opened, entry(say("Guesses", "推断"), "tao", is_mine=False)],
        may_change=True,
        may_share=True,
        roles=Role.choices,
    )
