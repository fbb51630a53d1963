"""What else mem0's client calls: the handshake, entities, feedback."""

from typing import Any

from django.db.models import Count, Max, Min
from ninja import Router

from memory.models import Memory, Recall, RecallCandidate, Status, Verdict
from memory.recall.feedback import react
from memory.write.apply import apply
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from memory.write.revise import NotFound, plan_confirm

from ..auth import key_of, needs
from ..form import iso
from ..reply import reply
from .bodies import FeedbackIn
from .deleting import delete_all
from .errors import not_served
from .filters import ENTITIES, read_filters
from .form import APP
from .found import current, versions_of

router = Router(tags=["mem0"])
MOST_NAMES = 1000
PROFILES = "No profile is written here; POST /api/v1/recall gives what is known for a question."
KINDS = {"user": "user_id", "agent": "agent_id", "app": APP, "run": "run_id"}
VERDICTS = {
    "POSITIVE": Verdict.GOOD,
    "NEGATIVE": Verdict.WRONG,
    "VERY_NEGATIVE": Verdict.WRONG,
}


def any_key(request):
    """A live key, whatever it may do."""
    key = key_of(request)
    request.scope = key.scope()
    return key


@router.get("/v1/ping/", auth=any_key)
def ping(request):
    """The client asks this first, and does not go on without."""
    workspace = request.auth.workspace.name
    return reply(
        {
            "status": "ok",
            "org_id": workspace,
            "project_id": workspace,
            "user_email": request.auth.user_id or request.auth.name,
        }
    )


@router.get("/v1/entities/", auth=needs("read"))
def entities(request):
    """Users, agents and runs that have memories, at most 1,000 of each kind."""
    rows = Memory.objects.within(request.scope).filter(status=Status.ACTIVE)
    found = [
        _entity(kind, name, told)
        for kind, name in KINDS.items()
        if name in ENTITIES
        for told in rows.exclude(**{ENTITIES[name]: ""})
        .values(ENTITIES[name])
        .annotate(memories=Count("pk"), first=Min("created_at"), last=Max("updated_at"))
        .order_by(ENTITIES[name])[:MOST_NAMES]
    ]
    return reply({"count": len(found), "next": None, "previous": None, "results": found})


@router.get("/v2/entities/{kind}/{path:name}/", auth=any_key)
def profile(request, kind: str, name: str):
    """Not served, with or without /profile/ at its end."""
    return not_served(PROFILES)


@router.delete("/v2/entities/{kind}/{path:name}/", auth=needs("correct"))
def delete_entity(request, kind: str, name: str, confirm_token: str = ""):
    """Retract all memories of one user, agent, app or run; above the cap only with the
    `confirm_token` of the 409."""
    if kind not in KINDS:
        raise NotFound(kind)
    wanted = read_filters({KINDS[kind]: name})
    if not wanted.names:
        raise InvalidInput([("name", "name one")])
    told = delete_all(request.scope, wanted, confirm_token, "")
    return reply(told | {"message": "Entity deleted successfully."})


@router.post("/v1/feedback/", auth=needs("write"))
def feedback(request, body: FeedbackIn):
    """Say whether a memory was good. It goes to the newest recall that gave it; a memory that
    none gave yet is confirmed where it was good, which needs `correct`."""
    verdict = VERDICTS.get((body.feedback or "").upper())
    if verdict is None:
        raise InvalidInput([("feedback", f"one of {', '.join(VERDICTS)}")])
    memory = current(request.scope, body.memory_id)
    facts = [row.public_id for row in versions_of(request.scope, body.memory_id)]
    given = (
        RecallCandidate.objects.filter(memory_id__in=facts, rank__isnull=False)
        .filter(recall__in=Recall.objects.within(request.scope))
        .order_by("-id")
        .first()
    )
    if given is not None:
        text = body.feedback_reason or ""
        react(request.scope, given.recall, verdict, text, given.memory_id)
    elif verdict == Verdict.GOOD and "correct" in request.auth.scopes:
        apply(plan_confirm(request.scope, memory).plan("confirm", body.feedback_reason or ""))
    else:
        raise Conflict("no recall has given this memory yet")
    return reply(
        {
            "id": str(memory.fact),
            "feedback": body.feedback.upper(),
            "feedback_reason": body.feedback_reason,
            "recall_id": given and str(given.recall.public_id),
        }
    )


def _entity(kind: str, name: str, told: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": told[ENTITIES[name]],
        "name": told[ENTITIES[name]],
        "type": kind,
        "total_memories": told["memories"],
        "created_at": iso(told["first"]),
        "updated_at": iso(told["last"]),
    }
