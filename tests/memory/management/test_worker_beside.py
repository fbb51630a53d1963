"""The worker that the demo starts beside itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# A server that says its worker's number and then serves until it is told or killed.
SERVER = """
import sys
import django
django.setup()
from memory.management.beside import worker_beside
with worker_beside() as worker:
    print(worker.pid, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def server(tmp_path, empty_store):
    environment = os.environ | {
        "MASE_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "mase_site.settings",
    }  # fmt: skip
    empty_store(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    yield process
    process.kill()
    process.wait()


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not asked how is not counted."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    give_up = time.monotonic() + 30
    while is_there(pid):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.1)
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("way", ["told", "killed"])
def test_it_lives_as_long_as_its_server(server, way):
    worker = int(server.stdout.readline())
    assert is_there(worker)
    if way == "told":
        server.communicate("stop\n", timeout=60)
    else:
        server.send_signal(signal.SIGKILL)
    assert ends(worker)
