"""Ways to reach a person: phones and e-mail."""

import re
from collections.abc import Iterator

import phonenumbers

from .finding import PERSONAL, Finding
from .numbers import DIGITS, ORDER, around, personal
from .views import View, Views

# phonenumbers takes 0.1-2 ms a number; past this many in one text their form alone decides.
_CHECKED = 64
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_.+])(?<![A-Za-z0-9][-/#=])", r"(?![0-9A-Za-z_]|[-.][0-9])"
_MOBILE = re.compile(
    rf"{_BEFORE}(?:\(?(?:\+|00)?86\)?[ -]?)?(?P<number>1[3-9][0-9](?:[0-9]{{8}}|[ -][0-9]{{4}}[ "
    rf"-][0-9]{{4}}|[0-9][ -][0-9]{{3}}[ -][0-9]{{4}})){_AFTER}"
)
_LANDLINE = re.compile(
    rf"{_BEFORE}\(?0(?:10|2[0-9]|[3-9][0-9]{{2}})\)?[ -][2-9][0-9]{{6,7}}(?:-[0-9]{{1,5}})"
    rf"?{_AFTER}"
)
_ABROAD = re.compile(
    rf"{_BEFORE}(?:\+|00)[1-9][0-9]{{0,2}}[ .()-]{{0,2}}[0-9](?:[ "
    rf".()-]{{0,2}}[0-9]){{5,13}}{_AFTER}"
)
_AMERICAN = re.compile(
    rf"{_BEFORE}(?:1[ .-])?(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[ .-])[2-9][0-9]{{2}}[ "
    rf".-][0-9]{{4}}{_AFTER}"
)
_NATIONAL = re.compile(
    r"(?i)(?:电话|手机号?码?|座机|热线|联系方式|致电|拨打|whatsapp|phone(?: number)?|mobile|cell|"
    r"(?<![a-z])tel(?![a-z])|call (?:me|us|him|her)|reach (?:me|him|"
    r"her))[^\n0-9。；;]{0,12}(?P<number>\(?[0-9][0-9() .-]{5,17}[0-9])(?![0-9A-Za-z_%]|[-.][0-9])"
)
_PHONE_WORD = re.compile(
    r"(?i)电话|手机|座机|联系|致电|拨打|phone|mobile|cell|(?<![a-z])tel(?![a-z])|call|reach|"
    r"whatsapp|fax|传真"
)
_MAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?P<user>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63})@(?P<host>[A-Za-z0-9-]"
    r"{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.(?P<tld>[A-Za-z]{2,24}))(?![A-Za-z0-9-]|\.[A-Za-z0-9])"
)
_LOGIN = re.compile(r"://[^\s/]*$")
_FILES = frozenset(
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "js", "css", "ts", "py", "json", "md", "html"]
)
_DATE = re.compile(r"(?:19|20)[0-9]{2}[ .-][01]?[0-9][ .-][0-3]?[0-9]")


def find(views: Views) -> Iterator[Finding]:
    """Phones of the mainland and abroad, and e-mail addresses."""
    view = views.plain
    if DIGITS.search(view.text):
        yield from _phones(view)
    if "@" not in view.text:
        return
    for match in _MAIL.finditer(view.text):
        # git@host:path is a repository, icon@2x.png a file, user:word@host a login.
        repository = match["user"] == "git" and view.text[match.end() : match.end() + 1] in ":/"
        login = _LOGIN.search(view.text[max(match.start() - 160, 0) : match.start()])
        if not repository and not login and match["tld"].lower() not in _FILES:
            mask = f"{match['user'][0]}***@{match['host']}"
            yield Finding("email", PERSONAL, *view.place(*match.span()), "email", mask)


def _phones(view: View) -> Iterator[Finding]:
    text, checked = view.text, 0
    for pattern, rule, region in (
        (_MOBILE, "mobile_cn", None),
        (_LANDLINE, "landline_cn", None),
        (_ABROAD, "phone_abroad", "CN"),
        (_AMERICAN, "phone_american", "US"),
    ):
        for match in pattern.finditer(text):
            before, _ = around(text, *match.span())
            if ORDER.search(before) and not _PHONE_WORD.search(before):
                continue
            if region and checked < _CHECKED:
                checked += 1
                if not _valid(match[0], region):
                    continue
            yield personal(view, *match.span(), "phone", rule, *_shown(match[0]))
    for match in _NATIONAL.finditer(text):
        number = match["number"]
        if 7 <= sum(map(str.isdigit, number)) <= 15 and not _DATE.match(number):
            yield personal(view, *match.span("number"), "phone", "phone_named", 0, 2)


def _shown(number: str) -> tuple[int, int]:
    """138****8000 is how a mobile is masked in China; of others the head with + and two digits."""
    return (3, 4) if len(number) == 11 else (3 if number[0] in "+0" else 0, 2)


def _valid(number: str, region: str) -> bool:
    try:
        written = "+" + number[2:] if number.startswith("00") else number
        return phonenumbers.is_valid_number(phonenumbers.parse(written, region))
    except phonenumbers.NumberParseException:
        return False
