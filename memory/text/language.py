"""Which of the two languages a text is in."""

from .patterns import DENSE_RUN

# A Chinese character says about as much as four Latin letters: 用 PostgreSQL 存储 is Chinese.
_SHARE = 0.2


def language(text: str) -> str:
    """ "zh" when at least a fifth of the letters are Chinese characters, else "en"."""
    dense = sum(len(match[0]) for match in DENSE_RUN.finditer(text))
    letters = sum(map(str.isalpha, text))
    return "zh" if dense and dense >= _SHARE * max(letters, dense) else "en"
