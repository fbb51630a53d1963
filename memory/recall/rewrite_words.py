"""The words by which a question points back at what was talked of, Chinese and English.

All are patterns over normalised text.
"""

import re

from memory.text.stopwords import STOPWORDS

from .trigger import FAMILY_NAMES

_STARTS, _ENDS = r"(?<![a-z0-9'’-])", r"(?![\w'’-])"
# What has no sense without a thing that has it, then what a person or a plan may have as well.
_OF_GOODS = """
库存量? 存货 余量 价格 单价 售价 报价 交期 交货期 (?:交付|交货|发货|到货|补货)(?:时间|日期)? 规格
尺寸 颜色 重量 保质期 起订量 数量
"""
_OF_ANY = """
预算 截止(?:日期|时间)? 期限 负责人 联系人 对接人 供应商 电话(?:号码)? 手机号? 邮箱 地址 进度 状态
版本号? 时间 日期 地点 生日 职位
"""
_OF_GOODS_ENGLISH = (
    "stock|inventory|(?:unit )?prices?|cost|lead time|delivery(?: date| time)?|shipping(?: date)?"
    "|specs?|size|colou?rs?|weight|quantity|warranty|any left|still available|eta|moq|sku"
)
_OF_ANY_ENGLISH = (
    "budget|deadline|due date|owner|contact|phone(?: number)?|e-?mail|address|status|progress"
    "|version|date|time|place|location|supplier|birthday|job title"
)
GOODS = "|".join(_OF_GOODS.split()) + "|还?有货(?:吗|没有|没|么)|还?有没有货"
ANY = "|".join(_OF_ANY.split())
ATTRIBUTE = re.compile(rf"(?:{GOODS}|{ANY}|(?<![a-z])(?:{_OF_GOODS_ENGLISH}|{_OF_ANY_ENGLISH}))\Z")

_ASK = """
多少(?:钱|[个件台箱])? 几[号个件台箱]? 什么时候 什么 哪天 哪里 哪儿 哪些 谁 怎么样 如何 多久 多长
够吗 够不够 有没有 吗 呢 剩下? 大概 一共 总共 具体 最晚 最快
"""
_LEAD = """
上次 之前 刚才 刚刚 前面 昨天 今天 现在 目前 当前 最新 最近 请问 问一下 查一下 查查 查 看看 看一下
帮我 给我 告诉我 我想(?:问|知道|了解)(?:一下|下)? 你?还?(?:记得|知道) 提到 说 聊 讲 问 讨论 买 订 进
的 过 了 那么? 还有 还 另外 对了 关于 把 给 跟 和 对 从 在 到 是 有 没有 请 麻烦 能不能 能 可不可以
可以 一下 下 也 都 就 再 又 您 你 么 啊 呀
"""
_OWN = "我们?|咱们?|[你您]们?的"
_ASK_ENGLISH = "what's|what|how|when|where|who|much|many|left"
_LEAD_ENGLISH = (
    "the|a|an|any|of|in|on|for|to|at|is|are|was|were|do|does|did|have|has|got|there|still|also|now"
    "|currently|so|and|then|about|can|could|would|will|please|tell me|show me|give me|remind me"
    "|check|see|say|said|know|remember|again|last time|whether|if|ok|okay|hey|hi|you|current|latest"
)
_OWN_ENGLISH = "my|our|your|i|we|mine|ours|yours"


def _words(chinese: str, english: str) -> str:
    return rf"{'|'.join(chinese.split())}|(?:{english}){_ENDS}"


# One word of a question; a question of only such words names nothing by itself.
WORD = re.compile(
    rf"(?P<goods>{GOODS}|(?:{_OF_GOODS_ENGLISH}){_ENDS})"
    rf"|(?P<any>{ANY}|(?:{_OF_ANY_ENGLISH}){_ENDS})"
    rf"|(?P<ask>{_words(_ASK, _ASK_ENGLISH)})"
    rf"|(?P<lead>{_words(_LEAD, _LEAD_ENGLISH)})"
    rf"|(?P<own>{_OWN}|(?:{_OWN_ENGLISH}){_ENDS})"
    r"|(?P<sign>[\s,.!?。、…~]+)"
)
# The form that goes on from what was said before: 那预算呢, and the budget, what about Friday.
GOES_ON = re.compile(
    r"呢[\s?!。~]*\Z|\A(?:那么?|还有|另外)(?=.*[?呢])"
    r"|\A(?:(?:ok|okay|so),? )?(?:and|what about|how about) "
)
# What may follow 那批 or 这个 where the noun is left out: 那批样品 is not the batch talked of.
_BARE = (
    rf"(?=的(?:{GOODS}|{ANY})|还[有剩在能]|呢|现在|目前|多少|什么时候|哪天|几号|剩|有货|有库存"
    "|到货|到了|发货)"
)
# After "that batch" no noun may follow: that batch file is another thing.
_VERBS = "|".join(
    [
        *sorted(filter(str.isascii, STOPWORDS)),
        "still|again|yet|left|available|today|tomorrow|arrive[sd]?|ship(?:s|ped)?|c[oa]me|costs?",
    ]
)
_ALONE = rf"(?=[\s?!.,]*\Z|[,.?!] | (?:{_VERBS})\b)"
_THAT_GOODS = (
    "(?:(?:that|this|the same) (?:batch|lot|shipment|item|product|model)|(?:those|these) goods)"
)
_THAT_FIRM = "(?:that|this) (?:company|supplier|vendor|customer|client|firm)"
PRONOUN = re.compile(
    r"(?P<goods>[那这][批款台件]"
    rf"(?:货(?:物(?![流品业资]))?(?![车柜币架主源款运])|产品|商品(?!房)|{_BARE})"
    rf"|{_STARTS}{_THAT_GOODS}{_ALONE})"
    rf"|(?P<organisation>[那这]家(?:公司|店|厂|供应商|客户|{_BARE})|他们"
    rf"|{_STARTS}(?:{_THAT_FIRM}{_ALONE}|(?:they|them|their){_ENDS}))"
    rf"|(?P<person>[那这](?:个人(?!的?[信账户])|位{_BARE})|[他她](?![们人国乡日妈娘俩家杀山处])"
    rf"|{_STARTS}(?:that person|he|she|him|his|her){_ENDS})"
    rf"|(?P<thing>它(?!们)|[那这]个{_BARE}"
    rf"|{_STARTS}(?:(?:(?:that|this|the same) one|the same){_ALONE}|its?{_ENDS}))"
)
POSSESSIVE = re.compile(rf"(?:its|his|their|her(?= (?!(?:{_VERBS})\b)\w)){_ENDS}")
# What has none of these tells something and asks nothing.
ASKS = re.compile(
    r"[?吗呢谁哪几怎查]|多少|多久|什么|如何|是否|告诉|看看|看一下|帮我|没|[是能会]不[是能会]"
    r"|\b(?:what|how|when|where|who|which|why|whether|check|find|(?:tell|show|give|remind) me)\b"
    r"|\A(?:(?:ok|okay|so|and),? )*(?:is|are|was|were|do|does|did|has|have|can|could|will|would)\b"
)
# "it" and "they" that stand for nothing.
NOBODY = re.compile(
    r"\bwhat time (?:is|was) it\b|\bit (?:takes?|seems?|looks?|turns? out|depends|matters?)\b"
    r"|\b(?:is|was|will|would|does|did|has) it (?:be )?(?:\w+ (?:to|that|if|for)\b|rain|snow|cold"
    r"|hot|warm|late|early|true|ok\b|okay|worth|possible|matter|take\b|\w+ing\b)"
    r"|\b(?:they|people) say\b"
)
# Whether there is still some, right after the name of the goods; or right before it.
STOCK = re.compile(
    r"\s*(?:现在|目前)?(?P<ask>还?有货(?:吗|没有|没|么)|还有(?:吗|没有|没|么)|还?有没有货"
    r"|还有没有(?=[\s?!。~]*\Z)|still available|any left)"
)
STILL_HAVE = re.compile(r"\bstill have\s*\Z")

THING = re.compile(
    r"[0-9]|(?:型号|产品|批次|项目|订单|合同|系统|设备|样品|原料|材料)\Z|\b(?:model|batch|product)\b"
)
ORGANISATION = re.compile(
    r"(?:公司|集团|工厂|商店|酒店|银行|工作室|客户|供应商|学校|医院)\Z"
    r"|\b(?:ltd|inc|gmbh|llc|corp|co|company|studio|hotel|bank|group|supplier)\.?\Z"
)
_TITLE = "老师|总|经理|先生|女士|小姐|医生|师傅|哥|姐|主任|教授"
PERSON = re.compile(
    rf"[{FAMILY_NAMES}]\w{{0,2}}(?:{_TITLE})\Z|[小老阿][{FAMILY_NAMES}]\Z|(?:mr|mrs|ms|dr)\.? "
)
CHINESE_NAME = re.compile(rf"[{FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}")
LATIN_NAME = re.compile("[A-Z][a-z]+(?: [A-Z][a-z]+)?")
# A noun with something before it that is no pointing word names a thing: B 型号, 滨江仓库.
NAMED = re.compile(
    r"[「『“\"《]"
    r"|\w\ ?(?<![这那哪个各的几些么他它在到从有是])(?:型号|项目|公司|集团|订单|合同|仓库|工厂)"
    rf"|[{FAMILY_NAMES}](?:{_TITLE})"
)

LATIN = re.compile(r"[a-z][a-z0-9'’-]+")
CALENDAR = re.compile(
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    "|september|october|november|december"
)
# Memories of these domains are about things.
OF_THINGS = frozenset(
    ["inventory", "stock", "product", "products", "project", "projects", "库存", "产品", "项目"]
)

# Words of one domain, one for another in either language.
DOMAINS = tuple(
    frozenset(words.split())
    for words in (
        "inventory stock 库存 存货",
        "delivery logistics shipping 交付 物流 配送 发货",
        "purchasing procurement 采购",
        "sales 销售",
        "support 客服 售后",
        "finance 财务",
        "contract contracts 合同",
        "hr 人事",
        "legal 法务",
        "product products 产品",
        "project projects 项目",
        "travel 差旅 出差",
    )
)
