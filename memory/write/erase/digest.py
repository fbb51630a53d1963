"""The keyed hash that stays of a memory that was erased."""

import hmac

from django.conf import settings

from memory.models import Memory
from memory.text.fingerprint import fingerprint


def digest_of(user_id: str, text: str) -> str:
    """The hash under which a text of a user is known again after it was erased: equal for what is
    equal after normalisation, worthless without the installation's pepper."""
    message = f"erased:{user_id}:{fingerprint(text)}".encode()
    return hmac.digest(settings.PEPPER.encode(), message, "sha256").hex()


def tombstone_of(memory: Memory) -> str:
    return digest_of(memory.user_id, memory.text)
