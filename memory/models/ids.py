"""Public ids: time-ordered UUIDs (version 7, RFC 9562)."""

import uuid

from uuid_utils.compat import uuid7


def new_id() -> uuid.UUID:
    """A fresh id; ids made later in one process sort later."""
    return uuid7()
