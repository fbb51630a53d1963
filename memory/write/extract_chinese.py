"""What a speaker says of themself in Chinese, and the attribute under which it is kept."""

import re

from memory.models import Kind

from .extract_form import Form

# What may follow a value without being part of it.
_END = r"(?:了|啦|的|呢|啊|哦|呀|哈)?"
_SUBJECT = (
    r"(?:我|本人)?(?:现在|目前|一直|已经|平时|其实|从小|真的|确实|也|还|都|就|特别|非常|很|最|"
    r"比较|超级?|挺|更|又){0,3}"
)
_STOP = r"[^，。！？；、,.!?;]"
_PLACE = rf"{_STOP}{{2,20}}?"
_THING = rf"(?!的|上了?$|你|您){_STOP}{{1,30}}?"
_THINGS = r"(?!的|上了?$|你|您)[^，。！？；,.!?;]{1,60}?"
_NUMBER = r"[0-9零〇一二两三四五六七八九十百]{1,4}"


def _form(attribute: str, kind: str, pattern: str, many: bool = False) -> Form:
    return Form(attribute, kind, re.compile(pattern + _END + r"$"), many)


FORMS = (
    _form(
        "姓名",
        Kind.IDENTITY,
        r"(?:我|本人)(?:的名字)?(?:叫做?|名叫|的?(?:姓名|名字|全名)(?:是|叫))(?P<v>(?!我|你|他|她|"
        r"停|好|醒|车|外卖|不|了|上|来|人)(?:[\u4e00-\u9fff·]{2,6}|[A-Za-z][A-Za-z .-]{1,29}?))",
    ),
    _form(
        "称呼",
        Kind.IDENTITY,
        r"(?:请|可以|大家都|朋友们?都|同事们?都|以后)?(?:叫|称呼)我(?P<v>(?!的|们|起|去|来|做|"
        r"吃)[\u4e00-\u9fffA-Za-z·]{2,12}?)(?:就好|就行|吧|即可)?",
    ),
    _form(
        "住址",
        Kind.IDENTITY,
        rf"{_SUBJECT}(?:住在|居住在|定居在?|常住在?|搬到了?|搬家?去了?|家住在?|"
        rf"家在)(?P<v>{_PLACE})",
    ),
    _form("住址", Kind.IDENTITY, rf"我的?(?:住址|地址|家庭地址)(?:是|在)(?P<v>{_STOP}{{2,40}}?)"),
    _form(
        "籍贯",
        Kind.IDENTITY,
        rf"{_SUBJECT}(?:来自|老家在|老家是|籍贯是|出生在|出生于|祖籍)(?P<v>{_PLACE})",
    ),
    _form("籍贯", Kind.IDENTITY, r"我是(?P<v>[\u4e00-\u9fff]{2,8})人"),
    _form("年龄", Kind.IDENTITY, rf"{_SUBJECT}(?:今年|年龄是)?(?:满|快|刚)?(?P<v>{_NUMBER}岁)"),
    _form("生日", Kind.IDENTITY, rf"我的?(?:生日|出生日期)(?:是|在|:)?(?P<v>{_STOP}{{2,16}}?)"),
    _form(
        "职业",
        Kind.IDENTITY,
        r"我(?:的职业|的工作)?(?:现在|目前)?是(?:一|1)?(?:名|个|位)?(?P<v>(?!来|去|想|在|说|看|要|"
        r"被|和|跟|因|为|怕|这|那|给|找)[\u4e00-\u9fffA-Za-z]{0,10}(?:师|员|医生|护士|学生|研究生|"
        r"博士|教授|程序员|经理|司机|厨师|律师|作家|画家|记者|警察|军人|农民|老板|店长|顾问|主管|"
        r"总监|会计|编辑|设计师|工程师))",
    ),
    _form("职业", Kind.IDENTITY, rf"我(?:的?职业|的?工作)是(?P<v>{_STOP}{{2,20}}?)"),
    _form(
        "公司",
        Kind.IDENTITY,
        rf"{_SUBJECT}(?:在|就职于|任职于|供职于)(?P<v>{_PLACE})(?:上班|工作|任职|就职|做事)",
    ),
    _form("公司", Kind.IDENTITY, rf"{_SUBJECT}(?:就职于|任职于|供职于)(?P<v>{_PLACE})"),
    _form(
        "学校", Kind.IDENTITY, rf"{_SUBJECT}(?:在(?P<v>{_PLACE})(?:读书|上学|念书|读研|读博|求学))"
    ),
    _form("学校", Kind.IDENTITY, rf"{_SUBJECT}(?:毕业于|就读于|就读)(?P<v>{_PLACE})"),
    _form("专业", Kind.IDENTITY, rf"我(?:的)?专业是(?P<v>{_PLACE})"),
    _form("电话", Kind.IDENTITY, r"我的?(?:电话|手机号?码?)(?:号码)?(?:是|:)(?P<v>[0-9+ -]{5,20})"),
    _form("邮箱", Kind.IDENTITY, r"我的?(?:邮箱|邮件地址|电子邮箱)(?:是|:)(?P<v>[!-~]{5,80})"),
    _form(
        "身高", Kind.IDENTITY, r"我?(?:的?身高)(?:是|有)?(?P<v>[0-9.]{1,5} ?(?:cm|厘米|米|公分)?)"
    ),
    _form("体重", Kind.IDENTITY, r"我?(?:的?体重)(?:是|有)?(?P<v>[0-9.]{1,5} ?(?:kg|公斤|斤)?)"),
    _form("血型", Kind.IDENTITY, r"我的?血型是(?P<v>(?:AB|A|B|O|ab|a|b|o)型?)"),
    _form(
        "过敏", Kind.PREFERENCE, rf"{_SUBJECT}对(?P<v>{_THINGS})(?:严重|有点|轻微|会)?过敏", True
    ),
    _form(
        "过敏", Kind.PREFERENCE, rf"{_SUBJECT}(?:有|患有)(?P<v>{_STOP}{{1,12}}?)过敏(?:症)?", True
    ),
    _form(
        "不吃",
        Kind.PREFERENCE,
        rf"{_SUBJECT}(?:从来?)?(?:不能?吃|不会吃|吃不了|忌口|不碰)(?P<v>{_THINGS})",
        True,
    ),
    _form(
        "不喝",
        Kind.PREFERENCE,
        rf"{_SUBJECT}(?:从来?)?(?:不能?喝|喝不了|不会喝)(?P<v>{_THINGS})",
        True,
    ),
    _form(
        "不喜欢",
        Kind.PREFERENCE,
        rf"{_SUBJECT}(?:不太?喜欢|不爱|讨厌|反感|受不了)(?P<v>{_THINGS})",
        True,
    ),
    _form(
        "最喜欢",
        Kind.PREFERENCE,
        rf"我最(?:喜欢|爱)的(?P<a>[\u4e00-\u9fff]{{1,8}}?)是(?P<v>{_THING})",
    ),
    _form(
        "喜欢",
        Kind.PREFERENCE,
        rf"{_SUBJECT}(?:喜欢|热爱|偏爱|钟爱|爱(?=[吃喝看听玩打跑读画]))(?P<v>{_THINGS})",
        True,
    ),
    _form("爱好", Kind.PREFERENCE, rf"我的?(?:爱好|兴趣|兴趣爱好)(?:是|有)(?P<v>{_THINGS})", True),
    _form(
        "感兴趣",
        Kind.PREFERENCE,
        rf"{_SUBJECT}对(?P<v>{_THINGS})(?:很|非常|特别|比较|挺)?感兴趣",
        True,
    ),
    _form("习惯", Kind.PREFERENCE, rf"{_SUBJECT}习惯(?:用|于|了)?(?P<v>{_THING})", True),
    _form(
        "会说",
        Kind.IDENTITY,
        rf"{_SUBJECT}会(?:说|讲)(?P<v>[\u4e00-\u9fff]{{1,6}}(?:语|话|文))",
        True,
    ),
    _form(
        "宠物",
        Kind.IDENTITY,
        rf"{_SUBJECT}(?:养了?|有)(?P<v>(?:一|两|三|{_NUMBER})(?:只|条|个){_STOP}{{0,6}}?(?:猫|狗|"
        rf"兔子|鹦鹉|仓鼠|乌龟|金鱼|蛇|鸟))",
        True,
    ),
    _form(
        "家人",
        Kind.IDENTITY,
        rf"{_SUBJECT}有(?P<v>(?:一|两|三|{_NUMBER})个{_STOP}{{0,4}}?(?:儿子|女儿|孩子|哥哥|弟弟|"
        rf"姐姐|妹妹))",
        True,
    ),
)
# A clause with one of these states no fact of today. 不吃 and 不喜欢 are facts themselves.
_NOT = (
    "如果|要是|假如|假设|若是|万一|的话|倘若|除非|可能|也许|大概|或许|好像|似乎|估计|应该|听说|"
    "据说|猜|以为|是不是|是否|有没有|吗|什么|谁|哪|怎么|多少|几岁|改成|改为|换成|以前|之前|曾经?|"
    "过去|原来|小时候|当时|希望|想要|要不|不再|没有|并不|不是|不叫|不住|不在|没对|不会?对|不对|"
    "假装|梦见|如同|就像"
)
NOT = re.compile(_NOT)
ENUMERATION = re.compile(r"[、]|以?及|(?<=[\u4e00-\u9fff])[和与跟](?=[\u4e00-\u9fff])")
