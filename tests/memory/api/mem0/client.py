"""mem0's own client, put in front of this site in the same process."""

import httpx
from django.core.handlers.wsgi import WSGIHandler
from mem0 import MemoryClient

from memory.models import Memory
from tests.factories import api_key, scope

HOST = "http://testserver"
ANN = {"user_id": "ann"}


def mem0(text: str | None = None, **fields) -> MemoryClient:
    """A client whose key may do everything in workspace w1, unless `fields` say less."""
    transport = httpx.WSGITransport(app=WSGIHandler())
    http = httpx.Client(transport=transport, base_url=HOST)
    return MemoryClient(api_key=text or api_key(**fields)[1], host=HOST, client=http)


def add(client: MemoryClient, text: str, user_id: str = "ann", **more) -> dict:
    """One memory, as it stands; its form."""
    answer = client.add(text, user_id=user_id, infer=False, **more)
    return answer["results"][0]


def texts(answer) -> list[str]:
    return [row["memory"] for row in (answer["results"] if isinstance(answer, dict) else answer)]


def rows(**wanted):
    return Memory.objects.within(scope()).filter(**wanted).order_by("id")
