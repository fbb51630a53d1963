"""A dialogue as a write: each message becomes a turn, each plain statement a memory."""

from memory.models import Scope, Turn, TurnRole
from memory.text.statement import parse_statement
from memory.write.proposal import Proposal
from memory.write.remember import Written, remember
from memory.write.resolve import Outcome
from memory.write.transaction import write_transaction
from memory.write.turns import Utterance, add_turns

from .bodies import MemoryIn


def remember_messages(scope: Scope, body: MemoryIn) -> tuple[Written, list[Outcome | None]]:
    """Turns and memories in one transaction. An outcome a message, in order; None where the
    message says nothing to keep. With `infer` off every user message is kept as it stands."""
    with write_transaction():
        turns = add_turns(scope, [_utterance(scope, body, said) for said in body.messages])
        kept = [turn for turn in turns if _is_worth_keeping(turn, body.infer)]
        proposals = [_proposal(scope, body, turn) for turn in kept]
        written = remember(scope, proposals, reason=body.reason, infer=body.infer)
    outcomes = dict(zip((turn.public_id for turn in kept), written.outcomes, strict=True))
    return written, [outcomes.get(turn.public_id) for turn in turns]


def _utterance(scope: Scope, body: MemoryIn, said) -> Utterance:
    return Utterance(
        role=said.role,
        content=said.content,
        user_id=scope.user_id or "",
        agent_id=body.agent_id or "",
        session_id=body.session_id or "",
        occurred_at=body.occurred_at,
    )


def _is_worth_keeping(turn: Turn, infer: bool) -> bool:
    if turn.role != TurnRole.USER:
        return False
    return not infer or parse_statement(turn.content) is not None


def _proposal(scope: Scope, body: MemoryIn, turn: Turn) -> Proposal:
    return body.proposal(
        scope,
        text=turn.content,
        turn_id=turn.public_id,
        occurred_at=turn.occurred_at,
        source=body.source or "user_said",
    )
