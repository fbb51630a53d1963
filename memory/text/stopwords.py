"""Words that carry no meaning in a question, Chinese and English, already normalised."""

_CHINESE = """
    的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 么 哦 是 在 有 和 与 或 及 跟 就 都 也 还 又 很 把 被 让 给
    对 从 到 向 于 以 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 这 那 这个 那个 这些 那些
    这里 那里 哪 哪个 哪些 哪里 哪儿 谁 什么 怎么 怎样 怎么样 为什么 为何 如何 几 多少 何时 现在
    目前 当前 还有 请 请问 一下 告诉 知道 记得 帮 帮我 一个 是不是 有没有 是否 要 会 能 可以 说 上次
"""
_ENGLISH = """
    a an the and or not of to in on at by for from with as is am are was were be been being do does
    did have has had i me my mine you your yours he him his she her hers it its we us our ours they
    them their theirs this that these those there here what which who whom whose when where why how
    now currently please tell can could would will shall should about much many so than then
    too very just if
"""
STOPWORDS = frozenset(f"{_CHINESE} {_ENGLISH}".split())
