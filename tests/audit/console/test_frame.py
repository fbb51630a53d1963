"""The frame of every page: which installation it is, and times for those who cannot hover."""

import pytest

from audit.console.templatetags.console import environment_tone, when
from memory import clock
from tests.factories import instant

from .pages_kit import operator, text_of


@pytest.mark.parametrize(
    ("name", "tone"),
    [
        ("PROD", "production"),
        ("生产环境", "production"),
        ("Staging 2", "staging"),
        ("预发", "staging"),
        ("QA", "test"),
        ("local", "development"),
        ("Tuesday", "other"),
    ],
)
def test_an_environment_has_the_colour_of_its_kind(name, tone):
    assert environment_tone(name) == tone


@pytest.mark.django_db
def test_the_environment_is_named_on_a_page_and_at_the_login(settings, client):
    settings.ENVIRONMENT_LABEL = "PROD <1>"
    said = '<span class="environment environment-production">PROD &lt;1&gt;</span>'
    assert said in text_of(operator().get("/settings/me/"))
    assert said in text_of(client.get("/login/"))
    settings.ENVIRONMENT_LABEL = ""
    assert "environment-" not in text_of(client.get("/login/"))


def test_only_a_relative_time_can_be_turned():
    at = instant("2026-03-01 09:00")
    with clock.at(at):
        assert 'title="2026-03-01 09:00:00 UTC+00:00" data-relative="">just now<' in when(at)
        assert "data-relative" not in when(at, full=True)
