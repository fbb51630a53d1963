"""From when on a finding is a warning or an error: each workspace's own limits, in versions."""

import math
from collections.abc import Iterator

from django.utils.translation import gettext as _

from audit.models import Threshold
from memory import clock
from memory.models import Scope, ScopeError
from memory.text.normalise import UnstorableText, clean
from memory.write.held import without_secrets
from memory.write.proposal import InvalidInput
from memory.write.transaction import write_transaction

from . import registry
from .check import Check, Limits

REASON_LIMIT = 500


def threshold_of(scope: Scope, check: Check | str) -> Limits:
    """The limits of one check that rule in the scope's workspace. Raises
    `registry.UnknownCheck`."""
    found = registry.check(check) if isinstance(check, str) else check
    newest = versions(scope, found.id)[:1]
    return Limits(newest[0].warning_from, newest[0].error_from) if newest else found.limits


def thresholds_of(scope: Scope) -> dict[str, Limits]:
    """The limits that rule, by check: the newest version of each, else the check's own."""
    rows = Threshold.objects.filter(workspace_id=scope.workspace_id).order_by("version")
    kept = rows.values_list("check_name", "warning_from", "error_from")
    found = {name: Limits(warning, error) for name, warning, error in kept}
    return {name: found.get(name, check.limits) for name, check in registry.checks().items()}


def versions(scope: Scope, check_id: str) -> list[Threshold]:
    """Every version that was saved of a check's limits, newest first."""
    rows = Threshold.objects.filter(workspace_id=scope.workspace_id, check_name=check_id)
    return list(rows.order_by("-version"))


def save_threshold(
    scope: Scope,
    check_id: str,
    warning_from: float | None,
    error_from: float | None,
    reason: str = "",
) -> Threshold:
    """Make these the limits of a check in the scope's workspace, as the next version.

    In the check's unit: a share is from 0 to 1, all else 0 or more; None: never. An error does
    not begin below a warning. Raises `registry.UnknownCheck`, `InvalidInput` naming each field,
    `ScopeError` for a scope bound to a user, `QueueTimeout`; then nothing has changed.
    """
    check = registry.check(check_id)
    if scope.user_id is not None:
        raise ScopeError("a threshold is for every user of a workspace")
    limits = Limits(warning_from, error_from)
    if errors := list(_errors(check, limits)):
        raise InvalidInput(errors)
    try:
        reason = without_secrets(clean(reason, REASON_LIMIT).strip())
    except UnstorableText as error:
        raise InvalidInput([("reason", str(error))]) from error
    with write_transaction():
        if threshold_of(scope, check) == limits:
            raise InvalidInput([("warning_from", _("is what it already says"))])
        before = versions(scope, check_id)
        return Threshold.objects.create(
            workspace_id=scope.workspace_id,
            check_name=check_id,
            version=before[0].version + 1 if before else 1,
            warning_from=warning_from,
            error_from=error_from,
            at=clock.now(),
            actor=scope.actor,
            reason=reason,
        )


def _errors(check: Check, limits: Limits) -> Iterator[tuple[str, str]]:
    most = 1 if check.unit == "share" else math.inf
    told = _("from 0 to 1, or none") if check.unit == "share" else _("0 or more, or none")
    for name, value in limits._asdict().items():
        if value is not None and not (math.isfinite(value) and 0 <= value <= most):
            yield name, told
    warning, error = limits
    if warning is not None and error is not None and error < warning:
        yield "error_from", _("not below the warning")
