"""What an utterance says by its words alone: each rule with what it must not take."""

import pytest

from memory.write.correction.reading import read

LOOKALIKES = [
    ("后天的评审应该是4点开始", "statement"),
    ("房租应该是够用的吧", "supposed"),
    ("其实不远", "statement"),
    ("请整理一下周报", "statement"),
    ("麻烦更新一下说明书", "statement"),
    ("The concert was actually lovely", "statement"),
    ("Please update the handbook", "statement"),
    ("海棠组的房租是不是2600？", "question"),
    ("房租要不要改成2600", "question"),
    ("Is the rent 2600 or not?", "question"),
    ("Should we change the rent to 2600?", "question"),
    ("不用了，谢谢", "closing"),
    ("No, that's all for today, thanks.", "closing"),
    ("No, not right now.", "closing"),
    ("先别改房租，保持2600", "kept"),
    ("房租还是2600", "kept"),
    ("Do not change the rent to 2600", "kept"),
    ("Keep the rent at 2600", "kept"),
    ("房租没说错，就是2600", "confirmed"),
    ("That's not wrong, the rent is 2600", "confirmed"),
    ("如果房租改成2600就好了", "supposed"),
    ("正在考虑把房租改成2600", "supposed"),
    ("What if we changed the rent to 2600", "supposed"),
    ("I think the rent is 2600", "supposed"),
    ("听说房租改成2600了", "reported"),
    ("房东说房租改成2600了", "reported"),
    ("Mia said the rent changed to 2600", "reported"),
]


@pytest.mark.parametrize(("utterance", "reason"), LOOKALIKES)
def test_what_only_looks_like_a_correction(utterance, reason):
    assert read(utterance).reason == reason


CLAIMS = [
    ("把海棠组的房租从2600改到3100", "海棠组的房租", "2600", "3100"),
    ("海棠组的房租改成3100了", "海棠组的房租", "", "3100"),
    ("海棠组的房租不是2600，是3100", "海棠组的房租", "2600", "3100"),
    ("不是2600，是3100", "", "2600", "3100"),
    ("不对，海棠组的房租是3100", "海棠组的房租", "", "3100"),
    ("我刚才说错了，海棠组的房租其实是3100", "海棠组的房租", "", "3100"),
    ("不，我是说海棠组的房租，3100", "海棠组的房租", "", "3100"),
    ("海棠组那边的房租变了，现在是3100", "海棠组那边的房租", "", "3100"),
    ("你把海棠组的房租记错了，是3100", "海棠组的房租", "", "3100"),
    ("海棠组的房租以3100为准", "海棠组的房租", "", "3100"),
    ("能不能把海棠组的房租改成3100？", "海棠组的房租", "", "3100"),
    ("更正：华为的房租是3100", "华为的房租", "", "3100"),
    ("Change the rent of Green Lab from 2600 to 3100", "the rent of green lab", "2600", "3100"),
    ("The rent of Green Lab is not 2600, it's 3100", "the rent of green lab", "2600", "3100"),
    ("Scratch 2600 as the rent of Green Lab, use 3100", "the rent of green lab", "2600", "3100"),
    ("Sorry, I meant 3100 for the rent of Green Lab", "the rent of green lab", "", "3100"),
    ("Correction: the rent of Green Lab is 3100", "the rent of green lab", "", "3100"),
    ("The rent of Green Lab has changed. It is now 3100.", "the rent of green lab", "", "3100"),
    ("Could you change the rent of Green Lab to 3100?", "the rent of green lab", "", "3100"),
    ("not 2600 but 3100", "", "2600", "3100"),
]


@pytest.mark.parametrize(("utterance", "subject", "old", "new"), CLAIMS)
def test_what_is_claimed(utterance, subject, old, new):
    reading = read(utterance)
    assert (subject, old, new) in [(c.subject, c.old, c.new) for c in reading.claims[0]]


OVER = [
    ("忘掉海棠组的房租吧，还没谈", "海棠组的房租"),
    ("把海棠组的房租删了", "海棠组的房租"),
    ("海棠组的房租不用记了", "海棠组的房租"),
    ("Forget the rent of Green Lab, it is not fixed yet", "the rent of green lab"),
    ("The rent of Green Lab is no longer 2600", "the rent of green lab"),
]


@pytest.mark.parametrize(("utterance", "subject"), OVER)
def test_what_is_over(utterance, subject):
    claims = read(utterance).claims[0]
    assert subject in [claim.subject for claim in claims if claim.new is None]


@pytest.mark.parametrize("utterance", ["房租不是2600", "别忘了明天交房租", "don't forget the rent"])
def test_what_is_not_over(utterance):
    assert not [c for claims in read(utterance).claims for c in claims if c.new is None]


def test_a_value_keeps_the_speakers_spelling():
    reading = read("订单号改成ＫＸ-2087")
    assert reading.spelt(reading.claims[0][0].new) == "ＫＸ-2087"


@pytest.mark.parametrize(
    "again", ["不是", "把房租从", "实际应该", "我之前都", "change it to ", "is not "]
)
def test_a_long_repetition_takes_no_time(again):
    assert len(read(again * 300).ground) <= 400
