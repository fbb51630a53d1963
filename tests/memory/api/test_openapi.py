"""The API's own description."""

import re

import pytest
from django.test import Client


def described() -> dict:
    return Client().get("/api/v1/openapi.json").json()


def operations():
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_every_operation_names_its_key_and_its_refusals():
    for name, operation in operations():
        assert operation["security"] == [{"BearerKey": []}, {"HeaderKey": []}], name
        refusals = {status for status in operation["responses"] if int(status) >= 400}
        assert {"401", "403", "422"} <= refusals, name
        for status in refusals:
            assert list(operation["responses"][status]["content"]) == ["application/problem+json"]


def test_every_operation_says_what_it_does():
    for name, operation in operations():
        assert re.search(r"Needs\s+`(read|write|correct|erase)`", operation["description"]), name


def test_lists_are_bounded():
    lists = [op for name, op in operations() if name.startswith("get") and op.get("parameters")]
    limits = [
        parameter["schema"]
        for operation in lists
        for parameter in operation["parameters"]
        if parameter["name"] == "limit"
    ]
    assert len(limits) >= 11
    assert {(limit["minimum"], limit["maximum"]) for limit in limits} == {(1, 200)}


@pytest.mark.django_db
def test_the_page_needs_no_other_host():
    page = Client().get("/api/v1/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", text) == []
    assert not re.search(r"<script(?![^>]*(src=|application/json))", text)
    assert "/api/v1/openapi.json" in text
