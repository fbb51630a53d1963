"""Backups of the whole store: a folder with the database and a manifest that proves it."""

import hashlib
import hmac
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from memory import clock
from memory.index import backup

from .elsewhere import Failed, run_in, store_in

FORMAT, VERSION = "mase-backup", 1
DATABASE, MANIFEST = "mase.sqlite3", "manifest.json"
SECRETS = ("pepper", "secret_key", ".env")
IMAGES = "images"
# Checking 100,000 memories takes some two minutes on a slow machine.
SECONDS = 3600.0
Say = Callable[[str], None]


class BackupError(Exception):
    """It was not done; the message says why. Nothing has changed."""


@dataclass(frozen=True)
class Restored:
    """`aside` is the store that was there before, None where there was none; `erased` counts the
    memories that were erased since the backup was made, and were erased in it again."""

    aside: Path | None
    erased: int
    left: tuple[str, ...] = field(default=())


def make_backup(
    folder: Path, *, with_secrets: bool = False, with_images: bool = False, say: Say = print
) -> dict[str, Any]:
    """Copy the store into `folder`, new or empty, while it goes on, check the copy and seal it
    with a manifest, which is returned. Raises `BackupError`."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} is not empty")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".backup-") as place:
        work = Path(place)
        copied = store_in(work)
        try:
            backup.copy(backup.store_path(), copied)
        except sqlite3.Error as error:
            raise BackupError(f"the copy failed: {error}") from error
        say("copied; now the copy is checked")
        checked = _checked(work)
        # One file, without a log beside it.
        backup.settle(copied)
        made = work / "backup"
        made.mkdir(mode=0o700)
        copied.replace(made / DATABASE)
        (made / DATABASE).chmod(0o600)
        _take_along(made, with_secrets, with_images)
        manifest = _manifest(made, checked, with_secrets, with_images)
        _write_private(made / MANIFEST, json.dumps(manifest, indent=1))
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    return manifest


def read_backup(folder: Path) -> dict[str, Any]:
    """The manifest of a backup whose files are as it says. Raises `BackupError`."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if (manifest["format"], manifest["version"]) != (FORMAT, VERSION):
            raise BackupError("is a backup of another format or version")
        for name, told in manifest["files"].items():
            path = (folder / name).resolve()
            if folder.resolve() not in path.parents or _sha256(path) != told["sha256"]:
                raise BackupError(f"{name} is not as it was when the backup was made")
        if backup.counts(folder / DATABASE) != manifest["counts"]:
            raise BackupError("the database has other rows than the manifest counts")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{folder} is no backup: {error}") from error
    except sqlite3.Error as error:
        raise BackupError(f"the database cannot be read: {error}") from error
    return manifest


def restore_backup(
    folder: Path, store: Path, *, force: bool = False, with_secrets: bool = False, say: Say = print
) -> Restored:
    """Put a backup in the place of the database `store`, whose server must not run. What was
    erased in the store since stays erased. The old file is kept aside. Raises `BackupError`."""
    manifest = read_backup(folder)
    if not with_secrets and manifest["pepper_print"] != pepper_print():
        raise BackupError(
            "it was made with another pepper: its keys, ledger and tombstones would not hold. "
            "Give back the installation's pepper (--with-secrets, if it is in the backup)"
        )
    if with_secrets:
        _check_secrets(folder, manifest)
    _check_free(store, force)
    erased = backup.held_there(folder / DATABASE, backup.erased_in(store))
    with tempfile.TemporaryDirectory(dir=store.parent, prefix=".restore-") as place:
        work = Path(place)
        shutil.copyfile(folder / DATABASE, store_in(work))
        say("copied; now the copy is checked")
        told = _checked(work, erased, _pepper_in(folder) if with_secrets else "")
        if not backup.settle(store_in(work)):
            raise BackupError("the copy is in use")
        store_in(work).chmod(0o600)
        backup.set_log(store_in(work))
        _check_free(store, force)
        aside = _swap(store_in(work), store)
    _give_back(folder, store.parent, manifest, with_secrets)
    for path in (store.parent / "vectors").glob("*.vectors"):
        # Made anew from the rows.
        path.unlink()
    return Restored(aside, told["erased"], tuple(manifest["left_out"]))


def pepper_print(pepper: str = "") -> str:
    """Tells peppers apart without telling them."""
    key = (pepper or settings.PEPPER).encode()
    return hmac.digest(key, b"which pepper is this", "sha256").hex()


def _checked(work: Path, erase: list[str] | None = None, pepper: str = "") -> dict[str, Any]:
    """What the store in `work` is told to be by its own checks. Raises `BackupError`."""
    command = ["check_store"]
    if erase is not None:
        file = work / "erase.json"
        file.write_text(json.dumps(erase), encoding="utf-8")
        command += ["--settle", str(file)]
    try:
        return json.loads(run_in(work, *command, seconds=SECONDS, pepper=pepper))
    except Failed as error:
        raise BackupError(f"the copy does not hold: {error}") from error


def _take_along(made: Path, with_secrets: bool, with_images: bool) -> None:
    data = Path(settings.DATA_DIR)
    if with_secrets:
        (made / "secrets").mkdir(mode=0o700)
        for name, text in (("pepper", settings.PEPPER), ("secret_key", settings.SECRET_KEY)):
            _write_private(made / "secrets" / name, text)
        if (data / ".env").exists():
            _write_private(made / "secrets" / ".env", (data / ".env").read_text(encoding="utf-8"))
    if with_images and (data / IMAGES).is_dir():
        shutil.copytree(data / IMAGES, made / IMAGES)


def _manifest(
    made: Path, checked: dict[str, Any], with_secrets: bool, with_images: bool
) -> dict[str, Any]:
    left = [] if with_secrets else ["secrets (pepper, secret_key, .env)"]
    left += [] if with_images else ["images"]
    files = [path for path in sorted(made.rglob("*")) if path.is_file()]
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_at": clock.now().isoformat(),
        "sqlite": sqlite3.sqlite_version,
        "counts": backup.counts(made / DATABASE),
        "ledger": checked["ledger"],
        "pepper_print": pepper_print(),
        "with_secrets": with_secrets,
        # Vectors in files are made anew, and the cache holds what may be lost.
        "left_out": left,
        "files": {
            path.relative_to(made).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": _sha256(path),
            }
            for path in files
        },
    }


def _check_free(store: Path, force: bool) -> None:
    if not store.exists():
        return
    if not backup.settle(store):
        raise BackupError("the store is in use: stop its server and its worker first")
    rows = backup.counts(store)
    if rows:
        backup.set_log(store)
    if not force and any(n for table, n in rows.items() if table != "memory_workspace"):
        raise BackupError("the store is not empty; --force puts it aside")


def _swap(new: Path, store: Path) -> Path | None:
    aside = None
    with new.open("rb") as file:
        os.fsync(file.fileno())
    if store.exists():
        backup.settle(store)
        aside = store.with_name(f"{store.name}.before-{clock.now():%Y%m%d-%H%M%S}")
        # Under both names until the new one stands, so that there is a store at every moment.
        os.link(store, aside)
    new.replace(store)
    handle = os.open(store.parent, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    return aside


def _give_back(folder: Path, data: Path, manifest: dict[str, Any], with_secrets: bool) -> None:
    for name in SECRETS if with_secrets else ():
        if (folder / "secrets" / name).exists():
            _write_private(data / name, (folder / "secrets" / name).read_text(encoding="utf-8"))
    if (folder / IMAGES).is_dir():
        shutil.copytree(folder / IMAGES, data / IMAGES, dirs_exist_ok=True)


def _check_secrets(folder: Path, manifest: dict[str, Any]) -> None:
    if not manifest["with_secrets"]:
        raise BackupError("it holds no secrets")
    if os.environ.get("MASE_PEPPER", _pepper_in(folder)) != _pepper_in(folder):
        raise BackupError("MASE_PEPPER is set to another pepper, and would rule over its own")


def _pepper_in(folder: Path) -> str:
    return (folder / "secrets" / "pepper").read_text(encoding="utf-8").strip()


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
