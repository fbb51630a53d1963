"""What could be meant by the word that is being typed into the search field."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from memory.index.browse import COUNT_CAP
from memory.models import Memory, Owner, Scope

from .access import seat
from .listing import said_of
from .memory_filter import MemoryFilter, checks
from .typed import CHOICES, KEYS, parameter, quoted

MOST = 8
# Values with an index that begins with them are found at any size; the others are told from the
# newest rows: among 1,000,000 rows without an index a value takes 0.4 s to find.
_SAMPLED = {"agent": "agent_id", "session": "session_id", "entity": "entity",
    "attribute": "attribute", "tag": "tags"}  # fmt: skip
_EXAMPLES = {"conf": ("<0.5", ">=0.8"), "importance": (">=4", "<=2")}
_NOT = ("-", "!", "！", "－")
_LAST = "\U0010ffff"


@require_safe
def complete(request):
    """JSON: `options`, each with `insert` (what to put in the place of `token`), `text` and
    `note`. At most `MOST`; of the person's workspace only."""
    options = list(islice(_options(seat(request).scope, request.GET.get("token", "")[:300]), MOST))
    return JsonResponse({"options": options}, headers={"Cache-Control": "private, no-store"})


def _options(scope: Scope, token: str) -> Iterator[dict[str, str]]:
    name, colon, begun = token.replace("：", ":", 1).partition(":")
    sign = "-" if name[:1] in _NOT else ""
    name, begun = name[len(sign) :].lower(), begun.strip('"').strip()
    if not colon:
        for key in KEYS:
            if name and key.startswith(name) and parameter(key, negated=bool(sign)):
                insert = f"{sign}{key}:"
                yield {"insert": insert, "text": insert, "note": _label(key, sign)}
    elif parameter(name, negated=bool(sign)):
        for value in _values(scope, name, begun):
            note = said_of(KEYS[name], value)
            insert = f"{sign}{name}:{quoted(value)}"
            note = note if note != value else _label(name, sign)
            yield {"insert": insert, "text": value, "note": note}


def _values(scope: Scope, name: str, begun: str) -> Iterable[str]:
    if name == "user":
        rows = Owner.objects.filter(workspace_id=scope.workspace_id).exclude(user_id="")
        found = rows.filter(user_id__gte=begun, user_id__lt=begun + _LAST).order_by("user_id")
        return found.values_list("user_id", flat=True)[:MOST]
    if name == "domain":
        return _steps(scope, begun)
    if name in _SAMPLED:
        return _newest(scope, _SAMPLED[name], begun)
    few = [check for check, _ in checks()] if name == "check" else CHOICES.get(KEYS[name], ())
    return (value for value in (*few, *_EXAMPLES.get(name, ())) if value.startswith(begun.lower()))


def _steps(scope: Scope, begun: str) -> Iterator[str]:
    """Domains in their order, one step over the index for each, however many rows it has."""
    rows = Memory.objects.within(scope).filter(domain__lt=begun + _LAST).order_by("domain")
    rows = rows.values_list("domain", flat=True)
    # "" is no domain.
    found = rows.filter(domain__gte=begun, domain__gt="").first()
    while found is not None:
        yield found
        found = rows.filter(domain__gt=found).first()


def _newest(scope: Scope, column: str, begun: str) -> list[str]:
    rows = Memory.objects.within(scope).order_by("-pk").values_list(column, flat=True)[:COUNT_CAP]
    counts: Counter[str] = Counter()
    for value in rows:
        counts.update(value if isinstance(value, list) else [value])
    start = begun.casefold()
    fitting = (value for value, _n in counts.most_common() if value.casefold().startswith(start))
    return [value for value in fitting if value][:MOST]


def _label(key: str, sign: str) -> str:
    return str(MemoryFilter.base_filters[parameter(key, negated=bool(sign))].label)
