"""Words for telling whether two texts say the same: what may stand for what, and what may not."""

import re


def _canon(groups: str) -> dict[str, str]:
    """Each word of a line stands for the line's first word."""
    lines = [line.split() for line in groups.splitlines() if line.strip()]
    return {word: line[0] for line in lines for word in line}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SYNONYMS_ZH = _canon(
    """
    喜欢 喜爱 爱 偏好 偏爱 热爱 钟爱 中意 爱好 爱喝 爱吃
    讨厌 厌恶 反感 受不了
    住 居住 住在 家住 定居
    位于 坐落 坐落于 在
    叫 名叫 叫做 称为 名为 名字 姓名
    使用 用 采用 选用 用的
    工作 上班 任职 就职 供职
    经理 主管 负责人 领导
    电话 电话号码 联系电话
    手机号 手机号码 手机
    邮箱 电子邮箱 电子邮件 邮件地址 邮箱地址
    地址 住址 住处
    预算 经费 预算额
    截止 截至 期限 截止日期 截止时间 最后期限
    会议 开会 会
    例会 周会
    公司 单位 企业
    价格 价钱 售价 单价 定价
    花费 花 花了 费用 开销 支出 开支
    购买 买 采购 购入
    驾驶 开车 驾车
    乘坐 坐 搭乘 乘
    妻子 太太 老婆 爱人 媳妇
    丈夫 先生 老公
    妈妈 母亲 妈
    爸爸 父亲 爸
    孩子 小孩 小朋友
    女儿 闺女
    医生 大夫
    过敏 过敏史 过敏原
    擅长 精通 拿手
    学习 学
    发送 发 发给 寄 寄给
    回复 答复 回答
    汇报 报告 上报
    完成 做完 搞定 结束
    开始 启动 开展 着手
    需要 需 得
    重要 要紧 关键
    养 养了 饲养 有
    密码 口令
    电脑 计算机
    笔记本 笔记本电脑
    自行车 单车 脚踏车
    飞机 航班
    酒店 宾馆 旅馆
    饭店 餐厅 餐馆
    早餐 早饭
    午餐 午饭 中饭
    晚餐 晚饭
    吃素 素食 素食者
    回复 答复
    语言 语种
    仓库 库房
    库存 存货
    供应商 供货商
    """
)
SYNONYMS_EN = _canon(
    """
    like love enjoy prefer fond favourite favorite adore
    dislike hate detest despise
    live reside home based lives
    work employed works job
    manager lead leader owner responsible charge
    phone telephone cellphone
    mobile cell
    email mail e-mail
    budget funding
    limit cap ceiling maximum max most
    minimum min least
    deadline due
    meeting meet
    company firm employer
    price cost costs priced
    buy purchase purchased bought
    wife spouse
    mother mom mum
    father dad
    kid child children
    doctor physician
    allergic allergy allergies
    car automobile
    movie film
    begin start starts started begins
    finish complete completed finished done
    need require requires
    use uses using utilise utilize
    send sent deliver
    reply respond answer
    report reports
    call called name named
    speak speaks talk
    own owns have has keep keeps
    big large
    quick fast
    flat apartment
    holiday vacation
    supplier vendor
    warehouse depot
    stock inventory
    vegetarian veggie
    bike bicycle
    photo picture
    """
)
# May be there or not without changing what is said.
SOFT_ZH = _words(
    """
    是 有 在 用 做 进行 去 来 位于 叫 使用 需要 养 住 会 就是 一直 经常 通常 平时 平常 一般 总是
    常 常常 比较 非常 很 特别 十分 挺 最 更 真 真的 其实 已经 目前 现在 当前 如今 主要 大约 大概
    左右 大致 觉得 认为 感觉 方面 方式 情况 东西 事情 时候 时间 地方 这边 那边 本人 个人 自己 这样
    那样 设定 设为 设 定 定为 定在 安排 安排在 为 以 按 由 负责 属于 作为 给 之 其 所 着 中 里 上
    下 号 个 位 种 些 样 条 次 家 只 名 款 台 并 而 且 等 来说 而言 表示 提到 提过 说过 告诉 记住
    一共 总共 共 总 合计 达 达到 到 喝 吃 那 这 每 点 想 的话 目标 值 数 数字 数额 金额 额度 额
    """
)
SOFT_EN = _words(
    """
    is are be being been go going get got really usually always often normally generally quite
    actually basically currently present mostly mainly approximately roughly around set fixed
    made make makes take takes put use own live call need amount value total altogether thing
    stuff kind sort person people someone something place time s t m re ve ll d also well just
    regularly typically still already very user own around total located situated say said says
    told mention mentioned note remember please let known
    """
)

# What the dictionary takes for a place or a name and is a common noun.
NO_NAMES = SOFT_ZH | _words("城市 国家 地区 海鲜 花粉 小学 中学 大学 高兴 和平 明白 时光")

NEGATING_ZH = re.compile("^(?:不|没|无(?!论)|未(?!来|必)|非(?!常|洲)|勿|别(?![人的墅名]))")
NOT_NEGATING_ZH = _words(
    "不错 不仅 不但 不过 不同 不久 不管 不论 不断 不少 不如 不得不 无线 无线网 无锡 未来 非常 "
    "不锈钢 不动产 不光 不只 不超过 不低于 不止 不妨 不由得 无限"
)
NEGATING_EN = _words(
    "not no never none neither nor without cannot nobody nothing nowhere hardly barely n't"
)
# One phrase for another, before words are looked at.
PHRASES = [
    (re.compile("不(?:太|怎么|很|大|是很)?(?:喜欢|爱)(?=[吃喝看听用去做]?)"), "讨厌"),
    (re.compile(r"\b(?:do|does|did)(?:n['’]t| not) (?:really )?(?:like|enjoy|love)\b"), "dislike"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\be-mail"), "email"),
    (re.compile(r"\bat most\b|\bno more than\b|\bnot more than\b|\bup to\b"), "limit"),
    (re.compile(r"\bat least\b|\bno less than\b|\bnot less than\b"), "minimum"),
    (re.compile(r"\bno longer\b"), "not anymore"),
    (re.compile("不再是?"), "不 "),
    (re.compile("最多|至多|顶多|封顶|不超过|最高"), "上限"),
    (re.compile("最少|至少|起码|不低于|最低"), "下限"),
    (re.compile(r"\b(?:a|per) (?=(?:day|week|month|year)\b)"), "every "),
]
OPPOSITES = [
    pair.split("/")
    for pair in _words(
        "喜欢/讨厌 支持/反对 同意/拒绝 接受/拒绝 同意/反对 允许/禁止 可以/禁止 开/关 打开/关闭 "
        "开启/关闭 "
        "增加/减少 提高/降低 上升/下降 上涨/下跌 上限/下限 最大/最小 大/小 多/少 高/低 长/短 快/慢 "
        "早/晚 "
        "新/旧 左/右 左边/右边 东/西 南/北 前/后 之前/之后 以前/以后 上/下 上午/下午 进/出 "
        "进口/出口 买/卖 "
        "购买/出售 购买/卖 借/还 借入/借出 冷/热 冰/热 甜/咸 甜/苦 辣/淡 公开/私密 公开/保密 "
        "收入/支出 "
        "盈利/亏损 赢/输 成功/失败 开始/完成 开始/结束 入职/离职 上线/下线 男/女 单身/已婚 "
        "结婚/离婚 国内/国外 "
        "线上/线下 有/没有 通过/驳回 批准/拒绝 丈夫/妻子 爸爸/妈妈 儿子/女儿 哥哥/弟弟 姐姐/妹妹 "
        "like/dislike accept/refuse accept/reject approve/reject allow/forbid support/oppose "
        "agree/disagree "
        "increase/decrease raise/lower open/close on/off enable/disable limit/minimum big/small "
        "more/less "
        "high/low long/short fast/slow early/late new/old left/right east/west north/south "
        "before/after "
        "up/down buy/sell lend/borrow hot/cold sweet/sour public/private win/lose success/failure "
        "start/finish begin/finish import/export income/expense male/female single/married "
        "indoor/outdoor "
        "online/offline first/last wife/husband mother/father son/daughter brother/sister "
        "black/white "
        "arrive/leave join/leave hire/fire above/below over/under internal/external entry/exit"
    )
]  # fmt: skip
SWITCH = re.compile(r"\b(?:on|off|up|down|over|under|more|less|before|after|above|below)\b")
# A unit after its number, written out; as the figures' own spelling has it.
UNITS = {
    word: unit
    for unit, words in {
        "$": "dollar dollars usd", "€": "euro euros eur", "元": "yuan rmb cny",
        "lb": "lb lbs pound pounds",
        "mile": "mile miles", "km": "kilometre kilometres kilometer kilometers",
        "小时": "hour hours", "分钟": "minute minutes", "天": "day days", "周": "week weeks",
        "个月": "month months", "年": "year years", "%": "percent",
    }.items()
    for word in words.split()
}  # fmt: skip
UNIT = re.compile(rf"(?<![0-9.,])([0-9]+(?:,[0-9]{{3}})*(?:\.[0-9]+)?) ?({'|'.join(UNITS)})\b")
MOODS = {
    "past": re.compile(
        r"以前|曾经?(?!孙)|过去(?!的?路)|从前|当年|原来|原本|本来"
        r"|\bused to\b|\bformerly\b|\bpreviously\b|\bwas\b|\bwere\b|\bhad been\b"
        r"|\bonce\b|\bformer\b|\bex-"
    ),
    "coming": re.compile(
        r"打算|计划(?=[去在换买做把改搬学])|准备(?=[去在换买做把改搬学])|即将|将要|将会|将于|想要?(?=[去换买做学搬])"
        r"|\bwill\b|\bgoing to\b|\bplan(?:s|ning)? to\b|\bwants? to\b|\bintends?\b|\babout to\b"
    ),
    "doubt": re.compile(
        r"可能|也许|大概会|或许|好像|似乎|说不定|考虑|\bmaybe\b|\bperhaps\b|\bmight\b|\bprobably\b"
        r"|\bpossibly\b|\bconsider(?:s|ing)?\b|\bthinking (?:of|about)\b"
    ),
    "condition": re.compile(r"如果|要是|除非|\bif\b|\bunless\b"),
    "only": re.compile(r"只(?=[喜喝吃用看去在有买要能会])|仅|\bonly\b|\bexclusively\b"),
    "must": re.compile(r"必须|务必|一定要|应该|应当|\bmust\b|\bhas to\b|\bhave to\b|\bshould\b"),
    "part": re.compile(
        r"部分|有些|有时|偶尔|很少|\bsome(?:times)?\b|\bfew\b|\brarely\b|\bseldom\b"
    ),
    "question": re.compile(r"[?？]|吗\b|吗[。,，]?$"),
    "nearly": re.compile(r"差点|几乎|\balmost\b|\bnearly\b"),
}
DAYS = {
    "今天": "today", "今日": "today", "明天": "tomorrow", "明日": "tomorrow", "后天": "in 2 days",
    "昨天": "yesterday", "昨日": "yesterday", "前天": "2 days ago", "大后天": "in 3 days",
    "今晚": "tonight", "本周": "this week", "这周": "this week", "下周": "next week",
    "上周": "last week", "本月": "this month", "这个月": "this month", "下个月": "next month",
    "下月": "next month", "上个月": "last month", "上月": "last month", "今年": "this year",
    "明年": "next year", "去年": "last year", "前年": "2 years ago", "周末": "weekend",
    "工作日": "weekday", "每天": "daily", "天天": "daily", "每日": "daily", "每周": "weekly",
    "每月": "monthly", "每个月": "monthly", "每年": "yearly", "早上": "morning", "早晨": "morning",
    "上午": "morning", "中午": "noon", "下午": "afternoon", "傍晚": "evening", "晚上": "evening",
    "夜里": "night", "凌晨": "night", "春天": "spring", "夏天": "summer", "秋天": "autumn",
    "冬天": "winter", "月初": "month's start", "月底": "month's end", "月末": "month's end",
    "年底": "year's end", "年初": "year's start", "上半年": "half 1", "下半年": "half 2",
    "every day": "daily", "each day": "daily", "every week": "weekly", "each week": "weekly",
    "every month": "monthly", "each month": "monthly", "every year": "yearly",
    "annually": "yearly", "weekends": "weekend", "weekdays": "weekday", "fall": "autumn",
    "mornings": "morning", "evenings": "evening", "nights": "night", "afternoons": "afternoon",
    "end of the month": "month's end", "end of the year": "year's end", "midnight": "midnight",
} | {
    name: name
    for name in _words(
        "today tomorrow yesterday tonight weekend weekday daily weekly monthly yearly morning "
        "noon afternoon evening night spring summer autumn winter"
    )
} | {f"{which} {what}": f"{which} {what}"
     for which in ("this", "next", "last") for what in ("week", "month", "year")}  # fmt: skip
DAY = re.compile(
    "|".join(
        rf"\b{re.escape(name)}\b" if name.isascii() else name
        for name in sorted(DAYS, key=len, reverse=True)
    )
)
WEEKDAYS_EN = (
    "mon(?:day)?s?|tue(?:s|sday)?s?|wed(?:nesday)?s?|thu(?:rs|rsday)?s?|fri(?:day)?s?"
    "|sat(?:urday)?s?|sun(?:day)?s?"
)
MONTHS_EN = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

PEOPLE = _canon(
    """
    妈妈 母亲 妈
    爸爸 父亲 爸
    妻子 太太 老婆 爱人 媳妇
    丈夫 老公
    女儿 闺女
    父母 爸妈
    mother mom mum
    father dad
    """
) | {
    word: word
    for word in _words(
        "儿子 哥哥 弟弟 姐姐 妹妹 爷爷 奶奶 外公 外婆 叔叔 阿姨 舅舅 孙子 孙女 孩子 老板 同事 朋友 "
        "客户 "
        "老师 学生 室友 邻居 男友 女友 男朋友 女朋友 闺蜜 助理 秘书 导师 领导 下属 搭档 医生 "
        "wife husband son daughter brother sister boss colleague friend customer client teacher "
        "student roommate neighbour neighbor girlfriend boyfriend assistant uncle aunt grandmother "
        "grandfather cousin partner team mentor"
    )
}  # fmt: skip
OTHERS = re.compile(
    r"他们|她们|它们|他(?!人)|她|你们?|您|\b(?:he|his|him)\b|\b(?:she|hers?)\b|\b(?:they|their|them)\b"
    r"|\byours?\b|\byou\b|别人|大家|对方"
)
LABEL = re.compile(
    r"(?P<a>[甲乙丙丁戊己庚辛壬癸]|(?<![a-z])[a-z](?![a-z'’])|[一二三四五六七八九十])(?=项目|组|班|队|方案|计划|仓"
    r"|区|楼|店|产品|客户|部|期|线|厂|车间|版|车(?!间)|室|座|栋)"
    r"|(?:项目|小组|方案|计划|产品|客户|车间|仓库|编号|版本|型号|project|team|plan|group|option|room"
    r"|building|gate|phase|level|zone|model|type|class|version|line) ?"
    r"(?P<b>[甲乙丙丁戊己庚辛壬癸]|[a-z](?![a-z'’])|[一二三四五六七八九十]+)"
    r"|(?P<c>[东西南北中](?=仓|区|门|校区|院|楼|城区|路|厂))"
)
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚"
    "卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
