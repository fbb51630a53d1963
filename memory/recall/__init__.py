from .rank import PROFILES, Ranked
from .request import InvalidRequest, RecallRequest
from .road import Answer, DroppedMemory, recall

__all__ = [
    "PROFILES",
    "Answer",
    "DroppedMemory",
    "InvalidRequest",
    "Ranked",
    "RecallRequest",
    "recall",
]
