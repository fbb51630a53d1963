"""How a fact about the speaker is written down.

The tables decide the attribute, so that one fact always gets one key: in the language of the
text, the same word however it is said. Where a person can have many (likes, allergies) the value
is part of the attribute: liking tea does not replace liking coffee.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """`pattern` matches a whole clause and has a group `v`, the value; `many`: a person can have
    several of these at a time."""

    attribute: str
    kind: str
    pattern: re.Pattern
    many: bool = False


# One attribute for what is said in several ways; what parse_statement finds comes through here.
SAME = {
    "名字": "姓名",
    "全名": "姓名",
    "地址": "住址",
    "家庭地址": "住址",
    "家庭住址": "住址",
    "出生日期": "生日",
    "工作": "职业",
    "手机": "电话",
    "手机号": "电话",
    "手机号码": "电话",
    "电话号码": "电话",
    "电子邮箱": "邮箱",
    "邮件地址": "邮箱",
    "老家": "籍贯",
    "full name": "name",
    "home address": "home",
    "address": "home",
    "job": "occupation",
    "profession": "occupation",
    "phone number": "phone",
    "mobile": "phone",
    "cell": "phone",
    "e-mail": "email",
    "email address": "email",
    "employer": "company",
    "date of birth": "birthday",
}
# What only points at something is no value.
NO_VALUE = re.compile(
    r"(?:这|那|此|它|here|there|it|this|that|these|those|you|your|them|him|her)\b|(?:这|那|此)",
    re.IGNORECASE,
)
