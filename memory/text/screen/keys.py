"""Keys and tokens that are told by their own form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .finding import SECRET, Finding
from .views import View, Views


@dataclass(frozen=True)
class Form:
    """A vendor's key: it begins with one of `prefixes` and is `pattern` from there on."""

    rule: str
    prefixes: tuple[str, ...]
    pattern: re.Pattern
    kind: str = "api_key"


def _form(rule: str, prefixes: str, rest: str, kind: str = "api_key") -> Form:
    words = tuple(prefixes.split())
    start = "|".join(re.escape(word) for word in words)
    return Form(rule, words, re.compile(rf"(?:{start})(?:{rest})(?![A-Za-z0-9])"), kind)


_B64 = "[A-Za-z0-9_-]"
# Lengths are the vendors' own or a little less, so that a key cut by a line end is still seen.
FORMS = (
    _form("own", "mase_", rf"[0-9a-f]{{8}}_{_B64}{{40,50}}"),
    _form("anthropic", "sk-ant-", rf"{_B64}{{16,200}}"),
    _form("openrouter", "sk-or-", rf"{_B64}{{16,200}}"),
    # DeepSeek, Moonshot and others write sk- too. A digit keeps sk-learn-tools out.
    _form("openai_style", "sk-", rf"(?=[A-Za-z_-]{{0,60}}[0-9]){_B64}{{20,200}}"),
    _form("github", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{30,100}"),
    _form("github", "github_pat_", "[A-Za-z0-9_]{30,120}"),
    _form("gitlab", "glpat- gldt- glrt- glptt- glcbt- glft-", rf"{_B64}{{18,60}}"),
    _form("aws", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"),
    _form("google", "AIza", rf"{_B64}{{33,39}}"),
    _form("google_oauth", "ya29.", rf"{_B64}{{20,300}}"),
    _form("google_oauth", "GOCSPX-", rf"{_B64}{{24,40}}"),
    _form("slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xapp-", "[A-Za-z0-9-]{10,200}"),
    _form(
        "slack_webhook", "hooks.slack.com/services/", r"T[A-Z0-9]{5,20}/B[A-Z0-9]{5,20}/\w{10,40}"
    ),
    _form("stripe", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", "[A-Za-z0-9]{16,120}"),
    _form("huggingface", "hf_", "[A-Za-z0-9]{30,60}"),
    _form("npm", "npm_", "[A-Za-z0-9]{30,60}"),
    _form("pypi", "pypi-AgEI pypi-AgEN", rf"{_B64}{{40,300}}"),
    _form("sendgrid", "SG.", rf"{_B64}{{16,30}}\.{_B64}{{30,60}}"),
    _form("twilio", "SK AC", "[0-9a-f]{32}"),
    _form("aliyun", "LTAI", "[A-Za-z0-9]{12,26}"),
    _form("tencent", "AKID", "[A-Za-z0-9]{28,40}"),
    _form("volcengine", "AKLT", "[A-Za-z0-9]{30,60}"),
    _form("groq", "gsk_", "[A-Za-z0-9]{40,60}"),
    _form("xai", "xai-", "[A-Za-z0-9]{40,90}"),
    _form("replicate", "r8_", "[A-Za-z0-9]{30,45}"),
    _form("digitalocean", "dop_v1_ doo_v1_", "[0-9a-f]{60,70}"),
    _form("shopify", "shpat_ shpss_ shpca_", "[0-9a-fA-F]{30,34}"),
    _form("telegram", "bot", r"[0-9]{8,10}:[A-Za-z0-9_-]{33,36}"),
    _form("mailgun", "key-", "[0-9a-f]{32}"),
    _form("linear", "lin_api_", "[A-Za-z0-9]{30,50}"),
    _form("notion", "ntn_ secret_", "[A-Za-z0-9]{38,60}"),
    _form("databricks", "dapi", "[0-9a-f]{32}"),
    _form("age", "AGE-SECRET-KEY-1", "[A-Z0-9]{40,60}", "private_key"),
    _form(
        "jwt", "eyJ", rf"{_B64}{{8,2000}}\.eyJ{_B64}{{4,4000}}\.{_B64}{{16,1000}}", "bearer_token"
    ),
)
_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{2,40}-----")
_BEARER = re.compile(
    r"(?:bearer|basic)[ \t]{1,4}(?=[a-z._~+/=-]{0,300}[0-9])(?P<token>[a-z0-9._~+/-]"
    r"{16,2000}={0,2})",
    re.IGNORECASE,
)


def find(views: Views) -> Iterator[Finding]:
    """API keys of the common vendors, JSON web tokens, bearer tokens, private keys."""
    view = views.plain
    for form in FORMS:
        for prefix in form.prefixes:
            if prefix in view.text:
                yield from _with(form, prefix, view)
    if "bearer" in views.lowered or "basic" in views.lowered:
        yield from _bearer(view)
    if "-----BEGIN" in view.text:
        yield from _pem(view)


def _with(form: Form, prefix: str, view: View) -> Iterator[Finding]:
    text, place = view.text, view.text.find(prefix)
    while place >= 0:
        match = None
        if place == 0 or not _alnum(text[place - 1]):
            match = form.pattern.match(text, place)
        if match:
            yield secret(view, *match.span(), form.kind, form.rule)
        place = text.find(prefix, match.end() if match else place + 1)


def _bearer(view: View) -> Iterator[Finding]:
    for match in _BEARER.finditer(view.text):
        yield secret(view, *match.span("token"), "bearer_token", "bearer")


def _pem(view: View) -> Iterator[Finding]:
    text, begin = view.text, _PEM.search(view.text)
    while begin:
        # Without its end the key may go on to the end of the text.
        end = _PEM_END.search(text, begin.end())
        stop = end.end() if end else len(text)
        yield secret(view, begin.start(), stop, "private_key", "pem")
        begin = _PEM.search(text, stop)


def secret(view: View, start: int, end: int, kind: str, rule: str) -> Finding:
    """A secret at `start:end` of the view; its mask says only what kind it was."""
    return Finding(kind, SECRET, *view.place(start, end), rule, f"[{kind.replace('_', ' ')}]")


def _alnum(char: str) -> bool:
    return char.isascii() and char.isalnum()
