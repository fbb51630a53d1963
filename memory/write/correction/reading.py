"""Reading an utterance: whether it puts something right, and what it says. Nothing is looked up."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType

from memory.text.language import language
from memory.text.normalise import Folded, fold

from . import words_en, words_zh
from .values import PLAIN, Value, typed, values

# A correction is a sentence or two; what is said beyond is another matter.
CHARACTERS = 400
_STOP = re.compile(
    r"[。!?;\n]+|(?<![ap]\.m)(?<!\b[dm]r)(?<!\bms)(?<!\bst)(?<!\bno)\.+(?=\s|\Z)"
    r"|(?<=\bno)\.(?=\s*[a-z])"
)
_NEXT = re.compile(r"[,\n\0]+ *")
_WORDS, _OPENINGS = 16, 8


@dataclass(frozen=True)
class Claim:
    """One way to understand a clause. Texts are normalised; `new` is None where the clause says
    that the fact is over, `old` is "" where it does not say what was; `split`: where
    subject and value part is a guess."""

    subject: str
    old: str = ""
    new: str | None = None
    at: int = 0
    split: bool = False


@dataclass(frozen=True)
class Reading:
    """`claims`: for each clause its possible claims, the likeliest first. `ground`: the
    normalised sentences that count. `cue`: the speaker takes something back (2), or says
    something that often opens it (1). `reason`: why nothing is read."""

    folded: Folded
    original: str
    zh: bool
    ground: str = ""
    cue: int = 0
    claims: tuple[tuple[Claim, ...], ...] = ()
    loose: tuple[Value, ...] = ()
    reason: str = ""
    words: ModuleType = field(default=words_en, repr=False)

    def spelt(self, part: str, at: int = 0) -> str:
        """`part` of the normalised text as the speaker spelt it."""
        start = self.folded.text.find(part, at)
        start = start if start >= 0 else self.folded.text.find(part)
        if start < 0 or not part:
            return part
        end = start + len(part) - 1
        return self.original[self.folded.starts[start] : self.folded.ends[end]]


def read(utterance: str) -> Reading:
    """What an utterance says by itself: the same whatever is stored."""
    original = utterance[:CHARACTERS]
    folded = fold(original)
    zh = language(original) == "zh"
    w = words_zh if zh else words_en
    ground, refused = _ground(folded.text, w)
    if not ground.strip("\0\n ,"):
        return Reading(folded, original, zh, reason=refused or "statement", words=w)
    claims, cue = _walk(ground, w)
    if (not zh and w.ANEW.search(ground)) or any(_is_bare(c, w) for each in claims for c in each):
        cue = 2
    loose = tuple(values(ground)) if cue else ()
    reason = "" if claims or cue else refused or "statement"
    return Reading(folded, original, zh, ground, cue, claims, loose, reason, w)


def _is_bare(claim: Claim, w: ModuleType) -> bool:
    """A value that takes the place of something not named."""
    nothing = w.NOTHING.match(claim.subject)
    return bool(nothing and claim.new and typed(claim.new).kind not in PLAIN)


def _ground(text: str, w: ModuleType) -> tuple[str, str]:
    """The text with its stops as newlines and what asks, supposes, reports or confirms blanked;
    and the first reason for blanking."""
    out, start, refused = [], 0, ""
    for stop in [*_STOP.finditer(text), None]:
        end = stop.start() if stop else len(text)
        sentence = text[start:end]
        reason = _refused(sentence, "?" in stop[0] if stop else False, w)
        if sentence.strip(" ,"):
            refused = refused or reason
        out.append("\0" * len(sentence) if reason else sentence)
        if stop:
            out.append("\n" * len(stop[0]))
            start = stop.end()
    return "".join(out), refused


def _refused(sentence: str, asks: bool, w: ModuleType) -> str:
    changes = any(p.search(sentence) for p in (*w.CHANGE[:2], *w.RETRACT[:2]))
    if w.CLOSING.search(sentence) and not changes:
        return "closing"
    for reason, pattern in w.LOOKALIKE.items():
        if pattern.search(sentence):
            return reason
    if asks or w.QUESTION.search(sentence):
        requested = w.REQUEST.search(sentence) and not w.OTHERWISE.search(sentence)
        if not requested:
            return "question"
    hedged = w is words_zh and w.HEDGED.search(sentence)
    return "supposed" if hedged and not changes else ""


def _walk(ground: str, w: ModuleType) -> tuple[tuple[tuple[Claim, ...], ...], int]:
    found, cue, opened, at = [], 0, False, 0
    while at < len(ground):
        starts, opened_here, strength = _opened(ground, at, w)
        cue, opened = max(cue, strength), opened or opened_here
        claims, end = _claims(ground, starts, w, opened)
        at = starts[-1]
        if claims:
            found.append(tuple(claims))
            found += _further(ground[at:end], at, w)
            at = end
            continue
        following = _NEXT.search(ground, at)
        at = following.end() if following else len(ground)
    return tuple(found), cue


def _further(clause: str, at: int, w: ModuleType) -> list[tuple[Claim, ...]]:
    """What one verb changes besides: the budget to 1200 and the owner to Zoe."""
    return [
        (Claim(_subject(match["s"], w), "", _value(match["v"], w), at + match.start()),)
        for match in (w.FURTHER.finditer(clause) if w is words_en else ())
    ]


def _opened(ground: str, at: int, w: ModuleType) -> tuple[list[int], bool, int]:
    """Where a clause may begin, the small words before it taken off one by one; whether a cue
    opened it, and how strong a one."""
    cue, opened, starts = 0, False, [at]
    while at < len(ground) and len(starts) < _OPENINGS:
        if match := w.CUE.match(ground, at):
            cue = max(cue, _strength(match[0], w))
            opened = True
        else:
            match = w.LEAD.match(ground, at) or _NEXT.match(ground, at)
        if not match or match.end() == at:
            break
        at = match.end()
        starts.append(at)
    return starts, opened, cue


def _strength(cue: str, w: ModuleType) -> int:
    if not w.WEAK_CUE.fullmatch(cue):
        return 2
    # 其实 opens all kinds of sentences; after a "sorry" the words of the talk may tell.
    return int(w is words_en)


def _claims(ground: str, starts: list[int], w: ModuleType, opened: bool) -> tuple[list[Claim], int]:
    claims: list[Claim] = []
    end = starts[-1]
    patterns = [*w.CHANGE, *(w.AFTER_CUE if opened else ())]
    for _, match in _matches(patterns, ground, starts):
        made = list(_made(match, w))
        if made and not claims:
            end = match.end()
        claims += made
    for pattern, match in _matches(w.RETRACT, ground, starts):
        said = match.groupdict()
        if w is words_zh and "o" in said and not w.NO_LONGER.search(match[0]):
            continue
        if not claims or pattern in w.RETRACT[:2]:
            old = _value(said.get("o") or "", w)
            claims.append(Claim(_subject(said["s"], w), old, None, match.start()))
            end = max(end, match.end())
    return list(dict.fromkeys(claims)), end


def _matches(
    patterns: list[re.Pattern], ground: str, starts: list[int]
) -> Iterator[tuple[re.Pattern, re.Match]]:
    """The matches at the places where a clause may begin, the barest beginning first."""
    for start in reversed(starts):
        for pattern in patterns:
            if start < len(ground) and (match := pattern.match(ground, start)):
                yield pattern, match


def _made(match: re.Match, w: ModuleType):
    groups = match.groupdict()
    at = match.start()
    if tail := groups.get("tail"):
        words = tail.split(" ")
        for i in range(1, min(len(words), _WORDS)):
            new = _value(" ".join(words[i:]), w)
            yield Claim(_subject(" ".join(words[:i]), w), "", new, at, split=True)
        return
    new, old = _value(groups["v"], w), _value(groups.get("o") or "", w)
    if not new:
        return
    subject = groups.get("s") or ""
    if before := (groups.get("pre") or "").strip():
        yield Claim(_subject(f"{before}的{subject}", w), old, new, at)
    subject = _subject(subject, w)
    if not subject and not old and typed(new).kind in PLAIN:
        return
    if not old and (said := values(subject)) and said[-1].end == len(subject) > len(said[-1].text):
        # 预算3000元不对: the old value right behind its name.
        named = subject[: said[-1].start].rstrip("从由是 ")
        yield Claim(_subject(named, w), said[-1].text, new, at)
    yield Claim(subject, old, new, at)


def _subject(text: str, w: ModuleType) -> str:
    return _stripped(text, w.SUBJECT_LEAD, w.SUBJECT_TAIL)


def _value(text: str, w: ModuleType) -> str:
    """The value without the words around it; a typed one keeps all its own."""
    text = text.strip(" ,;")
    if typed(text).kind in PLAIN:
        text = _stripped(text, w.VALUE_LEAD, w.VALUE_TAIL)
    return text.strip('"“”「」『』‘’ ')


def _stripped(text: str, lead: re.Pattern, tail: re.Pattern) -> str:
    while True:
        bare = tail.sub("", lead.sub("", text.strip(" ,;\n"), count=1)).strip(" ,;\n")
        if not bare or bare == text:
            return bare or text.strip(" ,;\n")
        text = bare
