"""Rows that a correction does not mean never change what it means."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.write.correction.propose import understand
from memory.write.proposal import Proposal
from memory.write.remember import remember
from tests import factories as make
from tests.memory.write.correction.utterances import STORE, UTTERANCES

pytestmark = pytest.mark.django_db

# Words and digits of the utterances, in rows that say something else.
WORDS = st.sampled_from(
    ["3", "3点 评审", "3000", "60", "改成", "不对", "月", "concert", "组", "青藤组"]
)
ROWS = st.lists(
    st.one_of(
        st.builds(lambda text, n: {"text": f"{text} {n}"}, WORDS, st.integers(0, 9999)),
        st.builds(
            lambda name, n: {"entity": f"{name}{n}", "attribute": "颜色", "value": "红"},
            WORDS,
            st.integers(0, 99),
        ),
        st.builds(
            lambda n: {
                "entity": f"青藤组{n}",
                "attribute": "体重",
                "value": "70公斤",
                "session_id": "s9",
            },
            st.integers(0, 99),
        ),
        st.just({"entity": "user", "attribute": "体重", "value": "70公斤", "user_id": "ben"}),
    ),
    min_size=1,
    max_size=6,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS, utterance=st.sampled_from(UTTERANCES))
def test_the_verdict_does_not_depend_on_unrelated_rows(rows, utterance):
    with transaction.atomic():
        scope = make.scope()
        remember(scope, [_proposal({"entity": e, "attribute": a, "value": v}) for e, a, v in STORE])
        before = understand(scope.narrow("ann"), utterance, session_id="s1")
        remember(scope, [_proposal(row) for row in rows])
        after = understand(scope.narrow("ann"), utterance, session_id="s1")
        assert _seen(after) == _seen(before)
        transaction.set_rollback(True)


def _proposal(row: dict) -> Proposal:
    return Proposal(**{"user_id": "ann", "session_id": "s1", "source": "user_said"} | row)


def _seen(found):
    changes = {(change.memory.public_id, change.value) for change in found.changes}
    return found.verdict, found.reason, changes, {row.public_id for row in found.candidates}
