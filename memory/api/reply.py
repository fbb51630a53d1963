"""Answers, written by hand: validating what we made ourselves costs as much as a recall."""

import json
from typing import Any

from django.http import HttpResponse


def reply(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """JSON as UTF-8. The schemas named in `response=` document it, and tests hold it to them."""
    response = HttpResponse(
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"),
        status=status,
        content_type="application/json",
        headers=headers,
    )
    # The middleware, which knows the address, makes a link of it.
    response.next_cursor = body.get("next") if isinstance(body, dict) else None
    return response
