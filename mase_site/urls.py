from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path

from audit.console import probes, you
from audit.diagnose.api import router as diagnose_router
from audit.health.api import router as health_router
from audit.health.kept_api import router as kept_router
from audit.health.tool import TOOL as HEALTH_TOOL
from audit.questions.api import router as questions_router
from memory.api import api
from memory.api.mem0 import api as mem0
from memory.mcp.toolbox import TOOLS
from memory.mcp.view import mcp_view

# Health belongs to the people's side, which the engine's API does not know.
api.add_router("/diagnose", diagnose_router)
api.add_router("/health", health_router)
api.add_router("/health", kept_router)
api.add_router("/questions", questions_router)

handler403 = "audit.console.refusals.forbidden"

urlpatterns = [
    path("healthz", probes.alive, name="healthz"),
    path("readyz", probes.ready, name="readyz"),
    path("api/v1/", api.urls),
    path("mcp", mcp_view((*TOOLS, HEALTH_TOOL)), name="mcp"),
    path("admin/", admin.site.urls),
    # Open to everybody: the login page has the switch too.
    path("i18n/setlang/", login_not_required(you.choose_language), name="set_language"),
    path("", include("audit.console.urls")),
    # After the console, which has the root itself.
    path("", include("memory.api.mem0.unserved")),
    path("", mem0.urls),
]
