"""The checks of recall: what each must find and must not, and the page behind its number."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import translation

from audit.console import log
from audit.console.recall_log import RecallFilter
from audit.health import recent as recents
from audit.health.check import Limits
from audit.health.checks import no_result, recall_latency
from audit.health.checks.recall_latency import percentile
from audit.health.registry import check, rows_of
from audit.health.thresholds import save_threshold
from memory import clock
from memory.models import Memory, RecallCandidate, Status
from tests import factories as make

from . import makers
from .found import cost, finding
from .traffic import asked, held, talk

pytestmark = pytest.mark.django_db


def logged(scope, address) -> int:
    """How many recalls the log shows at this address."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    return RecallFilter(query, scope).qs.count()


def superseded(scope) -> Memory:
    first = makers.complete(scope, entity="Kiln", attribute="温度", value="900", kind="fact")
    makers.complete(
        scope, entity="Kiln", attribute="温度", value="950", kind="fact", occurred_at=clock.now()
    )
    first.refresh_from_db()
    assert first.status == Status.SUPERSEDED
    return first


def test_a_superseded_value_that_was_served_is_an_error_with_its_rate(here, there):
    old = superseded(here)
    makers.served(here, old, stale=True)
    makers.served(here, old, stale=True)
    for number in range(2):
        makers.served(here, makers.complete(here, text=f"架子{number}满了"), stale=False)
    makers.served(there, superseded(there), stale=True)
    found = finding(here, "superseded_served")
    assert (found.severity, found.count, found.sample) == ("error", 1, (str(old.public_id),))
    assert (found.total, found.share) == (4, 0.5)
    assert found.detail == {"days": 30, "servings": 2, "cut": False}
    assert list(rows_of(found.id, here)) == [old]
    assert found.url == "/memories/?status=any&check=superseded_served"
    with translation.override("en"):
        assert found.notes == ["served 2 times in the last 30 days"]
    assert finding(here, "expired_served").severity == "ok"


def test_an_expired_memory_that_was_served_is_found_whether_swept_or_not(here):
    over = makers.overdue(here, text="昨天的库存是九箱")
    makers.served(here, over, stale=True)
    found = finding(here, "expired_served")
    assert (found.severity, found.count, found.sample) == ("error", 1, (str(over.public_id),))
    swept = makers.overdue(here, text="The voucher of May")
    makers.served(here, swept, stale=True)
    RecallCandidate.objects.filter(memory_id=swept.public_id).update(status=Status.EXPIRED)
    assert finding(here, "expired_served").count == 2
    assert finding(here, "superseded_served").severity == "ok"


@pytest.mark.parametrize("check_id", ["superseded_served", "expired_served"])
def test_what_was_dropped_or_served_long_ago_or_valid_is_not_found(here, check_id):
    old, over = superseded(here), makers.overdue(here, text="旧券")
    for memory in (old, over):
        makers.served(here, memory, stale=True, rank=None)
        makers.served(here, memory, stale=True, days_ago=32)
        makers.served(here, memory, stale=False)
    makers.served(here, makers.retracted(here, text="错的门牌"), stale=True)
    found = finding(here, check_id)
    assert (found.severity, found.count, found.url) == ("ok", 0, None)


def test_of_too_many_marked_servings_the_newest_count_and_it_says_so(here, monkeypatch):
    monkeypatch.setattr(recents, "WINDOW", 2)
    for number in range(3):
        old = makers.overdue(here, text=f"旧券{number}")
        makers.served(here, old, stale=True)
    found = finding(here, "expired_served")
    assert (found.count, found.detail["cut"]) == (2, True)
    assert len(found.notes) == 2


def test_hit_rate_and_no_result_share_the_recalls_that_searched(here, there):
    for served in (1, 2, 0):
        asked(here, served=served)
    asked(here, served=0, tokens=40)
    asked(here, served=0, triggered=False)
    asked(here, served=0, days_ago=40)
    asked(there, served=0)
    hits, empty = finding(here, "hit_rate"), finding(here, "no_result")
    assert (hits.count, hits.total, hits.share, hits.severity) == (3, 4, 0.75, "ok")
    assert (empty.count, empty.total, empty.share) == (1, 4, 0.25)
    assert (logged(here, hits.url), logged(here, empty.url)) == (3, 1)


def test_half_without_result_is_a_warning_but_not_of_a_few(here, monkeypatch):
    for served in (0, 0, 1):
        asked(here, served=served)
    assert finding(here, "no_result").severity == "ok"
    monkeypatch.setattr(no_result, "LEAST", 3)
    found = finding(here, "no_result")
    assert (found.severity, found.count) == ("warning", 2)
    asked(here, served=1)
    asked(here, served=1)
    assert finding(here, "no_result").severity == "ok"
    save_threshold(here, "no_result", 0.2, 0.4, "strict")
    assert finding(here, "no_result").severity == "error"


def test_a_store_that_nobody_asked_has_no_rates(here):
    for check_id in ("hit_rate", "no_result", "recall_latency", "memories_per_turn"):
        found = finding(here, check_id)
        assert (found.severity, found.total, found.share, found.url) == ("ok", 0, 0.0, None)


def test_slow_recalls_are_counted_and_the_log_shows_them(here, monkeypatch):
    monkeypatch.setattr(recall_latency, "LEAST", 10)
    for took in (1, 2, 3, 4, 5, 6, 7, 8, 99.9, 100, 2500):
        asked(here, took_ms=took)
    asked(here, took_ms=9000, days_ago=40)
    found = finding(here, "recall_latency")
    assert (found.severity, found.count, found.total) == ("warning", 2, 11)
    assert (found.detail["p50_ms"], found.detail["p95_ms"]) == (6, 2500)
    assert logged(here, found.url) == 2
    assert "slower=100" in found.url
    with translation.override("en"):
        assert found.notes[0] == "half took up to 6.0 ms, 95 of 100 up to 2500.0 ms"


def test_one_slow_recall_of_a_few_is_no_finding(here):
    asked(here, took_ms=5000)
    assert (finding(here, "recall_latency").severity, finding(here, "recall_latency").count) == (
        "ok", 1,
    )  # fmt: skip


def test_quick_recalls_are_no_finding(here, monkeypatch):
    monkeypatch.setattr(recall_latency, "LEAST", 2)
    for _ in range(3):
        asked(here, took_ms=3)
    found = finding(here, "recall_latency")
    assert (found.severity, found.count, found.url) == ("ok", 0, None)


@pytest.mark.parametrize(
    ("values", "p50", "p95"),
    [([], None, None), ([7], 7, 7), ([1, 2], 1, 2), (range(1, 101), 50, 95)],
)
def test_percentiles_are_nearest_ranks(values, p50, p95):
    assert (percentile(list(values), 50), percentile(list(values), 95)) == (p50, p95)


def test_checks_and_log_look_at_the_same_recalls(here, monkeypatch):
    assert recents.WINDOW == log.WINDOW
    monkeypatch.setattr(recents, "WINDOW", 3)
    monkeypatch.setattr(log, "WINDOW", 3)
    for days in (5, 4, 3, 2, 1):
        asked(here, served=0 if days > 2 else 1, days_ago=days)
    hits, empty = finding(here, "hit_rate"), finding(here, "no_result")
    assert (hits.count, empty.count) == (2, 1)
    assert (logged(here, hits.url), logged(here, empty.url)) == (2, 1)


def test_the_log_page_opens_at_each_address(here):
    asked(here, served=0, took_ms=300)
    client = make.logged_in(make.person("olga", make.workspace("here")))
    for check_id in ("no_result", "recall_latency"):
        page = client.get(finding(here, check_id).url)
        assert page.status_code == 200
        assert "库存多少" in page.content.decode()


def test_limits_of_these_checks_are_data_with_their_unit():
    assert check("no_result").limits == Limits(0.5, None)
    assert check("recall_latency").limits == Limits(0.05, 0.5)
    assert check("memories_per_turn").unit == "share"
    assert check("hit_rate").is_figure


@pytest.mark.parametrize(
    "check_id",
    ["superseded_served", "expired_served", "no_result", "hit_rate", "recall_latency",
     "memories_per_turn", "review_backlog"],
)  # fmt: skip
def test_the_number_of_queries_does_not_grow(here, check_id):
    def add(number):
        makers.served(here, makers.overdue(here, text=f"旧券{number}"), stale=True)
        asked(here, served=0, took_ms=500)
        talk(here, 2, kept=1)
        held(here, f"待核实{number}", 9)

    add(0)
    few = cost(here, check_id)
    for number in range(1, 5):
        add(number)
    assert cost(here, check_id) == few


def test_a_stranger_does_not_see_the_rows(here):
    makers.served(here, superseded(here), stale=True)
    client: Client = make.logged_in(make.person("sam", make.workspace("w2")))
    page = client.get("/memories/?status=any&check=superseded_served").content.decode()
    assert "Kiln" not in page
