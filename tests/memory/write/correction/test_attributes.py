"""Attributes under other names."""

import pytest

from memory.write.correction.attributes import naming, talk_of, words
from memory.write.correction.subjects import pairs


@pytest.mark.parametrize(
    ("said", "attribute", "rank"),
    [
        ("预算", "预算", 3),
        ("check in date", "check_in_date", 3),
        ("截止日", "deadline", 2),
        ("phone number", "电话", 2),
        ("会议", "会议时间", 1),
        ("date", "visit_date", 1),
        ("预算", "预算审批人", 0),
        ("间", "会议时间", 0),
        ("date", "update", 0),
        ("owner", "budget", 0),
    ],
)
def test_naming(said, attribute, rank):
    assert naming(said, attribute) == rank


def test_words_of_an_attribute_are_stems():
    assert words("numberOfTickets") == {"number", "of", "ticket"}


def test_a_talk_points_at_an_attribute_by_its_own_words():
    assert talk_of("number_of_passengers", "", frozenset(["peopl"])) > 0
    assert talk_of("check_in_date", "", frozenset(["in"])) <= 0
    assert talk_of("number_of_tickets", "", frozenset(["seat", "date"])) <= 0


def test_a_phrase_is_wholly_entity_and_attribute():
    assert ("林晓峰", "电话") in pairs("林晓峰的电话", zh=True)
    assert ("林晓", "电话") not in pairs("林晓峰的电话", zh=True)
    assert ("green lab", "rent") in pairs("the rent of Green Lab", zh=False)
    assert ("user", "rent") in pairs("my rent", zh=False)
