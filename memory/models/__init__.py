from .correction import Correction, CorrectionState, CorrectionVerdict
from .extraction import Extraction
from .key import KEY_SCOPES, ApiKey
from .ledger import GENESIS, Batch, Change, payload_digest
from .memory import Kind, Layer, Memory, Source, layer_of
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
from .sameness import DuplicatePair, PairState
from .scope import (
    Membership,
    Owner,
    Role,
    Scope,
    ScopeError,
    UnscopedQuery,
    Workspace,
)
from .states import MOVES, ForbiddenMove, Status, check_move
from .turn import Turn, TurnRole
from .vector import Vector

__all__ = [
    "GENESIS",
    "KEY_SCOPES",
    "MOVES",
    "ApiKey",
    "Batch",
    "Change",
    "Correction",
    "CorrectionState",
    "CorrectionVerdict",
    "DuplicatePair",
    "Extraction",
    "ForbiddenMove",
    "Kind",
    "Layer",
    "Membership",
    "Memory",
    "Owner",
    "PairState",
    "PersonalData",
    "Policies",
    "Policy",
    "PolicyChange",
    "Recall",
    "RecallCandidate",
    "RecallFeedback",
    "Role",
    "Scope",
    "ScopeError",
    "Source",
    "Status",
    "Turn",
    "TurnRole",
    "UnscopedQuery",
    "Vector",
    "Verdict",
    "Workspace",
    "check_move",
    "layer_of",
    "payload_digest",
    "policies_of",
    "policy_changes",
    "policy_draft",
]
