"""Guessing passwords."""

import pytest
from django.test import Client

from tests.factories import person

pytestmark = pytest.mark.django_db
RIGHT, WRONG = "pass-word-1", "guess"


def log_in(username: str, password: str, *, address: str = "10.0.0.1", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    client = Client(REMOTE_ADDR=address, headers=named)
    return client.post("/login/", {"username": username, "password": password})


def test_the_sixth_guess_is_not_looked_at_even_when_it_is_right():
    person("ann")
    answers = [log_in("ann", WRONG) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    refused = log_in("ann", RIGHT)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) == 900
    page = refused.content.decode()
    assert "Too many attempts" in page
    assert RIGHT not in page


def test_the_same_name_from_elsewhere_and_another_name_from_here_may_log_in():
    person("ann")
    person("bob")
    for _ in range(5):
        log_in("ann", WRONG)
    assert log_in("ann", RIGHT, address="10.0.0.2").status_code == 302
    assert log_in("bob", RIGHT).status_code == 302


def test_a_good_password_in_between_starts_the_count_again():
    person("ann")
    for _ in range(2):
        for _ in range(4):
            log_in("ann", WRONG)
        assert log_in("ann", RIGHT).status_code == 302


def test_a_name_that_does_not_exist_is_refused_alike():
    answers = [log_in("nobody", WRONG) for _ in range(6)]
    assert [answer.status_code for answer in answers[-2:]] == [429, 429]


def test_the_admin_pages_have_the_same_lock():
    person("ann")
    for _ in range(5):
        Client(REMOTE_ADDR="10.0.0.1").post("/admin/login/", {"username": "ann", "password": "x"})
    assert log_in("ann", RIGHT).status_code == 429


@pytest.mark.parametrize(("behind", "second"), [(True, 302), (False, 429)])
def test_only_behind_a_proxy_is_its_header_believed(settings, behind, second):
    settings.BEHIND_PROXY = behind
    person("ann")
    for number in range(5):
        log_in("ann", WRONG, x_forwarded_for=f"6.6.6.{number}, 192.0.2.1")
    assert log_in("ann", RIGHT, x_forwarded_for="192.0.2.7").status_code == second
    if behind:
        # What the client itself puts before the proxy's word changes nothing.
        assert log_in("ann", RIGHT, x_forwarded_for="9.9.9.9, 192.0.2.1").status_code == 429
