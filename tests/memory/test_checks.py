import sqlite3

import pytest
from django.core.checks import Tags, run_checks

from memory.checks import has_wal_reset_bug, tell_at_start


@pytest.mark.parametrize(
    ("version", "bug"),
    [
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 44, 7), False),
        ((3, 45, 3), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
        ((4, 0, 0), False),
    ],
)
def test_which_versions_have_the_log_reset_bug(version, bug):
    assert has_wal_reset_bug(version) is bug


@pytest.mark.django_db
def test_the_start_says_which_engine_there_is_and_misses_nothing():
    ids = [message.id for message in run_checks(tags=[Tags.database], databases=["default"])]
    assert "memory.I001" in ids
    assert not {"memory.E001", "memory.E002"} & set(ids)


def test_without_a_database_nothing_is_asked():
    assert run_checks(tags=[Tags.database]) == []


@pytest.mark.django_db
def test_a_starting_server_tells_its_sqlite(caplog):
    with caplog.at_level("INFO", logger="memory.checks"):
        tell_at_start()
    assert any(sqlite3.sqlite_version in record.getMessage() for record in caplog.records)
