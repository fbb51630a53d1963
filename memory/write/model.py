"""Asking the language model that the operator configured: any OpenAI-compatible endpoint."""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.conf import settings
from pydantic import BaseModel, ValidationError

from memory.outbound import NoAnswer, post_json

Message = dict[str, Any]
Shape = TypeVar("Shape", bound=BaseModel)

ANSWER_BYTES = 1_000_000
# A 429 that asks for more is not waited for: the rules answer meanwhile.
LONGEST_WAIT_SECONDS = 2
# Of a broken answer that is shown to the model again.
_ECHO = 2_000
_FORMATS = ("json_schema", "json_object", "")
_ABOUT_FORMAT = re.compile(rb"response.?format|json.?(schema|object|mode)", re.IGNORECASE)
_ABOUT_TEMPERATURE = re.compile(rb"temperature", re.IGNORECASE)


class ModelUnavailable(Exception):
    """The model gave nothing usable. `code`, which is also the message:

    not_configured; timeout; refused (no connection, or no HTTP); http_429, http_500 and so on
    (a redirect is http_302: it is not followed); too_long; not_json; wrong_shape; empty;
    tool_call.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_configured() -> bool:
    """Whether the operator named a model."""
    return bool(settings.MODEL_URL and settings.MODEL_NAME)


def ask(messages: Sequence[Message], schema: type[Shape], *, name: str = "") -> Shape:
    """The model's answer to a chat, as a checked `schema`; `name`: another model of the endpoint.

    Asks at temperature 0, and once more where that may help: after a 5xx, after a 429 that
    asks for at most 2 seconds, and after an answer that is no such JSON, which the model is then
    told. All of it within MASE_MODEL_TIMEOUT seconds. Raises `ModelUnavailable`.
    """
    if not is_configured():
        raise ModelUnavailable("not_configured")
    name, end = name or settings.MODEL_NAME, time.monotonic() + settings.MODEL_TIMEOUT_SECONDS
    try:
        return _answered(name, [*messages], schema, end)
    except _Miss as miss:
        first = miss
    if first.wait is None or time.monotonic() + first.wait >= end:
        raise ModelUnavailable(first.code)
    time.sleep(first.wait)
    try:
        return _answered(name, [*messages, *first.told], schema, end)
    except _Miss as miss:
        raise ModelUnavailable(miss.code) from None


class _Miss(Exception):
    """One question that failed; `wait`: seconds until asking again may help, None if never."""

    def __init__(self, code: str, wait: float | None = None, told: Sequence[Message] = ()) -> None:
        super().__init__(code)
        self.code, self.wait, self.told = code, wait, told


@dataclass(frozen=True)
class _Manners:
    """What an endpoint is known to take."""

    format: int = 0
    temperature: bool = True

    def without(self, complaint: bytes) -> "_Manners | None":
        """The same without what the endpoint complains about; None if it is something else."""
        if self.temperature and _ABOUT_TEMPERATURE.search(complaint):
            return replace(self, temperature=False)
        if self.format + 1 < len(_FORMATS) and _ABOUT_FORMAT.search(complaint):
            return replace(self, format=self.format + 1)
        return None

    def fields(self, schema: type[BaseModel]) -> dict[str, Any]:
        chosen = {"temperature": 0} if self.temperature else {}
        kind = _FORMATS[self.format]
        if kind == "json_schema":
            named = {"name": "answer", "strict": True, "schema": schema.model_json_schema()}
            return chosen | {"response_format": {"type": kind, "json_schema": named}}
        return chosen | ({"response_format": {"type": kind}} if kind else {})


# Each endpoint is found out once in a process.
_known: dict[tuple[str, str], _Manners] = {}


def _answered(name: str, messages: list[Message], schema: type[Shape], end: float) -> Shape:
    endpoint = (settings.MODEL_URL, name)
    manners = _known.get(endpoint, _Manners())
    while True:
        question = {"model": name, "messages": messages, "stream": False}
        status, retry_after, body = _posted(question | manners.fields(schema), end)
        less = manners.without(body) if status in (400, 422) else None
        if less is None:
            break
        manners = less
    if status != 200:
        raise _Miss(f"http_{status}", _wait(status, retry_after))
    _known[endpoint] = manners
    return _checked(_content(body), schema)


def _posted(question: dict[str, Any], end: float) -> tuple[int, str, bytes]:
    try:
        answer = post_json(
            settings.MODEL_URL.rstrip("/") + "/chat/completions",
            question,
            key=settings.MODEL_KEY,
            seconds=end - time.monotonic(),
            limit=ANSWER_BYTES,
        )
    except NoAnswer as error:
        raise _Miss(error.code) from None
    return answer.status, answer.retry_after, answer.body


def _wait(status: int, retry_after: str) -> float | None:
    if status >= 500:
        return 0
    if status == 429 and re.fullmatch(r"[0-9]{1,3}", retry_after.strip()):
        seconds = int(retry_after)
        return seconds if seconds <= LONGEST_WAIT_SECONDS else None
    return None


def _content(body: bytes) -> str:
    """The text of the first choice of a chat completion."""
    try:
        choice = _json(body)["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        content = message.get("content")
        called = message.get("tool_calls") or message.get("function_call")
    except ValueError:
        raise _Miss("not_json") from None
    except IndexError:
        raise _Miss("empty", 0) from None
    except (KeyError, TypeError, AttributeError):
        raise _Miss("wrong_shape") from None
    if finish == "length":
        raise _Miss("too_long")
    if called and not content:
        raise _again("tool_call", "(a tool call)", "There are no tools here.")
    if content is None or content == "":
        raise _Miss("empty", 0)
    if not isinstance(content, str):
        raise _Miss("wrong_shape")
    return content


def _checked(content: str, schema: type[Shape]) -> Shape:
    try:
        answer = _object(content)
    except ValueError:
        raise _again("not_json", content, "That is no JSON object.") from None
    try:
        return schema.model_validate(answer)
    except ValidationError as error:
        # Without pydantic's input values: the complaint holds nothing that a text brought in.
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        complaint = f"That is not the JSON asked for. At {place}: {first['msg']}."
        raise _again("wrong_shape", content, complaint) from None


def _again(code: str, content: str, complaint: str) -> _Miss:
    said = {"role": "assistant", "content": content[:_ECHO]}
    told = {"role": "user", "content": complaint + " Answer again, with the JSON object only."}
    return _Miss(code, 0, [said, told])


def _object(content: str) -> Any:
    """The JSON in an answer, which a model without a JSON mode wraps in thoughts and words."""
    try:
        return _json(content)
    except ValueError:
        rest = content.rpartition("</think>")[2]
        return _json(rest[rest.index("{") : rest.rindex("}") + 1])


def _not_a_number(name: str) -> Any:
    raise ValueError(name)


def _json(text: str | bytes) -> Any:
    """As `json.loads`, without NaN and infinity; every failure is a `ValueError`."""
    try:
        return json.loads(text, parse_constant=_not_a_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
