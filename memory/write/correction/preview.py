"""What a correction keeps of its preview: which memories at which revisions, and what each is to
become."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import Correction, CorrectionState, Memory, Scope, Status
from memory.text.normalise import UnstorableText, clean

from ..draft import statement
from ..held import SecretRefused, holds_a_mask, secrets_in
from ..plan import StalePlan
from ..proposal import InvalidInput
from .propose import Meant, Understood
from .reading import CHARACTERS

# An utterance that names one fact means it. Up to 20 are what a person looks through before
# typing their number; beyond, it is no correction but a loss (one such call took 1,528 facts).
AUTOMATIC, CAP = 1, 20
GOOD_FOR = timedelta(hours=1)


class Moved(StalePlan):
    """Memories are not as the preview showed them: nothing was changed."""


def drawn(scope: Scope, text: str, found: Understood) -> Correction:
    """The row of a preview, not saved."""
    blocked, now = found.count > CAP, clock.now()
    return Correction(
        workspace_id=scope.workspace_id,
        user_id=scope.user_id,
        text=text,
        verdict=found.verdict,
        reason=found.reason,
        message=found.message,
        change=_change(found.changes),
        targets=[_entry(meant, _sets(meant)) for meant in found.changes],
        candidates=[] if blocked else [_entry(m, _offered(m, found)) for m in found.doubtful],
        count=found.count,
        cap=CAP,
        blocked=blocked,
        at=now,
        actor=scope.actor,
        surface=scope.surface,
        expires_at=now + GOOD_FOR,
    )


def is_expired(correction: Correction) -> bool:
    """Whether its preview is too old to be applied."""
    return correction.state == CorrectionState.OPEN and correction.expires_at <= clock.now()


def needed_count(correction: Correction) -> int | None:
    """The number that applying must name; None where it need not."""
    asked = len(correction.targets) > AUTOMATIC and not correction.blocked
    return correction.count if asked else None


def previewed(scope: Scope, entries: Sequence[Mapping[str, Any]]) -> list[Meant]:
    """The rows of a preview with what becomes of them. Raises `Moved` naming all those that are
    gone or at another revision."""
    ids = [UUID(entry["id"]) for entry in entries]
    rows = {row.public_id: row for row in Memory.objects.within(scope).filter(public_id__in=ids)}
    pairs = list(zip(ids, entries, strict=True))
    moved = [pk for pk, e in pairs if pk not in rows or rows[pk].revision != e["revision"]]
    if moved:
        raise Moved(moved)
    return [Meant(rows[pk], entry["set"].get("value")) for pk, entry in pairs]


def readable(text: str) -> str:
    """What was said, as it may be read. Raises `InvalidInput`."""
    try:
        said = clean(text, CHARACTERS).strip()
    except UnstorableText as error:
        raise InvalidInput([("text", str(error))]) from error
    if not said:
        raise InvalidInput([("text", "is empty")])
    return said


def check_values(found: Iterable[Meant], said: str) -> None:
    """Raise `SecretRefused` where a new value is a secret, or the mask of one that was said."""
    for meant in found:
        if meant.value is None:
            continue
        secrets = secrets_in({"text": said}) if holds_a_mask(meant.value) else []
        told = statement(meant.memory.entity, meant.memory.attribute, meant.value)
        if secrets := secrets or secrets_in({"text": told}):
            raise SecretRefused(secrets)


def _entry(meant: Meant, sets: dict[str, str]) -> dict[str, Any]:
    return {"id": str(meant.memory.public_id), "revision": meant.revision, "set": sets}


def _sets(meant: Meant) -> dict[str, str]:
    return {"status": Status.RETRACTED} if meant.value is None else {"value": meant.value}


def _offered(meant: Meant, found: Understood) -> dict[str, str]:
    # "That is wrong" does not say that it is to go.
    return {} if found.reason == "no_new_value" else _sets(meant)


def _change(changes: Iterable[Meant]) -> dict[str, Any]:
    """What happens to all targets: one action and value, or "several" where they differ."""
    told = {(change.action, change.value) for change in changes}
    if not told:
        return {"action": "none", "value": None}
    action, value = told.pop() if len(told) == 1 else ("several", None)
    return {"action": action, "value": value}
