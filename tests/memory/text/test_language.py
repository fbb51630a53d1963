import pytest

from memory.text.language import language


@pytest.mark.parametrize("text", ["我的预算是950", "用 PostgreSQL 存储", "預算", "A 型号"])
def test_chinese(text):
    assert language(text) == "zh"


@pytest.mark.parametrize("text", ["My budget is 950", "I met 张伟 yesterday evening", "950", ""])
def test_english(text):
    assert language(text) == "en"
