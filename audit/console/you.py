"""How the console speaks to one person: language, time zone, theme."""

from functools import cache
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language
from django_htmx.http import HttpResponseClientRefresh

from audit.models import Preference
from memory.write.queue import QueueTimeout

from .access import seat
from .back import back_to
from .pages import page
from .preferences import THEME_COOKIE, THEMES, choose

COOKIE_SECONDS = 365 * 86_400
_BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")


@cache
def zones() -> list[str]:
    """Names such as Asia/Shanghai, and UTC; without the old names that stand for the same."""
    return ["UTC", *sorted(z for z in available_timezones() if "/" in z and z[:4] != "Etc/")]


class YouForm(forms.Form):
    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    zone = forms.ChoiceField(label=gettext_lazy("Time zone"), required=False)
    theme = forms.ChoiceField(label=gettext_lazy("Theme"), required=False)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        names = [(code, translation.get_language_info(code)["name_local"]) for code in _codes()]
        server = _("as the server: %(zone)s") % {"zone": settings.TIME_ZONE}
        self.fields["language"].choices = [("", _("as the browser asks")), *names]
        self.fields["zone"].choices = [("", server), *((name, name) for name in zones())]
        self.fields["theme"].choices = [("", _("as the system")), *THEMES.items()]
        for field in self.fields.values():
            field.widget.attrs["class"] = "form-select"


@require_http_methods(["GET", "HEAD", "POST"])
def you(request):
    """GET: what the person chose. POST: `language`, `zone`, `theme`, "" for none of one's own."""
    seat(request)
    kept = Preference.objects.filter(person=request.user).values(*YouForm.base_fields).first()
    kept = kept or {"theme": request.theme}
    form = YouForm(request.POST if request.method == "POST" else None, initial=kept)
    if form.is_valid():
        try:
            choose(request, **form.cleaned_data)
        except QueueTimeout:
            form.add_error(None, _BUSY)
        else:
            return _saved(request, form.cleaned_data)
    context = {"form": form, "crumbs": [(_("Settings"), reverse("settings")), (_("You"), None)]}
    return page(request, "console/you.html", context, status=422 if form.errors else 200)


@require_POST
def choose_language(request):
    """The switch in the frame: for this browser, and for a logged-in person everywhere."""
    code = request.POST.get("language", "")
    if request.user.is_authenticated and code in _codes():
        try:
            choose(request, language=code)
        except QueueTimeout:
            messages.error(request, _BUSY)
    return set_language(request)


@require_POST
@login_not_required
def choose_theme(request):
    """The switch in the frame: for this browser, and for a logged-in person everywhere. A page that
    asks by script has the theme already."""
    theme = request.POST.get("theme", "")
    if theme and theme not in THEMES:
        return HttpResponseBadRequest()
    back = redirect(back_to(request, reverse("dashboard")))
    if request.user.is_authenticated:
        try:
            choose(request, theme=theme)
        except QueueTimeout:
            messages.error(request, _BUSY)
            return HttpResponseClientRefresh() if request.htmx else back
    return _with_theme(HttpResponse(status=204) if request.htmx else back, theme)


def _codes() -> list[str]:
    return [code for code, _name in settings.LANGUAGES]


def _saved(request, said: dict[str, str]):
    """Back to the page, which then speaks the new language; so does this answer."""
    language = said["language"]
    with translation.override(language or translation.get_language_from_request(request)):
        messages.success(request, _("Saved."))
    response = _with_theme(redirect("you"), said["theme"])
    if not language:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    return response


def _with_theme(response, theme: str):
    """This browser keeps it too, for the page on which one logs in."""
    if theme:
        response.set_cookie(
            THEME_COOKIE,
            theme,
            COOKIE_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
