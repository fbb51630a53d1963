"""Fixtures that every test may use; the makers themselves are plain functions in factories."""

import os

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import translation

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in this thread.


@pytest.fixture(autouse=True)
def _quick_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _own_data(settings, tmp_path_factory):
    """Files that a test makes never land among the developer's own."""
    settings.DATA_DIR = tmp_path_factory.getbasetemp()


@pytest.fixture(autouse=True)
def _own_language():
    """A page that was asked for in one language does not leave it on for the next test."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _records_at_once(settings):
    """A thread would not see what a test has not committed."""
    settings.RECALL_RECORDING = "synchronous"


@pytest.fixture(autouse=True)
def _own_cache(settings):
    """Counts of one test do not run on in the next; tests of the cache's file ask for it."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "tests"}}
    yield
    cache.clear()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """The test database is a file that goes with the test run, and its queue's lock with it."""
    folder = tmp_path_factory.mktemp("database")
    connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")
