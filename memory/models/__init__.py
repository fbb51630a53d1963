from .key import KEY_SCOPES, ApiKey
from .ledger import GENESIS, Batch, Change, payload_digest
from .memory import Kind, Layer, Memory, Source, layer_of
from .policy import Policy, policies_of
from .recall import Recall, RecallCandidate, RecallFeedback, Verdict
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

__all__ = [
    "GENESIS",
    "KEY_SCOPES",
    "MOVES",
    "ApiKey",
    "Batch",
    "Change",
    "ForbiddenMove",
    "Kind",
    "Layer",
    "Membership",
    "Memory",
    "Owner",
    "Policy",
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
    "Verdict",
    "Workspace",
    "check_move",
    "layer_of",
    "payload_digest",
    "policies_of",
]
