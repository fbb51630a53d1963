"""Real processes on the test's own database file."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection

_START = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.PEPPER = sys.argv[2]
django.setup()
from importlib import import_module
module, name = sys.argv[3].split(":")
getattr(import_module(module), name)(*sys.argv[4:])
"""
ROOT = Path(__file__).resolve().parents[3]


def start(work: str, *arguments: object) -> subprocess.Popen:
    """Run `module:function` with text arguments in a new process, stdin and stdout piped."""
    name = str(connection.settings_dict["NAME"])
    return subprocess.Popen(
        [sys.executable, "-c", _START, name, settings.PEPPER, work, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "mase_site.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def say(line: str) -> None:
    print(line, flush=True)


def finished(process: subprocess.Popen) -> list[str]:
    """The lines that a process printed; it must have ended well."""
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out.splitlines()


def ready_then_go(processes: list[subprocess.Popen]) -> None:
    """Wait until each has said "ready", then let all go at once."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def wait_for_go() -> None:
    say("ready")
    sys.stdin.readline()
