"""The line that tells how far a command is."""

import io

import pytest
from django.core.management.base import OutputWrapper

from memory.management import progress
from memory.management.progress import Line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def hands(monkeypatch):
    """Seconds that the test lets pass."""
    passed = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: passed[0])

    def wait(seconds: float) -> None:
        passed[0] += seconds

    return wait


def test_a_terminal_s_line_is_drawn_over_with_rate_and_time_left(hands):
    out = Terminal()
    with Line(OutputWrapper(out), "rows") as line:
        hands(0.5)
        line(10, 1000)
        hands(9.5)
        line(100, 1000)
    drawn = out.getvalue().split("\r")[1:]
    assert drawn[0] == "10 of 1000 rows"
    assert drawn[1] == "100 of 1000 rows, 10 a second, 1:31 left\n"


def test_a_shorter_line_leaves_nothing_of_a_longer_one(hands):
    out = Terminal()
    with Line(OutputWrapper(out), "rows") as line:
        for seconds, done in ((0.3, 1000), (0.3, 1)):
            hands(seconds)
            line(done)
    assert out.getvalue().split("\r")[2] == "1 rows   \n"


def test_a_log_gets_a_line_every_other_second(hands):
    out = io.StringIO()
    with Line(OutputWrapper(out), "memories") as line:
        for done in range(1, 6):
            hands(1)
            line(done, 7200)
    assert out.getvalue().splitlines() == [
        "2 of 7200 memories, 1.0 a second, 1:59:59 left",
        "4 of 7200 memories, 1.0 a second, 1:59:57 left",
    ]


@pytest.mark.parametrize("quiet", [True, False])
def test_what_is_quick_or_quiet_says_nothing(hands, quiet):
    out = Terminal()
    with Line(OutputWrapper(out), "rows", quiet=quiet) as line:
        hands(10 if quiet else 0.1)
        line(1, 2)
    assert out.getvalue() == ""
