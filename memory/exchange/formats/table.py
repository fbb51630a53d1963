"""Tables of rows under a heading: which field of a memory each column is, and the rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory.exchange.fields import Fields, digest_id
from memory.exchange.record import Item, Reject
from memory.exchange.source import FormatError
from memory.models import Kind, Source
from memory.text.cells import original_cell

from . import Options

# Headings as people write them, for each field.
_SAID = """
text: text memory content statement fact note description 内容 记忆 文本 正文 备注 描述
entity: entity subject item product sku 实体 对象 主体 商品 品名 物料
attribute: attribute property field attr predicate key 属性 字段 项目
value: value object 值 取值 数值
user_id: user_id user owner 用户 用户id 用户名 所属用户
agent_id: agent_id agent 智能体 代理
session_id: session_id session run_id thread 会话 会话id
kind: kind type 种类 类型
domain: domain category 领域 类别 分类
summary: summary 摘要 概要
tags: tags tag labels 标签
links: links 关联
source: source 来源
importance: importance priority 重要性 重要度
confidence: confidence 置信度 可信度
created_at: created_at created date time timestamp occurred_at observed_at 创建时间 时间 日期
updated_at: updated_at updated modified 更新时间 修改时间
valid_from: valid_from 生效时间 有效期始
valid_to: valid_to 有效期至 失效时间
expires_at: expires_at expires 到期时间 过期时间
state: state status 状态
external_id: external_id id 编号 标识
"""
_PAIRS = (line.split(": ") for line in _SAID.strip().splitlines())
NAMES = {field: tuple(words.split()) for field, words in _PAIRS}
_OF_NAME = {word: field for field, words in NAMES.items() for word in words}
# What an export of this store tells of its own bookkeeping, which starts anew.
_OURS = frozenset(
    {
        "fact", "version", "layer", "confirmations", "supersedes", "superseded_by", "turn_id",
        "evidence_start", "evidence_end", "quote", "held_for", "conflicts_with", "confirmed_at",
    }
)  # fmt: skip
MOST_COLUMNS, CELL = 200, 100_000


def fields_of(heading: Sequence[Any], options: Options) -> dict[int, str]:
    """The field of each column that is known or was told, by its place. Raises `FormatError`
    where no column says what is remembered."""
    titles = [str(title or "").strip().lstrip("\ufeff") for title in heading]
    if len(titles) > MOST_COLUMNS:
        raise FormatError("too_large", f"has more than {MOST_COLUMNS} columns")
    found: dict[int, str] = {}
    for title, field in options.columns.items():
        if title not in titles:
            raise FormatError("unknown_column", f"there is no column {title!r}")
        if field not in NAMES:
            raise FormatError("unknown_field", f"{field!r} is none of {', '.join(NAMES)}")
        found[titles.index(title)] = field
    for place, title in enumerate(titles):
        field = _OF_NAME.get(re.sub(r"[\s\-]+", "_", title.casefold()))
        if place not in found and field and field not in options.columns.values():
            found[place] = field
    if not set(found.values()) & {"text", "value"}:
        told = "no column is known for its text or value; say which with a mapping"
        raise FormatError("no_columns", f"{told}: {', '.join(filter(None, titles))[:300]}")
    return found


def is_table(heading: Sequence[Any]) -> bool:
    try:
        fields_of(heading, Options())
    except FormatError:
        return False
    return True


def records(
    rows: Iterator[tuple[int, Sequence[Any]]],
    heading: Sequence[Any],
    options: Options,
    origin: Mapping[str, Any],
) -> Iterator[Item]:
    """Each row with what says where it stands. A column that no field is known for goes with it
    as it is."""
    known = fields_of(heading, options)
    titles = [str(title or "").strip() or f"column {n}" for n, title in enumerate(heading, 1)]
    left_out = _OURS if {"fact", "superseded_by"} <= set(titles) else frozenset()
    for number, cells in rows:
        cells = [_cell(cell) for cell in cells]
        if all(cell in (None, "") for cell in cells):
            continue
        raw = dict(zip(titles, cells, strict=False))
        if len(cells) > len(titles):
            yield Reject(number, "too_many_cells", "has more cells than the heading", raw)
            continue
        row: dict[str, Any] = {}
        more: dict[str, Any] = {}
        for n, cell in enumerate(cells):
            if cell in (None, "") or titles[n] in left_out:
                continue
            # Of two columns for one field the first that says something is it.
            at_place = known.get(n)
            if at_place is None or at_place in row:
                if not left_out or titles[n] == "metadata":
                    more[titles[n]] = cell
            else:
                row[at_place] = cell
        yield _record(number, row, more, raw, options, origin)


def _record(
    number: int,
    row: Mapping[str, Any],
    more: Mapping[str, Any],
    raw: Mapping[str, Any],
    options: Options,
    origin: Mapping[str, Any],
) -> Item:
    fields = Fields(number, row)
    texts = {name: fields.text(name) for name in ("text", "entity", "attribute", "value")}
    user_id = fields.text("user_id") or options.user_id
    foreign = {n: row[n] for n in ("kind", "source") if row.get(n)}
    foreign = {n: value for n, value in foreign.items() if value not in (*Kind.values, *Source)}
    item = fields.record(
        **texts,
        user_id=user_id,
        agent_id=fields.text("agent_id") or options.agent_id,
        session_id=fields.text("session_id"),
        kind=fields.kind(),
        domain=fields.text("domain"),
        summary=fields.text("summary"),
        tags=fields.names("tags"),
        links=fields.names("links"),
        source=fields.source(),
        importance=fields.importance(),
        confidence=fields.number_in("confidence", 0, 1),
        created_at=fields.moment("created_at"),
        updated_at=fields.moment("updated_at"),
        valid_from=fields.moment("valid_from"),
        valid_to=fields.moment("valid_to"),
        expires_at=fields.moment("expires_at"),
        state=fields.state("state"),
        external_id=fields.text("external_id") or digest_id("row", user_id, *texts.values()),
        metadata={
            **{n: _plain(v) for n, v in (more | foreign).items() if n != "metadata"},
            **Fields(number, more).metadata(),
            "origin": {**origin, "row": number},
        },
    )
    return item if isinstance(item, Reject) else _with_raw(item, raw)


def _with_raw(item: Item, raw: Mapping[str, Any]) -> Item:
    return type(item)(**{**vars(item), "raw": {name: _plain(value) for name, value in raw.items()}})


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return original_cell(value[: CELL + 1])
    return value


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
