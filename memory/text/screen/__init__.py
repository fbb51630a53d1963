"""What must not be stored as it came: secrets, personal data, planted instructions.

One module a family of detectors; each reads the views of one text and yields findings with
places in the original. Left out on purpose: names, postal addresses, birthdays, number plates,
health data (no form tells them), shell commands, secrets without form or word beside them,
instructions in languages other than Chinese and English.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from . import contact, instructions, keys, numbers, passwords
from .finding import FAMILIES, INSTRUCTION, PERSONAL, SECRET, Finding, masked, settled, worst
from .views import Views

DETECTORS = {
    "keys": keys.find,
    "passwords": passwords.find,
    "numbers": numbers.find,
    "contact": contact.find,
    "instructions": instructions.find,
}
__all__ = (
    "DETECTORS", "FAMILIES", "INSTRUCTION", "PERSONAL", "SECRET", "Finding", "Screened", "masked",
    "screen", "worst",
)  # fmt: skip


@dataclass(frozen=True)
class Screened:
    """Findings in order of place; the text is clean where there are none."""

    findings: tuple[Finding, ...]

    def of(self, family: str) -> tuple[Finding, ...]:
        """The findings of one family."""
        return tuple(finding for finding in self.findings if finding.family == family)

    @property
    def worst(self) -> Finding | None:
        return worst(self.findings)


def screen(text: str, detectors: Iterable[str] = tuple(DETECTORS)) -> Screened:
    """What `detectors` (all, unless named) find in a text. Never raises; linear in its length.

    Seen through are invisible and full-width characters, look-alike letters, letters spelt
    apart, markup, base64.
    """
    views = Views(text)
    return Screened(settled(found for name in detectors for found in DETECTORS[name](views)))
