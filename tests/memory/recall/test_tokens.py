import hashlib
import logging
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall import tokens
from memory.recall.tokens import Tokens, count_tokens, estimate


@pytest.fixture(autouse=True)
def looked_for_anew(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    tokens._counter.cache_clear()
    yield
    tokens._counter.cache_clear()


# Counted once by the tokenizers themselves: (text, by o200k_base, by Qwen's).
COUNTED = [
    ("会议改到周四下午三点半，在 B 座 12 层", 17, 16),
    ("王小明住在上海市浦东新区张江路 88 号，电话 138-0013-8000", 27, 31),
    ("記憶體容量升級為六十四吉位元組", 14, 13),
    ("Order IPH-2042 ships on 2026-03-01 for $1,299.00", 22, 31),
    ("Kowalczyk prefers decaffeinated espresso", 9, 10),
    ("The pier opens at six on weekdays", 7, 7),
    ("東京タワーの近くに住んでいます", 12, 10),
    ("안녕하세요 저는 서울에 살아요", 7, 8),
    ("😀👍🏽", 4, 3),
]


@pytest.mark.parametrize(("text", "o200k", "qwen"), COUNTED)
def test_the_estimate_is_not_below_a_real_tokenizer(text, o200k, qwen):
    assert max(o200k, qwen) <= estimate(text) <= 5 * max(o200k, qwen)


def test_the_parts_of_an_estimate():
    counted = {"": 0, "abcd": 1, "abcde": 2, "abc de": 2, "1200": 4, "预算": 3, "a\nb": 3, "5 7": 3}
    assert {text: estimate(text) for text in counted} == counted


@given(st.lists(st.text(max_size=30), max_size=6))
def test_lines_counted_apart_are_never_fewer(lines):
    assert estimate("\n".join(lines)) <= sum(estimate(line + "\n") for line in lines)


def test_half_a_surrogate_pair_is_counted():
    assert count_tokens("a \ud800").count >= 2


def test_without_a_tokenizer_the_count_says_that_it_is_an_estimate():
    assert count_tokens("abcd 预算") == Tokens(5, "estimate")


def tiktoken_at(monkeypatch, tmp_path, content: bytes):
    (tmp_path / tokens._FILE).write_bytes(content)
    encoding = SimpleNamespace(encode_ordinary=str.split)
    package = SimpleNamespace(get_encoding=lambda name: encoding, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tiktoken", package)


def test_tiktoken_counts_where_its_file_is_at_hand(monkeypatch, tmp_path):
    monkeypatch.setattr(tokens, "_CONTENT", hashlib.sha256(b"ranks").hexdigest())
    tiktoken_at(monkeypatch, tmp_path, b"ranks")
    assert count_tokens("one two three") == Tokens(3, "tiktoken o200k_base")


def test_tiktoken_is_not_asked_where_it_would_fetch(monkeypatch, tmp_path):
    tiktoken_at(monkeypatch, tmp_path, b"half a download")
    assert count_tokens("one two").by == "estimate"


def test_a_named_tokenizer_goes_before_the_others(monkeypatch, settings):
    settings.TOKENIZER_FILE = "models/qwen/tokenizer.json"
    asked = []

    def encode(text, add_special_tokens):
        assert not add_special_tokens
        return SimpleNamespace(ids=list(text))

    def from_file(path):
        asked.append(path)
        return SimpleNamespace(encode=encode)

    package = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=from_file))
    monkeypatch.setitem(sys.modules, "tokenizers", package)
    assert [count_tokens("abc"), count_tokens("ab")] == [
        Tokens(3, "tokenizers qwen"),
        Tokens(2, "tokenizers qwen"),
    ]
    assert asked == ["models/qwen/tokenizer.json"]


def test_a_tokenizer_that_cannot_be_read_is_told_of_once(settings, caplog, tmp_path):
    settings.TOKENIZER_FILE = str(tmp_path / "absent.json")
    with caplog.at_level(logging.WARNING):
        assert {count_tokens("abc").by, count_tokens("def").by} == {"estimate"}
    assert len(caplog.records) == 1
    assert "absent.json" in caplog.text
