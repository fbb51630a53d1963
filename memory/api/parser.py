"""JSON bodies, read strictly."""

from typing import Any

from ninja.parser import Parser

from memory.text.strict_json import NotStrict, loads


class RefusedBody(ValueError):
    """`status` and `code` are what the problem answer bears."""

    def __init__(self, message: str, *, status: int = 400, code: str = "bad_json"):
        self.status, self.code = status, code
        super().__init__(message)


class StrictJson(Parser):
    def parse_body(self, request) -> Any:
        """The body as JSON; of a name given twice nobody knows which was meant. Raises
        `RefusedBody` for what `loads` does not take."""
        try:
            return loads(request.body, each_once=True)
        except NotStrict as error:
            told = f"the body {error}"
            if error.code == "surrogate":
                raise RefusedBody(told, status=422, code="invalid") from error
            raise RefusedBody(told) from error
