from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Min
from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.texts import Detail, Text, TextCheck
from memory.models import Change, Memory, Recall, RecallCandidate, Scope, Status, TurnRole

# Of an owner's rows that say the same, so many of the first are asked about.
MOST = 5


class EchoLoops(TextCheck):
    """A statement that stands in the store a second time, after a recall for the same user had
    served the first. What the user said again in a turn is no echo, and neither is what a person
    wrote, corrected or restored. An agent's repeat of its own current memory makes no second row:
    it counts as a confirmation and is not seen here."""

    title = gettext_lazy("Echo loops")
    why = gettext_lazy(
        "An agent stored again what it had just been given. With each round the same statement "
        "looks better supported, and one that was retracted comes back."
    )
    advice = gettext_lazy(
        "Retract the echoes. Have the agent extract from what the user says, not from its own "
        "context and answers."
    )
    severity = Severity.WARNING
    labels = {
        "again": gettext_lazy("stored again while the first was current"),
        "returned": gettext_lazy("stored again after the first was no longer current"),
    }

    def find_all(self, page: Sequence[Text]) -> Iterable[tuple[int, Detail]]:
        rows = [text.memory for text in page]
        if not rows:
            return
        scope = Scope(rows[0].workspace_id, "reading", "command")
        earlier = _earlier(scope, rows)
        asked = {first.public_id for firsts in earlier.values() for first in firsts}
        served = _first_served(scope, asked)
        own = _by_agents(scope, {row.public_id for row in rows if row.pk in earlier})
        for row in rows:
            if row.public_id not in own:
                continue
            for first in earlier.get(row.pk, ()):
                user_id, at = served.get(first.public_id, ("", None))
                if at is not None and user_id == row.user_id and at < row.created_at:
                    what = "again" if first.status == Status.ACTIVE else "returned"
                    yield row.pk, {"what": what, "first": str(first.public_id)}
                    break


def _earlier(scope: Scope, rows: Sequence[Memory]) -> dict[int, list[Memory]]:
    """By the key of each row, older rows of the same owner that say the same."""
    found = Memory.objects.within(scope).filter(
        user_id__in={row.user_id for row in rows},
        fingerprint__in={row.fingerprint for row in rows},
        pk__lt=rows[-1].pk,
    )
    said: dict[tuple[str, str], list[Memory]] = {}
    columns = ("public_id", "user_id", "fingerprint", "status")
    for row in found.only(*columns).order_by("pk"):
        said.setdefault((row.user_id, row.fingerprint), []).append(row)
    made = {
        row.pk: [one for one in said.get((row.user_id, row.fingerprint), ()) if one.pk < row.pk]
        for row in rows
    }
    return {pk: firsts[:MOST] for pk, firsts in made.items() if firsts}


def _first_served(scope: Scope, ids: set[UUID]) -> dict[UUID, tuple[str, object]]:
    """For whom and when each of these memories was first served."""
    given = RecallCandidate.objects.filter(memory_id__in=ids, rank__isnull=False)
    first = dict(given.order_by().values_list("memory_id").annotate(first=Min("recall_id")))
    recalls = Recall.objects.within(scope).filter(pk__in=first.values())
    told = {pk: (user_id, at) for pk, user_id, at in recalls.values_list("pk", "user_id", "at")}
    return {memory_id: told[pk] for memory_id, pk in first.items() if pk in told}


def _by_agents(scope: Scope, ids: set[UUID]) -> set[UUID]:
    """Those of these rows that an agent wrote, and not as the words of a turn of the user's."""
    born = Change.objects.filter(
        memory_id__in=ids, revision_before__isnull=True, batch__verb="remember"
    ).exclude(batch__actor__startswith="person:")
    found = Memory.objects.within(scope).filter(public_id__in=born.values("memory_id"))
    spoken = found.filter(turn__role=TurnRole.USER).values("pk")
    return set(found.exclude(pk__in=spoken).values_list("public_id", flat=True))


CHECK = EchoLoops()
