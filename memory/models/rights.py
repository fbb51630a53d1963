"""What each role may do in its workspace: one table, read by every door."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    VIEWER = "viewer", _("viewer")
    REVIEWER = "reviewer", _("reviewer")
    OPERATOR = "operator", _("operator")
    AUDITOR = "auditor", _("auditor")
    ADMIN = "admin", _("admin")


class Right(models.TextChoices):
    """READ: memories, recalls, what waits, what changed. MEASURE: run health checks and acceptance
    questions, of which only a report is kept. AUDIT: the ledger's chain, erasures, who
    read what, exports. CORRECT: decide, correct, merge, undo. OPERATE: what touches many at once:
    bulk, imports, expiry, jobs. ERASE: remove for good. ADMINISTER: keys, people, policies,
    thresholds, webhooks."""

    READ = "read"
    MEASURE = "measure"
    AUDIT = "audit"
    CORRECT = "correct"
    OPERATE = "operate"
    ERASE = "erase"
    ADMINISTER = "administer"


RIGHTS: dict[Right, frozenset[Role]] = {
    Right.READ: frozenset(Role),
    Right.MEASURE: frozenset(Role) - {Role.VIEWER},
    Right.AUDIT: frozenset({Role.OPERATOR, Role.AUDITOR, Role.ADMIN}),
    Right.CORRECT: frozenset({Role.REVIEWER, Role.OPERATOR, Role.ADMIN}),
    Right.OPERATE: frozenset({Role.OPERATOR, Role.ADMIN}),
    Right.ERASE: frozenset({Role.OPERATOR, Role.ADMIN}),
    Right.ADMINISTER: frozenset({Role.ADMIN}),
}
