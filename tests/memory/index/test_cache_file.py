"""The cache's file: shared by processes, made again when it is gone."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from memory import clock
from memory.index.cache_file import TABLE, FileCache
from tests.factories import instant

ROOT = Path(__file__).resolve().parents[3]
NOON = instant("2026-05-01 12:00")
COUNTING = """
import django
django.setup()
from django.core.cache import cache
print(*[cache.tally("key", 60) for _ in range(200)])
"""


@pytest.mark.django_db(databases=["default", "cache"])
def test_a_count_starts_again_when_its_time_is_over():
    kept = FileCache(TABLE, {})
    with clock.at(NOON):
        assert [kept.tally("a", 60), kept.tally("a", 60), kept.tally("b", 60)] == [1, 2, 1]
    with clock.at(NOON + timedelta(seconds=59)):
        assert kept.tally("a", 60) == 3
    with clock.at(NOON + timedelta(seconds=60)):
        assert kept.tally("a", 60) == 1
    kept.clear()
    assert kept.tally("b", 60) == 1


@pytest.mark.django_db(databases=["default", "cache"])
def test_it_is_a_cache_like_any_other():
    kept = FileCache(TABLE, {})
    kept.set("预算", {"value": "1200"}, 60)
    assert kept.get("预算") == {"value": "1200"}
    assert kept.add("预算", 1) is False
    kept.delete("预算")
    assert kept.get("预算") is None


def test_processes_share_a_count_and_lose_none(tmp_path):
    environment = os.environ | {
        "MASE_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "mase_site.settings",
        "MASE_CACHE_URL": "",
    }

    def count(_):
        done = subprocess.run(
            [sys.executable, "-c", COUNTING],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return [int(number) for number in done.stdout.split()]

    with ThreadPoolExecutor(3) as pool:
        counts = [number for numbers in pool.map(count, range(3)) for number in numbers]
    assert sorted(counts) == list(range(1, 601))
    assert not (tmp_path / "mase.sqlite3").exists()
    # Nobody has to run a command when the file was removed.
    for path in tmp_path.glob("cache.sqlite3*"):
        path.unlink()
    assert count(0)[0] == 1


@pytest.mark.parametrize("address", ["http://cache", "redis", "memcached://cache"])
def test_only_redis_may_take_its_place(address, tmp_path):
    environment = os.environ | {"MASE_DATA_DIR": str(tmp_path), "MASE_CACHE_URL": address}
    done = subprocess.run(
        [sys.executable, "-c", "import mase_site.settings"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "MASE_CACHE_URL" in done.stderr
