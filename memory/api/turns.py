"""Turns: the dialogue log."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field, model_validator

from memory.models import Turn
from memory.write.proposal import NAME_LIMIT
from memory.write.revise import NotFound
from memory.write.turns import Utterance, add_turns

from .auth import needs
from .fields import Body, Content, Metadata, Moment, Name, RoleName, UserId
from .form import iso
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE, Problem
from .reply import reply

router = Router(tags=["turns"])

MOST_TURNS = 500


class TurnForm(Schema):
    id: UUID
    workspace: str
    user_id: str
    agent_id: str
    session_id: str
    role: str
    content: str
    occurred_at: datetime
    created_at: datetime
    metadata: dict[str, Any]


class Turns(Schema):
    items: list[TurnForm]


class Speaker(Body):
    user_id: UserId | None = None
    agent_id: Name | None = None
    session_id: Name | None = None


class TurnIn(Speaker):
    role: RoleName
    content: Content
    occurred_at: Moment | None = None
    metadata: Metadata = {}


class TurnsIn(Speaker):
    """One turn, or `turns`, which take from here what they do not say themselves."""

    role: RoleName | None = None
    content: Content | None = None
    occurred_at: Moment | None = None
    metadata: Metadata = {}
    turns: list[TurnIn] | None = Field(None, min_length=1, max_length=MOST_TURNS)

    @model_validator(mode="after")
    def _one_form(self):
        said = [name for name in ("role", "content") if getattr(self, name) is not None]
        if len(said) != (0 if self.turns else 2):
            raise ValueError("give role and content, or turns")
        return self


class TurnFilters(Paging):
    user_id: UserId | None = None
    agent_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    session_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    sort: Literal["created", "-created"] = "created"


@router.post("", auth=needs("write"), response={201: Turns, WRITE: Problem})
def add(request, body: TurnsIn):
    """Append one turn or many, all or none; secrets in them are masked. Needs `write`."""
    scope = request.scope.narrow(body.user_id)
    utterances = [
        Utterance(
            role=said.role,
            content=said.content,
            user_id=said.user_id or body.user_id or "",
            agent_id=said.agent_id or body.agent_id or "",
            session_id=said.session_id or body.session_id or "",
            occurred_at=said.occurred_at or body.occurred_at,
            metadata=said.metadata or body.metadata,
        )
        for said in body.turns or [body]
    ]
    turns = add_turns(scope, utterances)
    return reply({"items": [turn_form(turn, request.auth.workspace.name) for turn in turns]}, 201)


@router.get("", auth=needs("read"), response={200: Page[TurnForm], READ: Problem})
def list_turns(request, asked: Query[TurnFilters]):
    """The dialogue, in the order in which it was stored. Needs `read`."""
    wanted = {"agent_id": asked.agent_id, "session_id": asked.session_id}
    rows = Turn.objects.within(request.scope.narrow(asked.user_id)).filter(
        **{name: value for name, value in wanted.items() if value}
    )
    order = "-id" if asked.sort == "-created" else "id"
    turns, after = page_of(rows, order, asked)
    items = [turn_form(turn, request.auth.workspace.name) for turn in turns]
    return reply(page_form(items, after, counted(rows)))


@router.get("/{turn_id}", auth=needs("read"), response={200: TurnForm, READ_ONE: Problem})
def read_turn(request, turn_id: UUID):
    """One turn of the dialogue, in full. Needs `read`."""
    turn = Turn.objects.within(request.scope).filter(public_id=turn_id).first()
    if turn is None:
        raise NotFound(str(turn_id))
    return reply(turn_form(turn, request.auth.workspace.name))


def turn_form(turn: Turn, workspace: str) -> dict[str, Any]:
    return {
        "id": str(turn.public_id),
        "workspace": workspace,
        "user_id": turn.user_id,
        "agent_id": turn.agent_id,
        "session_id": turn.session_id,
        "role": turn.role,
        "content": turn.content,
        "occurred_at": iso(turn.occurred_at),
        "created_at": iso(turn.created_at),
        "metadata": turn.metadata,
    }
