"""Invented things for the samples of the component page. No row of the store is among them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils import translation

from memory import clock
from memory.models import Memory, Status, Turn, Workspace

from .columns import PARAMETER, USUAL, Columns
from .navigation import navigation

LIST = "/memories/?user_id=mei&kind=preference"
# By the name of a block what it is given, once a look; a name that begins with "_" is of the
# `Sample`.
Looks = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Sample:
    """One look of a template, named from `templates/console/`. `said` tells it from the other
    looks; `address` is the page that it stands on; `as_text`: there is nothing to see of it but
    its HTML; `group`: with which others it is shown."""

    template: str
    context: Mapping[str, Any]
    said: str = ""
    address: str = LIST
    as_text: bool = False
    group: str = "parts"


def say(en: str, zh: str) -> str:
    """What somebody wrote, in the language that the page is shown in."""
    return zh if (translation.get_language() or "").startswith("zh") else en


def public_id(number: int) -> UUID:
    return UUID(int=0x5EED_0000_0000_7000_8000_0000_0000_0000 + number * 0x9E37_79B9)


def days(number: float):
    """The instant so many days from now, ago where negative."""
    return clock.now() + timedelta(days=number)


def workspace(number: int = 1) -> Workspace:
    title = say("Tea house", "茶舍") if number == 1 else say("Workshop", "工坊")
    return Workspace(pk=number, name=f"sample-{number}", title=title)


def person(name: str = "mei") -> SimpleNamespace:
    return SimpleNamespace(
        get_username=name, get_full_name="", username=name, is_authenticated=True, is_staff=True
    )


def frame() -> dict[str, Any]:
    """What the frame of a page knows: `console` and `user`."""
    rights = dict.fromkeys(
        ("may_erase", "may_correct", "may_operate", "may_audit", "may_administer"), True
    )
    console = SimpleNamespace(
        environment="PRODUCTION",
        section="review",
        workspace=workspace(),
        workspaces=[workspace(), workspace(2)],
        waiting="7",
        open_findings="99+",
        **rights,
    )
    console.navigation = navigation(console)
    return {"console": console, "user": person()}


def columns() -> Columns:
    """The usual columns of a list of memories, whatever the person has chosen."""
    usual = QueryDict(mutable=True)
    usual.setlist(PARAMETER, USUAL["memories"])
    return Columns(SimpleNamespace(GET=usual), "memories")


OLD = ("Mei's desk stands at 104 cm in the morning.", "小梅早上把升降桌调到 104 厘米。")
NEW = ("Mei's desk stands at 112 cm in the afternoon.", "小梅下午把升降桌调到 112 厘米。")


def memory(number: int = 1, **fields) -> Memory:
    """A memory that was never stored."""
    said = say(*NEW)
    usual = {
        "id": number,
        "public_id": public_id(number),
        "workspace": workspace(),
        "user_id": "mei",
        "agent_id": "planner",
        "session_id": "s-20",
        "entity": say("desk", "升降桌"),
        "attribute": say("height", "高度"),
        "value": say("112 cm", "112 厘米"),
        "text": said,
        "summary": said,
        "kind": "preference",
        "layer": "semantic",
        "domain": "office",
        "tags": ["office", "desk"],
        "source": "user_said",
        "importance": 4,
        "confidence": 0.86,
        "status": Status.ACTIVE,
        "fact": public_id(900),
        "version": 3,
        "created_at": days(-40),
        "updated_at": days(-0.2),
        "valid_from": days(-40),
        "expires_at": days(50),
    }
    return Memory(**(usual | fields))


def former(**fields) -> Memory:
    said = say(*OLD)
    usual = {
        "text": said,
        "summary": said,
        "value": say("104 cm", "104 厘米"),
        "status": Status.SUPERSEDED,
        "version": 2,
        "created_at": days(-90),
        "valid_from": days(-90),
        "expires_at": None,
        "valid_to": days(-40),
        "confidence": 0.41,
    }
    return memory(2, **(usual | fields))


def turn() -> Turn:
    said = say(
        "After lunch I need the desk higher: 112 cm is right.", "午饭后桌子要高一点：112 厘米正好。"
    )
    return Turn(
        public_id=public_id(30),
        workspace=workspace(),
        user_id="mei",
        session_id="s-20",
        role="user",
        content=said,
        occurred_at=days(-40),
    )


def quote() -> SimpleNamespace:
    """The turn with the words that the memory was made of."""
    said, words = turn().content, say("112 cm is right", "112 厘米正好")
    start = said.index(words)
    return SimpleNamespace(
        turn=turn(), text=said, start=start, end=start + len(words), is_cut=False
    )


def pieces(text: str, word: str) -> list[tuple[str, bool]]:
    """The text cut where it says `word`."""
    before, met, after = text.partition(word)
    return [(before, False), (met, True), (after, False)]


class ThreeChanges:
    """Those of a batch that was never stored."""

    def order_by(self):
        return self

    def __getitem__(self, part: slice):
        return self

    def count(self) -> int:
        return 3


def batch(**fields) -> SimpleNamespace:
    usual = {
        "pk": 1,
        "public_id": public_id(60),
        "verb": "correct",
        "actor": "person:mei",
        "surface": "console",
        "at": days(-0.01),
        "reason": say("Measured again.", "重新量过。"),
        "is_undone": False,
        "undoes": None,
        "changes": ThreeChanges(),
    }
    return SimpleNamespace(**(usual | fields))


class Form(forms.Form):
    """A form as pages have them: `filled` it is refused."""

    name = forms.CharField(max_length=20, widget=forms.TextInput({"class": "form-control"}))
    days = forms.IntegerField(
        min_value=1, widget=forms.NumberInput({"class": "form-control"}), required=False
    )

    @classmethod
    def filled(cls, **data) -> "Form":
        form = cls(data or None)
        form.fields["name"].label = say("Name", "名称")
        form.fields["days"].label = say("Days", "天数")
        form.fields["name"].help_text = say("At most 20 characters.", "最多 20 个字。")
        return form
