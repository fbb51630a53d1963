"""Plain makers of things that tests need, with sensible defaults."""

from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.test import Client

from memory.models import (
    KEY_SCOPES,
    ApiKey,
    Membership,
    Memory,
    Policy,
    Role,
    Scope,
    Turn,
    Workspace,
    policies_of,
    policy_draft,
)
from memory.recall import Answer, RecallRequest, recall
from memory.write.policies import save_policy
from memory.write.proposal import Proposal
from memory.write.remember import Written
from memory.write.remember import remember as write
from memory.write.turns import Utterance, add_turns


def workspace(name: str = "w1") -> Workspace:
    return Workspace.objects.get_or_create(name=name, defaults={"title": name.upper()})[0]


def scope(
    of: Workspace | None = None,
    user_id: str | None = None,
    actor: str = "person:ann",
    surface: str = "console",
) -> Scope:
    return Scope((of or workspace()).pk, actor, surface, user_id)


def written(in_scope: Scope | None = None, *, reason: str = "", **fields) -> Written:
    fields.setdefault("user_id", "ann")
    return write(in_scope or scope(), [Proposal(**fields)], reason=reason)


def remember(in_scope: Scope | None = None, *, reason: str = "", **fields) -> Memory:
    return written(in_scope, reason=reason, **fields).outcomes[0].memory


def budget(value: str, **fields) -> Memory:
    """One more value of the same fact: the user's budget."""
    return remember(
        **{
            "entity": "user",
            "attribute": "预算",
            "value": value,
            "text": f"我的预算是{value}元",
            "kind": "fact",
            "session_id": "s1",
            "source": "user_said",
            "occurred_at": None,
        }
        | fields
    )


def draft(kind: str, domain: str = "", of: Workspace | None = None, **values) -> Policy:
    """What rules there now with other values, not saved."""
    drawn = policy_draft(policies_of((of or workspace()).pk), kind, domain)
    for name, value in values.items():
        setattr(drawn, name, value)
    return drawn


def policy(kind: str, domain: str = "", of: Workspace | None = None, **values) -> Policy:
    """The next version of a policy, saved."""
    return save_policy(scope(of), draft(kind, domain, of, **values), reason="").policy


def turn(in_scope: Scope | None = None, content: str = "你好", **fields) -> Turn:
    fields = {"role": "user", "user_id": "ann", "session_id": "s1"} | fields
    return add_turns(in_scope or scope(), [Utterance(content=content, **fields)])[0]


def ask(query: str, in_scope: Scope | None = None, **fields) -> Answer:
    return recall(RecallRequest(in_scope or scope(user_id="ann"), query, **fields))


def api_key(
    of: Workspace | None = None, scopes=KEY_SCOPES, user_id: str = "", name: str = "bot", **fields
) -> tuple[ApiKey, str]:
    return ApiKey.objects.issue(of or workspace(), name, list(scopes), user_id=user_id, **fields)


def client_for(key_text: str) -> Client:
    return Client(headers={"authorization": f"Bearer {key_text}"})


def person(username: str = "ann", of: Workspace | None = None, role: str = Role.OPERATOR) -> User:
    user = User.objects.create_user(username, password="pass-word-1")
    if role:
        Membership.objects.create(workspace=of or workspace(), person=user, role=role)
    return user


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def instant(text: str) -> datetime:
    """ "2026-03-01 09:00" in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
