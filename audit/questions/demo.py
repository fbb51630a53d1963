"""The acceptance questions of the demo store, one of each kind and more."""

from audit.models import Question
from memory.models import Scope, Workspace

from .ask import live, run
from .manage import Draft, create

QUESTIONS = (
    Draft(
        user_id="lin.wei",
        text="请问我现在的预算上限是多少？",
        kind="expired",
        expected=("1200元",),
        forbidden=("800元",),
        note="预算改过，旧的数字不能再给。",
    ),
    Draft(
        user_id="lin.wei",
        text="甲项目什么时候交付？",
        kind="confusion",
        expected=("下周三",),
        forbidden=("本周",),
        note="乙项目本周交付，两个项目不能混。",
    ),
    Draft(
        user_id="lin.wei",
        text="请王经理吃饭要注意什么？",
        kind="negation",
        expected=("不吃香菜",),
        forbidden=("吃香菜",),
    ),
    Draft(
        user_id="chen.yu",
        text="A 型号现在能出多少货？",
        kind="confusion",
        expected=("38",),
        forbidden=("120",),
        note="盘点的 120 件早已过期，以同步的库存为准；别的型号的数字不算。",
    ),
    Draft(
        user_id="maria.garcia",
        text="How should answers for me be written?",
        kind="preference",
        now_said="This time I want it as full paragraphs.",
        forbidden=("short bullet points",),
        note="The wish of today wins over the preference on record.",
    ),
    Draft(
        user_id="maria.garcia",
        text="Which discount does Casa Norte get?",
        expected=("9%",),
    ),
    Draft(
        user_id="tom.becker",
        text="How long is the warranty on appliances?",
        expected=("24 months",),
        forbidden=("12 months",),
    ),
)


def add_questions(workspace: Workspace) -> list[Question]:
    """Make the demo's questions once its script is played, and ask them so that there is a result
    to see. Those that are there already, of a load that broke off, are not made again."""
    scope = Scope(workspace.pk, "demo", "command")
    there = set(live(scope).values_list("text", flat=True))
    for draft in QUESTIONS:
        if draft.text not in there:
            create(scope, draft)
    questions = list(live(scope))
    run(scope, questions)
    return questions
