"""Policies: what each kind of memory is held to, and changing it after a look at what that does."""

import django_tables2 as tables
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy
from django.views.decorators.http import require_http_methods

from memory.models import Kind, Policies, Policy, Right, policies_of, policy_changes, policy_draft
from memory.text.normalise import UnstorableText, clean
from memory.write import queue
from memory.write.policies import (
    DOMAIN_LIMIT,
    Saved,
    StalePolicy,
    remove_policy,
    save_policy,
)
from memory.write.proposal import InvalidInput

from .access import demand, may_administer, seat
from .memory import BUSY
from .pages import page
from .policy_form import PolicyForm, explained, named, preview, shown_value, told
from .templatetags.console import icon, label, when

VERSIONS = 50


class PolicyTable(tables.Table):
    """What each kind of memory, and each domain with a policy of its own, is held to."""

    kind = tables.Column(named("kind"))
    half_life_hours = tables.Column(named("half_life_hours"))
    ttl_hours = tables.Column(named("ttl_hours"))
    single_valued = tables.Column(named("single_valued"))
    importance = tables.Column(named("importance"))
    review_required = tables.Column(named("review_required"))
    at = tables.Column(gettext_lazy("Changed"))

    class Meta:
        orderable = False
        attrs = {"aria-labelledby": "policies"}

    def __init__(self, policies: list[Policy], *, may_edit: bool):
        self.may_edit = may_edit
        super().__init__(policies)

    def render_single_valued(self, value):
        return shown_value(value)

    render_review_required = render_single_valued

    def render_kind(self, record):
        name = f"{label(record.kind)} · {record.domain}" if record.domain else label(record.kind)
        return format_html(
            '<div>{}<div><a href="{}">{}{}<span class="visually-hidden"> {}</span></a></div></div>',
            name,
            address(record.kind, record.domain),
            icon("pencil" if self.may_edit else "history"),
            _("Edit") if self.may_edit else _("History"),
            name,
        )

    def render_at(self, value, record):
        return format_html(
            '<div>{}<div class="text-secondary text-break">{}</div></div>',
            when(value),
            record.actor,
        )


@require_http_methods(["GET", "HEAD", "POST"])
def one(request, kind: str):
    """One policy: its values, its history and, for an admin, the form, its preview, the save."""
    if request.method == "POST":
        demand(request, Right.ADMINISTER)
    scope, policies = seat(request).scope, policies_of(seat(request).workspace.pk)
    draft = _draft(policies, kind, request.GET.get("domain", ""))
    form, trial = PolicyForm(draft, request.POST if request.method == "POST" else None), None
    if form.is_valid():
        try:
            if form.is_to_be_saved:
                return _done(request, _saved(scope, form))
            trial = preview(scope, form, draft, policies.of(kind))
        except (InvalidInput, StalePolicy) as error:
            form.complain(error)
        except queue.QueueTimeout:
            form.add_error(None, BUSY)
    context = {"form": form, "preview": trial, "may_administer": may_administer(request)}
    return page(request, "console/policy.html", context | _place(policies, draft))


def address(kind: str, domain: str = "") -> str:
    path = reverse("policy", args=[kind])
    return f"{path}?{urlencode({'domain': domain})}" if domain else path


def _draft(policies: Policies, kind: str, domain: str) -> Policy:
    """What rules there, to be changed; 404 for a kind or a domain that cannot be."""
    if kind not in Kind.values:
        raise Http404
    try:
        return policy_draft(policies, kind, clean(domain, DOMAIN_LIMIT).strip())
    except UnstorableText as error:
        raise Http404 from error


def _saved(scope, form: PolicyForm) -> Saved:
    change = remove_policy if form.removing else save_policy
    return change(scope, form.draft, reason=form.cleaned_data["reason"])


def _done(request, saved: Saved):
    policy = saved.policy
    told_undoable(request, _("Version %(n)s is saved and rules now.") % {"n": policy.version})
    for count, text in (
        (
            saved.redated,
            ngettext_lazy("%(n)s memory got another end.", "%(n)s memories got another end.", "n"),
        ),
        (
            saved.left,
            ngettext_lazy(
                "%(n)s more memory gets its end with the next upkeep.",
                "%(n)s more memories get their end with the next upkeep.",
                "n",
            ),
        ),
    ):
        if count:
            messages.info(request, text % {"n": count})
    return redirect(address(policy.kind, policy.domain))


def told_undoable(request, text: str) -> None:
    """Say what was done to a policy beside a button, U on the keyboard, that sends the form which
    its page has for taking the newest version back."""
    button = (
        '{} <button class="btn btn-sm ms-2" type="submit" form="undo-policy" data-undo'
        ' aria-keyshortcuts="U">{}{}</button>'
    )
    messages.success(request, format_html(button, text, icon("arrow-back-up"), _("Undo")))


def _place(policies: Policies, draft: Policy) -> dict:
    """What the page says of the kind and domain, and of every version there."""
    kind, domain = draft.kind, draft.domain
    changes = policy_changes(policies.workspace_id)
    here = [c for c in changes if (c.policy.kind, c.policy.domain) == (kind, domain)]
    return {
        "kind": kind,
        "domain": domain,
        "own": policies.own(kind, domain) if domain else None,
        "address": address(kind, domain),
        "domains": [(name, address(kind, name)) for name in policies.domains(kind)],
        "versions": [(change.policy, told(change)) for change in here[: -VERSIONS - 1 : -1]],
        "values": [
            (named(name), shown_value(value), explained(draft, name))
            for name, value in draft.values().items()
        ],
        "crumbs": [
            (_("Settings"), reverse("settings")),
            (label(kind), address(kind) if domain else None),
            *([(domain, None)] if domain else []),
        ],
    }
