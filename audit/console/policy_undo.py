"""Taking the newest version of a policy back: what ruled before rules again, as a new version."""

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from memory.models import Kind
from memory.write.policies import DOMAIN_LIMIT, StalePolicy, take_back
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout

from .access import administering, seat
from .memory import BUSY
from .policies import address, told_undoable

STALE = gettext_lazy("Nothing was changed: somebody has saved another version. Look again.")


class Version(forms.Form):
    kind = forms.ChoiceField(choices=Kind.choices)
    domain = forms.CharField(max_length=DOMAIN_LIMIT, required=False)
    version = forms.IntegerField(min_value=1, max_value=1_000_000)


@require_POST
@administering
def undo(request, kind: str):
    """Take back the version that is named, if it still is the newest."""
    form = Version({**request.POST.dict(), "kind": kind})
    if not form.is_valid():
        raise Http404
    domain, version = form.cleaned_data["domain"], form.cleaned_data["version"]
    reason = _("version %(n)d taken back") % {"n": version}
    try:
        saved = take_back(seat(request).scope, kind, domain, version, reason=reason)
    except StalePolicy:
        messages.error(request, STALE)
    except InvalidInput:
        messages.error(request, _("Nothing was changed: it is so already."))
    except QueueTimeout:
        messages.error(request, BUSY)
    else:
        n = saved.policy.version
        told_undoable(request, _("Taken back: version %(n)d says what ruled before.") % {"n": n})
    return redirect(address(kind, domain))
