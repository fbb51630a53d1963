"""How far a command is, on the error stream, so that what it prints can be piped."""

import time

from django.core.management.base import OutputWrapper

# A terminal's line is drawn over; in a log each line stays.
DRAWN_SECONDS, LOGGED_SECONDS = 0.2, 2.0
# Before so long has gone by, a rate says nothing.
SURE_SECONDS = 1.0


class Line:
    """Call it with how many are done, and of how many where that is known; leaving its block ends
    the line. `what` names the rows. With `quiet` it says nothing."""

    def __init__(self, out: OutputWrapper, what: str, *, quiet: bool = False) -> None:
        self._out, self._what, self._quiet = out, what, quiet
        self._is_drawn = out.isatty()
        self._began = self._last = time.monotonic()
        self._width = 0

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._out.write("")

    def __call__(self, done: int, total: int | None = None) -> None:
        now = time.monotonic()
        if self._quiet or now - self._last < (DRAWN_SECONDS if self._is_drawn else LOGGED_SECONDS):
            return
        self._last = now
        text = f"{done} of {total} {self._what}" if total else f"{done} {self._what}"
        text += self._pace(done, total, now - self._began)
        if not self._is_drawn:
            self._out.write(text)
            return
        self._out.write("\r" + text.ljust(self._width), ending="")
        self._out.flush()
        self._width = len(text)

    def _pace(self, done: int, total: int | None, took: float) -> str:
        if took < SURE_SECONDS or not done:
            return ""
        rate = done / took
        told = f", {rate:.0f} a second" if rate >= 10 else f", {rate:.1f} a second"
        return told + (f", {_clock((total - done) / rate)} left" if total and total > done else "")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds) + 1, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
