"""A worker says that it is there."""

import pytest
from django.core.cache import cache

from memory.jobs import alive
from memory.jobs.alone import alone
from memory.jobs.worker import Worker

pytestmark = pytest.mark.django_db


def test_a_worker_is_there_while_it_runs_and_gone_when_it_ends():
    seen = []

    def go_on() -> bool:
        seen.append(alive.is_there())
        return len(seen) < 2

    Worker(go_on=go_on, once=True).run()
    assert not alive.is_there()
    assert seen[0] is False
    assert all(seen[1:])


def test_a_worker_deep_in_its_work_is_there_too():
    assert not alive.is_there()
    with alone("work_on_jobs"):
        assert alive.is_there()


def test_a_sign_is_given_every_few_seconds(monkeypatch):
    passed, sign = [100.0], alive.Sign()
    monkeypatch.setattr(alive.time, "monotonic", lambda: passed[0])
    sign.give()
    cache.clear()
    sign.give()
    assert not alive.is_there()
    passed[0] += alive.SAY_SECONDS
    sign.give()
    assert alive.is_there()
