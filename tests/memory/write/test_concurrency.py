"""Many writers, in processes of their own."""

from collections import Counter

import pytest

from memory.index.upkeep import drift
from memory.models import Change, Memory
from memory.write.ledger import first_break
from tests import factories as make
from tests.memory.write.processes import finished, ready_then_go, start

pytestmark = pytest.mark.django_db(transaction=True)
WORK = "tests.memory.write.work"
EACH = 100


def chain(row: Memory) -> list[Memory]:
    """From the first version to `row`, by links that must agree both ways."""
    links = [row]
    while links[-1].supersedes is not None:
        before = links[-1].supersedes
        assert before.superseded_by == links[-1]
        assert before.valid_to == links[-1].valid_from
        links.append(before)
    return links[::-1]


def test_four_processes_on_a_hundred_fresh_keys():
    workspace = make.workspace()
    writers = [start(f"{WORK}:many_keys", workspace.pk, name, EACH) for name in "abcd"]
    ready_then_go(writers)
    for _ in range(10):
        assert list(drift()) == []
    said = Counter(action for writer in writers for action in finished(writer))
    assert said == {"added": EACH, "superseded": 3 * EACH}
    active = Memory.everywhere.filter(status="active")
    assert Counter(active.values_list("entity_key", flat=True)) == Counter(
        {f"tank-{number}": 1 for number in range(EACH)}
    )
    for row in active:
        links = chain(row)
        assert [link.version for link in links] == [1, 2, 3, 4]
        assert {link.value[0] for link in links} == set("abcd")
    assert Change.objects.count() == 4 * EACH + 3 * EACH
    assert first_break() is None
    assert list(drift()) == []


def test_four_processes_on_one_key_while_others_read():
    workspace = make.workspace()
    make.remember(entity="水箱", attribute="容量", value="0", kind="fact")
    writers = [start(f"{WORK}:one_key", workspace.pk, name, EACH) for name in "abcd"]
    readers = [start(f"{WORK}:read", workspace.pk) for _ in range(1)]
    ready_then_go(readers + writers)
    said = Counter(action for writer in writers for action in finished(writer))
    assert said == {"superseded": 4 * EACH}
    for reader in readers:
        reader.stdin.write("stop\n")
        rounds, *odd = finished(reader)
        assert int(rounds.split()[0]) > 1
        assert odd == []
    links = chain(Memory.everywhere.get(status="active"))
    assert [link.version for link in links] == list(range(1, 4 * EACH + 2))
    assert {link.value for link in links[1:]} == {f"{n}{i}" for n in "abcd" for i in range(EACH)}
    assert first_break() is None
    assert list(drift()) == []


def test_the_same_said_by_many_at_once_ends_as_one_row():
    workspace = make.workspace()
    writers = [start(f"{WORK}:the_same", workspace.pk, 5) for _ in range(3)]
    ready_then_go(writers)
    said = Counter(action for writer in writers for action in finished(writer))
    assert said == {"added": 1, "confirmed": 14}
    assert Memory.everywhere.get().confirmations == 14


def test_of_corrections_made_from_one_view_only_one_is_applied():
    row = make.remember(entity="水箱", attribute="容量", value="0", kind="fact")
    writers = [
        start(f"{WORK}:amend_once", make.workspace().pk, row.public_id, value) for value in "123"
    ]
    ready_then_go(writers)
    said = Counter(line for writer in writers for line in finished(writer))
    assert said == {"applied": 1, "StalePlan": 2}
    assert Memory.everywhere.count() == 2
    assert Memory.everywhere.filter(status="active").count() == 1
