"""Secrets that are told by the words beside them: passwords, tokens, addresses with a login."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from .finding import Finding
from .keys import secret
from .views import View, Views, occurrences

# What is written where a secret would stand.
_PLACEHOLDER = re.compile(
    r"(?i)[<\[({$%*]|[^a-z0-9]*$|(?:x{3,}|your|my|the|some|example|sample|dummy|placeholder|"
    r"changeme|redacted|hidden|none|null|true|false|undefined|os\.|env|process\.|settings\.|"
    r"config\.|self\.)(?![a-z]{0,3}[0-9])"
)
_USUAL = """
a an and are as at available be been being blank but by can cannot case changed changing checked
complex compromised correct created different disabled easy empty enabled encrypted enough
entered expired expiring fine for forgotten from generated getting given going good hard hashed
here hidden in incorrect invalid is it kept known leaked long longer mandatory masked missing my
never new no not now of off ok old on only optional or our outdated passwd password plain private
protected public random recommended required reset retrieved revoked rotated safe salted same
secret secure sensitive sent set shared short simple so stolen stored strong stronger that the
there this to too unchanged unique unknown unsafe updated used valid verified very weak what
where which why with working wrong your
"""
_ASK_OR_STATE = frozenset(_USUAL.split())
_QUOTED = r"[\"'`“‘「](?P<quoted>[^\"'`“”‘’「」\n]{3,128})[\"'`”’」]"
_VALUE = r"(?P<value>[!-&*-;=?-_a-~]{3,128})"
_ZH_WORDS = (
    "密码", "口令", "密碼", "暗号", "暗號", "passcode", "pin码", "验证码", "驗證碼", "校验码",
    "动态码",
)  # fmt: skip
_ZH = re.compile(
    r"(?:已经|现在|目前|还|就|统一|暂时|临时|一直|都){0,2}(?:是|为|為|叫|设为|设成|设置为|"
    r"[改换]成了?|改为了?|更新为|重置为|[:=])[ \t]{0,3}[:=]?[ \t]{0,3}"
    rf"(?:{_QUOTED}|{_VALUE})|[ \t]{{1,3}}(?P<bare>(?=[a-z]*[0-9])(?![a-z]{{2,5}}-[0-9]+\b)"
    rf"[!-&*-;=?-_a-~]{{8,64}})",
    re.IGNORECASE,
)
# The few digits that open a room which people share are told to every guest.
_DOOR = re.compile(r"(?:会议室|會議室|教室|活动室|自习室|健身房|洗手间|储物柜|大门|门禁)[ 的]?$")
_DOOR_DIGITS = 6
_EN_WORDS = (
    "password", "passphrase", "passwd", "passcode", "pwd", "pin", "otp", "verification code",
    "login code",
)  # fmt: skip
_OWNER = re.compile(
    r"\b(?:my|our|his|her|their|root|admin|wi-?fi|login|database|db|master|account|server)[ "
    r"\t]{1,3}(?:[a-z0-9-]{2,20}[ \t]{1,2}){0,2}$"
)
_EN = re.compile(
    r"s?(?: code)?(?:[ \t]{1,2}for[ \t]{1,2}[a-z0-9 .-]{2,30}?)?[\"']?(?P<how>[ \t]{0,3}(?:\bis\b|"
    r"\bwas\b|\bto\b|[:=]|=>|->)[ \t]{0,3}(?:(?:now|set to|still|currently)[ \t]{1,2})?)"
    rf"(?:{_QUOTED}|{_VALUE})",
    re.IGNORECASE,
)
_FLAG = re.compile(r"(?:--password|--passwd|--token|-p)(?:[ =])(?P<value>[^\s\"'`]{4,128})")
_CURL = re.compile(r"(?:-u|--user)[ =](?P<value>[^\s:\"'`]{1,64}:[^\s\"'`]{3,128})")
_KEY_WORDS = (
    "api key", "api_key", "api-key", "apikey", "access key", "access_key", "access-key",
    "accesskey", "secret", "app key", "app_key", "appkey", "auth token", "auth_token", "token",
    "private key", "private_key", "signing key", "signing_key", "encryption key",
    "encryption_key", "session id", "session_id", "session key", "credential", "密钥", "密鑰",
    "秘钥", "令牌", "凭证", "凭据", "私钥", "授权码", "访问码",
)  # fmt: skip
_ASSIGNED = re.compile(
    r"s?(?:[ _-](?:access[ _-]key|key|id|secret)(?![a-z]))?[\"'`”]?[ \t]{0,3}(?:现在|就|已经|"
    r"的值)?(?:[:=]+|=>|->|是|为|改成|换成|is(?: now)?\b|was\b|to\b)?[ "
    r"\t]{0,3}[\"'`“「]?(?P<value>[A-Za-z0-9+/_.~=-]{12,512})",
    re.IGNORECASE,
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://(?P<login>[^\s:/@]{0,64}:[^\s@/]{1,128})@[^\s/]")
_DATED = re.compile(r"[0-9]{2,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}")
_COUNT = re.compile(
    r"\s{0,2}(?:位|个|天|次|种|条|月|年|小时|分钟|字符|days?|months?|weeks?|hours?|minutes?|"
    r"chars?|characters?|digits?|letters?|times?|attempts?|users?|people|percent|%)"
)
# Past a plain word the sentence goes on: a remark about the password, not the password.
_REMARK = re.compile(r"[ \t]{1,3}[A-Za-z]|[\u4e00-\u9fff]")
_PARTICIPLE = re.compile(r"(?i)(?:ed|ing|able|ible)$")
_COUNTED = re.compile(
    r"[0-9]+(?:-[0-9]+)?-?(?:days?|chars?|characters?|digits?|bits?|[a-z]|位)(?:-long)?|"
    r"[0-9]+[-~][0-9]+"
)


def find(views: Views) -> Iterator[Finding]:
    """Passwords told in Chinese and English, tokens beside a word that says so, logins in URLs."""
    view, lowered = views.plain, views.lowered
    for start, end in occurrences(lowered, _ZH_WORDS):
        match = _ZH.match(view.text, end)
        if match is None or _opens_a_door(lowered[max(start - 8, 0) : start], match):
            continue
        if span := (match["bare"] and match.span("bare")) or _told(match, False):
            yield secret(view, *span, "password", "password_zh")
    for start, end in occurrences(lowered, _EN_WORDS):
        match = _EN.match(view.text, end)
        if match is None:
            continue
        # "The password is wrong" tells nothing; "my password is swordfish" does.
        owned = _OWNER.search(lowered[max(start - 64, 0) : start])
        written = not match["how"].strip().split(" ")[0].isalpha()
        if span := _told(match, plain_word=bool(owned) or written):
            yield secret(view, *span, "password", "password_en")
    if "-" in view.text:
        yield from _commands(view)
    for _, end in occurrences(lowered, _KEY_WORDS):
        match = _ASSIGNED.match(view.text, end)
        if match and _random(match["value"]) and not _PLACEHOLDER.match(match["value"]):
            yield secret(view, *match.span("value"), "token", "assigned_token")
    if "://" not in view.text:
        return
    for match in _URL.finditer(view.text):
        user, _, word = match["login"].partition(":")
        if not _PLACEHOLDER.match(word) and (user, word) not in _DOCUMENTED:
            yield secret(view, *match.span("login"), "connection_string", "login_in_url")


def _opens_a_door(before: str, match: re.Match) -> bool:
    told = match["quoted"] or match["value"] or match["bare"]
    return bool(told.isdecimal() and len(told) <= _DOOR_DIGITS and _DOOR.search(before))


_DOCUMENTED = {("user", "password"), ("username", "password"), ("user", "pass")}


def _commands(view: View) -> Iterator[Finding]:
    for pattern, rule in ((_FLAG, "command_flag"), (_CURL, "curl_login")):
        for match in pattern.finditer(view.text):
            value = match["value"]
            enough = rule == "curl_login" or _mixed(value) or not match[0].startswith("-p")
            if enough and not _PLACEHOLDER.match(value.partition(":")[2] or value):
                yield secret(view, *match.span("value"), "password", rule)


def _told(match: re.Match, plain_word: bool) -> tuple[int, int] | None:
    """Where the password stands, or None where the sentence tells none.

    `plain_word`: a single ordinary word counts. Without it a digit or a sign has to be in it.
    """
    text = match.string
    if match["quoted"] is not None:
        quoted = match["quoted"]
        told = not _PLACEHOLDER.match(quoted) and " " not in quoted and "://" not in quoted
        return match.span("quoted") if told else None
    value = re.sub(r"[.,:;?)\]]$", "", match["value"])
    start, end = match.start("value"), match.start("value") + len(value)
    if len(value) < 3 or "://" in value or _PLACEHOLDER.match(value) or _DATED.fullmatch(value):
        return None
    if value.isdigit():
        return (start, end) if len(value) >= 4 and not _COUNT.match(text, end) else None
    if not re.fullmatch(r"[A-Za-z]+(?:[-'/,][A-Za-z]+)*", value):
        return None if _COUNTED.fullmatch(value) else (start, end)
    if not value.isalpha() or len(value) < 4 or _REMARK.match(text, end):
        return (start, end) if plain_word and "-" in value else None
    usual = value.lower() in _ASK_OR_STATE or _PARTICIPLE.search(value)
    mixed = value != value.lower() and value not in (value.capitalize(), value.upper())
    return (start, end) if (plain_word or mixed) and not usual else None


def _mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _random(value: str) -> bool:
    """Whether a token looks drawn by lot: letters and digits mixed, 3 bits a character or more.

    Shannon's entropy over the token itself; English words in a row stay below or have no digits.
    """
    value = value.rstrip("=.")
    if len(value) < 12 or not _mixed(value) or _DATED.search(value):
        return False
    runs = re.findall(r"[A-Za-z]+|[0-9]+", value)
    # report-2024-final has long runs; a drawn token changes between letters and digits often,
    # or is one long run of hex.
    changes = len(runs) / len(value)
    counts = Counter(value).values()
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
    return bits >= 3 and (changes >= 0.2 or len(value) >= 20)
