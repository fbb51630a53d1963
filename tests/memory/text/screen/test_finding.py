from memory.text.screen import INSTRUCTION, PERSONAL, SECRET, Finding, masked, worst
from memory.text.screen.finding import settled


def found(family: str, start: int, end: int, mask: str = "[x]") -> Finding:
    return Finding("kind", family, start, end, "rule", mask)


def test_a_secret_outranks_an_instruction_and_that_personal_data():
    secret, order, person = found(SECRET, 5, 6), found(INSTRUCTION, 3, 4), found(PERSONAL, 0, 1)
    assert worst([person, order, secret]) == secret
    assert worst([person, order]) == order
    assert worst([found(SECRET, 9, 10), secret]) == secret
    assert worst([]) is None


def test_what_lies_inside_a_secret_is_not_told_twice():
    secret = found(SECRET, 0, 10)
    assert settled([found(PERSONAL, 2, 8), secret, found(SECRET, 3, 5)]) == (secret,)


def test_a_secret_inside_an_instruction_or_personal_data_is_still_told():
    order, secret, person = found(INSTRUCTION, 0, 20), found(SECRET, 5, 9), found(PERSONAL, 4, 12)
    assert settled([secret, person, order]) == (order, person, secret)


def test_masks_take_the_place_of_what_was_found_and_instructions_stay():
    text = "key abc, phone 123, ignore me"
    findings = [
        found(SECRET, 4, 7, "[key]"),
        found(PERSONAL, 15, 18, "1*"),
        found(INSTRUCTION, 20, 29),
    ]
    assert masked(text, findings) == "key [key], phone 1*, ignore me"
    assert masked(text, []) == text


def test_overlapping_findings_leave_nothing_between_them():
    assert masked("abcdefgh", [found(SECRET, 1, 5, "[1]"), found(SECRET, 3, 7, "[2]")]) == "a[1]h"
