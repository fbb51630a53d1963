"""The labelled lines with their secrets and numbers made up at run time.

No key, card or identity number stands in a file: each is drawn here, with its right check digit,
so that scanners of the repository have nothing to find.
"""

import base64
import json
import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LINES = Path(__file__).resolve().parents[3] / "data" / "screening.jsonl"
_ALNUM, _HEX, _UPPER = (
    string.ascii_letters + string.digits,
    "0123456789abcdef",
    string.ascii_uppercase + string.digits,
)


@dataclass(frozen=True)
class Sample:
    text: str
    want: tuple[str, ...]
    hide: str
    planted: tuple[str, ...]


def samples(seed: int = 4) -> list[Sample]:
    """All lines. `want`: the families to be found; `planted`: the secrets and numbers put in."""
    draw = random.Random(seed)
    made = []
    for line in LINES.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        planted: list[str] = []

        def fill(match: re.Match, planted=planted) -> str:
            if match[1] not in MAKERS:
                return match[0]
            value = MAKERS[match[1]](draw)
            if match[1] != "scheme":
                planted.append(value)
            return value

        text = re.sub(r"\{([a-z0-9_]+)\}", fill, entry["text"])
        hide = entry.get("hide", "")
        shown = HIDING[hide](text) if hide else text
        made.append(Sample(shown, tuple(entry["want"]), hide, tuple(planted)))
    return made


def some(draw: random.Random, alphabet: str, count: int) -> str:
    """Drawn signs, with a digit and a letter where the alphabet has both."""
    signs = [draw.choice(alphabet) for _ in range(count)]
    letters = [sign for sign in alphabet if sign.isalpha()]
    if letters and count > 3 and any(map(str.isdigit, alphabet)):
        signs[1], signs[2] = draw.choice("23456789"), draw.choice(letters)
    return "".join(signs)


def with_luhn(draw: random.Random, prefix: str, size: int, right: bool = True) -> str:
    body = prefix + some(draw, string.digits, size - len(prefix) - 1)
    total = sum(sum(divmod(2 * int(d), 10)) for d in body[::-2]) + sum(map(int, body[-2::-2]))
    return body + str((-total + (0 if right else 1)) % 10)


def id18(draw: random.Random, last: str = "") -> str:
    while True:
        day = f"{draw.randrange(1950, 2010)}{draw.randrange(1, 13):02}{draw.randrange(1, 29):02}"
        body = (
            draw.choice(["110105", "330106", "440305", "510104"])
            + day
            + some(draw, string.digits, 3)
        )
        check = "10X98765432"[sum(int(d) * 2 ** (17 - i) for i, d in enumerate(body)) % 11]
        if not last or check == last:
            return body + check


def mobile(draw: random.Random) -> str:
    return "1" + draw.choice(["38", "39", "57", "86"]) + some(draw, string.digits, 8)


def groups(number: str, sizes: list[int], sign: str) -> str:
    parts, place = [], 0
    for size in sizes:
        parts.append(number[place : place + size])
        place += size
    return sign.join(parts)


def password(draw: random.Random) -> str:
    return some(draw, _ALNUM, 5) + draw.choice("!#%") + some(draw, _ALNUM, 4)


def jwt(draw: random.Random) -> str:
    def part(name: str) -> str:
        told = json.dumps({name: some(draw, _HEX, 20)}).replace(" ", "")
        return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")

    return f"{part('alg')}.{part('sub')}.{some(draw, _ALNUM, 43)}"


def pem(draw: random.Random, closed: bool = True) -> str:
    dashes, kind = "-" * 5, "PRIVATE" + " KEY"
    body = some(draw, _ALNUM, 120)
    return f"{dashes}BEGIN RSA {kind}{dashes}\n{body}" + (
        f"\n{dashes}END RSA {kind}{dashes}" if closed else ""
    )


def _key(prefix: str, alphabet: str, count: int) -> Callable[[random.Random], str]:
    return lambda draw: prefix + some(draw, alphabet, count)


MAKERS: dict[str, Callable[[random.Random], str]] = {
    "own": lambda d: "mas" + f"e_{some(d, _HEX, 8)}_{some(d, _ALNUM, 43)}",
    "openai": _key("sk" + "-", _ALNUM, 48),
    "openai_project": _key("sk" + "-proj-", _ALNUM + "_-", 80),
    "anthropic": _key("sk" + "-ant-api03-", _ALNUM + "_-", 80),
    "deepseek": _key("sk" + "-", _HEX, 32),
    "github": _key("gh" + "p_", _ALNUM, 36),
    "github_fine": _key("github" + "_pat_", _ALNUM, 60),
    "gitlab": _key("gl" + "pat-", _ALNUM, 20),
    "aws": _key("AK" + "IA", _UPPER, 16),
    "google": _key("AI" + "za", _ALNUM, 35),
    "slack": lambda d: "xo" + "xb-" + some(d, string.digits, 11) + "-" + some(d, _ALNUM, 24),
    "slack_webhook": lambda d: (
        "hooks.slack"
        + f".com/services/T{some(d, _UPPER, 8)}/B{some(d, _UPPER, 8)}/{some(d, _ALNUM, 24)}"
    ),
    "stripe": _key("sk" + "_live_", _ALNUM, 24),
    "stripe_restricted": _key("rk" + "_test_", _ALNUM, 24),
    "huggingface": _key("h" + "f_", _ALNUM, 34),
    "npm": _key("np" + "m_", _ALNUM, 36),
    "pypi": _key("py" + "pi-AgEIcHlwaS5vcmc", _ALNUM, 80),
    "sendgrid": lambda d: "S" + "G." + some(d, _ALNUM, 22) + "." + some(d, _ALNUM, 43),
    "twilio": _key("A" + "C", _HEX, 32),
    "aliyun": _key("LT" + "AI5t", _ALNUM, 20),
    "tencent": _key("AK" + "ID", _ALNUM, 32),
    "volcengine": _key("AK" + "LT", _ALNUM, 44),
    "groq": _key("gs" + "k_", _ALNUM, 52),
    "databricks": _key("da" + "pi", _HEX, 32),
    "telegram": lambda d: "bo" + "t" + some(d, "123456789", 10) + ":" + some(d, _ALNUM, 35),
    "bearer": _key("", _ALNUM, 40),
    "random": _key("", _ALNUM, 32),
    "jwt": jwt,
    "pem": pem,
    "pem_open": lambda d: pem(d, closed=False),
    "password": password,
    "password_plain": lambda d: d.choice(["tangerine", "lighthouse", "wintermoon"]),
    "pin4": _key("", string.digits, 4),
    "pin6": _key("", string.digits, 6),
    "scheme": lambda d: d.choice(["postgres", "mysql", "mongodb+srv", "amqp"]),
    "visa": lambda d: with_luhn(d, "4", 16),
    "visa_spaced": lambda d: groups(with_luhn(d, "4", 16), [4, 4, 4, 4], " "),
    "visa_dashed": lambda d: groups(with_luhn(d, "4", 16), [4, 4, 4, 4], "-"),
    "mastercard": lambda d: with_luhn(d, "54", 16),
    "mastercard_spaced": lambda d: groups(with_luhn(d, "52", 16), [4, 4, 4, 4], " "),
    "amex": lambda d: groups(with_luhn(d, "37", 15), [4, 6, 5], " "),
    "unionpay": lambda d: with_luhn(d, "62", 16),
    "unionpay_spaced": lambda d: groups(with_luhn(d, "62", 19), [4, 4, 4, 4, 3], " "),
    "unionpay_19": lambda d: with_luhn(d, "6217", 19),
    "id18": id18,
    "id18_x": lambda d: id18(d, "X"),
    "id18_spaced": lambda d: groups(id18(d), [6, 8, 4], " "),
    "id15": lambda d: (
        "330106"
        + f"{d.randrange(50, 90)}0{d.randrange(1, 10)}1{d.randrange(10)}"
        + some(d, string.digits, 3)
    ),
    "mobile": mobile,
    "mobile_spaced": lambda d: groups(mobile(d), [3, 4, 4], " "),
    "mobile_dashed": lambda d: groups(mobile(d), [3, 4, 4], "-"),
    "mobile_plus": lambda d: "+86" + mobile(d),
    "landline": lambda d: "0571-8" + some(d, string.digits, 7),
    "landline_paren": lambda d: "(010) 6" + some(d, string.digits, 7),
    # Ranges that the numbering plans keep for fiction.
    "phone_uk": lambda d: "+44 20 7946 0" + some(d, string.digits, 3),
    "phone_us_plus": lambda d: "+1 212 555 01" + some(d, string.digits, 2),
    "phone_us": lambda d: "212-555-01" + some(d, string.digits, 2),
    "phone_us_paren": lambda d: "(212) 555-01" + some(d, string.digits, 2),
    "phone_de": lambda d: "+49 30 23125 " + some(d, string.digits, 3),
    "phone_hk": lambda d: "+852 2" + some(d, "123456789", 3) + " " + some(d, string.digits, 4),
    "phone_sg": lambda d: "+65 9" + some(d, "123456", 3) + " " + some(d, string.digits, 4),
    "passport": lambda d: "E" + some(d, string.digits, 8),
    "ssn": lambda d: (
        f"{some(d, '12345678', 3)}-{some(d, '123456789', 2)}-{some(d, '123456789', 4)}"
    ),
    "order9": lambda d: "8" + some(d, string.digits, 8),
    "order11": lambda d: "2" + some(d, string.digits, 10),
    # Passes Luhn, as every tenth order does.
    "order16": lambda d: with_luhn(d, "4", 16),
    "order15": lambda d: with_luhn(d, "37", 15),
    "order18": lambda d: "9" + some(d, string.digits, 17),
    "isbn13": lambda d: "9787" + some(d, string.digits, 9),
    "timestamp": lambda d: "17" + some(d, string.digits, 11),
}


def _between(sign: str) -> Callable[[str], str]:
    return lambda text: sign.join(text)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _spaced(text: str) -> str:
    return " ".join(text.replace(" ", ""))


HIDING: dict[str, Callable[[str], str]] = {
    "zero_width": _between("\u200b"),
    "soft_hyphen": lambda text: "".join(
        c + "\u00ad" if i % 3 == 0 else c for i, c in enumerate(text)
    ),
    "full_width": _wide,
    "bidi": lambda text: "".join(
        "\u202a" + c + "\u202c" if i % 4 == 2 else c for i, c in enumerate(text)
    ),
    "look_alike": lambda text: text.translate(str.maketrans("aeopcyxi", "аеорсухі")),
    "spaced": _spaced,
    "dotted": lambda text: ".".join(text.replace(" ", "")),
    "leet": lambda text: text.translate(str.maketrans("oie", "01" + "3")),
    "marked_up": lambda text: text[:2] + "<b></b>" + text[2:4] + "<!-- x -->" + text[4:],
    "commented": lambda text: f"Fine product.\n<!-- {text} -->\n",
    "base64": lambda text: "data: " + base64.b64encode(text.encode()).decode(),
    "tags": lambda text: "hello" + "".join(chr(0xE0000 + ord(c)) for c in text),
    "backwards": lambda text: "\u202e" + text[::-1] + "\u202c",
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "accents": lambda text: text.replace("i", "í").replace("o", "ö"),
    "no_spaces": lambda text: text.replace(" ", "\u200b"),
}
