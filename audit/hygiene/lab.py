"""One look at an export: in a folder and a process of their own, both gone when it is over."""

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from audit.health.figures import Report
from audit.health.report import read_report
from audit.models import HealthReport
from memory import clock
from memory.exchange.formats import AUTO, chosen
from memory.exchange.source import FormatError, Source
from memory.management.elsewhere import Failed, run_in

from .clean import CLEANED, cleaned
from .plan import DROP, MASK, Place, Step, plan

FORMAT, VERSION = "mase-hygiene-plan", 1
MB = 1_000_000
# The store is made, filled, searched for look-alikes (3 ms a row) and reported on.
SECONDS, LARGEST_MB = 1800.0, 50
PREFIX = "mase-hygiene-"
Say = Callable[[str], None]


class Refused(Exception):
    """The export cannot be looked at; `code` is stable, the message says why."""

    def __init__(self, code: str, message: str):
        self.code = code
        super().__init__(message)


@dataclass(frozen=True)
class Look:
    """What was found. `rows` were read, `rejects` could not be. `pairs_complete`: there was time
    to compare all of them with one another. `told` is all of it in plain JSON types, for
    `read_look`."""

    name: str
    format: str
    rows: int
    rejects: list[dict[str, Any]]
    pairs_complete: bool
    report: Report
    told: dict[str, Any]

    @cached_property
    def ids(self) -> dict[Place, str]:
        return {(number, nth): name for number, nth, name in self.told["ids"]}

    @cached_property
    def steps(self) -> list[Step]:
        """The plan, its reasons in the active language."""
        return plan(self.told, self.ids)

    @property
    def can_be_cleaned(self) -> bool:
        return self.format in CLEANED

    @property
    def actions(self) -> dict[str, int]:
        """How many rows each action is proposed for."""
        places: dict[str, set[Place]] = {}
        for step in self.steps:
            places.setdefault(step.action, set()).add(step.place)
        return {action: len(some) for action, some in places.items()}

    def plan_document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "file": self.name,
            "file_format": self.format,
            "at": self.report.at.isoformat(),
            "rows": self.rows,
            "actions": self.actions,
            "pairs_complete": self.pairs_complete,
            "rejects": self.rejects,
            "steps": [step.to_dict(self.ids) for step in self.steps],
        }

    def cleaned(self, data: bytes, *, personal: bool = True) -> bytes:
        """The file with the plan carried out as far as it drops and masks. Raises
        `clean.NotCleaned`."""
        places = {
            action: {step.place for step in self.steps if step.action == action}
            for action in (DROP, MASK)
        }
        return cleaned(self.format, data, places[DROP], places[MASK], personal=personal)


def look_at(
    path: Path,
    *,
    name: str = "",
    form: str = AUTO,
    seconds: float = SECONDS,
    largest_mb: int = LARGEST_MB,
    say: Say = lambda line: None,
) -> Look:
    """Report on an export of this name, the file's own by default. It may take `seconds`; `say` is
    told how far it is. Nothing of it is stored. Raises `Refused`."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise Refused("unreadable", f"cannot be read: {error.strerror}") from error
    if size > largest_mb * MB:
        raise Refused("too_large", f"is larger than {largest_mb} MB")
    try:
        form = chosen(Source(path, name), form).name
    except FormatError as error:
        raise Refused(error.code, str(error)) from error
    _clear_left()
    folder, name = Path(tempfile.mkdtemp(prefix=PREFIX)), name or path.name
    try:
        return read_look(_run(folder, path, name, form, seconds, say), name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_look(told: dict[str, Any], name: str) -> Look:
    """The look at the export of this name that found this."""
    report = told["report"]
    kept = HealthReport(
        at=datetime.fromisoformat(report["at"]), body=report, took_ms=report["took_ms"]
    )
    read = read_report(kept)
    # Its rows have no page: the store that they were in is gone.
    findings = tuple(replace(one, is_past=True) for one in read.findings)
    return Look(
        name,
        told["format"],
        told["rows"],
        told["rejects"],
        told["pairs_complete"],
        replace(read, findings=findings, workspace=name),
        told,
    )


def _clear_left() -> None:
    """Remove what a look left that was killed."""
    too_old = clock.now().timestamp() - 2 * SECONDS
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if left.stat().st_mtime < too_old:
                shutil.rmtree(left, ignore_errors=True)


def _run(
    folder: Path, path: Path, name: str, form: str, seconds: float, say: Say
) -> dict[str, Any]:
    command = ["hygiene", str(path.resolve()), "--inside", name, "--format", form]
    try:
        told = json.loads(run_in(folder, *command, seconds=seconds, say=say))
    except Failed as error:
        raise Refused("failed", str(error)) from error
    if refused := told.get("refused"):
        raise Refused(refused["code"], refused["message"])
    return told
