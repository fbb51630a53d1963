"""Findings for the pages of the inbox, and what those show."""

from datetime import timedelta

from django.test import Client

from audit.findings.scan import scan
from audit.models import Finding, FindingEvent
from memory.models import Memory
from tests import factories as make
from tests.audit.findings import makers

HOUR = timedelta(hours=1)


def stale(text: str = "旧的门牌号", **fields) -> Memory:
    """A retracted memory that a record says was handed out."""
    memory = makers.retracted(text=text)
    makers.recorded(memory, stale=True, status="retracted", **fields)
    return memory


def finding() -> Finding:
    scan(make.scope())
    return makers.findings()[0]


def address(one: Finding, verb: str = "") -> str:
    return f"/inbox/{one.pk}/{verb}/" if verb else f"/inbox/{one.pk}/"


def listed(client: Client, tab: str = "") -> list:
    response = client.get("/inbox/", {"status": tab} if tab else {})
    return [row.finding.memory_id for row in response.context["rows"]]


def events() -> list[tuple[str, str, str]]:
    rows = FindingEvent.objects.exclude(actor="scan").order_by("id")
    return list(rows.values_list("actor", "verb", "text"))
