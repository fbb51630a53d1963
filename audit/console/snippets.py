"""Ready pieces of code that use a key: for a shell, for Python, for TypeScript, for
clients of MCP.

They read the key from the environment: a page that is left open does not give it away. None of
them needs a library.
"""

import json
import shlex
from dataclasses import dataclass

from django.utils.translation import gettext as _

from memory.api.lanes import MCP
from memory.models import ApiKey

KEY_NAME = "MASE_API_KEY"
_PYTHON = """\
import json
import os
import urllib.request

URL = {url}


def ask(path, body):
    headers = {{
        "Authorization": "Bearer " + os.environ["MASE_API_KEY"],
        "Content-Type": "application/json",
    }}
    data = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


{calls}
"""
_TYPESCRIPT = """\
const url = {url};
const headers = {{
  Authorization: `Bearer ${{process.env.MASE_API_KEY}}`,
  "Content-Type": "application/json",
}};

{calls}
"""
_TYPESCRIPT_CALL = """\
const {name} = await fetch(url + {path}, {{
  method: "POST",
  headers,
  body: JSON.stringify({body}),
}});
if (!{name}.ok) throw new Error(await {name}.text());
console.log(await {name}.json());"""


@dataclass(frozen=True)
class Snippet:
    title: str
    code: str


def calls_of(key: ApiKey) -> dict[str, tuple[str, dict[str, str]]]:
    """What the key may do, as path and body: a memory to keep and a question for it."""
    user = key.user_id or "ann"
    calls = {
        "write": ("/memories", {"user_id": user, "text": _("My budget is 1200")}),
        "read": ("/recall", {"user_id": user, "query": _("What is my budget?")}),
    }
    return {scope: call for scope, call in calls.items() if scope in key.scopes}


def snippets(key: ApiKey, base: str) -> list[Snippet]:
    """The pieces for a key; `base` is the API's address. Empty for a key that may neither read
    nor write."""
    calls = calls_of(key)
    if not calls:
        return []
    return [
        Snippet("curl", "\n".join(curl(base + path, body) for path, body in calls.values())),
        Snippet("Python", _python(calls, base)),
        Snippet("TypeScript", _typescript(calls, base)),
        Snippet("MCP, .mcp.json", _mcp(base, f"${{{KEY_NAME}}}", type="http")),
        Snippet("MCP, .cursor/mcp.json", _mcp(base, f"${{env:{KEY_NAME}}}")),
    ]


def curl(address: str, body: dict[str, str], key: str = "") -> str:
    """A command; without `key` it takes the key from the environment."""
    header = shlex.quote(f"Authorization: Bearer {key}") if key else (
        f'"Authorization: Bearer ${KEY_NAME}"'
    )  # fmt: skip
    return (
        f"curl {shlex.quote(address)} \\\n"
        f"  -H {header} \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(_json(body))}"
    )


def _mcp(base: str, key: str, **more: str) -> str:
    """A client's settings; it puts the key in from the environment."""
    address = base.removesuffix("/api/v1") + MCP
    server = more | {"url": address, "headers": {"Authorization": f"Bearer {key}"}}
    return json.dumps({"mcpServers": {"mase": server}}, indent=2, ensure_ascii=False)


def _python(calls, base: str) -> str:
    lines = (f"print(ask({_json(path)}, {_json(body)}))" for path, body in calls.values())
    return _PYTHON.format(url=_json(base), calls="\n".join(lines))


def _typescript(calls, base: str) -> str:
    names = {"write": "written", "read": "recalled"}
    lines = (
        _TYPESCRIPT_CALL.format(name=names[scope], path=_json(path), body=_json(body))
        for scope, (path, body) in calls.items()
    )
    return _TYPESCRIPT.format(url=_json(base), calls="\n\n".join(lines))


def _json(value) -> str:
    """A literal that JSON, Python and TypeScript read alike."""
    return json.dumps(value, ensure_ascii=False)
