"""Texts that break things, for the property tests."""

from hypothesis import strategies as st

# Lone surrogates too: whatever a JSON body can carry.
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)
AWKWARD = st.text(
    st.sampled_from(
        "ａＢ１预預算发髮 　\u200b\u202e\ufe0f\u0301\u0323\u0345ßİſﬁ´ﷺ㎏ㄱㅏ각가각ﾊﾞ\ud83d①½\n"
    ),
    max_size=40,
)
