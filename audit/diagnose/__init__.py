"""Diagnosis: why an agent remembered and still answered wrongly, one module a symptom.

The links of the chain are asked in the order in which a memory reaches an answer: retrieval, rank,
freshness, context, model. The first that is a cause is named; nothing is changed by asking.
"""
