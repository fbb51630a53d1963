"""A store of any size for benchmarks: users of about 100 memories each, half Chinese."""

import os
import random
import tempfile
from collections.abc import Iterator
from datetime import timedelta

PER_USER = 100
SEED = 20261130

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


def fill(scope, rows: int) -> None:
    """Put `rows` active memories into the table and build the indexes from it."""
    from memory import clock
    from memory.index import upkeep
    from memory.models import Memory, Status
    from memory.models.ids import new_id
    from memory.write.draft import parts
    from memory.write.transaction import write_transaction

    chance, batch, now = random.Random(SEED), [], clock.now()
    with write_transaction():
        for user in range(rows // PER_USER):
            for fields in proposals(user, PER_USER, chance):
                moment = now - timedelta(hours=chance.randint(1, 2000))
                fields |= parts(
                    fields["entity"], fields["attribute"], fields["value"], fields["text"]
                )
                memory_id = new_id()
                batch.append(
                    Memory(
                        workspace_id=scope.workspace_id, public_id=memory_id, fact=memory_id,
                        status=Status.ACTIVE, layer="semantic", single_valued=True,
                        summary=fields["text"][:160], created_at=moment, updated_at=moment,
                        confirmed_at=moment, occurred_at=moment, valid_from=moment, **fields,
                    )
                )  # fmt: skip
                if len(batch) == 5000:
                    Memory.everywhere.bulk_create(batch)
                    batch.clear()
        Memory.everywhere.bulk_create(batch)
        upkeep.rebuild()


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
