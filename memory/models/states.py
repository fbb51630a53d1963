"""The states of a memory and the one table of moves between them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Status(models.TextChoices):
    CANDIDATE = "candidate", _("candidate")
    QUARANTINED = "quarantined", _("quarantined")
    ACTIVE = "active", _("active")
    SUPERSEDED = "superseded", _("superseded")
    EXPIRED = "expired", _("expired")
    RETRACTED = "retracted", _("retracted")
    REJECTED = "rejected", _("rejected")


S = Status
MOVES: dict[Status, frozenset[Status]] = {
    S.CANDIDATE: frozenset({S.ACTIVE, S.QUARANTINED, S.REJECTED, S.EXPIRED, S.RETRACTED}),
    S.QUARANTINED: frozenset({S.ACTIVE, S.REJECTED, S.RETRACTED}),
    S.ACTIVE: frozenset({S.SUPERSEDED, S.EXPIRED, S.RETRACTED, S.QUARANTINED}),
    S.SUPERSEDED: frozenset({S.RETRACTED}),
    S.EXPIRED: frozenset({S.ACTIVE, S.RETRACTED}),
    S.RETRACTED: frozenset({S.ACTIVE}),
    S.REJECTED: frozenset({S.QUARANTINED}),
}
# A new row may be born held, current, or straight into history (an older observation that
# arrives late).
BIRTHS = frozenset({S.CANDIDATE, S.QUARANTINED, S.ACTIVE, S.SUPERSEDED, S.REJECTED})


class ForbiddenMove(Exception):
    """A memory was asked to go from one state to another that the table does not allow."""

    def __init__(self, before: str, after: str):
        self.before, self.after = before, after
        super().__init__(f"a {before} memory cannot become {after}")


def check_move(before: str, after: str, *, undoing: bool = False) -> None:
    """Raise `ForbiddenMove` unless the table allows the move; staying is always allowed.

    An undo may walk any listed move backwards: what was done can be taken back.
    """
    if before == after or Status(after) in MOVES[Status(before)]:
        return
    if undoing and Status(before) in MOVES[Status(after)]:
        return
    raise ForbiddenMove(before, after)
