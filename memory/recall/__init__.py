from .rank import PROFILES, Ranked
from .request import InvalidRequest, RecallRequest
from .road import Answer, DroppedMemory, DroppedTurn, recall

__all__ = [
    "PROFILES",
    "Answer",
    "DroppedMemory",
    "DroppedTurn",
    "InvalidRequest",
    "Ranked",
    "RecallRequest",
    "recall",
]
