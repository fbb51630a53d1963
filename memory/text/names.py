"""Which short texts can be the name of something that other memories speak of too."""

import re
from functools import lru_cache

from .atoms import atoms
from .numerals import spelt_out

LONGEST = 100
_NUMERIC = {"number", "quantity", "date"}
# Only what may be a number, an hour or a day is looked at closely.
_FIGURE = re.compile(
    "[0-9零一二两三四五六七八九十百千万亿]|周|星期|day|(?:one|two|three|four|five|six|seven|eight|nine|"
    "ten|eleven|twelve|teen|ty|hundred|thousand|million|dozen)(?![a-z])"
)


@lru_cache(maxsize=4096)
def could_be_name(key: str) -> bool:
    """Whether a normalised text can name a thing: two to a hundred characters, with a letter, and
    more than a number, an amount or a date (QX-31 and 3M can)."""
    if not 1 < len(key) <= LONGEST or not any(map(str.isalpha, key)):
        return False
    if not _FIGURE.search(key):
        return True
    rest = spelt_out(key)[0]
    if not any(map(str.isalpha, rest)):
        return False
    if not any(map(str.isdigit, rest)):
        return True
    return any(atom.kind not in _NUMERIC for atom in atoms(rest) if atom.role != "index")
