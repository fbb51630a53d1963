"""Tools that change what is remembered."""

from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field, model_validator

from memory.api import corrections, memories
from memory.api.bodies import MOST_MESSAGES, MemoryIn, MessageIn
from memory.api.changed import changed_form
from memory.api.corrections import ApplyIn, CorrectionIn, OneChange, Utterance
from memory.api.fields import (
    Body,
    KindName,
    Metadata,
    Moment,
    Name,
    NewValue,
    Part,
    Parts,
    Reason,
    Text,
    TtlSeconds,
    UserId,
    Value,
)
from memory.write.apply import apply
from memory.write.correction.preview import CAP
from memory.write.outcome import Outcome
from memory.write.proposal import InvalidInput
from memory.write.retract import OverTheCap
from memory.write.revise import find, plan_retract

from .caller import Caller
from .forms import ShortChanged, ShortMemory, ShortResult, short_changed, short_memory
from .tool import Tool, answer_of

MOST_IDS = 500


class AddIn(Body):
    """One of: `text`; `entity`, `attribute` and `value`; or `messages`."""

    user_id: UserId | None = Field(None, description="Whose memory, unless the key is bound.")
    text: Text | None = Field(None, description='One statement, such as "my budget is 500 €".')
    messages: list[MessageIn] | None = Field(
        None,
        min_length=1,
        max_length=MOST_MESSAGES,
        description="A dialogue: what the user says in it that is worth it is remembered.",
    )
    entity: Part | None = None
    attribute: Part | None = None
    value: Value | None = None
    agent_id: Name | None = None
    session_id: Name | None = None
    kind: KindName | None = None
    tags: Parts | None = None
    occurred_at: Moment | None = None
    ttl_seconds: TtlSeconds | None = None
    metadata: Metadata | None = None
    infer: bool = Field(True, description="False: remember it as it stands.")
    reason: Reason = ""


class CorrectIn(Body):
    """First `text`, which changes nothing and answers `confirm`; then `confirm` alone, or for an
    ambiguous one with the `memory_id` that is meant."""

    text: Utterance | None = Field(None, description="What the user said, in their own words.")
    user_id: UserId | None = None
    session_id: Name = ""
    agent_id: Name = ""
    recall_id: UUID | None = Field(None, description="The recall whose answer was wrong.")
    confirm: str = Field("", max_length=80, description="`confirm` of the preview.")
    memory_id: UUID | None = Field(None, description="Which of the candidates is meant.")
    value: NewValue | None = Field(None, description="What is right, of that candidate.")
    retract: bool = Field(False, description="That candidate is to go.")
    reason: Reason = ""

    @model_validator(mode="after")
    def _one_step(self):
        if bool(self.text) == bool(self.confirm):
            raise ValueError("give text for a preview, or confirm to apply one")
        return self


class CorrectOut(Schema):
    """`state` "open": a preview, nothing has changed; show `targets` and `changes` to the user,
    then call again with `confirm`. `confirm` is null where nothing can be applied."""

    id: UUID
    state: Literal["open", "applied", "dismissed", "expired"]
    verdict: str
    message: str
    count: int
    cap: int
    blocked: bool
    changes: list[OneChange] = []
    targets: list[ShortMemory] = []
    candidates: list[ShortMemory] = []
    confirm: str | None
    batch_id: UUID | None = None
    results: list[ShortResult] = []
    undo: str | None = None


class DeleteIn(Body):
    memory_ids: list[UUID] = Field(min_length=1, max_length=MOST_IDS)
    reason: Reason = Field("", description="Why; it stays in the history.")


def add_memories(caller: Caller, asked: AddIn) -> dict[str, Any]:
    """Remember something of a user. A new value of the same thing supersedes the old one, which
    stays in the history. Secrets are refused; personal data may wait for a person."""
    try:
        body = MemoryIn.model_validate(asked.model_dump(exclude_none=True))
    except ValueError as error:
        raise InvalidInput([("messages", _first_words(error))]) from None
    return short_changed(answer_of(memories.write(caller, body)))


def correct_memory(caller: Caller, asked: CorrectIn) -> dict[str, Any]:
    """Correct what is remembered, in two steps: with `text`, what the user said is wrong, a
    preview; with its `confirm`, exactly what was previewed, or nothing where it moved since."""
    if asked.text:
        said = asked.model_dump(include={"text", "user_id", "session_id", "agent_id", "recall_id"})
        return _told(answer_of(corrections.preview(caller, CorrectionIn.model_validate(said))))
    correction_id, count = _read_token(asked.confirm)
    body = ApplyIn(
        confirm_count=count,
        memory_id=asked.memory_id,
        value=asked.value,
        retract=asked.retract,
        reason=asked.reason,
    )
    applied = answer_of(corrections.apply(caller, correction_id, body))
    told = _told(answer_of(corrections.read(caller, correction_id)))
    names = ("changes", "targets", "candidates")
    return told | {name: [] for name in names} | short_changed(applied) | {"undo": applied["undo"]}


def delete_memories(caller: Caller, asked: DeleteIn) -> dict[str, Any]:
    """Retract memories: they are never given again and stay in the history, and the batch can be
    undone. More than 20 at once are refused."""
    wanted = list(dict.fromkeys(asked.memory_ids))
    if len(wanted) > CAP:
        raise OverTheCap(len(wanted), wanted[:CAP], "")
    rows = [find(caller.scope, memory_id) for memory_id in wanted]
    applied = apply(plan_retract(caller.scope, rows).plan("retract", asked.reason))
    told = [Outcome("retracted", applied.memories[memory_id]) for memory_id in wanted]
    return short_changed(changed_form(caller, applied.batch, told))


def _told(form: dict[str, Any]) -> dict[str, Any]:
    same = ("id", "state", "verdict", "message", "count", "cap", "blocked", "batch_id", "changes")
    lists = {n: [short_memory(row) for row in form[n]] for n in ("targets", "candidates")}
    return {name: form[name] for name in same} | lists | {"confirm": _token(form)}


def _token(form: dict[str, Any]) -> str | None:
    open_to = form["state"] == "open" and not form["blocked"]
    if not open_to or not (form["targets"] or form["candidates"]):
        return None
    count = form["confirm_count"]
    return form["id"] if count is None else f"{form['id']}.{count}"


def _read_token(text: str) -> tuple[UUID, int | None]:
    name, _, count = text.partition(".")
    try:
        return UUID(name), int(count) if count else None
    except ValueError:
        raise InvalidInput([("confirm", "not the confirm of a preview")]) from None


def _first_words(error: ValueError) -> str:
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return found[0]["msg"].removeprefix("Value error, ")


TOOLS = (
    Tool("add_memories", "Remember", "write", AddIn, ShortChanged, add_memories),
    Tool(
        "correct_memory", "Correct a memory", "correct", CorrectIn, CorrectOut, correct_memory,
        destroys=True,
    ),
    Tool(
        "delete_memories", "Retract memories", "correct", DeleteIn, ShortChanged,
        delete_memories, destroys=True,
    ),
)  # fmt: skip
