from datetime import UTC
from xml.etree import ElementTree

from audit.questions.ask import Asked, Ran
from memory import clock

from .text import headline, reasons


def render(workspace: str, ran: Ran) -> str:
    """One suite, a case a question. An empty suite has one case, which fails: servers that read
    such files take a suite without cases for a passed one."""
    name = f"questions.{workspace}"
    cases = [_case(name, one) for one in ran.asked] or [_empty(name, ran)]
    at = ran.run.at if ran.run else clock.now()
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        timestamp=f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        hostname="localhost",
        tests=str(len(cases)),
        failures=str(ran.failed if ran.asked else 1),
        errors="0",
        skipped="0",
        time=_seconds(ran.took_ms),
    )
    suite.extend(cases)
    root = ElementTree.Element("testsuites", name="questions")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode")


def _case(suite: str, one: Asked) -> ElementTree.Element:
    # The id keeps two questions of the same words apart.
    case = ElementTree.Element(
        "testcase",
        classname=f"{suite}.{_printable(one.question.user_id)}",
        name=_printable(f"{one.question.text} [{str(one.question.public_id)[-8:]}]"),
        time=_seconds(one.took_ms),
    )
    if not one.passed:
        told = [_printable(reason) for reason in reasons(one)]
        failure = ElementTree.SubElement(case, "failure", type=one.question.kind, message=told[0])
        failure.text = "\n".join(told)
    return case


def _empty(suite: str, ran: Ran) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=suite, name="questions", time="0.000")
    ElementTree.SubElement(case, "failure", type="empty", message=headline(ran))
    return case


def _printable(text: str) -> str:
    """Without what XML 1.0 cannot hold, on one line."""
    kept = "".join(" " if char.isspace() else char for char in text if char not in "\ufffe\uffff")
    return " ".join(kept.split())


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f}"
