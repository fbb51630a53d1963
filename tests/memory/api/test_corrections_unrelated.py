"""What other rows are in the store changes neither the verdict nor the effect."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import Memory
from tests import factories as make
from tests.memory.api.calls import owner, post
from tests.memory.write.correction.utterances import STORE, UTTERANCES

pytestmark = pytest.mark.django_db

ELSEWHERE = st.sampled_from([{"user_id": "ben"}, {"session_id": "s9"}, {"agent_id": "a9"}])
SAID = st.sampled_from(["3点 评审", "3000", "60", "改成", "不对 3100元", "61公斤"])
ROWS = st.lists(
    st.one_of(
        # The very same keys, of another user or of another agent.
        st.builds(
            lambda n, whose: dict(zip(("entity", "attribute", "value"), STORE[n], strict=True))
            | whose,
            st.integers(0, 3),
            st.sampled_from([{"user_id": "ben"}, {"agent_id": "a9"}]),
        ),
        st.builds(lambda text, n, where: {"text": f"{text} {n}"} | where,
                  SAID, st.integers(0, 9999), ELSEWHERE),
        st.builds(lambda n, where: {"entity": f"青藤组{n}", "attribute": "房租", "value": "2600元"}
                  | where, st.integers(0, 99), ELSEWHERE),
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


def effect(client, utterance: str) -> tuple:
    """The verdict, and what the store's own rows are after it was applied."""
    body = {"text": utterance, "user_id": "ann", "session_id": "s1"}
    found = post(client, "/corrections", body).data
    answer = post(
        client, f"/corrections/{found['id']}/apply", {"confirm_count": max(found["count"], 1)}
    )
    rows = Memory.everywhere.filter(user_id="ann", session_id="s1", agent_id="")
    told = rows.values_list("entity", "attribute", "value", "status")
    seen = {(target["entity"], target["attribute"]) for target in found["targets"]}
    return found["verdict"], found["reason"], seen, answer.problem, sorted(told)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS, utterance=st.sampled_from(UTTERANCES))
def test_unrelated_rows_change_nothing(rows, utterance):
    effects = []
    for others in ([], rows):
        with transaction.atomic():
            for entity, attribute, value in STORE:
                make.remember(
                    entity=entity, attribute=attribute, value=value, session_id="s1",
                    source="user_said",
                )  # fmt: skip
            for row in others:
                make.remember(**{"session_id": "s9"} | row)
            effects.append(effect(owner(), utterance))
            transaction.set_rollback(True)
    assert effects[0] == effects[1]
