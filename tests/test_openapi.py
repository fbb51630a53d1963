"""The API's description: committed, and true of what the API does.

`manage.py export_openapi_schema --api mase_site.urls.api --indent 1 --output docs/openapi.json`
writes it anew.
"""

import json
from pathlib import Path

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mase_site.urls import api
from tests.factories import api_key, budget

ROOT = Path(__file__).resolve().parents[1]
CHECKS = (
    not_a_server_error,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
description = schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema())))
description.app = get_wsgi_application()


def test_the_committed_description_is_the_present_one():
    kept = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(api.get_openapi_schema()))


@pytest.fixture
def key(db, settings):
    """A key that may do all, over a store with a row. The test's connection stays open."""
    settings.RATE_PER_MINUTE = 0
    budget("1200")
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield api_key()[1]
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@description.parametrize()
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_answers_as_it_is_described(case, key):
    case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=list(CHECKS))
