from django.contrib import admin
from django.urls import include, path

from audit.console import probes
from audit.diagnose.api import router as diagnose_router
from audit.health.api import router as health_router
from audit.health.kept_api import router as kept_router
from audit.questions.api import router as questions_router
from memory.api import api

# Health belongs to the people's side, which the engine's API does not know.
api.add_router("/diagnose", diagnose_router)
api.add_router("/health", health_router)
api.add_router("/health", kept_router)
api.add_router("/questions", questions_router)

urlpatterns = [
    path("healthz", probes.alive, name="healthz"),
    path("readyz", probes.ready, name="readyz"),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("audit.console.urls")),
]
