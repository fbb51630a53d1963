"""Facts that are corrected in plain words, and the pages on the way."""

from memory.models import Memory
from tests import factories as make


def fact(entity="白鹭组", attribute="差旅上限", value="1500", **fields) -> Memory:
    return make.remember(
        **{"entity": entity, "attribute": attribute, "value": value, "session_id": "s1"} | fields
    )


def shop(names=("电话", "店长")) -> list[Memory]:
    return [fact("蓝湾店", name, f"第{n}项") for n, name in enumerate(names)]


def said(client, text, **fields):
    """The preview page after the box was sent."""
    return client.post("/corrections/new/", {"text": text, "user_id": "ann"} | fields, follow=True)


def address(response) -> str:
    return response.request["PATH_INFO"]


def decide(client, page, verb="apply", **fields):
    return client.post(f"{address(page)}{verb}/", fields, follow=True)


def states() -> set[str]:
    return set(Memory.everywhere.values_list("status", flat=True))
