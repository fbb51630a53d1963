"""What a screen finds, and what becomes of a text that it found something in."""

from collections.abc import Iterable
from dataclasses import dataclass

SECRET, INSTRUCTION, PERSONAL = "secret", "instruction", "personal"
# The worst first.
FAMILIES = (SECRET, INSTRUCTION, PERSONAL)


@dataclass(frozen=True)
class Finding:
    """`original[start:end]` is what was found; `rule` names what found it; `masked` may be shown
    and stored in its place. A secret's mask holds none of its characters."""

    kind: str
    family: str
    start: int
    end: int
    rule: str
    masked: str


def settled(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """In order of place, without those that lie inside one that is as bad or worse.

    An instruction covers no others: a key or a phone inside it still has to be masked.
    """
    kept: list[Finding] = []
    reach = dict.fromkeys(FAMILIES, -1)
    for finding in sorted(found, key=lambda f: (f.start, -f.end, FAMILIES.index(f.family))):
        covering = [reach[finding.family], reach[SECRET] if finding.family == PERSONAL else -1]
        if finding.end > max(covering):
            kept.append(finding)
            reach[finding.family] = finding.end
    return tuple(kept)


def masked(text: str, findings: Iterable[Finding]) -> str:
    """`text` with secrets and personal data masked. Instructions stay as they are: they are held
    for a person, who has to read them."""
    out, place = [], 0
    for finding in sorted(findings, key=lambda f: (f.start, -f.end)):
        if finding.family == INSTRUCTION or finding.end <= place:
            continue
        if finding.start >= place:
            out += [text[place : finding.start], finding.masked]
        place = finding.end
    return "".join([*out, text[place:]])


def worst(findings: Iterable[Finding]) -> Finding | None:
    """The finding that decides: a secret before an instruction before personal data; of equals
    the first in the text."""
    return min(findings, key=lambda f: (FAMILIES.index(f.family), f.start), default=None)
