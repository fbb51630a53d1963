"""Numbers in Chinese characters, as figures."""

import pytest

from memory.text.numerals import in_figures


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("经费三千六", "经费3600"),
        ("三楼", "3楼"),
        ("十六", "16"),
        ("房号是十六", "房号是16"),
        ("七", "7"),
        ("二〇二六年", "2026年"),
        ("两百万元", "2000000元"),
        ("一个", "一个"),
        ("周四", "周四"),
        ("千万别忘", "千万别忘"),
        ("万一下雨", "万一下雨"),
        ("一起走", "一起走"),
        ("no numbers", "no numbers"),
        ("", ""),
    ],
)
def test_numbers_become_figures_and_nothing_else_does(text, figures):
    assert in_figures(text) == figures
