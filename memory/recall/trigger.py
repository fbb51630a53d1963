"""Whether a message asks for memory at all. Small talk does not; whatever is not plainly small
talk does, for a recall too many costs milliseconds and one too few costs the answer."""

import re
from dataclasses import dataclass

from memory.text.normalise import Folded, fold

# Longer messages are taken to have content: no row of small talk reaches this.
_LONGEST = 120
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
# Patterns over normalised text. Chinese ones stand between spaces; in the English ones a space
# is any break between words. Of two that begin alike the longer stands first.
_CHINESE = {
    "laughter": "哇?哈+(?![喽啰罗]) 呵呵+ 嘻嘻+ 嘿嘿+ 噗嗤 笑死(?:我了)? 笑哭",
    "thanks": """
        (?:太|非常|十分|万分|真的?|再次)?(?:谢谢|感谢)(?:[您你]的|您|你们?|大家|各位)?_help_
        多谢(?:您|你们?|大家)? 谢[啦了过] (?:您|你们?|大家)?辛苦(?:您|你们?|大家|各位)?[了啦]
        麻烦(?:您|你们?|大家)?[了啦] 有劳了
    """,
    "farewell": """
        再见 再会 拜拜+ 回见 回头[见聊] 晚安 好梦 [明后]天见 晚上见
        下?(?:周|星期)[一二三四五六日天]见 下次再?[见聊] 改天再?聊 我?先[走撤下忙]了
        (?:祝[你您])?(?:周末|假期|工作|生活)愉快 保重 慢走
    """,
    "greeting": """
        你好吗 (?:[你妳]们?|您|大家|各位|老师)好 (?:早上|上午|中午|下午|晚上)好 早安 午安 早
        哈[喽啰罗] 嗨+ 嘿 喂 好久不见 在吗 在不在 在么 有人在?吗 吃饭?了吗 最近还?好吗
        很高兴认识(?:您|你们?)
    """,
    "acknowledgement": """
        (?:太|很|真|挺)[好棒赞] 好 行 对 是 可以 嗯+哼? 哦+ 噢+ 喔+ 啊+ 呃+ 额+ 唔 哇+ 诶
        欸 唉 哎呀? 当然 确实 没错 同意 赞 懂 收到 明白 了解
        我?(?:知道|明白|了解|清楚|理解|懂|记住|收到)[了啦] 没问题 没关系 没事 不客气 不用谢 不谢
        不用了 原来如此 原来是这样 就?这样 就这些 先这样 不错 厉害 完美 算了
    """,
}
_ENGLISH = {
    "laughter": "h?a?(?:ha){2,}h?|hah|haha|(?:he){2,}|lol|lmao|rofl|xd",
    "thanks": "(?:(?:many|no) )?(?:thanks+|thx|tks)|tysm|ty|cheers|thank (?:you|u)"
    "|(?:much|(?:i )?(?:really )?) ?appreciated?(?: it)?",
    "farewell": "good ?bye|bye+|good ?night|night night|gn|cya|ttyl|brb|take care|sweet dreams"
    "|(?:see|talk to|catch) (?:you|ya) (?:later|soon|tomorrow|around|then|next (?:time|week))"
    f"|see (?:you|ya)(?: (?:on )?{_DAY})?|talk (?:later|soon)|farewell"
    "|have an? (?:nice|good|great|lovely) (?:day|one|evening|night|weekend|time)"
    "|(?:i )?(?:gotta|have to|got to) go",
    "greeting": "hi+|hello+|hey+|hiya|howdy|yo|greetings|gm|good (?:morning|afternoon|evening|day)"
    "|morning|how are you(?: doing)?(?: today)?|how's it going|what's up|sup|long time no see"
    "|nice to meet you|(?:are )?you there|anyone there",
    "acknowledgement": "ok+|okay|okey|okie|k|kk|sure(?: thing)?|all ?right|(?:i )?got it|gotcha"
    "|understood|noted|i see|i know|i understand|makes sense|(?:that )?(?:sounds|looks) _good_"
    "|good to know|will do|all good|that's (?:all|it|right|_good_)|_good_|yes+|yeah|yep|yup|yea"
    "|right|exactly|indeed|of course|absolutely|definitely|no (?:problem|worries)|np|never ?mind"
    "|nvm|you're welcome|my pleasure|fair enough|agreed|roger(?: that)?|copy that|oh+|ah+|aha|hm+"
    "|mm+|mhm+|uh ?huh|uh|um|well|interesting",
}
_ZH_HELP = "(?:耐心)?(?:帮助|帮忙|解答|回复|支持|提醒)?"
_EN_HELP = "(?:(?:all )?(?:your|the) help|everything|your time|helping(?: me)?)"
_EN_GOOD = "(?:good|great|fine|nice|cool|awesome|perfect|excellent|wonderful|amazing|wow)"
FAMILY_NAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁"
    "魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段钱汤尹黎易常武乔贺赖"
    "龚安宫温苗柳盛齐骆樊葛殷施柯聂詹翟颜倪严庄俞鲍凌欧明红"
)
# May stand beside small talk but are none by themselves.
_BESIDE = (
    f"[小老阿]?[{FAMILY_NAMES}](?:老师|总|经理|先生|女士|小姐|医生|师傅|哥|姐|工|主任|教授|同学)"
    f"|[小老阿][{FAMILY_NAMES}]|老师|师傅|老板|同学们?|朋友们?|小?助手|助理|机器人|客服|亲爱的|亲|大家|各位"
    "|[您你]|那[就么]?|[呀啊哦噢哈呢吧啦了哟喔嘛的呗咯呐嘞滴哒]"
)
_BESIDE_ENGLISH = (
    "a lot|so much|very much|a bunch|a ton|again|there|you too|you|u|to you|all|everyone|everybody"
    "|guys|folks|team|man|mate|buddy|bro|dude|sir|madam|ma'am|my friend|friend|dear|boss"
    "|assistant|bot|robot|then|and|so+|very|too|really|for now|for _help_"
)
_EMOTICON = r"[:;=]-?[dpo3](?![a-z0-9])|<3|t_t|o_o|orz(?![a-z])"
_NAME = re.compile(rf"(?!{_DAY})[a-z]{{2,20}}(?: [a-z]{{2,20}})?(?![\w'’-])")
# The first that is in a message is its reason.
_KINDS = ("thanks", "farewell", "greeting", "acknowledgement", "laughter", "symbols")


def _chinese(words: str) -> str:
    return "|".join(words.replace("_help_", _ZH_HELP).split())


def _english(words: str) -> str:
    words = words.replace("_help_", _EN_HELP).replace("_good_", _EN_GOOD)
    words = words.replace("'", "['’]?").replace(" ?", r"[\W_]*").replace(" ", r"[\W_]+")
    return rf"(?:{words})(?![a-z0-9])"


_TOKEN = re.compile(
    "|".join(
        f"(?P<{kind}>{_chinese(_CHINESE[kind])}|{_english(_ENGLISH[kind])})"
        for kind in ("laughter", *_KINDS[:4])
    )
    + rf"|(?P<symbols>{_EMOTICON})|(?P<beside>{_BESIDE}|{_english(_BESIDE_ENGLISH)}|[\W_]+)"
)


@dataclass(frozen=True)
class Trigger:
    """`reason` is "content" where a recall is due; else what the message is: "thanks",
    "farewell", "greeting", "acknowledgement", "laughter" (the first of these that it holds) or
    "symbols"."""

    triggered: bool
    reason: str


def should_recall(query: str) -> Trigger:
    """Whether memory is asked for. Never raises.

    It is not where the message is small talk from end to end; names, particles and signs may
    stand beside it. A question mark asks for something unless it greets ("how are you?").
    """
    if not any(map(str.isalnum, query)):
        return Trigger(False, "symbols")
    kinds = _kinds(query) if len(query) <= _LONGEST else set()
    found = [kind for kind in _KINDS if kind in kinds]
    return Trigger(False, found[0]) if found else Trigger(True, "content")


def _kinds(query: str) -> set[str]:
    """The kinds of small talk that a message is made of; empty where anything is left over."""
    folded = fold(query)
    kinds: set[str] = set()
    place = 0
    while place < len(folded.text):
        match = _TOKEN.match(folded.text, place)
        if match is None and kinds & {"thanks", "farewell", "greeting"}:
            match = _name(folded, query, place)
        if match is None:
            return set()
        kinds.add(match.lastgroup or "name")
        place = match.end()
    return set() if "?" in folded.text and "greeting" not in kinds else kinds


def _name(folded: Folded, query: str, place: int) -> re.Match | None:
    """A name in Latin letters, told by its capital, in the same sentence as what precedes it."""
    match = _NAME.match(folded.text, place)
    if match is None or not folded.text[:place].rstrip(" ,")[-1:].isalnum():
        return None
    written = query[folded.starts[place] : folded.ends[match.end() - 1]]
    return match if written.istitle() else None
