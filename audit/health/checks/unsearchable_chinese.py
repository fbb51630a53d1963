import re

from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.texts import Detail, Text, TextCheck
from memory.index.entry import said
from memory.text import segment
from memory.text.patterns import DENSE, DENSE_RUN
from memory.text.terms import IndexTerms, QueryTerm, index_terms, query_terms

# Characters each for itself, as scans and speech recognition give them.
_APART = re.compile(rf"(?<![{DENSE}])[{DENSE}](?:[ ·*_|]+[{DENSE}](?![{DENSE}]))+")
_HAN = re.compile("[\u4e00-\u9fff]")
_FOREIGN = re.compile(r"[^\x00-\x7f]{3,}")
_LOST = re.compile("\ufffd|锟斤拷|烫烫烫")
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}){2,}|(?:&#(?:[0-9]{5}|x[0-9a-fA-F]{4});){2,}")
# Bytes 80-9F of a page read as Windows-1252, where that has a character for them.
_WINDOWS = {
    ord(bytes([code]).decode("cp1252")): code
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
# Words that must come apart before it is a way of writing and not a list of single characters.
_WORDS = 2
_MOST = 0.6
_READ = 4000


class UnsearchableChinese(TextCheck):
    """Where the index is broken is another check's: this one asks whether the text itself, in
    a sound index, is found by its own words."""

    title = gettext_lazy("Unsearchable in Chinese")
    why = gettext_lazy(
        "A Chinese memory cannot be found by its own words: it stands in the store, and every "
        "question about it comes back empty."
    )
    advice = gettext_lazy(
        "Correct the rows to plain text. Find out which importer, scan or client spoils the "
        "characters, and have it send UTF-8."
    )
    severity = Severity.WARNING
    labels = {
        "apart": gettext_lazy("characters written apart"),
        "garbled": gettext_lazy("read in a wrong encoding"),
        "escaped": gettext_lazy("stored as escapes"),
        "lost": gettext_lazy("characters were lost"),
        "unmatched": gettext_lazy("its longest word does not find it"),
    }

    def find(self, text: Text) -> Detail | None:
        what = _what(text, text.memory.text[:_READ])
        return {"what": what} if what else None


def _what(text: Text, written: str) -> str:
    if _LOST.search(written):
        return "lost"
    if _ESCAPED.search(written) and _HAN.search(_unescaped(written)):
        return "escaped"
    if written.isascii():
        return ""
    if any(map(_is_garbled, _FOREIGN.findall(written))):
        return "garbled"
    folded = text.normal[:_READ]
    if _is_apart(folded):
        return "apart"
    word = _longest(folded)
    return "" if not word or _finds(word, index_terms(said(text.memory))) else "unmatched"


def _unescaped(text: str) -> str:
    codes = re.findall(r"\\u([0-9a-fA-F]{4})|&#x([0-9a-fA-F]{4});|&#([0-9]{5});", text)
    return "".join(
        chr(int(tenth)) if tenth else chr(int(one or other, 16)) for one, other, tenth in codes
    )


def _is_garbled(run: str) -> bool:
    """Whether a run of foreign characters is UTF-8 Chinese that was read as Windows-1252 or as
    GBK: most of its bytes give Chinese again. Those of genuine Chinese almost never do."""
    for encoding, piece in (("latin-1", run.translate(_WINDOWS)), ("gbk", run)):
        data = piece.encode(encoding, "ignore")
        found = len(_HAN.findall(data.decode("utf-8", "ignore")))
        # Three bytes a character; a few were lost on the way.
        if found >= 2 and 3 * found >= _MOST * len(data) and len(data) >= len(run):
            return True
    return False


def _is_apart(folded: str) -> bool:
    runs = ("".join(DENSE_RUN.findall(run)) for run in _APART.findall(folded))
    words = {
        word
        for run in runs
        for word in segment.cut(run)
        if len(word) > 1 and segment.in_dictionary(word)
    }
    return len(words) >= _WORDS


def _longest(folded: str) -> str:
    words = (word for run in DENSE_RUN.findall(folded) for word in segment.cut(run))
    return max((word for word in words if len(word) > 1), key=len, default="")


def _finds(word: str, entry: IndexTerms) -> bool:
    words = set(entry.words)
    return all(_finds_term(term, words, entry.bigrams) for term in query_terms(word).terms)


def _finds_term(term: QueryTerm, words: set[str], bigrams: list[str]) -> bool:
    if words & {term.text, *term.also}:
        return True
    if term.prefix is not None and any(pair.startswith(term.prefix) for pair in bigrams):
        return True
    size = len(term.bigrams)
    rows = (tuple(bigrams[i : i + size]) for i in range(len(bigrams) - size + 1))
    return size > 0 and term.bigrams in rows


CHECK = UnsearchableChinese()
