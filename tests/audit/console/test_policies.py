from datetime import timedelta

import pytest
from django.test import Client

from audit.console import policy_form
from memory import clock
from memory.models import Batch, Memory, Policy, Role, policies_of
from memory.write import policies as writing
from memory.write import queue
from tests import factories as make
from tests.audit.console.pages_kit import filled, queries, text_of

pytestmark = pytest.mark.django_db
HERE = "/settings/policies/inventory/"
COLD = f"{HERE}?domain=%E5%86%B7%E5%BA%93"


def person(role: str = Role.ADMIN, of=None) -> Client:
    return make.logged_in(make.person(f"p-{role}", of, role=role))


def stock(text: str = "冷库还有四十箱梨", **fields) -> Memory:
    return make.remember(text=text, **{"kind": "inventory", "domain": "冷库"} | fields)


def typed(client: Client, address: str = HERE, **values) -> dict:
    """What a browser would send, with some fields typed over; "" is an empty field."""
    said = {k: v for k, v in filled(client.get(address)).items() if k and k != "domain"}
    switches = {"single_valued", "review_required"} - values.keys()
    rules = policies_of(make.workspace().pk).of("inventory", "冷库" if address == COLD else "")
    for name in switches:
        said.pop(name, None)
        if getattr(rules, name):
            said[name] = "on"
    return said | values


def previewed(client: Client, address: str = HERE, step: str = "preview", **values):
    return client.post(address, typed(client, address, **values) | {"step": step})


def save(client: Client, shown, address: str = HERE, step: str = "save", **values):
    context = shown.context["form"]
    said = dict(context.data.items()) | {"previewed": context.digest, "step": step}
    return client.post(address, said | values)


def test_the_settings_list_kinds_and_domains_with_who_and_when():
    make.policy("inventory", "冷库", ttl_hours=6)
    page = text_of(person().get("/settings/"))
    assert "冷库" in page
    assert "person:ann" in page
    assert f'href="{HERE}"' in page
    assert f'href="{COLD}"' in page
    assert "Edit" in page


def test_a_preview_tells_values_rows_and_answers_and_changes_nothing():
    early = clock.now() - timedelta(hours=9)
    with clock.at(early):
        row, other = stock(), make.remember(text="梨归老周管", kind="fact", importance=1)
        soon = make.ask("冷库的梨").record
    late = make.ask("冷库的梨").record
    client = person()
    answer = previewed(client, ttl_hours="6", importance="5")
    page = text_of(answer)
    assert answer.status_code == 200
    assert "nothing has changed yet" in page
    assert "<del>24</del> → <ins>6</ins>" in page
    assert "<del>4</del> → <ins>5</ins>" in page
    assert "1 of 2 answers of the last 30 days would change." in page
    assert "2 answers that this can touch were asked again" in page
    assert "1 active memory gets another end" in page
    assert f"/recalls/{late.public_id}/" in page
    assert f"/recalls/{soon.public_id}/" not in page
    assert f"/memories/{row.public_id}/" in page
    assert f"/memories/{other.public_id}/" in page
    for word in ("Leaves", "Moves", "rank 1", "rank 2 → 1"):
        assert word in page
    assert "Comes" not in page
    assert not Policy.objects.exists()
    assert Memory.everywhere.get(pk=row.pk).ttl_hours == 24


def test_only_what_was_previewed_is_saved():
    row, client = stock(), person()
    shown = previewed(client, ttl_hours="48")
    again = save(client, shown, ttl_hours="72")
    assert "<del>24</del> → <ins>72</ins>" in text_of(again)
    assert not Policy.objects.exists()
    done = client.post(HERE, typed(client, ttl_hours="48") | {"step": "save"})
    assert "nothing has changed yet" in text_of(done)
    assert not Policy.objects.exists()
    saved = save(client, shown, reason="盘点 <b>隔日</b>")
    assert (saved.status_code, saved.headers["Location"]) == (302, HERE)
    policy = Policy.objects.get()
    assert (policy.version, policy.ttl_hours, policy.actor) == (1, 48, "person:p-admin")
    assert Memory.everywhere.get(pk=row.pk).ttl_hours == 48
    assert Batch.everywhere.get(verb="policy").actor == "person:p-admin"
    page = text_of(client.get(HERE))
    assert "Version 1 is saved" in page
    assert "1 memory got another end." in page
    assert "盘点 &lt;b&gt;隔日&lt;/b&gt;" in page
    assert "<del>24</del> → <ins>48</ins>" in page


def test_no_limit_is_an_empty_field():
    client = person()
    save(client, previewed(client, ttl_hours=""))
    assert Policy.objects.get().ttl_hours is None
    assert "<ins>none</ins>" in text_of(client.get(HERE))


def test_a_domain_gets_its_own_and_gives_it_back():
    client, cold = person(), stock()
    assert "goes by its kind" in text_of(client.get(COLD))
    assert "preview-remove" not in text_of(client.get(COLD))
    saved = save(client, previewed(client, COLD, ttl_hours="6"), COLD)
    assert saved.headers["Location"] == COLD
    assert Policy.objects.get().domain == "冷库"
    assert Memory.everywhere.get(pk=cold.pk).ttl_hours == 6
    assert "冷库" in text_of(client.get(HERE))
    shown = previewed(client, COLD, step="preview-remove", ttl_hours="2")
    assert "<del>6</del> → <ins>24</ins>" in text_of(shown)
    assert policies_of(make.workspace().pk).own("inventory", "冷库")
    save(client, shown, COLD, step="remove")
    assert policies_of(make.workspace().pk).own("inventory", "冷库") is None
    assert Memory.everywhere.get(pk=cold.pk).ttl_hours == 24
    assert "goes by the kind" in text_of(client.get(COLD))


def test_two_admins():
    client = person()
    shown = previewed(client, ttl_hours="48")
    make.policy("inventory", ttl_hours=12)
    answer = save(client, shown)
    assert answer.status_code == 200
    assert "person:ann changed this policy meanwhile. Nothing was saved." in text_of(answer)
    assert policies_of(make.workspace().pk).of("inventory").ttl_hours == 12
    assert Policy.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"half_life_hours": "0"}, "greater than or equal to 1"),
        ({"half_life_hours": ""}, "This field is required"),
        ({"half_life_hours": "often"}, "Enter a whole number"),
        ({"ttl_hours": "876001"}, "less than or equal to 876000"),
        ({"importance": "6"}, "Select a valid choice"),
        ({"reason": "因" * 501}, "at most 500"),
    ],
)
def test_what_cannot_be_kept_is_told_at_its_field(values, told):
    client = person()
    answer = previewed(client, **values)
    assert told in text_of(answer)
    assert "nothing has changed yet" not in text_of(answer)
    assert not Policy.objects.exists()


def test_nothing_changed_is_told():
    client = person()
    answer = save(client, previewed(client))
    assert "is what it already says" in text_of(answer)
    assert not Policy.objects.exists()


def test_a_cut_simulation_says_so(monkeypatch):
    monkeypatch.setitem(policy_form.simulate.__kwdefaults__, "most", 1)
    stock()
    for _ in range(3):
        make.ask("冷库的梨")
    page = text_of(previewed(person(), ttl_hours="6"))
    assert "only the newest 1 answers were looked through" in page


def test_what_is_left_to_upkeep_is_told(monkeypatch):
    monkeypatch.setattr(writing, "BATCH", 1)
    monkeypatch.setattr(writing, "AT_ONCE", 1)
    stock()
    stock("冷库还有三箱杏")
    client = person()
    save(client, previewed(client, ttl_hours="6"))
    page = text_of(client.get(HERE))
    assert "1 memory got another end." in page
    assert "1 more memory gets its end with the next upkeep." in page


def test_a_busy_store_saves_nothing(monkeypatch):
    def full(*args, **kwargs):
        raise queue.QueueTimeout("the write queue is longer than its deadline")

    client = person()
    shown = previewed(client, ttl_hours="6")
    monkeypatch.setattr("audit.console.policies.save_policy", full)
    assert "The store is busy and nothing was changed" in text_of(save(client, shown))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.REVIEWER])
def test_others_read_and_cannot_change(role):
    make.policy("inventory", ttl_hours=48)
    client = person(role)
    page = text_of(client.get(HERE))
    assert "48" in page
    assert "Only an admin of this workspace changes a policy." in page
    assert "Preview the change" not in page
    for step in ("preview", "save", "remove"):
        assert client.post(HERE, {"step": step}).status_code == 403
    assert "Edit" not in text_of(client.get("/settings/"))


def test_another_workspace_neither_sees_nor_changes_it():
    make.policy("inventory", ttl_hours=4321)
    make.policy("inventory", "冷库", ttl_hours=4322)
    stock()
    make.ask("冷库的梨")
    client = person(of=make.workspace("w2"))
    for address in ("/settings/", HERE, COLD):
        page = text_of(client.get(address))
        assert "4321" not in page
        assert "4322" not in page
    form = typed(client, ttl_hours="6") | {"step": "preview"}
    shown = client.post(HERE, form)
    assert "0 of 0 answers" in text_of(shown)
    save(client, shown)
    assert policies_of(make.workspace("w2").pk).of("inventory").ttl_hours == 6
    assert policies_of(make.workspace().pk).of("inventory").ttl_hours == 4321


def test_no_such_kind_and_no_such_domain():
    client = person()
    for address in ("/settings/policies/mood/", f"{HERE}?domain=%00", f"{HERE}?domain={'x' * 101}"):
        assert client.get(address).status_code == 404


def test_anonymous_goes_to_login_and_the_roleless_are_refused():
    assert Client().get(HERE).headers["Location"].startswith("/login/")
    assert make.logged_in(make.person("nobody", role="")).get(HERE).status_code == 403


def test_queries_do_not_grow_with_answers_versions_or_rows():
    client = person()
    make.policy("inventory", ttl_hours=100)
    few = queries(client, HERE)
    for hours in range(101, 108):
        make.policy("inventory", ttl_hours=hours)
        make.policy("inventory", f"d{hours}", ttl_hours=hours)
    assert queries(client, HERE) == few


def test_every_field_says_what_it_does():
    page = text_of(person().get(HERE))
    for part in ("720 (a month)", "24 for stock", "what is stored stays as it is", "in passing"):
        assert part in page
    assert 'id="id_ttl_hours_helptext"' in page
    assert "style=" not in page.split("<main")[-1]


def test_in_chinese():
    client = person()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in text_of(client.get(HERE))


def test_each_value_is_explained_with_what_is_usual_for_everybody():
    for client in (person(), person(Role.VIEWER)):
        page = text_of(client.get("/settings/policies/inventory/"))
        assert "Usual for this kind: 24." in page
        assert "fewer guesses reach agents" in page
        assert page.count("Usual for this kind:") == 8


def take_back(client: Client, version: int, address: str = HERE, **said):
    return client.post("/settings/policies/inventory/undo/", {"version": version} | said)


def test_the_newest_version_is_taken_back_and_that_too():
    row = stock()
    ruled = policies_of(make.workspace().pk).of("inventory").values()
    make.policy("inventory", ttl_hours=6)
    client = person()
    assert 'action="/settings/policies/inventory/undo/"' in text_of(client.get(HERE))
    assert take_back(client, 1)["Location"] == HERE
    policy = policies_of(make.workspace().pk).of("inventory")
    assert (policy.version, policy.values()) == (2, ruled)
    assert Memory.everywhere.get(pk=row.pk).ttl_hours == 24
    take_back(client, 2)
    assert policies_of(make.workspace().pk).of("inventory").ttl_hours == 6


def test_a_domain_that_had_no_policy_of_its_own_goes_by_its_kind_again():
    make.policy("inventory", "冷库", ttl_hours=6)
    take_back(person(), 1, domain="冷库")
    assert policies_of(make.workspace().pk).own("inventory", "冷库") is None
    take_back(make.logged_in(make.person("adi", role=Role.ADMIN)), 2, domain="冷库")
    assert policies_of(make.workspace().pk).own("inventory", "冷库").ttl_hours == 6


@pytest.mark.parametrize("version", ["", "0", "x", "1"])
def test_what_is_not_the_newest_version_is_not_taken_back(version):
    make.policy("inventory", ttl_hours=6)
    make.policy("inventory", ttl_hours=8)
    answer = take_back(person(), version)
    assert answer.status_code == (302 if version == "1" else 404)
    assert policies_of(make.workspace().pk).of("inventory").ttl_hours == 8


def test_a_version_is_taken_back_by_an_admin_of_the_workspace_alone():
    make.policy("inventory", ttl_hours=6)
    assert take_back(person(Role.OPERATOR), 1).status_code == 403
    take_back(person(of=make.workspace("w2")), 1)
    assert policies_of(make.workspace().pk).of("inventory").ttl_hours == 6


def test_what_was_saved_can_be_taken_back_by_a_key_where_it_is_told():
    client = person()
    save(client, previewed(client, ttl_hours="48"))
    page = text_of(client.get(HERE))
    assert 'form="undo-policy" data-undo aria-keyshortcuts="U"' in page
    assert page.count('id="undo-policy"') == 1
    assert "data-undo" not in text_of(client.get(HERE))
    take_back(client, 1)
    assert "data-undo" in text_of(client.get(HERE))
