"""Fixtures that every test may use; the makers themselves are plain functions in factories."""

import os
import sys

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from django.utils import translation

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in this thread.
# Without bytecode each process that a test starts compiles the site anew: a second each, and
# collecting takes 28 s instead of 13.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


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


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """The test database is a file that goes with the test run, and its queue's lock with it."""
    folder = tmp_path_factory.mktemp("database")
    connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")
