"""What people do with a finding, one after another and at once."""

import pytest

from audit.findings.scan import scan
from audit.findings.work import (
    Moved,
    NotAMember,
    assign,
    assignable,
    comment,
    ignore,
    reopen,
    resolve,
)
from audit.models import Finding
from memory.models import Role, Scope
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db


@pytest.fixture
def finding() -> Finding:
    makers.recorded(makers.retracted(text="旧的门牌号"), stale=True)
    scan(make.scope())
    return makers.findings()[0]


def by(name: str) -> Scope:
    return make.scope(actor=f"person:{name}")


def told(finding: Finding) -> list[tuple[str, str, str]]:
    rows = finding.events.exclude(verb="opened")
    return [(event.actor, event.verb, event.text) for event in rows]


def test_each_act_is_kept_with_who_and_what(finding):
    bo = make.person("bo", role=Role.REVIEWER)
    assign(by("ann"), finding, bo.pk)
    comment(by("bo"), finding, "看过了")
    resolve(by("bo"), finding, "索引已重建")
    reopen(by("ann"), finding, "还没有")
    ignore(by("ann"), finding, "演练")
    assert told(finding) == [
        ("person:ann", "assigned", "bo"),
        ("person:bo", "commented", "看过了"),
        ("person:bo", "resolved", "索引已重建"),
        ("person:ann", "reopened", "还没有"),
        ("person:ann", "ignored", "演练"),
    ]
    finding.refresh_from_db()
    assert (finding.state, finding.assigned_to, finding.reopened) == ("ignored", bo, 1)


def test_the_second_of_two_learns_what_the_first_did(finding):
    resolve(by("ann"), finding, "fixed")
    comment(by("cy"), finding, "me too")
    with pytest.raises(Moved) as seen:
        ignore(by("bo"), finding, "noise")
    event = seen.value.event
    assert (event.actor, event.verb, seen.value.finding.state) == (
        "person:ann", "resolved", "resolved",
    )  # fmt: skip
    assert told(finding)[-1][1] == "commented"


def test_an_open_finding_cannot_be_reopened(finding):
    with pytest.raises(Moved):
        reopen(by("ann"), finding)
    assert told(finding) == []


def test_of_three_who_take_it_one_has_it(finding):
    ann, bo, cy = (make.person(name) for name in ("ann", "bo", "cy"))
    assign(by("ann"), finding, ann.pk)
    for name, person in (("bo", bo), ("cy", cy)):
        with pytest.raises(Moved) as seen:
            assign(by(name), finding, person.pk)
        assert seen.value.event.text == "ann"
    assign(by("cy"), finding, cy.pk, seen=ann.pk)
    finding.refresh_from_db()
    assert finding.assigned_to == cy


def test_assigning_to_whom_it_already_is_says_nothing_twice(finding):
    ann = make.person("ann")
    assign(by("ann"), finding, ann.pk)
    assign(by("bo"), finding, ann.pk)
    assert [verb for _actor, verb, _text in told(finding)] == ["assigned"]


def test_a_finding_can_be_given_back(finding):
    ann = make.person("ann")
    assign(by("ann"), finding, ann.pk)
    assign(by("ann"), finding, None, seen=ann.pk)
    finding.refresh_from_db()
    assert finding.assigned_to is None
    assert told(finding)[-1] == ("person:ann", "assigned", "")


def test_only_members_who_may_correct_can_have_it(finding):
    reader = make.person("rex", role=Role.VIEWER)
    judge = make.person("judy", role=Role.AUDITOR)
    outsider = make.person("oz", make.workspace("w2"))
    gone = make.person("gus")
    gone.is_active = False
    gone.save()
    member = make.person("mia", role=Role.ADMIN)
    assert list(assignable(make.scope())) == [member]
    for person in (reader, judge, outsider, gone):
        with pytest.raises(NotAMember):
            assign(by("ann"), finding, person.pk)
    with pytest.raises(NotAMember):
        assign(by("ann"), finding, 10**9)
    assert told(finding) == []


def test_a_finding_of_another_workspace_is_out_of_reach(finding):
    there = make.scope(make.workspace("w2"))
    with pytest.raises(Finding.DoesNotExist):
        resolve(there, finding, "not mine")
    assert told(finding) == []
