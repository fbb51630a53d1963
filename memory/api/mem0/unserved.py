"""What mem0's client can call and this store does not do: each says so, and what there is instead.

501 with `code` "not_served", never a page: who tries one learns more than that a path is missing.
"""

from django.http import HttpResponse, HttpResponseNotAllowed
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import AuthenticationError

from ..auth import key_of
from ..problems import as_mem0, problem_for
from ..rates import RateLimited
from .errors import not_served
from .others import PROFILES
from .project import RULES

app_name = "mem0-unserved"
EXPORTS = "No model shapes an export by a schema here; GET /api/v1/exports has every memory."
PEOPLE = "People and their roles are given by an admin, in the settings."
WEBHOOKS = "Webhooks are kept under /api/v1/webhooks, with events and signatures of their own."
ORG = "api/v1/orgs/organizations/<str:org>/projects/"
# Methods, path, and what there is instead. Those on a path that is served stand with that.
NOT_SERVED = (
    ("POST", "v1/exports/", EXPORTS),
    ("POST", "v1/exports/get/", EXPORTS),
    ("POST", "v1/summary/", "Sessions have their summaries, as memories; no filter has one."),
    ("POST", "v2/profiles/jobs/", PROFILES),
    ("GET", "v2/profiles/jobs/<str:job_id>/", PROFILES),
    ("GET POST", "v2/profiles/settings/", PROFILES),
    ("POST", ORG, "A workspace is made where the server runs."),
    ("GET POST PUT DELETE", f"{ORG}<str:project>/members/", PEOPLE),
    ("GET POST", "api/v1/webhooks/projects/<str:project>/", WEBHOOKS),
    ("PUT DELETE", "api/v1/webhooks/<str:webhook_id>/", WEBHOOKS),
    ("POST", "mem0/reset", "Nothing here forgets everything at once; delete user by user."),
    ("POST", "mem0/configure", RULES),
)


def _view(methods: list[str], instead: str):
    @csrf_exempt
    def refused(request, **named) -> HttpResponse:
        try:
            key_of(request)
        except (AuthenticationError, RateLimited) as error:
            return as_mem0(problem_for(request, error))
        if request.method not in methods:
            return HttpResponseNotAllowed(methods)
        return not_served(instead)

    return refused


urlpatterns = [path(place, _view(methods.split(), why)) for methods, place, why in NOT_SERVED]
