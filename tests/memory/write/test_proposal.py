from datetime import datetime

import pytest

from memory.models import Batch, Memory
from memory.write.proposal import InvalidInput, Proposal
from memory.write.remember import remember
from tests import factories as make

NAIVE = datetime(2026, 3, 1, 9, 0)
EARLY, LATE = make.instant("2026-03-01 09:00"), make.instant("2026-03-02 09:00")


@pytest.mark.parametrize(
    ("field", "columns"),
    [
        ("text", {}),
        ("text", {"text": "   "}),
        ("text", {"text": "长" * 20_001}),
        ("text", {"text": "half \ud83d a pair"}),
        ("text", {"text": "nul\0here"}),
        ("value", {"text": "x", "value": "1200"}),
        ("value", {"text": "x", "entity": "打印机", "value": "1200"}),
        ("value", {"entity": "a", "attribute": "b", "value": "\udc00"}),
        ("entity", {"text": "x", "attribute": "预算"}),
        ("entity", {"text": "x", "entity": "e" * 301}),
        ("attribute", {"text": "x", "entity": "e", "attribute": "a\0"}),
        ("summary", {"text": "x", "summary": "s" * 501}),
        ("domain", {"text": "x", "domain": "d" * 101}),
        ("user_id", {"text": "x", "user_id": "u" * 201}),
        ("user_id", {"text": "x", "user_id": "*"}),
        ("agent_id", {"text": "x", "agent_id": "\0"}),
        ("session_id", {"text": "x", "session_id": "\ud800"}),
        ("external_id", {"text": "x", "external_id": "i" * 301}),
        ("quote", {"text": "x", "quote": "\0"}),
        ("kind", {"text": "x", "kind": "gossip"}),
        ("source", {"text": "x", "source": "rumour"}),
        ("importance", {"text": "x", "importance": 0}),
        ("importance", {"text": "x", "importance": 6}),
        ("confidence", {"text": "x", "confidence": 1.5}),
        ("confidence", {"text": "x", "confidence": float("nan")}),
        ("tags", {"text": "x", "tags": ("ok", "\0")}),
        ("tags", {"text": "x", "tags": tuple(f"t{n}" for n in range(51))}),
        ("links", {"text": "x", "links": ("\ud800",)}),
        ("metadata", {"text": "x", "metadata": {"score": float("inf")}}),
        ("metadata", {"text": "x", "metadata": {"note": "\ud800"}}),
        ("metadata", {"text": "x", "metadata": {"a\0": 1}}),
        ("metadata", {"text": "x", "metadata": {"long": "m" * 20_001}}),
        ("metadata", {"text": "x", "metadata": {"when": EARLY}}),
        ("occurred_at", {"text": "x", "occurred_at": NAIVE}),
        ("expires_at", {"text": "x", "expires_at": NAIVE}),
        ("valid_from", {"text": "x", "valid_from": NAIVE}),
        ("valid_to", {"text": "x", "valid_to": NAIVE}),
        ("valid_to", {"text": "x", "valid_from": LATE, "valid_to": EARLY}),
    ],
)
def test_each_wrong_field_is_named(field, columns):
    with pytest.raises(InvalidInput) as refused:
        Proposal(**columns).checked()
    assert [name for name, _ in refused.value.errors] == [field]
    assert field in str(refused.value)


def test_all_wrong_fields_are_named_at_once():
    with pytest.raises(InvalidInput) as refused:
        Proposal(text="x", kind="gossip", importance=9, domain="d" * 101).checked()
    assert {name for name, _ in refused.value.errors} == {"kind", "importance", "domain"}


def test_a_good_proposal_comes_back_trimmed():
    checked = Proposal(
        text="  打印机在三楼\r\n ", entity=" 打印机 ", tags=(" 办公 ", "", " "), importance=1,
        confidence=0, metadata={"深": [1, None, "x"]},
    ).checked()  # fmt: skip
    assert (checked.text, checked.entity, checked.tags) == ("打印机在三楼", "打印机", ("办公",))
    assert checked.metadata == {"深": [1, None, "x"]}


@pytest.mark.django_db
def test_one_bad_proposal_keeps_the_whole_batch_out():
    with pytest.raises(InvalidInput):
        remember(
            make.scope(),
            [Proposal(user_id="ann", text="good"), Proposal(user_id="ann", kind="gossip")],
        )
    assert not Memory.everywhere.exists()
    assert not Batch.everywhere.exists()
