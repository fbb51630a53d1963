"""Names of attributes: which of them say the same, in two languages and in any spelling."""

import re
from functools import lru_cache

from memory.text.atoms import stem
from memory.text.normalise import key

# Each line: other names of one attribute. An exact name always goes before another one.
_GROUPS = """
预算,经费,budget
截止日期,截止时间,截止日,最后期限,期限,ddl,deadline,due date,cutoff date,closing date
负责人,责任人,主管,owner,person in charge,lead
联系人,对接人,contact,contact person
地址,住址,详细地址,address,street address
电话,电话号码,手机,手机号,手机号码,联系电话,联系方式,phone,phone number,telephone,mobile,cell
邮箱,电子邮箱,邮件地址,邮箱地址,email,e-mail,email address,mail address
会议时间,开会时间,例会时间,meeting time,time of the meeting
报价,价格,价钱,报的价,quote,quotation,quoted price,price
库存,库存量,库存数量,存货,stock,inventory,stock level,units in stock
订单号,订单编号,单号,order number,order no,order id,order code
版本,版本号,上线版本,发布版本,version,version number,release,release version
目的地,出差目的地,出差地点,destination,travel destination,trip destination
交付数量,交货数量,发货数量,数量,delivery quantity,quantity,delivered quantity,amount to deliver
名字,姓名,名称,name
生日,出生日期,birthday,date of birth
地点,位置,场地,location,venue,place
年龄,岁数,age
职位,职务,岗位,job title,position,role
状态,进度,status,progress
工资,薪资,薪水,salary,pay
城市,city
供应商,supplier,vendor
会议室,房间,meeting room,room
颜色,color,colour
语言,language
时区,time zone,timezone
人数,headcount,number of people,party size
"""
# Words of an attribute that tell its type and not which one it is.
_GENERIC = "number of date time name new add the a an is has for at on value no"
GENERIC = frozenset(_GENERIC.split())
# 会议 names 会议时间.
_SUFFIX = re.compile("(?:时间|日期|号码?|数量|量|地点|名称|地址|金额)$")
_SPLIT = re.compile(r"[\s_\-./]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _groups() -> dict[str, frozenset[str]]:
    groups = [frozenset(key(n) for n in line.split(",")) for line in _GROUPS.split("\n") if line]
    return {name: group for group in groups for name in group}


_GROUP_OF = _groups()


def variants(name: str) -> frozenset[str]:
    """The keys under which an attribute of this name may be stored."""
    plain = key(name)
    names = {plain} | _GROUP_OF.get(plain, frozenset())
    return frozenset(names | {n.replace(" ", mark) for n in names for mark in "_-"})


@lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """The stems of an attribute's or an entity's words: check_in_date is check, in, date."""
    parts = (part.strip("0123456789") for part in _SPLIT.split(_CAMEL.sub(" ", name)))
    return frozenset(stem(key(part)) for part in parts if part)


def naming(said: str, attribute: str) -> int:
    """How plainly `said` names `attribute`: 3 its own name, 2 another name of it, 1 its leading
    or closing part (会议 or 时间 for 会议时间, "date" for check_in_date), 0 not at all."""
    said_key, own = key(said), key(attribute)
    if not said_key:
        return 0
    if said_key == own or words(said) == words(attribute):
        return 3
    if own in variants(said):
        return 2
    if said_key.isascii():
        bare = words(said) - {"the", "my", "our"}
        return int(bool(bare) and bare <= words(attribute))
    ends = len(said_key) > 1 and own.endswith(said_key)
    return int(ends or (len(said_key) > 1 and _SUFFIX.sub("", own) == said_key))


# Further words by which a talk names an attribute, by the stem of one of its own.
_RELATED = {
    "passeng": "people person traveller", "seat": "people person table",
    "adult": "people person guest", "guest": "people person", "journey": "trip travel train",
    "departur": "leave depart fly flight", "return": "back", "pickup": "pick", "show": "movie film",
    "bed": "bedroom", "bath": "bathroom", "stay": "night", "length": "night", "amount": "pay send",
    "deadlin": "due", "owner": "charge", "address": "live", "schedul": "appointment",
}  # fmt: skip


def talk_of(attribute: str, entity: str, said: frozenset[str]) -> int:
    """How much the words of a talk (`said`, stems) point at an attribute: 2 a word for each of
    its own, 1 for its entity's kind."""
    own = words(attribute) - GENERIC
    if not own:
        return int(bool(words(entity) & said))
    named = [
        word in said or any(stem(w) in said for w in _RELATED.get(word, "").split()) for word in own
    ]
    # "in" of check_in says nothing without its check.
    strong = any(n for n, word in zip(named, own, strict=True) if len(word) > 3)
    if not strong:
        return 0
    return 2 * sum(named) - sum(not n for n in named) + int(bool(words(entity) & said))
