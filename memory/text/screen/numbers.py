"""Numbers that check themselves: payment and bank cards, identity numbers, passports."""

import re
from collections.abc import Iterator
from datetime import date

from .finding import PERSONAL, SECRET, Finding
from .views import View, Views

_EDGE_BEFORE, _EDGE_AFTER = (
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9][-/#])",
    r"(?![A-Za-z0-9_]|[-.][0-9])",
)
_CARD = re.compile(rf"{_EDGE_BEFORE}[2-6][0-9]{{3}}(?:[ -]?[0-9]{{2,6}}){{2,4}}{_EDGE_AFTER}")
_ID18 = re.compile(
    rf"{_EDGE_BEFORE}[1-9][0-9]{{5}} ?[12][0-9]{{7}} ?[0-9]{{3}}[0-9Xx]{_EDGE_AFTER}"
)
_ID15 = re.compile(rf"{_EDGE_BEFORE}[1-9][0-9]{{14}}{_EDGE_AFTER}")
_PASSPORT = re.compile(
    r"(?i)(?:护照|通行证|passport)[^\n。.;；]{0,16}?(?<![a-z0-9])(?P<number>[a-z]{1,2}[0-9]{7,8}|"
    r"[0-9]{9})(?![a-z0-9])"
)
_SSN = re.compile(
    r"(?i)(?:ssn|social security)[^\n.;]{0,24}?(?<![0-9-])(?P<number>[0-9]{3}-[0-9]{2}-[0-9]{4})"
    r"(?![0-9-])"
)
# Every number here has a group of at least so many.
DIGITS = re.compile("[0-9]{2}")
# An order or a shipment has numbers of the same length, and one in ten of them passes Luhn.
ORDER = re.compile(
    r"(?i)(?:订单|单号|运单|快递|物流|流水|编号|序列号|条码|条形码|货号|工单|发票|回执|批次|"
    r"合同号|案号|学号|工号|qq群?|isbn|issn|ean|imei|sku|serial|order|invoice|tracking|ticket|"
    r"shipment|parcel|batch|ref|reference|barcode|timestamp|时间戳)[^\n，。,;；!?]{0,12}$"
)
_CARD_WORD = re.compile(r"(?i)卡|card|visa|master|amex|银联|unionpay|账号|帐号|account")
_ID_WORD = re.compile(
    r"(?i)身份证|证件号|身份号|公民身份|id (?:card|number)|identity (?:card|number)|citizen id"
)
# The first two digits of an identity number: GB/T 2260.
_CODES = """
11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64
65 71 81 82 83
"""
_PROVINCES = frozenset(_CODES.split())


def find(views: Views) -> Iterator[Finding]:
    """Cards and identity numbers that check, and passports beside their word."""
    view = views.plain
    if not DIGITS.search(view.text):
        return
    yield from _cards(view)
    yield from _identity(view)
    for pattern, kind in ((_PASSPORT, "passport"), (_SSN, "social_security")):
        for match in pattern.finditer(view.text):
            yield personal(view, *match.span("number"), kind, kind, 0, 2)


def _cards(view: View) -> Iterator[Finding]:
    for match in _CARD.finditer(view.text):
        digits = re.sub(r"[ -]", "", match[0])
        network = _network(digits)
        if network is None or not luhn(digits) or not _grouped(match[0]):
            continue
        before, after = around(view.text, *match.span())
        named = _CARD_WORD.search(before) or _CARD_WORD.search(after)
        if not named and ORDER.search(before):
            continue
        place = view.place(*match.span())
        if network == "unionpay":
            yield Finding("bank_card", PERSONAL, *place, "bank_card", "*" * 4 + digits[-4:])
        else:
            yield Finding("payment_card", SECRET, *place, network, "[payment card]")


def _identity(view: View) -> Iterator[Finding]:
    for pattern in (_ID18, _ID15):
        for match in pattern.finditer(view.text):
            digits = match[0].replace(" ", "").upper()
            before, _ = around(view.text, *match.span())
            named = bool(_ID_WORD.search(before))
            if not _born(digits) or (ORDER.search(before) and not named):
                continue
            # Beside its word a mistyped number is still somebody's number.
            if named or (len(digits) == 18 and id_checks(digits)) or len(digits) == 15:
                yield personal(view, *match.span(), "id_card", "id_card", 3, 2)


def _network(digits: str) -> str | None:
    """The card network whose prefix and length a number has."""
    size, head = len(digits), int(digits[:4])
    if head // 100 == 62 and 16 <= size <= 19:
        return "unionpay"
    if head // 1000 == 4 and size in (13, 16, 19):
        return "visa"
    if size == 16 and (51 <= head // 100 <= 55 or 2221 <= head <= 2720):
        return "mastercard"
    if size == 15 and head // 100 in (34, 37):
        return "amex"
    if size == 16 and (head == 6011 or head // 100 == 65 or 3528 <= head <= 3589):
        return "discover" if digits[0] == "6" else "jcb"
    return "diners" if size == 14 and head // 100 in (36, 38) else None


def _grouped(shown: str) -> bool:
    """In one piece, or in groups as they are printed: fours, or 4-6-5."""
    sizes = [len(group) for group in re.split(r"[ -]", shown)]
    fours = all(size == 4 for size in sizes[:-1]) and sizes[-1] <= 4
    return len(sizes) == 1 or fours or sizes in ([4, 6, 5], [4, 6, 4], [6, 13])


def luhn(digits: str) -> bool:
    """The check of ISO/IEC 7812-1, annex B."""
    doubled = [sum(divmod(2 * int(d), 10)) for d in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def id_checks(digits: str) -> bool:
    """The check character of an 18-digit identity number: ISO 7064 MOD 11-2, GB 11643."""
    total = sum(2 ** (17 - i) * int(digit) for i, digit in enumerate(digits[:17]))
    return "10X98765432"[total % 11] == digits[17]


def _born(digits: str) -> bool:
    if digits[:2] not in _PROVINCES:
        return False
    text = digits[6:14] if len(digits) == 18 else "19" + digits[6:12]
    try:
        born = date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return 1900 <= born.year <= 2099


def around(text: str, start: int, end: int) -> tuple[str, str]:
    """The 24 characters before a place and the 12 after it."""
    return text[max(start - 24, 0) : start], text[end : end + 12]


def personal(
    view: View, start: int, end: int, kind: str, rule: str, first: int, last: int
) -> Finding:
    """Personal data at `start:end` of the view, masked but for its `first` and `last` signs."""
    shown = view.text[start:end]
    mask = shown[:first] + "*" * 4 + shown[len(shown) - last :]
    return Finding(kind, PERSONAL, *view.place(start, end), rule, mask)
