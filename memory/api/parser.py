"""JSON bodies, read strictly: what gets in can be stored, logged and exported again."""

import json
import math
from typing import Any, NoReturn

from ninja.parser import Parser

# The C scanner gives up at the interpreter's recursion limit, and whatever walks the value
# after it would too; no body of ours needs more than six levels.
MAX_DEPTH = 32


class RefusedBody(ValueError):
    """`status` and `code` are what the problem answer bears."""

    def __init__(self, message: str, *, status: int = 400, code: str = "bad_json"):
        self.status, self.code = status, code
        super().__init__(message)


class StrictJson(Parser):
    def parse_body(self, request) -> Any:
        """The body as JSON. Raises `RefusedBody`: not UTF-8, not JSON (NaN and Infinity
        included), nested too deeply, or with half a surrogate pair in a string."""
        try:
            body = json.loads(
                request.body.decode("utf-8"), parse_constant=_refuse, parse_float=_finite
            )
        except RefusedBody:
            raise
        except RecursionError:
            raise RefusedBody("nested too deeply") from None
        except ValueError as error:
            raise RefusedBody(f"not JSON: {error}") from error
        _check(body)
        return body


def _refuse(name: str) -> NoReturn:
    raise RefusedBody(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise RefusedBody("a number is too large")
    return number


def _check(body: Any) -> None:
    level = [body]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                deeper += [*value, *value.values()]
            elif isinstance(value, list):
                deeper += value
        if not deeper:
            return
        level = deeper
    raise RefusedBody("nested too deeply")


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise RefusedBody("half a surrogate pair in a string", status=422, code="invalid")
