"""What to do about each row of an export: proposals, of which dropping and masking are carried out
in the cleaned export and the others are left to a person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

DROP, MASK, DECIDE, FILL = "drop", "mask", "decide", "fill"
ACTIONS = (DROP, MASK, DECIDE, FILL)
Place = tuple[int, int]


@dataclass(frozen=True)
class Step:
    """One proposal for one row. `of` is the row that it is to be seen beside, if there is one."""

    place: Place
    action: str
    check: str
    reason: str
    of: Place | None = None

    def to_dict(self, ids: Mapping[Place, str]) -> dict[str, Any]:
        return {
            "row": self.place[0],
            "nth": self.place[1],
            "external_id": ids.get(self.place, ""),
            "action": self.action,
            "check": self.check,
            "reason": self.reason,
            "of": None
            if self.of is None
            else {"row": self.of[0], "external_id": ids.get(self.of, "")},
        }


def plan(found: Mapping[str, Any], ids: Mapping[Place, str]) -> list[Step]:
    """The steps in the order of the rows. A row that is dropped needs no other, and nothing needs
    to be decided beside it."""
    steps = list(_steps(found, ids))
    # The first reason to drop a row is told.
    drops = {step.place: step for step in reversed(steps) if step.action == DROP}
    others = [
        step for step in steps if step.action != DROP and not {step.place, step.of} & drops.keys()
    ]
    return sorted(
        [*drops.values(), *others], key=lambda step: (step.place, ACTIONS.index(step.action))
    )


def _steps(found: Mapping[str, Any], ids: Mapping[Place, str]) -> Iterator[Step]:
    checks = {name: [tuple(p) for p in places] for name, places in found["found"].items()}
    for check, reason in _whole().items():
        yield from (Step(place, DROP, check, reason) for place in checks[check])
    gone = {tuple(p) for check in _whole() for p in checks[check]}
    for group in found["same"]:
        # One that goes for another reason is not the one to keep.
        group = [tuple(p) for p in group]
        kept = next((p for p in group if p not in gone), group[0])
        reason = _("says exactly the same as %(row)s") % {"row": told(kept, ids)}
        yield from (
            Step(place, DROP, "exact_duplicates", reason, kept) for place in group if place != kept
        )
    for check, reason in _masked().items():
        yield from (Step(place, MASK, check, reason) for place in checks[check])
    for one, other in found["alike"]:
        one, other = tuple(one), tuple(other)
        reason = _("may say the same as %(row)s in other words") % {"row": told(one, ids)}
        yield Step(other, DECIDE, "near_duplicates", reason, one)
    for check, reason in _doubted().items():
        yield from (Step(place, DECIDE, check, reason) for place in checks[check])
    yield from _lacking(found["lacking"])


def told(place: Place, ids: Mapping[Place, str]) -> str:
    """A row as people find it."""
    name = ids.get(place, "")
    return f"{name} ({_('row %d') % place[0]})" if name else _("row %d") % place[0]


def _lacking(lacking: Mapping[str, list[list[int]]]) -> Iterator[Step]:
    names: dict[Place, list[str]] = {}
    for name, places in lacking.items():
        for place in places:
            names.setdefault(tuple(place), []).append(name)
    for place, some in names.items():
        reason = _("lacks: %(fields)s") % {"fields": ", ".join(n.replace("_", " ") for n in some)}
        yield Step(place, FILL, "missing_metadata", reason)


def _whole() -> dict[str, str]:
    return {
        "junk": _("is no memory: a prompt, an acknowledgement or a program's output"),
        "planted_instructions": _("tells a model what to do"),
        "expired_active": _("its time is over"),
    }


def _masked() -> dict[str, str]:
    return {
        "secrets_at_rest": _("holds a secret; change it where it is used as well"),
        "personal_data_at_rest": _("holds personal data"),
    }


def _doubted() -> dict[str, str]:
    return {
        "conflicting_actives": _("another row gives the same thing another value"),
        "low_confidence": _("is hardly sure"),
        "unconfirmed_long": _("was last confirmed long ago"),
    }
