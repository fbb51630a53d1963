"""Telling webhooks what waits for them, signed as Standard Webhooks say it.

`webhook-id`, `webhook-timestamp` and the body, joined by dots, are signed with HMAC-SHA256 by the
secret's bytes (base64 after "whsec_"); `webhook-signature` is "v1," and the signature in base64.
A receiver refuses what is older than it likes and an id that it had before. No redirect is
followed, and of the answer nothing but its status is kept.
"""

import base64
import hashlib
import hmac
import json
import time
from datetime import timedelta

from memory import clock, outbound
from memory.addresses import RefusedAddress, reachable
from memory.models import Delivery, Webhook
from memory.write import queue
from memory.write.webhooks import due, forget_old, note_attempt

from .registry import TURN_SECONDS, job

SECONDS = 5.0
ANSWER_BYTES = 4096
# After the first attempt; with the last one it is given up, some 35 hours after the event.
BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))
AT_ONCE = 20
NOTE_SECONDS = 60.0


@job(every=2, is_due=lambda: due().exists())
def deliver() -> dict:
    """Tell webhooks what waits for them."""
    end, told, tried = time.monotonic() + TURN_SECONDS, 0, 0
    while rows := list(due().order_by("due_at", "pk").select_related("webhook")[:AT_ONCE]):
        for row in rows:
            if time.monotonic() > end:
                return {"tried": tried, "told": told}
            told += attempt(row)
            tried += 1
    return {"tried": tried, "told": told}


@job(every=3600)
def forget_deliveries() -> dict:
    """Remove deliveries that have been over for a month."""
    return {"forgotten": forget_old()}


def attempt(row: Delivery) -> bool:
    """Send one delivery and note what came of it: told, to be tried again, or given up. Raises
    `QueueTimeout`; it is then sent once more under the same id."""
    status, error = _sent(row)
    now, done = clock.now(), status is not None and 200 <= status < 300
    attempts = row.attempts + 1
    later = None if done or attempts > len(BACKOFF) else now + BACKOFF[attempts - 1]
    noted = {
        "attempts": attempts,
        "status": status,
        "error": error,
        "due_at": later,
        "done_at": now if done else None,
    }
    with queue.turn(NOTE_SECONDS):
        note_attempt(row, noted)
    return done


def signed_headers(webhook: Webhook, delivery_id: str, moment: int, body: bytes) -> dict[str, str]:
    """The headers that a receiver checks; `moment` in seconds since 1970."""
    secret = base64.b64decode(webhook.secret.removeprefix("whsec_"))
    said = b".".join((delivery_id.encode(), str(moment).encode(), body))
    signature = base64.b64encode(hmac.new(secret, said, hashlib.sha256).digest()).decode()
    return {
        "Content-Type": "application/json",
        "User-Agent": "mase",
        "webhook-id": delivery_id,
        "webhook-timestamp": str(moment),
        "webhook-signature": f"v1,{signature}",
    }


def body_of(row: Delivery) -> bytes:
    """The same bytes at every attempt."""
    told = {"type": row.event, "timestamp": row.at.isoformat(), "data": row.payload}
    return json.dumps(told, ensure_ascii=False).encode()


def _sent(row: Delivery) -> tuple[int | None, str]:
    body, moment = body_of(row), int(clock.now().timestamp())
    headers = signed_headers(row.webhook, str(row.public_id), moment, body)
    try:
        _parts, number = reachable(row.webhook.url)
        answer = outbound.post(
            row.webhook.url,
            body,
            headers=headers,
            seconds=SECONDS,
            limit=ANSWER_BYTES,
            number=number,
        )
    except RefusedAddress as error:
        return None, f"the address {error}"
    except outbound.NoAnswer as error:
        return None, error.code
    return answer.status, ""
