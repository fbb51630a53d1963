"""What people and agents say of a recall afterwards."""

from memory import clock
from memory.models import Recall, RecallFeedback
from memory.write.transaction import write_transaction


def add_feedback(kept: Recall, verdict: str, text: str, actor: str) -> RecallFeedback:
    """Keep one verdict (good, wrong, stale or missing) beside the record; a recall may have many.

    Raises `QueueTimeout` when it could not get its turn.
    """
    with write_transaction():
        return kept.feedback.create(verdict=verdict, text=text, at=clock.now(), actor=actor)
