"""What a first visit loads."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests import factories as make

pytestmark = pytest.mark.django_db

MOST_BYTES = 200_000
LINKED = re.compile(r'(?:src|href)="/static/([^"#]+)')


def weight(client, address: str) -> int:
    """Bytes of a page with all that it links to, each compressed."""
    page = client.get(address)
    assert page.status_code == 200
    found = set(LINKED.findall(page.content.decode()))
    bodies = [page.content, *(Path(finders.find(name)).read_bytes() for name in found)]
    return sum(len(gzip.compress(body)) for body in bodies)


@pytest.mark.parametrize(
    "address",
    ["/", "/memories/", "/review/", "/recall/", "/health/trends/", "/settings/components/"],
)
def test_a_first_visit_is_light(address):
    for number in range(60):
        make.remember(text=f"note {number}: the quarterly report of region {number} is due")
    someone = make.person("olga")
    someone.is_staff = True
    someone.save()
    assert 20_000 < weight(make.logged_in(someone), address) < MOST_BYTES
