"""Where large owners' vectors stand once more; without numpy, since rows are erased without it
too."""

from pathlib import Path

from django.conf import settings
from django.db.models.signals import post_delete

from memory.models import Memory, Owner
from memory.text.fingerprint import fingerprint


def folder() -> Path:
    return Path(settings.DATA_DIR) / "vectors"


def path_of(owner: Owner, model: str) -> Path:
    return folder() / f"{owner.pk}-{fingerprint(model)[:12]}.vectors"


def forget(owner: Owner) -> None:
    """Remove an owner's files: they may hold what has been erased. The next pass of the thread
    that makes vectors makes them anew."""
    for path in folder().glob(f"{owner.pk}-*.vectors"):
        path.unlink(missing_ok=True)


def connect() -> None:
    """A vector goes with its row; what a file holds of it goes too."""
    post_delete.connect(_gone, sender=Memory, dispatch_uid="vector files of a deleted row")


def _gone(sender, instance: Memory, **kwargs) -> None:
    if folder().is_dir():
        for owner in Owner.objects.filter(
            workspace_id=instance.workspace_id, user_id=instance.user_id
        ):
            forget(owner)
