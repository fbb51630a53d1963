"""What else mem0's client calls: the handshake, entities, events, feedback."""

from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min
from ninja import Router

from memory.models import Batch, Extraction, Memory, Recall, RecallCandidate, Status, Verdict
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
from .filters import ENTITIES, read_filters
from .form import APP
from .found import current, versions_of

router = Router(tags=["mem0"])
MOST_NAMES = 1000
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


@router.get("/v1/event/{uuid:event_id}/", auth=needs("read"))
def event(request, event_id: UUID):
    """What became of an addition: done with its answer, or waiting for the model to read it."""
    if Batch.objects.within(request.scope).filter(public_id=event_id).exists():
        return reply(_event_form(event_id, "SUCCEEDED"))
    waiting = Extraction.objects.filter(
        turn__public_id=event_id, workspace_id=request.scope.workspace_id
    )
    if request.scope.user_id is not None:
        waiting = waiting.filter(turn__user_id=request.scope.user_id)
    one = waiting.first()
    if one is None:
        raise NotFound(str(event_id))
    return reply(_event_form(event_id, "SUCCEEDED" if one.done_at else "PENDING"))


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


def _event_form(event_id: UUID, status: str) -> dict[str, Any]:
    return {"id": str(event_id), "event_id": str(event_id), "event_type": "ADD", "status": status}
