import json
from typing import Any

from audit.questions.ask import Asked, Ran


def render(workspace: str, ran: Ran) -> str:
    """`{"workspace", "run_id", "passed", "total", "failed", "took_ms", "questions": […]}`."""
    body = {
        "workspace": workspace,
        "run_id": str(ran.run.public_id) if ran.run else None,
        "passed": ran.passed,
        "total": len(ran.asked),
        "failed": ran.failed,
        "took_ms": round(ran.took_ms, 1),
        "questions": [_asked(one) for one in ran.asked],
    }
    return json.dumps(body, ensure_ascii=False, indent=2)


def _asked(one: Asked) -> dict[str, Any]:
    return {
        "id": str(one.question.public_id),
        "user_id": one.question.user_id,
        "kind": one.question.kind,
        "text": one.question.text,
        "passed": one.passed,
        "missing": list(one.judged.missing),
        "present": list(one.judged.present),
        "recall_id": str(one.recall_id) if one.recall_id else None,
        "took_ms": round(one.took_ms, 1),
    }
