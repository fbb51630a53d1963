"""Questions, as tests want them."""

from audit.models import Question, QuestionResult
from audit.questions.ask import run
from audit.questions.manage import Draft, create
from memory.models import Scope
from tests import factories as make


def question(in_scope: Scope | None = None, **fields) -> Question:
    """What the budget is; 640 is expected unless told otherwise."""
    said = {"user_id": "ann", "text": "我的预算是多少？", "expected": ("640",)} | fields
    return create(in_scope or make.scope(), Draft(**said))


def asked(one: Question, in_scope: Scope | None = None) -> QuestionResult:
    """The result of asking it now."""
    run(in_scope or make.scope(), [one])
    return one.results.order_by("-id")[0]
