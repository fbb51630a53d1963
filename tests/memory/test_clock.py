from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory import clock


def test_it_stands_where_it_is_set_and_runs_again_after():
    moment = datetime(2026, 3, 1, 9, 0, tzinfo=timezone(timedelta(hours=8)))
    with clock.at(moment):
        assert clock.now() == moment
        assert clock.now().tzinfo is UTC
    assert clock.now() > moment


def test_a_time_without_zone_is_refused():
    with pytest.raises(ValueError, match="aware"), clock.at(datetime(2026, 3, 1)):
        pass


def test_it_goes_back_also_when_the_block_fails():
    with pytest.raises(KeyError), clock.at(datetime(2020, 1, 1, tzinfo=UTC)):
        raise KeyError
    assert clock.now().year > 2020


def test_it_counts_whole_milliseconds():
    with clock.at(datetime(2026, 3, 1, 9, 0, 0, 123_987, tzinfo=UTC)):
        assert clock.now().microsecond == 123_000
    assert clock.now().microsecond % 1000 == 0
