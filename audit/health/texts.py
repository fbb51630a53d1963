"""Checks that have to read every text: all of them read it once, when it is new.

A row's text never changes, so what was found in it holds for as long as the rules do; its state
is asked when the check judges. With other rules everything is read anew, and what was found
before counts until then.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import ngettext

import memory.text
import memory.write
from audit.models import ReadHit, ReadMark
from memory.models import Change, Memory, Scope, Status
from memory.text.normalise import normalise
from memory.text.terms import VERSION
from memory.write.held import Found, found_in
from memory.write.queue import QueueTimeout
from memory.write.transaction import write_transaction

from .check import MemoryCheck, active

MARK = "texts"
# One transaction keeps what was found in so many rows; reading them, about 2.5 ms each, is done
# before it and holds up nobody.
PAGE = 200
# What a report waits for: about 4,000 rows. The background job reads the rest.
SECONDS = 10.0

FIELDS = 10

Detail = Mapping[str, Any]


@dataclass(frozen=True)
class Text:
    """A memory as the checks read it, each view of it made when first asked for."""

    memory: Memory

    @cached_property
    def findings(self) -> list[Found]:
        return found_in(self.memory)

    @cached_property
    def normal(self) -> str:
        return normalise(self.memory.text)

    def told(self, family: str) -> Detail | None:
        """What the screen found of one family: the first kind, and in which fields."""
        found = [one for one in self.findings if one.finding.family == family]
        if not found:
            return None
        fields = list(dict.fromkeys(one.field for one in found))
        return {"what": found[0].finding.kind, "fields": fields[:FIELDS]}


class TextCheck(MemoryCheck):
    """A check of texts. What it finds is kept with the row: `what` it is, and perhaps more."""

    labels: Mapping[str, Any] = {}
    reads_past = True

    @staticmethod
    def prepare(scope: Scope) -> None:
        read_on(scope)

    def find(self, text: Text) -> Detail | None:
        """What is wrong with one text: `{"what": …}`, or None."""
        raise NotImplementedError

    def find_all(self, page: Sequence[Text]) -> Iterable[tuple[int, Detail]]:
        """What is wrong in a page of texts, by the rows' keys."""
        for text in page:
            if (detail := self.find(text)) is not None:
                yield text.memory.pk, detail

    def among(self, scope: Scope) -> QuerySet[Memory]:
        """The rows that count."""
        return active(scope)

    def hits(self, scope: Scope) -> QuerySet[ReadHit]:
        return ReadHit.objects.filter(workspace_id=scope.workspace_id, check_name=self.id)

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        return self.among(scope).filter(pk__in=self.hits(scope).values("memory_id"))

    def counted(self, scope: Scope) -> tuple[int, dict[str, Any]]:
        found = self.hits(scope).filter(memory__in=self.rows(scope)).order_by("detail__what")
        by = dict(found.values_list("detail__what").annotate(n=Count("id")))
        return sum(by.values()), {"by": by, "left": left(scope)}

    def notes(self, detail: Mapping[str, Any]) -> list[str]:
        notes = [f"{self.labels.get(what, what)}: {n}" for what, n in detail["by"].items()]
        if n := detail["left"]:
            notes.append(
                ngettext("%d memory was not read yet.", "%d memories were not read yet.", n) % n
            )
        return notes


class ScreenCheck(TextCheck):
    """A check of what the door holds for a person: what a person let through does not count."""

    def among(self, scope: Scope) -> QuerySet[Memory]:
        approved = Change.objects.filter(
            memory_id=OuterRef("public_id"), action="promote", status_before=Status.QUARANTINED
        )
        return super().among(scope).exclude(Exists(approved))


def read_on(scope: Scope, seconds: float = SECONDS) -> int:
    """Read what is new in the scope's whole workspace, for about so many seconds at most; how
    many rows. Two at once read the same twice and keep it once. What finds no turn to write
    is left to the next."""
    work = Scope(scope.workspace_id, "reading", "command")
    give_up, read = time.monotonic() + seconds, 0
    with suppress(QueueTimeout):
        while page := list(_next_page(work)):
            _keep(work, page, list(_found(page)))
            read += len(page)
            if time.monotonic() >= give_up:
                break
    return read


def left(scope: Scope) -> int:
    """How many rows of the scope were not read yet under the present rules."""
    return _unread(scope).count()


def is_behind(scope: Scope) -> bool:
    return _unread(scope).exists()


@cache
def rules() -> str:
    """Names what decides: these modules as they are written, and the analyser's tables."""
    digest = blake2b(VERSION.encode(), digest_size=16)
    for path in sorted(_sources()):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield Path(__file__)
    yield from Path(__file__).with_name("checks").glob("*.py")
    yield from Path(memory.text.__file__).parent.rglob("*.py")
    yield Path(memory.write.__file__).with_name("held.py")


@cache
def _readers() -> list[TextCheck]:
    from .registry import checks

    return [check for check in checks().values() if isinstance(check, TextCheck)]


def _mark(scope: Scope) -> ReadMark:
    """How far the workspace was read; at its beginning where that was under other rules."""
    kept = ReadMark.objects.filter(workspace_id=scope.workspace_id, check_name=MARK).first()
    if kept is not None and kept.version == rules():
        return kept
    return ReadMark(workspace_id=scope.workspace_id, check_name=MARK, version=rules())


def _unread(scope: Scope) -> QuerySet[Memory]:
    return Memory.objects.within(scope).filter(pk__gt=_mark(scope).upto)


def _next_page(scope: Scope) -> QuerySet[Memory]:
    rows = _unread(scope).select_related("turn").defer("turn__content", "turn__metadata")
    return rows.order_by("pk")[:PAGE]


def _found(page: Collection[Memory]) -> Iterator[tuple[str, int, Detail]]:
    texts = [Text(row) for row in page]
    for check in _readers():
        for pk, detail in check.find_all(texts):
            yield check.id, pk, detail


def _keep(scope: Scope, page: Sequence[Memory], found: list[tuple[str, int, Detail]]) -> None:
    with write_transaction():
        mark = _mark(scope)
        mark.upto = max(mark.upto, page[-1].pk)
        ReadHit.objects.filter(memory_id__in=[row.pk for row in page]).delete()
        if found:
            # A row may have been erased while it was read.
            there = Memory.objects.within(scope).filter(pk__in={pk for _, pk, _ in found})
            present = set(there.values_list("pk", flat=True))
            ReadHit.objects.bulk_create(
                ReadHit(
                    workspace_id=scope.workspace_id,
                    check_name=name,
                    memory_id=pk,
                    detail=detail,
                )
                for name, pk, detail in found
                if pk in present
            )
        ReadMark.objects.bulk_create(
            [mark],
            update_conflicts=True,
            unique_fields=["workspace", "check_name"],
            update_fields=["version", "upto"],
        )
