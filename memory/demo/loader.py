"""Playing the demo's script through the product's own roads, on a clock set to the past."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import resources
from typing import Any

from django.utils.dateparse import parse_datetime, parse_duration

from memory import clock
from memory.demo import place, played, two_weeks_played
from memory.models import Memory, Scope, Workspace, policies_of, policy_draft
from memory.recall import RecallRequest, recall
from memory.recall.record import add_outcome
from memory.write.apply import apply
from memory.write.policies import save_policy
from memory.write.proposal import Proposal
from memory.write.remember import remember
from memory.write.revise import find, plan_confirm, plan_retract
from memory.write.turns import Utterance, add_turns

TWO_WEEKS = timedelta(days=14)
WORKSPACE, TITLE = "demo", "Beihai Studio · 北海工作室"
_FIELDS = (
    "entity", "attribute", "value", "text", "summary", "kind", "domain", "source", "importance",
    "confidence", "user_id", "agent_id", "session_id",
)  # fmt: skip


def load(progress: Callable[[int], None] = lambda done: None) -> tuple[Workspace, int]:
    """Make the demo workspace and play the script into it, or the rest of it where that broke off;
    0 steps if it is already there."""
    workspace, _ = Workspace.objects.get_or_create(name=WORKSPACE, defaults={"title": TITLE})
    scope = Scope(workspace.pk, "demo", "command")
    so_far = place.read(scope)
    if so_far is None and Memory.objects.within(scope).exists():
        return workspace, 0
    so_far = so_far or place.Place(clock.now())
    player = _Player(workspace, so_far)
    for ends, step in _steps(so_far.done):
        for ago in ends:
            with clock.at(so_far.start - ago):
                two_weeks_played.send(load, workspace=workspace)
        with clock.at(so_far.start - step["ago"]):
            player.play(step)
        so_far.done += 1
        place.keep(so_far)
        if so_far.done % 50 == 0:
            progress(so_far.done)
    played.send(load, workspace=workspace)
    place.forget()
    return workspace, so_far.done


def script() -> Iterator[dict[str, Any]]:
    """The steps, oldest first; `ago` is how long before now."""
    text = resources.files("memory.demo").joinpath("script.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        step = json.loads(line)
        ago = parse_duration(step["ago"])
        if ago is None or ago < timedelta(0):
            raise ValueError(f"not a time before now: {step['ago']!r}")
        yield step | {"ago": ago}


def _steps(done: int) -> Iterator[tuple[list[timedelta], dict[str, Any]]]:
    """The steps after the first `done`, each with the ends of two weeks, counted back from now,
    that lie between it and the one before."""
    before = timedelta(0)
    for number, step in enumerate(script()):
        ends = range(-(-step["ago"] // TWO_WEEKS), -(-before // TWO_WEEKS))
        before = step["ago"]
        if number >= done:
            yield [n * TWO_WEEKS for n in reversed(ends) if n], step


class _Player:
    """Keeps what the script's names stand for."""

    def __init__(self, workspace: Workspace, so_far: place.Place):
        self.workspace = workspace
        self.turns, self.memories = so_far.turns, so_far.memories

    def play(self, step: dict[str, Any]) -> None:
        getattr(self, f"_{step['op']}")(step)

    def _scope(self, step: dict[str, Any], user_id: str | None = None) -> Scope:
        actor = step.get("actor") or f"agent:{step.get('agent_id') or 'assistant'}"
        surface = "console" if actor.startswith("user:") else "api"
        return Scope(self.workspace.pk, actor, surface, user_id)

    def _policy(self, step: dict[str, Any]) -> None:
        draft = policy_draft(policies_of(self.workspace.pk), step["kind"], step["domain"])
        draft.personal_data = step["personal_data"]
        save_policy(self._scope(step), draft, reason=step["reason"])

    def _turn(self, step: dict[str, Any]) -> None:
        utterance = Utterance(
            role=step["role"],
            content=step["content"],
            user_id=step["user_id"],
            agent_id=step.get("agent_id", ""),
            session_id=step.get("session_id", ""),
        )
        self.turns[step["ref"]] = add_turns(self._scope(step), [utterance])[0].public_id

    def _remember(self, step: dict[str, Any]) -> None:
        fields = {name: step[name] for name in _FIELDS if step.get(name) is not None}
        occurred = clock.now()
        if "occurred_at" in step:
            occurred = step["occurred_at"] and parse_datetime(step["occurred_at"])
        evidence = step.get("evidence", {})
        ttl = step.get("ttl_hours")
        proposal = Proposal(
            **fields,
            tags=tuple(step.get("tags", ())),
            links=tuple(step.get("links", ())),
            occurred_at=occurred,
            expires_at=clock.now() + timedelta(hours=ttl) if ttl else None,
            turn_id=self.turns[evidence["turn"]] if evidence else None,
            quote=evidence.get("quote", ""),
        )
        written = remember(
            self._scope(step), [proposal], reason=step.get("reason", ""), infer=False
        )
        self.memories[step["ref"]] = written.outcomes[0].memory.public_id

    def _retract(self, step: dict[str, Any]) -> None:
        scope = self._scope(step)
        memory = find(scope, self.memories[step["ref"]])
        apply(plan_retract(scope, [memory]).plan("retract", step.get("reason", "")))

    def _confirm(self, step: dict[str, Any]) -> None:
        scope = self._scope(step)
        memory = find(scope, self.memories[step["ref"]])
        apply(plan_confirm(scope, memory).plan("confirm", step.get("reason", "")))

    def _recall(self, step: dict[str, Any]) -> None:
        scope = self._scope(step, step["user_id"])
        answer = recall(
            RecallRequest(
                scope,
                step["query"],
                agent_id=step.get("agent_id", ""),
                session_id=step.get("session_id", ""),
            )
        )
        if step.get("answer"):
            add_outcome(answer.record, prompt=answer.context.text, answer=step["answer"])
