"""The two lanes of a request.

Agents carry a key, not a session; session, locale and message middleware cost
0.65 ms of CPU a request there. Each of them is subclassed here so that it steps aside.
"""

from django.contrib.auth.middleware import AuthenticationMiddleware, LoginRequiredMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.locale import LocaleMiddleware
from django_htmx.middleware import HtmxMiddleware

from audit.console.preferences import PreferredMiddleware
from memory.api.lanes import LANES

AGENT_LANES = ("/api/", *LANES, "/healthz", "/readyz")


def for_people(middleware: type) -> type:
    """The same middleware, not applied to the paths of agents and probes."""

    class ForPeople(middleware):
        def __call__(self, request):
            if request.path.startswith(AGENT_LANES):
                return self.get_response(request)
            return super().__call__(request)

        if hasattr(middleware, "process_view"):

            def process_view(self, request, *args, **kwargs):
                if request.path.startswith(AGENT_LANES):
                    return None
                return super().process_view(request, *args, **kwargs)

    ForPeople.__name__ = ForPeople.__qualname__ = middleware.__name__
    return ForPeople


Session = for_people(SessionMiddleware)
Locale = for_people(LocaleMiddleware)
Common = for_people(CommonMiddleware)
Authentication = for_people(AuthenticationMiddleware)
Preferred = for_people(PreferredMiddleware)
LoginRequired = for_people(LoginRequiredMiddleware)
Messages = for_people(MessageMiddleware)
Htmx = for_people(HtmxMiddleware)
