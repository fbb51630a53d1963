"""The site on a real server, in processes of its own with a data folder of its own."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MANAGE = (sys.executable, str(ROOT / "manage.py"))


@dataclass(frozen=True)
class Live:
    """Where it listens, a key that may do everything, its data folder and environment."""

    url: str
    key: str
    data: Path
    environment: dict[str, str]

    def manage(self, *words: str) -> str:
        """What a command of the same site prints; looking the site over first takes 2 s more."""
        run = {"env": self.environment, "cwd": ROOT, "check": True, "text": True}
        command = [*MANAGE, *words, "--skip-checks"]
        return subprocess.run(command, capture_output=True, **run).stdout


@contextmanager
def served(data: Path, *, workers: int = 1) -> Iterator[Live]:
    """The site as the README serves it, with the store in a data folder."""
    granian = Path(sys.executable).with_name("granian")
    if not granian.exists() and shutil.which("granian") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("granian (extra [serve]) must be there in CI")
        pytest.skip("granian (extra [serve]) is not installed")
    environment = os.environ | {"MASE_DATA_DIR": str(data)}
    port = str(free_port())
    live = Live(f"http://127.0.0.1:{port}", "", data, environment)
    key = live.manage("create_api_key", "everything", "--scopes", "read,write,correct,erase")
    live = Live(live.url, key.split()[-1], data, environment)
    command = [str(granian), "--interface", "wsgi", "--workers", str(workers)]
    process = subprocess.Popen(
        [*command, "--blocking-threads", "1", "--port", port, "--log-level", "error",
         "mase_site.wsgi:application"],
        env=environment,
        cwd=ROOT,
    )  # fmt: skip
    try:
        wait_for(live.url + "/readyz")
        yield live
    finally:
        process.terminate()
        process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url: str, seconds: float = 60) -> None:
    """Until somebody answers there; raises when that takes longer."""
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
