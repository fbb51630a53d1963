"""A dialogue as a write: each message becomes a turn, what it says becomes memories."""

from memory.models import Scope
from memory.write.intake import Taken, take_in
from memory.write.turns import Utterance

from .bodies import MemoryIn


def remember_messages(scope: Scope, body: MemoryIn) -> Taken:
    """Turns, and what is to be remembered of them. Raises as `take_in` does."""
    utterances = [
        Utterance(
            role=said.role,
            content=said.content,
            user_id=scope.user_id or "",
            agent_id=body.agent_id or "",
            session_id=body.session_id or "",
            occurred_at=body.occurred_at,
        )
        for said in body.messages
    ]
    common = body.proposal(scope)
    return take_in(scope, utterances, common, reason=body.reason, infer=body.infer)
