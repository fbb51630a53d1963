"""The demo's account and key: made once, kept beside the database so that they can be shown
again. Only the demo does this; an ordinary key is shown once and never kept."""

import json
import os
import secrets

from django.conf import settings
from django.contrib.auth import get_user_model

from memory.models import KEY_SCOPES, ApiKey, Membership, Role, Workspace

USERNAME = "demo"


def account(workspace: Workspace) -> dict[str, str]:
    """`username`, `password` and `api_key` that work; made anew if any no longer does."""
    path = settings.DATA_DIR / "demo_account.json"
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        person = get_user_model().objects.filter(username=USERNAME).first()
        if (
            person
            and person.check_password(kept["password"])
            and ApiKey.objects.holding(kept["api_key"])
        ):
            return kept
    made = _make(workspace)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(made, file)
    return made


def _make(workspace: Workspace) -> dict[str, str]:
    password = secrets.token_urlsafe(9)
    person, _ = get_user_model().objects.get_or_create(
        username=USERNAME, defaults={"is_staff": True, "is_superuser": True}
    )
    person.set_password(password)
    person.save()
    Membership.objects.update_or_create(
        workspace=workspace, person=person, defaults={"role": Role.ADMIN}
    )
    _, text = ApiKey.objects.issue(workspace, "demo", list(KEY_SCOPES))
    return {"username": USERNAME, "password": password, "api_key": text}
