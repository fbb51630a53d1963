import random

import pytest

from memory.text.screen import PERSONAL, masked, screen
from memory.text.screen.numbers import id_checks, luhn

from .samples import MAKERS


def made(name: str) -> str:
    return MAKERS[name](random.Random(11))


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in screen(text).of(PERSONAL)]


def shown(text: str) -> str:
    return masked(text, screen(text).findings)


def test_an_identity_number_checks():
    number = made("id18")
    wrong = number[:17] + ("1" if number[17] != "1" else "2")
    assert id_checks(number)
    assert not id_checks(wrong)
    assert kinds(f"登记 {number}") == ["id_card"]
    assert kinds(f"登记 {wrong}") == []
    # Beside its word a mistyped number is still somebody's.
    assert kinds(f"身份证 {wrong}") == ["id_card"]
    assert kinds(f"订单编号 {number}") == []
    assert shown(f"登记 {number}") == f"登记 {number[:3]}****{number[-2:]}"


def test_an_identity_number_has_a_province_and_a_day_of_birth():
    number = made("id18")
    assert kinds(f"身份证 99{number[2:]}") == []
    assert kinds(f"身份证 {number[:10]}1399{number[14:]}") == []
    assert kinds(f"身份证 {made('id15')}") == ["id_card"]


PHONES = [
    "mobile",
    "mobile_spaced",
    "mobile_dashed",
    "mobile_plus",
    "landline",
    "phone_uk",
    "phone_de",
]


@pytest.mark.parametrize("name", PHONES)
def test_phones(name):
    number = made(name)
    assert kinds(f"联系 {number}。") == ["phone"]
    assert number not in shown(f"联系 {number}。")


@pytest.mark.parametrize(
    "text",
    [
        "订单号 {mobile}",
        "SO-{mobile}",
        "{mobile}5",
        "1.{mobile}",
        "+99 12 34",
        "call me at 15:30",
        "ISBN 978-7-111-54742-6",
        "2024-11-08 12:30",
        "预算 13800",
        "192.168.100.200",
    ],
)
def test_numbers_that_are_no_phones(text):
    assert kinds(text.replace("{mobile}", made("mobile"))) == []


def test_a_mobile_is_masked_as_is_usual():
    number = made("mobile")
    assert shown(f"手机{number}") == f"手机{number[:3]}****{number[-4:]}"


def test_email_and_what_looks_like_it():
    assert shown("写给 li.lei@corp.test。") == "写给 l***@corp.test。"
    for text in (
        "git@github.com:corp/app",
        "icon@2x.png",
        "@li",
        "a @ b",
        "x://u:Wq7!x@db.corp.test",
    ):
        assert kinds(text) == []


def test_a_bank_card_keeps_its_last_four():
    card = made("unionpay")
    assert luhn(card)
    assert kinds(card) == ["bank_card"]
    assert shown(card) == f"****{card[-4:]}"
    assert kinds(f"流水号 {card}") == []


def test_a_passport_needs_its_word():
    number = made("passport")
    assert kinds(f"护照 {number}") == ["passport"]
    assert kinds(f"货号 {number}") == []
