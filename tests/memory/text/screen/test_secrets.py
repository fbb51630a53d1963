import random

import pytest

from memory.text.screen import SECRET, masked, screen

from .samples import MAKERS, with_luhn

VENDORS = {
    "own": "own",
    "openai": "openai_style", "openai_project": "openai_style", "anthropic": "anthropic",
    "deepseek": "openai_style", "github": "github", "github_fine": "github", "gitlab": "gitlab",
    "aws": "aws", "google": "google", "slack": "slack", "slack_webhook": "slack_webhook",
    "stripe": "stripe", "stripe_restricted": "stripe", "huggingface": "huggingface", "npm": "npm",
    "pypi": "pypi", "sendgrid": "sendgrid", "twilio": "twilio", "aliyun": "aliyun",
    "tencent": "tencent", "volcengine": "volcengine", "groq": "groq", "databricks": "databricks",
    "telegram": "telegram", "jwt": "jwt", "pem": "pem", "pem_open": "pem",
}  # fmt: skip


def made(name: str) -> str:
    return MAKERS[name](random.Random(7))


def rules(text: str) -> set[str]:
    return {finding.rule for finding in screen(text).of(SECRET)}


@pytest.mark.parametrize("name", VENDORS)
def test_a_vendors_key_is_told_by_its_form(name):
    key = made(name)
    text = f"用 {key} 登录"
    assert VENDORS[name] in rules(text)
    assert key not in masked(text, screen(text).findings)
    # Cut short or grown into another word it is none.
    assert VENDORS[name] not in rules(f"用 {key[: len(key) // 8]} 登录") or name.startswith("pem")
    assert VENDORS[name] not in rules(f"abc{key}") or name.startswith("pem")


def test_a_mask_has_none_of_the_secrets_characters():
    key = made("openai")
    (finding,) = screen(key).findings
    assert finding.masked == "[api key]"
    assert masked(f"a {key} b", screen(f"a {key} b").findings) == "a [api key] b"


TOLD = {
    "我的密码是{}": "password_zh", "密码：{}": "password_zh", "口令改成 {}": "password_zh",
    "my password is {}": "password_en", "pwd={}": "password_en", '"password": "{}"': "password_en",
    "sshpass -p {} x": "command_flag", "curl -u bob:{} x": "curl_login",
    "mysql://bob:{}@host/db": "login_in_url",
}  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_a_password_is_told_by_the_words_beside_it(text):
    word = made("password")
    assert TOLD[text] in rules(text.format(word))
    assert word not in masked(text.format(word), screen(text.format(word)).findings)


@pytest.mark.parametrize(
    "text",
    [
        "密码是什么",
        "密码是8位",
        "密码是加密的",
        "密码学是一门课",
        "the password is wrong",
        "my password is expired",
        "password: required",
        "password: <your password>",
        "password=${PASSWORD}",
        "pin the note",
        "postgres://user:password@localhost/db",
        "https://host:8443/x",
        "PASSWORD=os.environ['P']",
        "密码改成了两周一换",
        "password is 90 days old",
        "验证码是6位数",
    ],
)
def test_words_about_passwords_are_no_passwords(text):
    assert rules(text) == set()


def test_a_drawn_token_needs_a_word_beside_it():
    token = made("random")
    assert rules(f"密钥是 {token}") == {"assigned_token"}
    assert rules(f"access_token={token}") == {"assigned_token"}
    assert rules(f"commit {token}") == set()
    assert rules("token limit is 128000 for model-2024-05-13") == set()


def test_a_card_passes_luhn_and_is_not_an_order():
    draw = random.Random(7)
    card = with_luhn(draw, "4", 16)
    assert rules(f"付款用 {card}") == {"visa"}
    assert rules(f"付款用 {with_luhn(draw, '4', 16, right=False)}") == set()
    assert rules(f"订单号 {card}") == set()
    assert rules(f"订单用卡 {card}") == {"visa"}
    assert rules(f"x{card}") == set()
    assert rules("4" * 20) == set()


def test_places_are_those_of_the_original():
    key = made("github")
    text = "令\u200b牌 " + key[:5] + "\u200b" + key[5:] + "。"
    (finding,) = screen(text).of(SECRET)
    assert text[finding.start : finding.end].replace("\u200b", "") == key


def test_a_key_in_full_width_is_a_key():
    key = made("gitlab")
    wide = "".join(chr(ord(char) + 0xFEE0) for char in key)
    assert rules(wide) == {"gitlab"}
