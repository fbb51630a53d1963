import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from memory.exchange.bring import Incoming, bring_in, preview
from memory.exchange.formats import AUTO, Options, formats
from memory.exchange.source import FormatError
from memory.exchange.told import Report
from memory.management.exact import brought_back
from memory.management.progress import Line
from memory.management.workspace import add_workspace_argument, command_scope
from memory.write.queue import QueueTimeout


class Command(BaseCommand):
    help = (
        "Bring in the memories of another system, with their states, times and earlier values. "
        "Doing it again changes nothing. Exit: 0 done, 1 with --strict when a row was rejected, "
        "2 the file cannot be read."
    )

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", default=AUTO, choices=[AUTO, *formats()])
        parser.add_argument(
            "--user", default="", help="Whose rows are that name nobody; the owner of a file of one"
        )
        parser.add_argument("--agent", default="")
        parser.add_argument("--reason", default="")
        parser.add_argument("--dry-run", action="store_true", help="Only say what would come of it")
        parser.add_argument(
            "--map", action="append", default=[], metavar="COLUMN=FIELD",
            help="What a column of a table is: --map 型号=entity",
        )  # fmt: skip
        parser.add_argument(
            "--exact", action="store_true",
            help="An own export (jsonl) row for row: ids, versions and times as they were",
        )  # fmt: skip
        parser.add_argument(
            "--restore-erased", action="store_true",
            help="Also what was erased here, which stays away else; needs --reason",
        )  # fmt: skip
        parser.add_argument("--strict", action="store_true")
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, file: Path, **options):
        user = options["user"].strip()
        bring_back = options["restore_erased"]
        if bring_back and (options["exact"] or not options["reason"].strip()):
            told = "--restore-erased needs --reason, and gives new ids, so it is not --exact"
            raise CommandError(told, returncode=2)
        if options["exact"]:
            self._bring_back(file, user, options)
            return
        scope = command_scope(options["workspace"])
        said = Options(user, options["agent"], _columns(options["map"]))
        try:
            incoming = Incoming(
                scope, file, form=options["format"], options=said, bring_back=bring_back
            )
            with Line(self.stderr, "rows", quiet=options["json"]) as line:
                if options["dry_run"]:
                    report = preview(incoming, line)
                else:
                    reason = options["reason"] or f"import of {file.name}"
                    report = bring_in(incoming, reason, line)
        except FormatError as error:
            raise CommandError(f"{file}: {error}", returncode=2) from error
        except QueueTimeout as error:
            told = f"{error}; what was written until now is kept, the same command goes on"
            raise CommandError(told, returncode=2) from error
        self.stdout.write(json.dumps(as_json(report), ensure_ascii=False, indent=1)
                          if options["json"] else "\n".join(_lines(report)))  # fmt: skip
        if options["strict"] and report.counts["rejected"]:
            raise CommandError(f"{report.counts['rejected']} rows were rejected", returncode=1)

    def _bring_back(self, file: Path, user: str, options: dict) -> None:
        scope = command_scope(options["workspace"], user or None)
        reason = options["reason"] or f"import of {file.name}"
        try:
            with Line(self.stderr, "rows", quiet=options["json"]) as line:
                told, refused = brought_back(
                    scope, file, reason, options["dry_run"], line, options["json"]
                )
        except (FormatError, QueueTimeout) as error:
            raise CommandError(f"{file}: {error}", returncode=2) from error
        self.stdout.write(told)
        if options["strict"] and refused:
            raise CommandError(f"{refused} lines were refused", returncode=1)


def as_json(report: Report) -> dict:
    """A report in plain JSON types."""
    return {
        "format": report.format,
        "sha256": report.sha256,
        "dry_run": report.dry_run,
        "total": report.total,
        "users": report.users,
        "counts": dict(report.counts),
        "reasons": dict(report.reasons),
        "sample": [
            {"row": one.number, "action": one.action, "reason": one.code, "text": one.text}
            for one in report.sample
        ],
        "rejects": [
            {"row": one.number, "code": one.code, "message": one.message, "raw": one.raw}
            for one in report.rejects
        ],
        "batches": [str(batch.public_id) for batch in report.batches],
    }


def _columns(pairs: list[str]) -> dict[str, str]:
    found = [pair.rpartition("=") for pair in pairs]
    if wrong := [pair for pair, (name, _, field) in zip(pairs, found, strict=True)
                 if not (name and field)]:  # fmt: skip
        raise CommandError(f"--map takes COLUMN=FIELD, not {wrong[0]!r}", returncode=2)
    return {name: field for name, _, field in found}


def _lines(report: Report):
    would = " (nothing was written)" if report.dry_run else ""
    yield f"{report.format}: {report.total} rows{would}"
    yield from (f"  {action}: {n}" for action, n in report.counts.most_common())
    if report.reasons:
        yield "of these: " + ", ".join(f"{code} {n}" for code, n in report.reasons.most_common())
    yield from (
        f"  {user} is kept as {kept}" for user, kept in report.users.items() if user != kept
    )
    yield from (f"  row {one.number} {one.action}: {one.text[:100]}" for one in report.sample)
    told = report.rejects[:20]
    yield from (f"  row {one.number} rejected, {one.code}: {one.message}" for one in told)
    if (left := report.counts["rejected"] - len(told)) > 0:
        yield f"  and {left} more; --json tells of all"
    if report.batches:
        yield f"{len(report.batches)} batches, the first is {report.batches[0].public_id}"
