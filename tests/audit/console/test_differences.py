import pytest

from audit.console.differences import ALL, differences, shown, value_diff
from memory.models import Memory
from memory.write.snapshot import snapshot


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("800", "1200", "<del>800</del> → <ins>1200</ins>"),
        ("下周三交付", "下周五交付", "下<del>周三</del>交付 → 下<ins>周五</ins>交付"),
        ("120 件", "38 件", "<del>120</del> 件 → <ins>38</ins> 件"),
        ("", "new", "<ins>new</ins>"),
        ("old", "", "<del>old</del>"),
        ("<b>", "<i>", "&lt;<del>b</del>&gt; → &lt;<ins>i</ins>&gt;"),
    ],
)
def test_value_diff_marks_words_on_both_sides(old, new, marked):
    assert value_diff(old, new) == f'<span class="diff">{marked}</span>'


def test_only_what_differs_is_listed():
    one = snapshot(Memory(value="800", text="a", domain="money", tags=["x"]))
    two = one | {"value": "1200", "tags": ["x", "y"]}
    assert [(d.label, d.old, d.new) for d in differences(one, two)] == [
        ("value", "800", "1200"),
        ("tags", "x", "x, y"),
    ]
    assert differences(one, one, ALL) == []


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("kind", "task_state", "task state"),
        ("occurred_at", "2026-03-01T09:00:00+00:00", "2026-03-01 09:00:00 UTC+00:00"),
        ("metadata", {"a": 1}, "a: 1"),
        ("tags", [], ""),
        ("confidence", None, ""),
        ("confidence", 0.0, "0.0"),
        ("confirmations", 0, "0"),
    ],
)
def test_values_are_shown_as_text(name, value, text):
    assert shown(name, value) == text
