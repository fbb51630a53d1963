import threading

import pytest
from django.db import connection

from memory.models import Memory
from memory.write import queue
from tests import factories as make
from tests.memory.write.processes import finished, start

WORK = "tests.memory.write.work"
pytestmark = pytest.mark.django_db


def until(condition) -> None:
    """Return as soon as `condition()` holds; fail after a while."""
    pause = threading.Event()
    for _ in range(2000):
        if condition():
            return
        pause.wait(0.005)
    raise AssertionError("it never came true")


def test_a_turn_within_a_turn_is_the_same_turn():
    with queue.turn(), queue.turn(0), queue.turn(0):
        assert queue._turnstile.depth == 3
    assert queue._turnstile.depth == 0
    with queue.turn(0):
        pass


def test_a_turn_is_left_also_when_the_work_fails():
    with pytest.raises(KeyError), queue.turn():
        raise KeyError
    with queue.turn(0):
        pass


def test_threads_are_served_in_the_order_in_which_they_came():
    served, threads = [], []

    def work(number: int) -> None:
        with queue.turn(30):
            served.append(number)

    with queue.turn():
        for number in range(8):
            threads.append(threading.Thread(target=work, args=[number]))
            threads[-1].start()
            until(lambda: len(queue._turnstile._waiting) == len(threads))
    for thread in threads:
        thread.join()
    assert served == list(range(8))


def test_only_one_thread_is_inside():
    inside, most, threads = [0], [0], []

    def work() -> None:
        for _ in range(50):
            with queue.turn(30):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    assert queue._turnstile.depth == 0


def test_a_thread_that_waits_beyond_the_deadline_is_told_and_leaves_the_queue():
    told = []

    def work() -> None:
        try:
            with queue.turn(0.05):
                told.append("inside")
        except queue.QueueTimeout as error:
            told.append(error.retry_after_seconds)

    with queue.turn():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert told == [1]
    assert not queue._turnstile._waiting
    with queue.turn(0):
        pass


def test_a_process_waits_for_another_up_to_its_deadline(settings):
    holder = start(f"{WORK}:hold", 5)
    assert holder.stdout.readline() == "ready\n"
    settings.WRITE_DEADLINE_SECONDS = 0.05
    with pytest.raises(queue.QueueTimeout):
        make.remember(text="too late")
    assert not Memory.everywhere.exists()
    holder.stdin.write("go\n")
    assert finished(holder) == ["left"]
    settings.WRITE_DEADLINE_SECONDS = 5
    assert make.remember(text="in time").status == "active"


def test_a_waiter_that_gave_up_does_not_keep_the_lock():
    holder = start(f"{WORK}:hold", 5)
    assert holder.stdout.readline() == "ready\n"
    for _ in range(3):
        with pytest.raises(queue.QueueTimeout), queue.turn(0.02):
            pass
    holder.stdin.write("go\n")
    finished(holder)
    with queue.turn(5):
        pass


def test_a_process_that_waits_gets_its_turn_when_the_holder_leaves():
    with queue.turn():
        waiter = start(f"{WORK}:take_a_turn", "b")
        assert waiter.returncode is None
    assert finished(waiter) == ["b"]


def test_a_process_that_dies_inside_leaves_the_way_free():
    gone = start(f"{WORK}:die_holding")
    assert finished(gone) == ["ready"]
    with queue.turn(1):
        pass


def test_the_lock_lies_beside_the_database():
    assert str(queue.lock_path()) == f"{connection.settings_dict['NAME']}.write-queue"
    with queue.turn():
        assert queue.lock_path().stat().st_mode & 0o077 == 0
