"""JSON from outside, read strictly: what is let in can be stored, logged and exported again."""

import json
import math
from typing import Any, NoReturn

# The C scanner gives up at the interpreter's recursion limit, and whatever walks the value
# after it would too; nothing of ours needs more than six levels.
MAX_DEPTH = 32


class NotStrict(ValueError):
    """What is wrong, to follow a name: "… is not JSON". `code`: not_json, too_deep, number,
    surrogate, twice."""

    def __init__(self, code: str, message: str):
        self.code = code
        super().__init__(message)


def loads(data: bytes | str, *, each_once: bool = False) -> Any:
    """The value. Raises `NotStrict`: not UTF-8, not JSON (NaN and Infinity included), nested too
    deeply, a number beyond a float, half a surrogate pair in a string; with `each_once` also an
    object that names something twice."""
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=_each_once if each_once else None,
        )
    except NotStrict:
        raise
    except RecursionError:
        raise NotStrict("not_json", "is nested too deeply") from None
    except ValueError as error:
        raise NotStrict("not_json", f"is not JSON: {error}") from error
    _check(value)
    return value


def _check(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _check_text(one)
            elif isinstance(one, dict):
                deeper += [*one, *one.values()]
            elif isinstance(one, list):
                deeper += one
        if not deeper:
            return
        level = deeper
    raise NotStrict("too_deep", "is nested too deeply")


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise NotStrict("surrogate", "holds half of a character (a lone surrogate)")


def _no_constant(name: str) -> NoReturn:
    raise NotStrict("not_json", f"is not JSON: {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrict("number", "holds a number that is too large")
    return number


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict("twice", "names something twice")
    return found
