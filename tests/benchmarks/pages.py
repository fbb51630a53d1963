"""How long the server takes for each page of the console on a large store, and what a first visit
loads.

    .venv/bin/python -m tests.benchmarks.pages --rows 100000 --candidates 1000000

In process, by Django's own client, signed in as an administrator: the view, its queries and its
templates, without the network. The first visit of a page is told apart from the best of three
more; its queries are counted at the second.
"""

import argparse
import gzip
import re
import shutil
import time

from .health import filled
from .store import standalone

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--no-report", action="store_true", help="without a saved health report")
    options = parser.parse_args()
    folder = standalone()
    from memory.write.accesses import notes

    try:
        scope = filled(options.rows, options.candidates)
        if not options.no_report:
            _report(scope)
        print(f"{options.rows:,} memories, {options.candidates:,} candidates of recalls\n")
        client = _signed_in(scope)
        print(_table(client, scope))
        weight = _weight(client, "/memories/") / 1000
        print(f"\nfirst visit of /memories/: {weight:.0f} kB compressed")
    finally:
        notes.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _report(scope) -> None:
    from audit.findings.scan import scan
    from audit.health.report import run_report, save_report
    from audit.health.texts import read_on

    read_on(scope, seconds=float("inf"))
    scan(scope, None)
    save_report(scope, run_report(scope))


def _signed_in(scope):
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client

    from memory.models import Membership, Role

    settings.ALLOWED_HOSTS = ["testserver"]
    person = get_user_model().objects.create_superuser("bench", password=None)
    Membership.objects.create(person=person, workspace_id=scope.workspace_id, role=Role.ADMIN)
    client = Client()
    client.force_login(person)
    return client


def _paths(scope) -> list[str]:
    from memory.models import Batch, Memory
    from memory.recall import RecallRequest
    from memory.recall import recall as ask
    from memory.recall.recorder import recorder

    memory = Memory.objects.within(scope).order_by("pk")[Memory.objects.within(scope).count() // 2]
    asked = ask(RecallRequest(scope.narrow("user-5"), "预算是多少 budget"))
    recorder.settle()
    batch = Batch.objects.within(scope).order_by("-pk").first()
    return [
        "/", "/memories/", "/memories/?status=any", "/memories/?q=预算", "/memories/?q=budget",
        "/memories/?user_id=user-5", "/memories/?kind=fact&source=user_said&domain=finance",
        "/memories/?confidence=<0.5", "/memories/?sort=importance", "/memories/?sort=-confidence",
        "/memories/?kind=event", "/memories/?not_kind=fact", "/memories/?source=imported",
        "/memories/?agent_id=nobody", "/memories/?tag=none", "/memories/?counts=all",
        "/memories/?check=never_recalled", "/memories/?check=exact_duplicates",
        "/memories/?check=index_drift", f"/memories/{memory.public_id}/",
        f"/memories/?peek={memory.public_id}", f"/memories/{memory.public_id}/correct/",
        "/history/", "/recall/", "/recalls/", "/recalls/?user_id=user-5",
        f"/recalls/{asked.record.public_id}/", "/activity/", f"/activity/{batch.public_id}/",
        "/review/", "/corrections/", "/inbox/", "/questions/", "/diagnose/", "/diff/",
        "/health/", "/health/reports/", "/health/trends/", "/erasures/", "/images/", "/working/",
        "/imports/", "/jobs/", "/settings/", "/settings/checks/",
    ]  # fmt: skip


def _table(client, scope) -> str:
    lines = ["| page | first ms | then ms | queries |", "|---|---|---|---|"]
    for path in _paths(scope):
        first, then, queries = _timed(client, path)
        shown = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", path)
        lines.append(f"| `{shown}` | {first:.0f} | {then:.0f} | {queries} |")
    return "\n".join(lines)


def _timed(client, path: str) -> tuple[float, float, int]:
    """Milliseconds of the first visit and of the best of `ROUNDS` more; queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    first = _once(client, path)
    with CaptureQueriesContext(connection) as asked:
        _once(client, path)
    queries = len(asked.captured_queries)
    return first, min(_once(client, path) for _ in range(ROUNDS)), queries


def _once(client, path: str) -> float:
    began = time.perf_counter()
    response = client.get(path)
    took = (time.perf_counter() - began) * 1000
    if response.status_code != 200:
        raise SystemExit(f"{path} answers {response.status_code}")
    return took


def _weight(client, path: str) -> int:
    """Bytes of a page with all that it links to, each compressed by gzip."""
    from django.contrib.staticfiles import finders

    page = client.get(path).content
    linked = set(re.findall(rb'(?:src|href)="/static/([^"#]+)', page))
    files = [finders.find(name.decode()) for name in linked]
    bodies = [page]
    for file in files:
        with open(file, "rb") as opened:
            bodies.append(opened.read())
    return sum(len(gzip.compress(body)) for body in bodies)


if __name__ == "__main__":
    main()
