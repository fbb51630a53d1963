"""The words that tell a plain statement from other sentences, Chinese and English."""

import re


def _any(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


_ZH_OTHER = """
什么 怎么 怎样 那么 多少 谁 哪 几 何时 何地 如何 为何 是否 是不是 有没有 不 没 并非
如果 要是 假如 假设 若是 若 只要 除非 万一 的话 倘若 一旦 无论 不管
应该 应当 可能 也许 大概 或许 好像 似乎 估计 大约 大致 左右 差不多 恐怕 看来 看起来 据说 听说 传闻
貌似 猜 觉得 认为 以为 感觉 希望 打算 记得 记住 知道 忘 告诉 提醒 帮我 改成 改为 换成 变成
之前 以前 原来 原本 原先 过去 曾 上次 从前 当时 本来 当初 以后 将来
还是 或者 或是 但 因为 所以 由于 而且 然后 不过 虽然 除了
"""
ZH_NOT_PLAIN = re.compile(
    rf"{_any(_ZH_OTHER)}|(?<!小)说(?!明)|(?<![顾访])问(?!题)|请(?!假)|[吗呢吧]$|[你您他她它咱]|[这那]"
)
ZH_TIME_NOW = r"(?:现在|目前|当前|已经)"
# Before 是 these make another word or another sense of it (都是, 就是, 总是, 将是).
_ZH_BEFORE_IS = """
都 也 就 还 只 才 又 总 老 却 可 于 像 算 真 而 竟 便 即 更 既 凡 会 将 该 主要 其实 尤其 特别 全
全部 一直 肯定 一定 必须 当然 显然 毕竟 确实
"""
ZH_BEFORE_IS = frozenset(_ZH_BEFORE_IS.split())
ZH_NOT_SUBJECT = re.compile(
    "(?:意思|想法|问题|建议|感觉|看法|观点|理解|结论|原因|目的|重点|关键|事实|情况|意见|印象|时候|事|"
    "人|东西|好处|坏处|区别|特点)$|^第"
)
# A verb or a passing quality before 的 does not name the thing that has the attribute, and 今天
# is another day tomorrow.
ZH_NOT_ENTITY = re.compile(
    "喜欢|爱|讨厌|买|卖|喝|吃|写|做|去|来|住|给|想|用的|叫|选|订|提到|推荐|负责(?!人)|看|要|"
    "^(?:最.*|新|旧|老|总|正确|真正|重要|主要|另外|其他|唯一|大|小|好|第.)$|"
    "今[天晚年早]|明[天晚年早]|昨[天晚]|[后前]天|去年|[本上下]周|[本上下]个?月|[本上下]季度|我"
)
ZH_NOT_VALUE = re.compile("^(?:为了|在|从|被|让|把|想|要|会|能|可以|由|怕|对|按|先)|[我咱]|^否$")
# One of a kind, a quality or an age, and not the value of a slot.
ZH_NOT_SLOT_VALUE = re.compile("^(?:一?[个种名位家条只群]|一样)|的$|岁$")
ZH_SLOTS = re.compile(
    "(?:预算|上限|下限|额度|价格|单价|总价|售价|成本|费用|工资|折扣|负责人|联系人|对接人|审批人|经理|组长|"
    "主管|供应商|客户|截止日|日期|时间|期限|交期|生日|地址|地点|位置|城市|会议室|房间号?|电话|手机号?|"
    "号码|邮箱|账号|用户名|网址|链接|端口|版本号?|型号|编号|单号|代号|名称|名字|姓名|昵称|标题|状态|进度|"
    "阶段|优先级|库存|数量|总数|人数|容量|规格|尺寸|颜色|语言|时区|币种|目标|阈值|比例|频率|首选|默认值)$"
)

_EN_OTHER = """
not never no cannot isn't ain't if unless when whenever whether because but or though although
while maybe perhaps probably likely possibly presumably should would could might may must think
thought guess believe suppose supposed seems seem apparently about around approximately roughly
almost nearly hopefully hope wish heard said says told assume let please remember forget was were
will been being previous previously former formerly earlier originally what who whose whom where
which how why that there it this these those he she they you your yours his her their its we me
him them us going i I
"""
EN_NOT_PLAIN = re.compile(rf"\b(?:{_any(_EN_OTHER)})\b|n't\b")
EN_NOT_SUBJECT = re.compile(
    r"\b(?:question|problem|issue|point|idea|opinion|guess|reason|thing|fact|truth|understanding|"
    r"suggestion|advice|feeling|view|concern|hope|worry)$|"
    r"^(?:one|some|any|each|every|all|none|another|both|part|most|many|here|today|tomorrow|"
    r"yesterday|tonight|(?:the )?(?:rest|best|worst|first|second))\b|\b(?:new|today|tomorrow|"
    r"yesterday|tonight|old|last (?:week|month|year|time)|"
    r"next (?:week|month|year)|my|is)\b"
)
EN_NOT_VALUE = re.compile(
    r"^(?:to|so|too|very|because|like|just|only|also)\b|^\w+ing\s|\b(?:my|is)\b"
)
EN_NOT_SLOT_VALUE = re.compile(r"^(?:an?|one of)\b|^\w+ing$|\bold$")
EN_SLOTS = re.compile(
    r"\b(?:budget|deadline|owner|lead|manager|price|cost|total|limit|cap|quota|address|email|phone|"
    r"number|name|nickname|title|codename|version|port|host|url|status|colou?r|size|date|time|"
    r"birthday|location|office|venue|room|capacity|stock|inventory|headcount|contact|reviewer|"
    r"assignee|language|timezone|time zone|currency|region|rate|discount|salary|target|threshold|"
    r"supplier|vendor|customer|client|account|branch|model|priority|stage|phase)$"
)
