"""How questions name a day, and what beside it tells whether the day is what they ask about.

All are patterns over normalised text.
"""

import re

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
EN_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
ZH_DIGITS = "一二三四五六七八九"
ZH_WEEKDAYS = {**{sign: place for place, sign in enumerate("一二三四五六日")}, "天": 6}
# Days back from today, first and last: a night may reach into the next day.
BACK = {
    "今天": (0, 0), "今日": (0, 0), "today": (0, 0), "昨天": (1, 1), "昨日": (1, 1),
    "yesterday": (1, 1), "前天": (2, 2), "the day before yesterday": (2, 2), "大前天": (3, 3),
    "昨晚": (1, 0), "昨夜": (1, 0), "last night": (1, 0),
}  # fmt: skip

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_N = "[0-9]{1,2}|[一二三四五六七八九十]{1,3}"
_ZH_WEEKDAY = "[一二三四五六日天]"
_WEEKDAY = "|".join(WEEKDAYS)
_WEEK = "个?(?:周|星期|礼拜)"
_LONGEST_FIRST = sorted(BACK, key=len, reverse=True)
_ZH_BACK = "|".join(word for word in _LONGEST_FIRST if not word.isascii())
_EN_BACK = "|".join(re.escape(word) for word in _LONGEST_FIRST if word.isascii())

DAY = re.compile(
    rf"""
    (?P<zh_date> (?:(?P<zh_year>[0-9]{{4}})年\ ?|(?P<zh_which>前年|去年|今年))?
        (?P<zh_month>{_N})月\ ?(?P<zh_day>{_N})[日号] )
  | (?P<iso> (?<![0-9./-])(?P<iso_year>[0-9]{{4}})(?P<sep>[-/.])(?P<iso_month>[0-9]{{1,2}})
        (?P=sep)(?P<iso_day>[0-9]{{1,2}})(?![0-9t:]|[-/.][0-9]) )
  | (?P<dmy> (?<![\w.,/-])(?P<dmy_day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:\ of)?
        \ (?P<dmy_month>{_MONTH})(?![\w'’-])(?:,?\ (?P<dmy_year>[0-9]{{4}})(?![\w:.-]))? )
  | (?P<mdy> (?<![\w-])(?P<mdy_month>{_MONTH})\ (?P<mdy_day>[0-9]{{1,2}})(?:st|nd|rd|th)?
        (?![\w:.%/-])(?:,?\ (?P<mdy_year>[0-9]{{4}})(?![\w:.-]))? )
  | (?P<zh_ago> (?P<zh_n>[0-9]{{1,3}}|[一两二三四五六七八九十]{{1,3}})天(?:之|以)?前 )
  | (?P<en_ago> (?<!\w)(?P<en_n>[0-9]{{1,3}}|a|one|two|three|four|five|six)\ days?\ ago(?!\w) )
  | (?P<back> {_ZH_BACK} | (?<!\w)(?:{_EN_BACK})(?!\w) )
  | (?P<zh_week> (?: (?P<zh_weeks>上上|[上这本]){_WEEK}(?!末)
        | (?<![0-9一两二三四五六几每下双单个]){_WEEK}(?={_ZH_WEEKDAY}) )
        (?P<zh_weekday>{_ZH_WEEKDAY})? )
  | (?P<en_week> (?<!\w)(?: (?P<en_which>last|this)\ (?P<en_weekday>week|{_WEEKDAY})
        | (?P<en_bare>{_WEEKDAY}) )(?!\w) )
    """,
    re.VERBOSE,
)

# Beside these, anywhere in the question, a day may be a limit, come again, or not have come yet.
LIMITED = re.compile(
    "截止|到期|过期|期限|有效期|为止|(?<!天)[之以]前|[之以]后|以来"
    "|从.{1,20}(?:到|至|起|开始)|每[天日周个年月]|明[天日年晚]|后天|下个?(?:周|星期|礼拜|月)|月底|年底"
    r"|\b(?:deadline|due|expir\w+|after|until|till|since|between|every|each|tomorrow|tonight"
    r"|before(?! yesterday)|no later than|next (?:week|month|year|\w+day))\b"
)

_WHO = "(?:我们?|咱们?|[你您他她]们?|大家)"
_TALK = (
    "(?:说(?!明)|聊|谈|讲|提(?!醒|前|交|供|货)|讨论|分享|推荐|告诉|问(?!题)|回答|建议|咨询|请教)"
)
_ASK = "什么|哪|谁|多少|几|吗|么|怎|为何|如何|何时|呢|是不是|有没有|对不对"
ZH_BEFORE = re.compile(rf"(?:^|[,。?!;:\s]|在|于|{_WHO}|记得|请问|曾经?|[就刚那])\s?$")
ZH_SUBJECT = re.compile(rf"{_WHO}(?:还|就|曾经?)?(?:在|于)?\s?$")
ZH_REPORTED = re.compile(rf"(?:{_TALK}|约|定|通知)\S{{0,2}}$")
ZH_PART_OF_DAY = re.compile(
    "^(?:[这那当]一?天)?(?:的?(?:早上|上午|中午|下午|晚上|夜里|凌晨|傍晚|早晨|时候))?(?:里|时)?"
)
ZH_NOT_AFTER = re.compile(
    "[之以]?前|[之以]?后(?!来)|起|开始|到(?!底)|至|止|内|左右|的(?!(?:对话|聊天|谈话|会话|沟通))|不?是|还是|也是|也?[~/—-]"
    rf"|(?:和|与|及|跟|或|、)(?![^,。]{{0,6}}{_TALK})"
)
ZH_AFTER = re.compile(
    rf"[,\s]*(?:{_WHO}|[和跟给向与对]|{_TALK}|的(?:对话|聊天|谈话|会话|沟通)|发生|都|还|曾|到底"
    rf"|究竟|后来|为什么|怎么|一共|主要|具体|有没有|\w了|\w过|\w到|什么|哪)"
)
# 我买的裙子: the day belongs to the thing, which may have been told of on another.
ZH_RELATIVE = re.compile(
    rf"{_WHO}?(?!.{{0,8}}(?:{_TALK}|{_ASK}))[^,。?]{{1,8}}?的(?!时候)(?=[^,。?])"
)
# The present day is not over: 今天聊什么 asks for a plan.
ZH_DONE = re.compile(rf"了(?!解)|过(?![期敏程滤户渡])|曾|{_TALK}[^,。]{{0,2}}的")
ZH_PAST = re.compile(rf"{ZH_DONE.pattern}|{_TALK}|发生")
ZH_ASKS = re.compile(rf"\?|{_ASK}|^{_WHO}?{_TALK}[过到]?的[^,。]{{0,12}}$")
ZH_GOES_ON = re.compile(rf"(?:因此|所以|那么?|请问)?(?:[它是对]|{_WHO})")

_EN_ASK = (
    "what|which|who|whom|whose|where|when|why|how|did|was|were|had|tell|show|remind|list|recap"
    "|summari[sz]e|what's"
)
_EN_EVENT = (
    "meeting|call|appointment|trip|flight|train|event|party|interview|exam|visit|booking"
    "|reservation|delivery|shipment|release|launch|birthday|payment|session|class|lesson|concert"
    "|dinner|lunch|match|game|show|conference|holiday|order|report|one"
)
_EN_FIXED = (
    "scheduled|planned|booked|set|starts?|begins?|ends?|arrives?|leaves?|opens?|closes?|happening"
    "|is|are|be"
)
EN_ON = re.compile(r"(?:^|[,;:.?!]\s?|\bon(?: the)? )$")
EN_NOT_BEFORE = re.compile(
    rf"\b(?:by|from|to|for|(?<!talk )(?<!chat )(?<!talked )about|than|of|through|around"
    r"|past|and|or|with|in|a)(?: the)? $"
    rf"|\b(?:{_EN_FIXED}) (?:on(?: the)? )?$"
    rf"|\b(?:the|an?|my|our|your|his|her|their|this|that|any)(?: \w+){{0,2}} (?:{_EN_EVENT}) "
    "(?:on(?: the)? )?$"
)
EN_NOT_AFTER = re.compile(r"\s?(?:['’]s\b|[-–—~/]|(?:to|through|and|or|onwards?|deadline)\b)")
EN_AHEAD = re.compile(
    r"\b(?:should|shall|will|would|can|could|must|might|do|does|am|are) "
    r"(?:i|we|he|she|it|they|the|my|our|there|this|that)\b"
)
EN_PAST = re.compile(
    r"\b(?:did|didn['’]?t|(?:was|were) (?:i|we|you|he|she|they)|said|told|mentioned|talked|spoke"
    r"|discussed|chatted|asked|recommended|suggested|shared|happened|decided|agreed|promised|wrote|noted|gave|made|met|ate"
    r"|bought|ordered|went|saw|watched|came|visited)\b"
)
EN_ASKS = re.compile(rf"\b(?:{_EN_ASK})\b")
EN_BEGINS = re.compile(
    rf"(?:(?:so|and|then|hey|please|ok|okay|on(?: the)?)\b[ ,]*)*(?:{_EN_ASK})\b"
)
EN_BREAK = re.compile(r"[,;.?!]")
