"""The lists of the settings as files."""

from collections.abc import Iterator

from django.http import Http404

from audit.health.registry import checks
from audit.health.thresholds import thresholds_of, versions
from memory.api.webhooks import delivery_form, webhook_form
from memory.models import Kind, Policy, Right, policies_of
from memory.models.policy import VALUES
from memory.write.webhooks import deliveries, webhooks

from .access import seat
from .check_limits import check_or_404
from .people import members_of
from .tables import Row, Table, picked, read
from .webhooks import webhook_or_404

LIMITS = ("warning_from", "error_from")
POLICY = ("kind", "domain", "version", *VALUES, "removed", "at", "actor", "reason")


def _keys(request) -> Iterator[Row]:
    times = ("created_at", "expires_at", "last_used_at", "revoked_at")
    for key in seat(request).workspace.keys.all():
        yield picked(key, "id", "name", "prefix", "scopes", "user_id", "rate", *times, "is_live")


def _people(request) -> Iterator[Row]:
    for member in members_of(seat(request).workspace):
        person = member.person
        told = {"person": person.get_username(), "role": member.role}
        yield told | picked(person, "is_active", "date_joined", "last_login")


def _webhooks(request) -> Iterator[Row]:
    return map(webhook_form, webhooks(seat(request).scope))


def _deliveries(request, webhook_id) -> Iterator[Row]:
    found = webhook_or_404(request, webhook_id)
    return map(delivery_form, read(deliveries(seat(request).scope, found), "-id"))


def _limits(request) -> Iterator[Row]:
    rules = thresholds_of(seat(request).scope)
    for one in sorted(checks().values(), key=lambda each: each.id):
        if one.is_figure:
            continue
        told = {"check": one.id, "title": str(one.title), "unit": one.unit}
        usual = {f"usual_{name}": value for name, value in one.limits._asdict().items()}
        yield told | rules[one.id]._asdict() | usual | {"is_own": rules[one.id] != one.limits}


def _limit(request, check_id: str) -> Iterator[Row]:
    for kept in versions(seat(request).scope, check_or_404(check_id).id):
        yield picked(kept, "version", *LIMITS, "at", "actor", "reason")


def _policies(request) -> Iterator[Row]:
    for policy in policies_of(seat(request).workspace.pk).all():
        yield picked(policy, *POLICY)


def _policy(request, kind: str) -> Iterator[Row]:
    """Every version, newest first, of the kind or of the domain that the address names."""
    if kind not in Kind.values:
        raise Http404
    rows = Policy.objects.filter(workspace=seat(request).workspace, kind=kind)
    for policy in read(rows.filter(domain=request.GET.get("domain", "").strip()), "-id"):
        yield picked(policy, *POLICY)


SETTINGS = (
    Table("settings/keys", _keys),
    Table("settings/people", _people, Right.ADMINISTER, "people"),
    Table("settings/webhooks", _webhooks, Right.ADMINISTER, "webhooks"),
    Table("settings/webhooks/<uuid:webhook_id>", _deliveries, Right.ADMINISTER, "webhook"),
    Table("settings/checks", _limits, page="check-limits"),
    Table("settings/checks/<str:check_id>", _limit, page="check-limit"),
    Table("settings/policies", _policies),
    Table("settings/policies/<str:kind>", _policy, page="policy"),
)
