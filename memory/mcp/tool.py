"""What a tool is: a name, what it takes and gives, and what it may do to the store."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from django.http import HttpResponse
from ninja import Schema
from pydantic import ValidationError

from memory.api.fields import Body
from memory.api.problems import problem_for
from memory.write.proposal import InvalidInput

from .caller import Caller
from .size import within_reply


@dataclass(frozen=True)
class Tool:
    """`needs` is the key's scope. `reads`: it changes nothing; `destroys`: what an agent is
    given may go away by it; `repeats`: called again the same, it changes nothing more."""

    name: str
    title: str
    needs: str
    takes: type[Body]
    gives: type[Schema]
    run: Callable[[Caller, Any], dict[str, Any]]
    reads: bool = False
    destroys: bool = False
    repeats: bool = False

    @property
    def description(self) -> str:
        return cleandoc(self.run.__doc__)


@dataclass(frozen=True)
class Told:
    """The answer of a call. Where it was refused, `body` is the problem that the API answers."""

    body: dict[str, Any]
    refused: bool = False


def tell(tool: Tool, door: Callable[[], Caller], arguments: Mapping[str, Any]) -> Told:
    """Call a tool. Every refusal is told with the API's own `code`, nothing is raised."""
    caller = None
    try:
        caller = door()
        caller.check(tool.needs)
        return Told(within_reply(tool.run(caller, _read(tool, arguments))))
    except Exception as error:
        return Told(json.loads(problem_for(caller or _Nobody, error).content), refused=True)


def answer_of(response: HttpResponse) -> dict[str, Any]:
    """What an operation of the API answered."""
    return json.loads(response.content)


def _read(tool: Tool, arguments: Mapping[str, Any]) -> Body:
    try:
        return tool.takes.model_validate(dict(arguments))
    except ValidationError as error:
        # Without the input: what was refused is not said back.
        found = error.errors(include_input=False, include_url=False, include_context=False)
        raise InvalidInput([(_place(e["loc"]), _message(e["msg"])) for e in found]) from None


def _place(steps: tuple) -> str:
    return ".".join(map(str, steps))


def _message(text: str) -> str:
    return text.removeprefix("Value error, ")


class _Nobody:
    method, path, headers = "POST", "/mcp", {}
