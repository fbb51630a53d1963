"""What each kind of question asks of a context."""

import pytest

from audit.models import Question
from audit.questions.given import present_words_rule, records
from audit.questions.judge import judge
from tests import factories as make

ZH, EN = "经费是多少？", "How much may I spend?"


def context(
    *said: str, query: str = ZH, rule: str = "", labels: str = "用户说的，可信度 90%"
) -> str:
    lines = [f"- [{labels}] {text}" for text in said]
    return "\n".join(["<memory>", rule or present_words_rule(query), *lines, "</memory>"])


def question(kind: str = "plain", text: str = ZH, **fields) -> Question:
    return Question(text=text, kind=kind, **fields)


def told(one: Question, text: str, known=()) -> tuple[tuple, tuple]:
    found = judge(one, text, known)
    return found.missing, found.present


def test_every_expected_value_must_be_there_and_no_forbidden_one():
    one = question(expected=["3600", "周二"], forbidden=["700"])
    assert told(one, context("经费三千六", "周二发")) == ((), ())
    assert told(one, context("经费是3600元")) == (("周二",), ())
    assert told(one, context("经费 3600", "周二", "原来是 700 元")) == ((), ("700",))
    assert told(one, "") == (("3600", "周二"), ())


@pytest.mark.parametrize("value", ["90%", "30", "1", "4", "仅供参考", "记录"])
def test_the_frame_of_a_context_answers_nothing(value):
    one = question(expected=[value])
    labels = "用户说的，可信度 90%，4 天前确认，30 天未确认，仅供参考"
    assert told(one, context("经费是3600元", labels=labels)) == ((value,), ())


@pytest.mark.django_db
def test_the_lines_of_a_real_context_are_read():
    make.budget("3600", text="[内部] 我的经费是3600元 [已核对]", attribute="经费")
    given = records(make.ask("经费是多少").context.text, "经费是多少")
    assert [record.said for record in given] == ["[内部] 我的经费是3600元 [已核对]"]
    assert given[0].labels.startswith("用户说的")
    make.remember(text="The desk opens at ten")
    query = "When does the desk open?"
    answer = make.ask(query)
    assert [r.said for r in records(answer.context.text, query)] == ["The desk opens at ten"]
    assert present_words_rule(query) in answer.context.text.splitlines()


def test_of_two_things_each_value_counts_for_its_own():
    known = ("丙项目", "丁项目")
    one = question("confusion", "丙项目哪天验收？", expected=["下周二"], forbidden=["本月"])
    beside = context("丙项目下周二验收", "丁项目本月验收")
    assert told(one, beside, known) == ((), ())
    swapped = context("丙项目本月验收", "丁项目下周二验收")
    assert told(one, swapped, known) == (("下周二",), ("本月",))
    one_line = context("丙项目下周二验收，地点不变；丁项目本月验收")
    assert told(one, one_line, known) == ((), ())
    carried_on = context("丙项目改过了，本月验收")
    assert told(one, carried_on, known) == (("下周二",), ("本月",))


def test_what_names_nothing_may_be_taken_for_the_answer():
    known = ("Alder", "Birch")
    one = question("confusion", "When does Alder ship?", expected=["Monday"], forbidden=["Friday"])
    query = one.text
    assert told(one, context("Alder: Monday", "ships on Friday", query=query), known) == (
        (), ("Friday",),
    )  # fmt: skip
    assert told(one, context("Alder: Monday", "Birch ships on Friday", query=query), known) == (
        (), (),
    )  # fmt: skip
    # Nothing that is asked about is known: then every record counts.
    assert told(one, context("Monday", "Birch: Friday", query=query), ("Birch",)) == (
        (), ("Friday",),
    )  # fmt: skip


def test_a_value_counts_where_it_is_denied_as_often_as_itself():
    one = question("negation", expected=["不喝绿茶"], forbidden=["喝绿茶"])
    assert told(one, context("赵总不喝绿茶，喝咖啡")) == ((), ())
    assert told(one, context("赵总爱喝绿茶")) == (("不喝绿茶",), ("喝绿茶",))
    english = question("negation", EN, expected=["does not take sugar"], forbidden=["take sugar"])
    assert told(english, context("Ann does not take sugar, but milk", query=EN)) == ((), ())
    assert told(english, context("You may take sugar", query=EN)) == (
        ("does not take sugar",), ("take sugar",),
    )  # fmt: skip


def preference(**fields) -> Question:
    return question("preference", EN, now_said="Today in full, please.", **fields)


def test_an_old_preference_may_be_told_as_a_record_under_the_rule():
    one = preference(forbidden=["short answers"])
    query = "Today in full, please.\n" + EN
    assert told(one, context("Ann wants short answers", query=query)) == ((), ())
    assert told(one, context("something else", query=query)) == ((), ())
    assert told(one, "") == ((), ())


def test_without_the_rule_or_its_labels_an_old_preference_fails():
    one = preference(forbidden=["short answers"])
    query = "Today in full, please.\n" + EN
    rule = present_words_rule(query)
    bare = f"<memory>\n{rule}\nAnn wants short answers\n</memory>"
    assert told(one, bare) == ((), ("short answers",))
    ruleless = context("Ann wants short answers", query=query, rule="</memory>")
    assert told(one, ruleless) == ((rule,), ())


def test_a_question_of_present_words_may_expect_something_too():
    one = preference(expected=["with links"], forbidden=["short answers"])
    assert told(one, context("Ann wants short answers", query=EN)) == (("with links",), ())
