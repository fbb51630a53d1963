"""What the processes of the tests do; imported inside them, after Django's setup."""

import os
import select
import sys

from django.db import connection

from memory.models import Memory, Scope
from memory.recall import RecallRequest, recall
from memory.text.segment import warm
from memory.write import queue
from memory.write.apply import apply
from memory.write.plan import Conflict, StalePlan
from memory.write.proposal import Proposal
from memory.write.remember import remember
from memory.write.revise import plan_amend
from tests.memory.write.processes import say, wait_for_go

KEY = {"user_id": "ann", "attribute": "容量", "kind": "fact"}


def _scope(workspace_id: str, user_id: str | None = None) -> Scope:
    return Scope(int(workspace_id), "key:load", "api", user_id)


def _write(scope: Scope, entity: str, value: str) -> str:
    try:
        return remember(scope, [Proposal(entity=entity, value=value, **KEY)]).outcomes[0].action
    except (Conflict, StalePlan) as refused:
        return type(refused).__name__


def many_keys(workspace_id: str, name: str, count: str) -> None:
    """One value of its own for each of `count` keys that the others write too."""
    warm()
    wait_for_go()
    for number in range(int(count)):
        say(_write(_scope(workspace_id), f"tank-{number}", f"{name}{number}"))


def one_key(workspace_id: str, name: str, count: str) -> None:
    """`count` values, all different, for one key."""
    warm()
    wait_for_go()
    for number in range(int(count)):
        say(_write(_scope(workspace_id), "水箱", f"{name}{number}"))


def the_same(workspace_id: str, count: str) -> None:
    warm()
    wait_for_go()
    for _ in range(int(count)):
        say(_write(_scope(workspace_id), "泵", "12"))


def amend_once(workspace_id: str, memory_id: str, value: str) -> None:
    """A correction planned from the row as it was before anybody was let go."""
    scope = _scope(workspace_id)
    row = Memory.objects.within(scope).get(public_id=memory_id)
    plan = plan_amend(scope, row, {"value": value}).plan("amend", "")
    wait_for_go()
    try:
        apply(plan)
        say("applied")
    except (Conflict, StalePlan) as refused:
        say(type(refused).__name__)


def read(workspace_id: str) -> None:
    """Look at the one key, by table and by recall, until told to stop; say what was odd."""
    warm()
    wait_for_go()
    scope = _scope(workspace_id, "ann")
    rounds, odd = 0, set()
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT COUNT(*) FROM memory_memory WHERE status = 'active' AND entity_key = '水箱'"
            )
            current = cursor.fetchone()[0]
        if current != 1:
            odd.add(f"{current} current rows")
        if rounds % 10 == 0:
            served = recall(RecallRequest(scope, "水箱的容量是多少")).items
            if len(served) > 1:
                odd.add(f"{len(served)} served")
        rounds += 1
        if _told_to_stop():
            break
    say(f"{rounds} rounds")
    for line in odd:
        say(line)


def _told_to_stop() -> bool:
    # The pause leaves the processor to the writers.
    return bool(select.select([sys.stdin], [], [], 0.005)[0])


def hold(seconds_at_most: str) -> None:
    """Take the turn, say so, and keep it until a line comes in."""
    with queue.turn(float(seconds_at_most)):
        wait_for_go()
    say("left")


def take_a_turn(name: str) -> None:
    with queue.turn(60):
        say(name)


def die_holding() -> None:
    """End without leaving, as a killed worker does."""
    with queue.turn(5):
        say("ready")
        os._exit(0)
