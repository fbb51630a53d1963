"""Lines, tables and workbooks that people wrote, with what a mapping says of them."""

import csv
from datetime import datetime

import pytest
from openpyxl import Workbook

from memory.exchange.source import FormatError
from memory.models import Memory
from tests.factories import instant

from .files import bring, incoming, tried, write_lines

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "text",
    [
        "```\n[2026-01-15] - likes tea\n[unknown] - 不吃香菜\n```\nThat is all.",
        "1. [2026-01-15]. likes tea\n2. [未知] 不吃香菜\n",
    ],
)
def test_pasted_lines_keep_their_days(tmp_path, text):
    path = tmp_path / "paste.txt"
    path.write_text(text, encoding="utf-8")
    report = bring(path)
    assert (report.format, report.counts) == ("paste", {"added": 2})
    assert Memory.everywhere.get(text="likes tea").occurred_at == instant("2026-01-15 00:00")


def test_lines_take_our_names_and_mem0s(tmp_path):
    path = write_lines(
        tmp_path / "m.jsonl",
        {"text": "我的预算是800元", "user_id": "ann", "entity": "user", "attribute": "预算",
         "value": "800元", "kind": "fact"},
        {"memory": "likes tea"},
        "{broken",
    )  # fmt: skip
    report = bring(path)
    assert (report.format, report.counts) == ("jsonl", {"added": 2, "rejected": 1})
    assert Memory.everywhere.get(attribute="预算").kind == "fact"


def test_a_table_with_chinese_headings(tmp_path):
    path = tmp_path / "库存.csv"
    text = "编号,商品,属性,取值,时间,仓库\n1,键盘,库存,25,2025/3/1,北京\n2,鼠标,库存,,,上海\n"
    path.write_bytes(text.encode("gb18030"))
    report = bring(path)
    assert (report.format, report.counts) == ("csv", {"added": 1, "rejected": 1})
    memory = Memory.everywhere.get()
    assert (memory.entity, memory.attribute, memory.value) == ("键盘", "库存", "25")
    assert memory.metadata["仓库"] == "北京"
    origin = memory.metadata["origin"]
    assert (origin["row"], len(origin["file_sha256"])) == (2, 64)
    assert report.rejects[0].raw["仓库"] == "上海"


def test_a_mapping_says_what_a_column_is(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("型号;说什么\nK1;likes tea\n", encoding="utf-8")
    with pytest.raises(FormatError, match="none of the known formats"):
        incoming(path)
    with pytest.raises(FormatError, match="no column is known"):
        tried(path, form="csv")
    report = bring(path, form="csv", columns={"说什么": "text", "型号": "external_id"})
    assert report.counts == {"added": 1}
    assert Memory.everywhere.get().external_id == "K1"
    for wrong in ({"missing": "text"}, {"型号": "colour"}):
        with pytest.raises(FormatError):
            tried(path, form="csv", columns=wrong)


def test_guarded_cells_come_back_as_they_were(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text"], ["'=1+1"], ["-5.00"], ["'tis fine"], ["两行\n一格"]])
    bring(path)
    assert set(Memory.everywhere.values_list("text", flat=True)) == {
        "=1+1", "-5.00", "'tis fine", "两行\n一格",
    }  # fmt: skip


def test_a_workbook_keeps_sheet_and_row(tmp_path):
    book = Workbook()
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("价格")
    sheet.append(["实体", "属性", "值", "日期"])
    sheet.append(["SKU-7", "price", 12.5, datetime(2025, 3, 1)])
    sheet.append([None, None, None, None])
    sheet.append(["SKU-8", "price", 20, None])
    path = tmp_path / "book.xlsx"
    book.save(path)
    report = bring(path)
    assert (report.format, report.counts) == ("xlsx", {"added": 2})
    memory = Memory.everywhere.get(entity="SKU-8")
    assert memory.value == "20"
    assert memory.metadata["origin"]["sheet"] == "价格"
    assert memory.metadata["origin"]["row"] == 4
    assert Memory.everywhere.get(entity="SKU-7").occurred_at == instant("2025-03-01 00:00")
