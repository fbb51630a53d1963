"""Django's admin, for whoever runs the installation: people, their workspaces, keys.

Memories and the ledger are not here: they change only through a plan, in the console.
"""

import django_tasks_db.admin
from django.contrib import admin
from django.contrib.auth.admin import Group
from django.utils.translation import gettext_lazy as _

from memory import clock
from memory.models import ApiKey, Membership, Workspace
from memory.write.transaction import write_transaction

# Rights come from roles in workspaces, and tasks are shown as jobs.
admin.site.unregister([Group, django_tasks_db.admin.DBTaskResult])


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["person"]


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):
    list_display = ["name", "title", "created_at"]
    search_fields = ["name", "title"]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["person", "workspace", "role"]
    list_filter = ["role", "workspace"]
    list_select_related = ["person", "workspace"]
    search_fields = ["person__username", "workspace__name"]
    autocomplete_fields = ["person", "workspace"]


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    """Keys are made in the console, which shows them once; here they are seen and revoked."""

    list_display = [
        "name", "workspace", "prefix", "scopes", "user_id", "expires_at", "last_used_at",
        "revoked_at",
    ]  # fmt: skip
    list_filter = ["workspace"]
    list_select_related = ["workspace"]
    search_fields = ["name", "prefix"]
    exclude = ["digest"]
    actions = ["revoke"]

    def has_add_permission(self, request) -> bool:
        return False

    def get_readonly_fields(self, request, obj=None) -> list[str]:
        return [field.name for field in ApiKey._meta.fields if field.name != "digest"]

    @admin.action(description=_("Revoke the chosen keys"), permissions=["change"])
    def revoke(self, request, keys):
        with write_transaction():
            count = keys.filter(revoked_at=None).update(revoked_at=clock.now())
        self.message_user(request, _("%(count)s keys revoked.") % {"count": count})
