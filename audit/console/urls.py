from django.contrib.auth import views as people
from django.urls import path

from . import (
    activity,
    dashboard,
    health,
    history,
    memories,
    memory,
    recall,
    recalls,
    replays,
    settings,
    why_not,
    workspace,
)

urlpatterns = [
    path("", dashboard.dashboard, name="dashboard"),
    path("login/", people.LoginView.as_view(), name="login"),
    path("logout/", people.LogoutView.as_view(), name="logout"),
    path("workspace/", workspace.switch, name="workspace-switch"),
    path("memories/", memories.memories, name="memories"),
    path("memories/<uuid:memory_id>/", memory.memory, name="memory"),
    path("memories/<uuid:memory_id>/correct/", memory.correct, name="memory-correct"),
    path("memories/<uuid:memory_id>/<str:verb>/", memory.act, name="memory-act"),
    path("history/", history.history, name="history"),
    path("recall/", recall.explorer, name="recall-explorer"),
    path("recalls/", recalls.recalls, name="recalls"),
    path("recalls/<uuid:recall_id>/replay/", replays.one, name="recall-replay"),
    path("recalls/<uuid:recall_id>/why-not/", why_not.one, name="recall-why-not"),
    path("recalls/<uuid:recall_id>/", recalls.one, name="recall"),
    path("activity/", activity.activity, name="activity"),
    path("activity/<uuid:batch_id>/", activity.one, name="batch"),
    path("activity/<uuid:batch_id>/undo/", activity.undo, name="batch-undo"),
    path("health/", health.health, name="health"),
    path("settings/", settings.settings, name="settings"),
    path("settings/keys/", settings.create_key, name="key-create"),
    path("settings/keys/<int:key_id>/revoke/", settings.revoke_key, name="key-revoke"),
]
