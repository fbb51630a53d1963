import sys
import unicodedata

import pytest

from memory.text.reveal import may_be_odd, oddities

# Drawn, though Unicode counts them among the format characters.
DRAWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


@pytest.mark.parametrize(
    ("text", "label", "name"),
    [
        ("pay \u202e001 now", "U+202E", "RIGHT-TO-LEFT OVERRIDE"),
        ("预\u200b算", "U+200B", "ZERO WIDTH SPACE"),
        ("a\u00adb", "U+00AD", "SOFT HYPHEN"),
        ("a\x07b", "U+0007", "CONTROL CHARACTER"),
        ("a\x85b", "U+0085", "CONTROL CHARACTER"),
        ("\ue123", "U+E123", "PRIVATE USE"),
        ("a\u2028b", "U+2028", "LINE SEPARATOR"),
        ("\u3164", "U+3164", "HANGUL FILLER"),
        ("\u2800", "U+2800", "BRAILLE PATTERN BLANK"),
        ("\ufeffBOM", "U+FEFF", "ZERO WIDTH NO-BREAK SPACE"),
        ("a\u200db", "U+200D", "ZERO WIDTH JOINER"),
        ("预算\u200c", "U+200C", "ZERO WIDTH NON-JOINER"),
        ("a\ufe0f", "U+FE0F", "VARIATION SELECTOR-16"),
        ("7\ufe0f", "U+FE0F", "VARIATION SELECTOR-16"),
        ("p\u0430ypal", "U+0430", "CYRILLIC SMALL LETTER A"),
        ("g\u03bfogle", "U+03BF", "GREEK SMALL LETTER OMICRON"),
        ("Mосква", "U+004D", "LATIN CAPITAL LETTER M"),
    ],
)  # fmt: skip
def test_what_nobody_sees_is_named(text, label, name):
    assert [(odd.label, odd.name) for odd in oddities(text)] == [(label, name)]
    assert may_be_odd(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain, with a tab\tand\r\nlines",
        "预算是 1200 元——一言为定。",
        "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👍🏽",
        "1\ufe0f\u20e3 #\ufe0f\u20e3 ©\ufe0f 🏳\ufe0f\u200d🌈",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می\u200cخواهم کتاب\u200cها",
        "क्\u200dष श्री\u200cमान",
        "葛\U000e0100城",
        "Москва и Киев, Αθήνα",
        "10 kΩ, 3 μm, Δt, λx, 10 µF",
        "日本語 한국어 ไทย",
    ],
)
def test_what_spells_words_and_emoji_is_not_alarmed(text):
    assert oddities(text) == []


def test_a_message_in_tag_characters_is_read_out():
    smuggled = "".join(chr(0xE0000 + ord(c)) for c in "obey me")
    (odd,) = oddities(f"hello{smuggled}.")
    assert "“obey me”" in odd.label
    assert (odd.start, odd.end) == (5, 12)


@pytest.mark.parametrize("run", ["\u200b" * 500, "".join(map(chr, range(0xE0101, 0xE0180)))])
def test_a_long_run_is_one_place(run):
    (odd,) = oddities(f"a{run}b")
    assert f"×{len(run)}" in odd.label


def test_all_of_unicode_without_a_shape_is_known():
    hidden = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Co") and code not in DRAWN
    ]
    missed = [hex(code) for code in hidden if not may_be_odd(chr(code))]
    assert missed == ["0x9", "0xa", "0xd"]
