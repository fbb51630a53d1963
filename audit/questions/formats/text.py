from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.questions.ask import Asked, Ran


def render(workspace: str, ran: Ran) -> str:
    """For a terminal: a line a question, and what a failed one lacked or had."""
    lines = [line for one in ran.asked for line in _asked(one)]
    return "\n".join([*lines, headline(ran)])


def headline(ran: Ran) -> str:
    """The result in one sentence."""
    if not ran.asked:
        return _("There is no question to ask, so nothing has been shown to hold.")
    total = len(ran.asked)
    told = ngettext(
        "%(passed)d of %(total)d question holds", "%(passed)d of %(total)d questions hold", total
    ) % {"passed": total - ran.failed, "total": total}
    return f"{told} ({ran.took_ms:.0f} ms)"


def reasons(one: Asked) -> list[str]:
    """Why it failed, a sentence a value."""
    told = [_("missing: %s") % value for value in one.judged.missing]
    return told + [_("should not be there: %s") % value for value in one.judged.present]


def _asked(one: Asked) -> Iterator[str]:
    result = _("ok") if one.passed else _("failed")
    yield f"[{result}] {one.question.user_id}: {' '.join(one.question.text.split())}"
    if not one.passed:
        yield from (f"    {reason}" for reason in reasons(one))
        if one.recall_id:
            yield "    " + _("recall %s") % one.recall_id
