"""What a configured model reads out of turns: whether and what to remember, and where it stands.

What the model says of places is not believed: each quote is looked for in the turns themselves.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Annotated

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.models import Kind, TurnRole
from memory.text.fingerprint import fingerprint
from memory.text.normalise import Folded, UnstorableText, clean, fold, key, normalise, visible
from memory.text.patterns import DENSE

from .model import Message, ModelUnavailable, ask
from .prompt import EXAMPLES, INSTRUCTION
from .proposal import PART_LIMIT, TEXT_LIMIT

MOST_ITEMS = 50
# About 10,000 tokens of English, 25,000 of Chinese; a caller cuts longer passages.
MOST_CHARACTERS = 40_000
# 哈哈 stands thousands of times in a long laugh.
_MOST_PLACES = 100


@dataclass(frozen=True)
class Item:
    """One thing to remember. `quote` is `turns[turn].content[start:end]`; where the model's quote
    stands in no turn, `quote` is empty and the three are None: at most a candidate.

    `entity`, `attribute` and `value` are all given or all empty; `confidence` is 0-1.
    """

    kind: str
    content: str
    confidence: float
    entity: str = ""
    attribute: str = ""
    value: str = ""
    quote: str = ""
    turn: int | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Reading:
    """`items` is empty where nothing is worth remembering; `read_by` names the model; `note`
    says in English what of its answer was left out, if anything."""

    items: tuple[Item, ...]
    read_by: str
    note: str = ""


def read_turns(turns: Sequence[tuple[str, str]], *, now: datetime) -> Reading:
    """Ask the model what of these (role, content) turns is worth remembering; `now`, aware, is
    what "tomorrow" is reckoned from. Raises `ModelUnavailable`."""
    if sum(len(content) for _, content in turns) > MOST_CHARACTERS:
        raise ModelUnavailable("too_long")
    if not any(visible(content).strip() for _, content in turns):
        return Reading((), settings.MODEL_NAME)
    answer = ask(question(turns, now=now), Answer)
    items, note = _items(answer, [_Text(*turn) for turn in turns])
    return Reading(items, settings.MODEL_NAME, note)


def question(turns: Sequence[tuple[str, str]], *, now: datetime) -> list[Message]:
    """The chat that asks about these turns. Only its last message holds anything of them."""
    messages = [{"role": "system", "content": INSTRUCTION}]
    for example in EXAMPLES:
        answer = json.dumps(example.answer, ensure_ascii=False)
        messages.append({"role": "user", "content": _data(example.turns, example.now)})
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": _data(turns, timezone.localtime(now))})
    return messages


def _data(turns: Sequence[tuple[str, str]], now: datetime) -> str:
    """The time and the turns as JSON, one object a line.

    A text cannot end the string it stands in, begin a line, or spell a control token of a
    model's chat template, all of which begin with < or [ (<|im_end|>, </s>, [/INST]).
    """
    lines: list[dict] = [{"now": now.strftime("%Y-%m-%d %H:%M %z, %A")}]
    lines += [{"role": role, "text": visible(content)} for role, content in turns]
    return "\n".join(_OPENING.sub(_escaped, json.dumps(x, ensure_ascii=False)) for x in lines)


_OPENING = re.compile("[<\\[\\x85\\u2028\\u2029]")


def _escaped(match: re.Match) -> str:
    return f"\\u{ord(match[0]):04x}"


def _none_is_empty(value: object) -> object:
    return "" if value is None else value


Text = Annotated[str, BeforeValidator(_none_is_empty)]


class Remembered(BaseModel):
    """One memory in the model's answer."""

    model_config = ConfigDict(strict=True, json_schema_extra={"additionalProperties": False})

    quote: Text
    content: Text
    entity: Text
    attribute: Text
    value: Text
    mem_type: Annotated[Text, Field(json_schema_extra={"enum": Kind.values})]
    confidence: float


class Answer(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(strict=True, json_schema_extra={"additionalProperties": False})

    should_store: bool
    memories: list[Remembered]


def _items(answer: Answer, texts: Sequence["_Text"]) -> tuple[tuple[Item, ...], str]:
    if not answer.should_store:
        count = len(answer.memories)
        return (), f"{count} named but not to be stored" if count else ""
    found: dict[str, Item] = {}
    unusable = 0
    for remembered in answer.memories:
        try:
            item = _item(remembered, texts)
        except UnstorableText:
            item = None
        if item is None:
            unusable += 1
        else:
            parts = (item.content, item.entity, item.attribute, item.value)
            found.setdefault(fingerprint(*parts), item)
    items = tuple(found.values())
    homeless = sum(item.start is None for item in items[:MOST_ITEMS])
    notes = {
        f"{unusable} empty or not storable": unusable,
        f"the first {MOST_ITEMS} of {len(items)} kept": len(items) > MOST_ITEMS,
        f"{homeless} quoted from nowhere in the turns": homeless,
    }
    return items[:MOST_ITEMS], "; ".join(note for note, applies in notes.items() if applies)


def _item(remembered: Remembered, texts: Sequence["_Text"]) -> Item | None:
    content = clean(remembered.content, TEXT_LIMIT).strip()
    entity = clean(remembered.entity, PART_LIMIT).strip()
    attribute = clean(remembered.attribute, PART_LIMIT).strip()
    value = clean(remembered.value, TEXT_LIMIT).strip()
    if not content:
        return None
    if not (entity and attribute and value):
        entity = attribute = value = ""
    kind = remembered.mem_type if remembered.mem_type in Kind.values else Kind.OTHER.value
    confidence = min(max(remembered.confidence, 0.0), 1.0)
    said = Item(kind, content, confidence, entity, attribute, value)
    place = _located(remembered.quote, texts)
    if place is None:
        return said
    turn, start, end = place
    quote = texts[turn].content[start:end]
    return replace(said, quote=quote, turn=turn, start=start, end=end)


class _Text:
    """A turn, normalised once however many quotes are looked for in it."""

    def __init__(self, role: str, content: str) -> None:
        self.role, self.content = role, content

    @cached_property
    def folded(self) -> Folded:
        return fold(self.content)

    def places(self, whole: re.Pattern) -> Iterator[tuple[int, int]]:
        for match in whole.finditer(self.folded.text):
            yield self.folded.starts[match.start()], self.folded.ends[match.end() - 1]


_LETTER = rf"[^\W{DENSE}]"


def _whole(needle: str) -> re.Pattern:
    """A normalised quote where no word and no number goes on: 120 stands neither in 1200 nor in
    120.5, art not in party."""
    before = after = ""
    if re.match(_LETTER, needle[0]):
        before = f"(?<!{_LETTER})(?<![0-9][.,:])" if needle[0].isdigit() else f"(?<!{_LETTER})"
    elif re.match("[.,:][0-9]", needle):
        before = "(?<![0-9])"
    if re.match(_LETTER, needle[-1]):
        after = f"(?!{_LETTER})(?![.,:][0-9])" if needle[-1].isdigit() else f"(?!{_LETTER})"
    elif re.match("[0-9][.,:]", needle[-2:]):
        after = "(?![0-9])"
    return re.compile(before + re.escape(needle) + after)


def _located(quote: str, texts: Sequence[_Text]) -> tuple[int, int, int] | None:
    """(turn, start, end) of a quote: what the user said before what others did, the latest turn
    first, and in that turn where it is written alike; else without its closing punctuation."""
    bare = quote.strip()
    order = sorted(
        range(len(texts)), key=lambda i: (texts[i].role == TurnRole.USER, i), reverse=True
    )
    for needle in (normalise(bare), key(bare)):
        # One letter stands everywhere and is evidence of nothing.
        if sum(map(str.isalnum, needle)) < 2:
            return None
        whole = _whole(needle)
        places = ((i, *place) for i in order for place in texts[i].places(whole))
        found = list(islice(places, _MOST_PLACES))
        if found:
            same = [place for place in found if place[0] == found[0][0]]
            alike = (place for place in same if texts[place[0]].content[slice(*place[1:])] == bare)
            return next(alike, found[0])
    return None
