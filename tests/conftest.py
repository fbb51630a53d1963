"""Fixtures that every test may use; the makers themselves are plain functions in factories."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from django.utils import translation

from memory.index import backup
from tests.live import MANAGE, served

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in this thread.
# Without bytecode each process that a test starts compiles the site anew: a second each, and
# collecting takes 28 s instead of 13.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
EMPTY = "mase.sqlite3"
SERVED = {"browser", "live"}


@pytest.fixture(scope="session", autouse=True)
def _site_of_tests(tmp_path_factory):
    """What every test wants of the settings; a test that wants another asks for `settings`."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    with override_settings(
        # Files that a test makes never land among the developer's own.
        DATA_DIR=tmp_path_factory.getbasetemp(),
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        # A thread would not see what a test has not committed.
        RECALL_RECORDING="synchronous",
        CACHES={"default": {"BACKEND": memory, "LOCATION": "tests"}},
        # Otherwise each test client lists all static files before its first page: 40 ms.
        WHITENOISE_AUTOREFRESH=True,
    ):
        yield


@pytest.fixture(autouse=True)
def _own_language():
    """A page that was asked for in one language does not leave it on for the next test."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _own_cache():
    """Counts of one test do not run on in the next; tests of the cache's file ask for it."""
    yield
    cache.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Playwright leaves its loop running in the thread of the tests, where no other may then."""
    left = None if "browser" in item.fixturenames else asyncio._get_running_loop()
    if left is None:
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(left)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """What needs a server goes first: workers take from each other's ends, so that it stays with
    one of them, and each server is started once."""
    items.sort(key=lambda item: SERVED.isdisjoint(getattr(item, "fixturenames", ())))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """The test database is a file that goes with the test run, and its queue's lock with it."""
    folder = tmp_path_factory.mktemp("database")
    connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, tmp_path_factory):
    """Keeps a copy of the test database as it was made: its tables take 6 s."""
    made = backup.store_path()
    # No test of the run may need one.
    if made.is_relative_to(tmp_path_factory.getbasetemp()):
        backup.copy(made, tmp_path_factory.getbasetemp() / EMPTY)


@pytest.fixture(scope="session")
def empty_store(django_db_setup, tmp_path_factory):
    """Call it with a data folder: it gets a store as `migrate` makes it."""
    kept = tmp_path_factory.getbasetemp() / EMPTY
    if not kept.exists():
        folder = tmp_path_factory.mktemp("empty")
        environment = os.environ | {"MASE_DATA_DIR": str(folder)}
        command = [*MANAGE, "migrate", "-v", "0", "--skip-checks"]
        subprocess.run(command, env=environment, check=True)
        backup.copy(folder / EMPTY, kept)

    def put(data: Path) -> None:
        data.mkdir(parents=True, exist_ok=True)
        shutil.copy(kept, data)

    return put


@pytest.fixture(scope="session")
def live(empty_store, tmp_path_factory):
    """The served site, for all who need one; each has users and words of its own."""
    data = tmp_path_factory.mktemp("live")
    empty_store(data)
    with served(data, workers=2) as site:
        yield site
