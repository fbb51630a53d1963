from .access import Access, GivenAnswer
from .correction import Correction, CorrectionState, CorrectionVerdict
from .erasure import Erasure
from .extraction import Extraction
from .image import Image
from .job import Job, JobRow, JobState
from .key import KEY_SCOPES, ApiKey
from .ledger import GENESIS, Batch, Change, payload_digest, reason_digest, sealed
from .link import EntityLink, LinkRole
from .memory import FIXED, Kind, Layer, Memory, Source, layer_of
from .policy import (
    PersonalData,
    Policies,
    Policy,
    PolicyChange,
    policies_of,
    policy_changes,
    policy_draft,
)
from .recall import Recall, RecallCandidate, RecallFeedback, Verdict
from .rights import RIGHTS, Right, Role
from .sameness import DuplicatePair, PairState
from .scope import (
    Membership,
    Owner,
    Scope,
    ScopeError,
    UnscopedQuery,
    Workspace,
)
from .stamp import MemoryStamp, TurnStamp
from .states import MOVES, ForbiddenMove, Status, check_move
from .turn import Turn, TurnRole
from .vector import Vector
from .webhook import Delivery, Webhook

__all__ = [
    "FIXED",
    "GENESIS",
    "KEY_SCOPES",
    "MOVES",
    "RIGHTS",
    "Access",
    "ApiKey",
    "Batch",
    "Change",
    "Correction",
    "CorrectionState",
    "CorrectionVerdict",
    "Delivery",
    "DuplicatePair",
    "EntityLink",
    "Erasure",
    "Extraction",
    "ForbiddenMove",
    "GivenAnswer",
    "Image",
    "Job",
    "JobRow",
    "JobState",
    "Kind",
    "Layer",
    "LinkRole",
    "Membership",
    "Memory",
    "MemoryStamp",
    "Owner",
    "PairState",
    "PersonalData",
    "Policies",
    "Policy",
    "PolicyChange",
    "Recall",
    "RecallCandidate",
    "RecallFeedback",
    "Right",
    "Role",
    "Scope",
    "ScopeError",
    "Source",
    "Status",
    "Turn",
    "TurnRole",
    "TurnStamp",
    "UnscopedQuery",
    "Vector",
    "Verdict",
    "Webhook",
    "Workspace",
    "check_move",
    "layer_of",
    "payload_digest",
    "policies_of",
    "policy_changes",
    "policy_draft",
    "reason_digest",
    "sealed",
]
