"""A small store, and what people say that may correct it, in both languages."""

STORE = [
    ("海棠组", "房租", "2600元"),
    ("海棠组", "会议时间", "周二下午4点"),
    ("user", "体重", "61公斤"),
    ("the Green Lab", "deadline", "April 9"),
]
UTTERANCES = [
    "海棠组的房租改成3100元",
    "体重改成60公斤",
    "不对，体重是60公斤",
    "不是61公斤，是60公斤",
    "后天的评审应该是3点开始",
    "蓝鲸组的房租改成3100元",
    "忘掉海棠组的会议时间吧",
    "忘掉所有关于海棠组的内容",
    "The deadline of the Green Lab is not April 9, it is May 3",
    "No, 60公斤",
    "The concert was actually lovely",
]
