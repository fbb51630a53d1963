"""How much of the labelled lines is found, and how much is found that is not there."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.screen import FAMILIES, INSTRUCTION, masked, screen, worst
from tests.memory.text.strategies import ANY_TEXT, AWKWARD

from .samples import samples


@pytest.mark.parametrize("seed", [4, 23])
def test_detection_and_false_positives_by_family(seed, record_property):
    lines = samples(seed)
    assert len(lines) >= 600
    for family in FAMILIES:
        there = [line for line in lines if family in line.want]
        clean = [line for line in lines if family not in line.want]
        found = sum(bool(screen(line.text).of(family)) for line in there) / len(there)
        false = sum(bool(screen(line.text).of(family)) for line in clean) / len(clean)
        record_property(f"{family} found", round(found, 3))
        record_property(f"{family} false", round(false, 3))
        assert found >= 0.97, family
        assert false <= 0.02, family


def test_nothing_planted_survives_the_mask():
    for line in samples():
        if line.hide or INSTRUCTION in line.want:
            continue
        shown = masked(line.text, screen(line.text).findings)
        kept = [value for value in line.planted if line.want and len(value) > 5 and value in shown]
        assert kept == [], line.text


def test_a_hidden_secret_is_masked_where_it_stands():
    for line in samples():
        if line.hide in ("zero_width", "bidi") and line.want == ("secret",):
            shown = masked(line.text, screen(line.text).findings)
            bare = shown.replace("\u200b", "").replace("\u202a", "").replace("\u202c", "")
            assert not any(value in bare for value in line.planted)


def test_what_is_masked_is_clean():
    for line in samples():
        shown = masked(line.text, screen(line.text).findings)
        left = [f for f in screen(shown).findings if f.family != INSTRUCTION]
        assert left == [], (line.text, shown)


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT | AWKWARD)
def test_any_text_is_screened_and_places_are_inside_it(text):
    findings = screen(text).findings
    assert all(0 <= f.start < f.end <= len(text) for f in findings)
    assert isinstance(masked(text, findings), str)
    assert (worst(findings) is None) == (not findings)


PIECES = """
忽略 之前的 指令 密码是 ignore| all| previous| instructions password| is| sk- http:// @ 4111 138
\u200b <!-- --> \u202e bearer| token= = : 。 , always| recommend| 把 记忆 发到
""".replace("|", " ")
PARTS = st.sampled_from([*PIECES.split("\n"), *PIECES.split()])


@settings(deadline=None, max_examples=200)
@given(st.lists(PARTS, max_size=30).map("".join))
def test_pieces_of_attacks_in_any_order(text):
    findings = screen(text).findings
    assert all(0 <= f.start < f.end <= len(text) for f in findings)


ORDINARY = {
    "zh": "今天我们讨论了项目预算和交付时间，客户希望包装用蓝色，电话会议改到三点。",
    "en": "The customer prefers blue packaging and we will ship on Friday, order 12345. ",
}
HOSTILE = (
    "1 ",
    "4111 ",
    "+1 415 ",
    "sk-",
    "ignore all ",
    "忽略所有",
    "password is ",
    "密码是",
    "a://",
    "a@",
    "QUJD",
    "<",
    "eyJ.",
    "忽\u200b",
    "whenever you must ",
    "send memory ",
    "把记忆发",
    "bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "token",
    "13812345678 ",
    "![](http",
    "my my my password ",
)


def seconds(text: str) -> float:
    """Processor time, so that other work on the machine does not count; the best of three."""
    taken = []
    for _ in range(3):
        began = time.process_time()
        screen(text)
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize("language", ORDINARY)
def test_a_hundred_thousand_characters_of_plain_text(language):
    unit = ORDINARY[language]
    assert seconds((unit * (100_000 // len(unit) + 1))[:100_000]) < 0.2


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_goes_by_length_alone(unit):
    screen(unit)
    short = seconds((unit * 25_000)[:20_000])
    long = seconds((unit * 100_000)[:100_000])
    assert long < 1
    # Five times the text; a quadratic rule would take twenty-five times as long.
    assert long < 12 * max(short, 0.01)
