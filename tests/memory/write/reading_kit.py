"""The moment of a reading, and answers of a model in the contract."""

from datetime import UTC, datetime

NOW = datetime(2026, 5, 6, 7, 8, tzinfo=UTC)


def memory(**fields) -> dict:
    return {
        "quote": "",
        "content": "用户喝乌龙茶",
        "entity": "user",
        "attribute": "饮料",
        "value": "乌龙茶",
        "mem_type": "preference",
        "confidence": 0.8,
    } | fields


def answer(*memories: dict, should_store: bool = True) -> dict:
    return {"should_store": should_store, "memories": list(memories)}
