"""Exports of memories: lines, table and notes, by command and through HTTP."""

import csv
import io
import json
import tracemalloc
import zipfile
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.exchange import jsonl, out
from memory.exchange.choice import choose
from memory.models import Memory
from memory.text.cells import original_cell
from memory.write.erase.road import erase
from memory.write.snapshot import snapshot
from tests import factories as make
from tests.memory.api.calls import get, owner
from tests.memory.write.test_undo_property import START
from tests.memory.write.verbs import amend, retract

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def lines_of(chosen=None, **options) -> list[dict]:
    text = b"".join(jsonl.pieces(chosen or choose(make.scope()), **options)).decode()
    return [json.loads(line) for line in text.splitlines()]


def of_type(lines: list[dict], name: str) -> list[dict]:
    return [line for line in lines if line["type"] == name]


def table_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def exported(form: str, chosen=None, **options) -> bytes:
    return out.spooled(form, chosen or choose(make.scope()), **options).read()


def story() -> Memory:
    said = make.turn(content="我的预算是500元")
    with clock.at(START):
        first = make.budget("500", turn_id=said.public_id, quote="预算是500元", tags=("钱",))
        retract(make.remember(text="Ann likes tea"))
    with clock.at(START + DAY):
        amend(first, value="800")
        make.remember(text="本喜欢茶", user_id="本", metadata={"号": "12345678901234567890"})
    return first


def test_a_line_has_every_column_and_its_hash():
    story()
    lines = lines_of()
    assert [line["type"] for line in lines] == ["header", "turn", *["memory"] * 4, "end"]
    assert lines[0]["counts"] == {"turns": 1, "memories": 4, "erasures": 0}
    for line in of_type(lines, "memory"):
        row = snapshot(Memory.everywhere.get(public_id=line["id"]))
        assert {name: row[name] for name in ("text", "version", "status", "metadata")}.items() <= (
            line.items()
        )
        assert line.keys() == set(jsonl.MEMORY.values()) | {"type", "hash"}
        assert len(line) == len(row) - 1 + 2
        assert line["hash"] == jsonl.line_hash(line)
    old, new = (next(x for x in lines if x.get("value") == v) for v in ("500", "800"))
    assert (new["supersedes"], old["superseded_by"]) == (old["id"], new["id"])
    assert old["turn_id"] == lines[1]["id"]
    assert lines[-1]["lines"] == 5


def test_the_same_rows_are_the_same_lines_on_another_day():
    story()
    first = lines_of()
    with clock.at(clock.now() + DAY):
        assert lines_of()[1:] == first[1:]


def test_a_changed_line_shows_in_its_hash():
    story()
    line = of_type(lines_of(), "memory")[0]
    assert jsonl.line_hash(line | {"text": "other"}) != line["hash"]


def test_what_was_erased_leaves_an_id_and_a_digest():
    first = story()
    erase(make.scope(), first, "asked for")
    lines = lines_of()
    told = of_type(lines, "erasure")
    assert {line["memory_id"] for line in told} > {str(first.public_id)}
    assert all(len(line["digest"]) == 64 for line in told)
    # An id may have these digits in a row.
    written = json.dumps(lines, ensure_ascii=False)
    assert '"500"' not in written
    assert "预算是500" not in written


def test_filters_take_their_turns_with_them():
    story()
    make.turn(content="unrelated")
    chosen = choose(make.scope(user_id="ann"), statuses=["superseded"])
    lines = lines_of(chosen)
    assert [line["value"] for line in of_type(lines, "memory")] == ["500"]
    assert [line["content"] for line in of_type(lines, "turn")] == ["我的预算是500元"]
    assert (lines[0]["whole"], lines[0]["user_id"]) == (False, "ann")
    later = choose(make.scope(), since=START + DAY)
    assert {line["user_id"] for line in of_type(lines_of(later), "memory")} == {"ann", "本"}
    assert lines_of(choose(make.scope(), kinds=["rule"]))[0]["counts"]["memories"] == 0


def test_as_it_was_on_a_day(tmp_path):
    story()
    path = tmp_path / "then.jsonl"
    call_command("export_memories", format="jsonl", out=path, as_of=START.isoformat())
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["value"]: line["status"] for line in of_type(lines, "memory")}["500"] == "active"
    assert lines[0]["as_of"] == START.isoformat()
    assert of_type(lines, "turn") == []


def test_the_ledger_goes_with_a_whole_workspace_only():
    story()
    lines = lines_of(with_ledger=True)
    assert len(of_type(lines, "batch")) == 5
    entries = of_type(lines, "change")
    assert [e["previous_hash"] for e in entries[1:]] == [e["entry_hash"] for e in entries[:-1]]
    for part in (choose(make.scope(user_id="ann")), choose(make.scope(), kinds=["fact"])):
        with pytest.raises(ValueError, match="whole workspace"):
            lines_of(part, with_ledger=True)


HOSTILE = [
    '=HYPERLINK("http://evil.example","x")', "+cmd|x", "@SUM(A1)", "-5.00", "-1,234.56", "-2+3",
    "＝1+1", "正常", '含"引号",逗号\n换行', "12345678901234567890",
]  # fmt: skip


def test_a_table_runs_nothing_and_gives_every_value_back():
    for number, value in enumerate(HOSTILE):
        make.remember(entity=value, attribute=f"a{number}", value=value, tags=(value,), kind="fact")
    data = exported("csv")
    rows = table_of(data)
    assert [original_cell(row["value"]) for row in rows] == HOSTILE
    assert {"-5.00", "-1,234.56", "12345678901234567890"} <= {row["value"] for row in rows}
    cells = [cell for row in csv.reader(io.StringIO(data.decode(), newline="")) for cell in row]
    running = [cell for cell in cells if cell.startswith(tuple("=+@\t\r＝＋－＠"))]
    assert running == []
    assert {cell for cell in cells if cell.startswith("-")} == {"-5.00", "-1,234.56"}


def test_a_table_may_begin_with_a_mark_for_excel():
    story()
    plain, marked = exported("csv"), exported("csv", bom=True)
    assert marked == b"\xef\xbb\xbf" + plain
    assert not plain.startswith(b"\xef\xbb\xbf")
    assert [row["version"] for row in table_of(marked) if row["value"]] == ["1", "2"]


def notes_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as folder:
        return {name: folder.read(name).decode() for name in folder.namelist()}


def test_a_note_an_entity_and_links_between_them():
    make.remember(entity="星海项目", attribute="负责人", value="林薇", confidence=0.9, kind="fact")
    make.remember(entity="林薇", attribute="城市", value="上海", kind="fact", source="user_said")
    make.remember(text="Ann <b>likes</b> [[tea]]\n---\nand more")
    notes = notes_of(exported("markdown"))
    assert set(notes) == {"ann/星海项目.md", "ann/林薇.md", "ann/memories.md"}
    one = notes["ann/星海项目.md"]
    assert one.startswith('---\ntype: memory\ntitle: "星海项目"\nuser: "ann"\n')
    assert "    state: active\n    version: 1\n    confidence: 0.9\n" in one
    assert "[[林薇|林薇]]" in one
    other = notes["ann/memories.md"]
    assert "\\<b>likes\\</b> \\[\\[tea\\]\\]" in other
    assert other.count("\n---\n") == 1


def test_notes_are_the_same_bytes_and_their_names_are_safe():
    for entity in ("CON", "a/b\\c", "..", "X" * 300, "x" * 299, "Aux.md"):
        make.remember(entity=entity, attribute="a", value="1", kind="fact")
    first = exported("markdown")
    assert exported("markdown") == first
    names = list(notes_of(first))
    assert len({name.casefold() for name in names}) == 6
    for name in names:
        user, note = name.split("/")
        assert user == "ann"
        assert len(note.encode()) < 110
        assert note.partition(".")[0] not in ("con", "aux", "")


def test_a_great_entity_has_several_notes(monkeypatch):
    monkeypatch.setattr("memory.exchange.markdown.IN_A_NOTE", 2)
    for n in range(5):
        make.remember(text=f"note number {n} of many")
    assert set(notes_of(exported("markdown"))) == {
        "ann/memories.md", "ann/memories 2.md", "ann/memories 3.md"
    }  # fmt: skip


def test_the_command_writes_a_private_file_or_none(tmp_path):
    story()
    path = tmp_path / "out.csv"
    call_command("export_memories", format="csv", out=path, user="本")
    assert [row["user_id"] for row in table_of(path.read_bytes())] == ["本"]
    assert path.stat().st_mode & 0o077 == 0
    for refused in (
        {"format": "csv", "with_ledger": True},
        {"format": "jsonl", "bom": True},
        {"format": "jsonl", "with_ledger": True, "user": "ann"},
        {"format": "jsonl", "since": "soon"},
    ):
        with pytest.raises(CommandError) as error:
            call_command("export_memories", out=tmp_path / "no", **refused)
        assert error.value.returncode == 2
    with pytest.raises(CommandError, match="cannot write"):
        call_command("export_memories", format="csv", out=tmp_path / "no" / "deeper.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


def streamed(client: Client, query: str = ""):
    answer = client.get(f"/api/v1/exports{query}")
    return answer, b"".join(answer.streaming_content)


def test_through_http_as_a_stream():
    story()
    answer, data = streamed(owner(), "?format=jsonl")
    assert answer.streaming
    assert answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"].startswith('attachment; filename="memories-')
    assert [json.loads(x) for x in data.decode().splitlines()][1:] == lines_of()[1:]
    _, table = streamed(owner(), "?format=csv&status=superseded,retracted&user_id=ann&bom=true")
    assert {row["status"] for row in table_of(table)} == {"superseded", "retracted"}
    _, notes = streamed(owner(), "?format=markdown&kind=fact")
    assert set(notes_of(notes)) == {"ann/user.md"}


def test_a_bound_key_gets_its_own_and_no_other():
    story()
    make.remember(make.scope(make.workspace("w2")), text="Sam likes tea", user_id="sam")
    client = make.client_for(make.api_key(user_id="本")[1])
    _, data = streamed(client, "?format=csv")
    assert {row["user_id"] for row in table_of(data)} == {"本"}
    assert get(client, "/exports?user_id=ann").status_code == 403
    _, data = streamed(owner(), "?format=csv")
    assert "sam" not in data.decode()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("format=xml", "format"),
        ("format=csv&ledger=true", "ledger"),
        ("ledger=true&user_id=ann", "ledger"),
        ("status=gone", "status"),
        ("since=soon", "since"),
        ("as_of=2999-01-01T00:00:00Z", "as_of"),
    ],
)
def test_what_cannot_be_exported_is_said(query, field):
    answer = get(owner(), f"/exports?{query}")
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert answer.data["errors"][0]["field"] == field


def many(count: int) -> None:
    """So many rows at once, past the road that they would take."""
    one = make.remember(text="Ann likes tea, cakes and a long walk by the river in the evening")
    kept = {f.attname: getattr(one, f.attname) for f in Memory._meta.concrete_fields}
    kept = {name: kept[name] for name in kept.keys() - {"id", "public_id"}}
    rows = (Memory(**kept | {"entity_key": f"e{n % 400}"}) for n in range(count))
    Memory.everywhere.bulk_create(rows, batch_size=1000)


@pytest.mark.parametrize(("form", "count"), [("jsonl", 6000), ("csv", 1500), ("markdown", 1500)])
def test_many_rows_take_little_memory_and_few_queries(form, count):
    many(count)
    with CaptureQueriesContext(connection) as captured:
        tracemalloc.start()
        file = out.spooled(form, choose(make.scope()))
        size, peak = file.seek(0, 2), tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert size > (6_000_000 if form == "jsonl" else 10_000)
    assert peak < 4_000_000
    assert len(captured) < 24
