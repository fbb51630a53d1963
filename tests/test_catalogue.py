"""The Chinese catalogue: complete, in step with the sources, compiled, and used by the pages."""

import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.utils import translation

from audit.console import ledger, recalls
from audit.console.templatetags.console import label
from memory.models import KEY_SCOPES, Kind, Layer, Role, Source, Status
from memory.recall import PROFILES
from tests.factories import budget, logged_in, person

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("mase_site/locale/zh_Hans/LC_MESSAGES")
SOURCES = ("mase_site", "memory", "audit", "templates")
HAN = re.compile("[一-鿿]")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
IN_CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}
HEADINGS = {
    "/": "总览",
    "/memories/": "记忆",
    "/history/": "历史",
    "/recall/": "召回",
    "/recalls/": "召回日志",
    "/activity/": "操作记录",
    "/health/": "健康",
    "/settings/": "设置",
}


@pytest.fixture
def run(tmp_path):
    """Runs a tool of gettext, or Python; the output. Without gettext: skipped, in CI an error."""
    for tool in ("xgettext", "msgmerge", "msgattrib", "msgfmt"):
        if shutil.which(tool) is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"{tool} must be there in CI")
            pytest.skip(f"{tool} is not installed")
    environment = os.environ | {"MASE_DATA_DIR": str(tmp_path / "data")}

    def run(*command, cwd: Path = ROOT) -> str:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def copy(tmp_path) -> Path:
    """The sources with their catalogue, to be merged anew."""
    place = tmp_path / "copy"
    for name in SOURCES:
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "manage.py", place)
    return place


def merged(run, place: Path) -> Path:
    """The copy's catalogue after a new look through its sources."""
    run(
        sys.executable, "manage.py", "makemessages", "-l", "zh_Hans", "--no-location",
        "--no-wrap", cwd=place,
    )  # fmt: skip
    return place / FOLDER / "django.po"


def compiled(path: Path) -> dict:
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog
    # The header holds the time of the last look through the sources.
    return {key: text for key, text in catalogue.items() if key}


def heading(page: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    assert found
    return re.sub(r"<[^>]+>", "", found[1]).strip()


def test_every_message_has_a_settled_translation_and_no_other_is_kept(run, copy):
    catalogue = merged(run, copy)
    assert run("msgattrib", "--untranslated", "--no-obsolete", catalogue) == ""
    assert run("msgattrib", "--only-fuzzy", "--no-obsolete", catalogue) == ""
    assert run("msgattrib", "--only-obsolete", catalogue) == ""


def test_a_message_without_translation_is_noticed(run, copy):
    page = copy / "templates" / "new.html"
    page.write_text('{% load i18n %}{% translate "Nobody put this in Chinese" %}')
    missing = run("msgattrib", "--untranslated", "--no-obsolete", merged(run, copy))
    guessed = run("msgattrib", "--only-fuzzy", "--no-obsolete", copy / FOLDER / "django.po")
    assert "Nobody put this in Chinese" in missing + guessed


def test_the_compiled_catalogue_is_the_written_one(run, tmp_path):
    run("msgfmt", "--check", "-o", tmp_path / "fresh.mo", FOLDER / "django.po")
    fresh = compiled(tmp_path / "fresh.mo")
    assert fresh == compiled(ROOT / FOLDER / "django.mo")


def test_translations_keep_the_placeholders():
    for key, text in compiled(ROOT / FOLDER / "django.mo").items():
        message = key[0] if isinstance(key, tuple) else key
        assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(message)), message


def test_translations_hold_no_markup():
    for text in compiled(ROOT / FOLDER / "django.mo").values():
        assert not re.search(r"<\w", text)


def stored_names_as_shown() -> list[str]:
    names = [*Status.values, *Kind.values, *Layer.values, *Source.values, *KEY_SCOPES, *PROFILES]
    shown = [label(name) for name in (*names, *ledger.ACTIONS, "console", "command")]
    shown += [str(role.label) for role in Role]
    return shown + [str(text) for gate in recalls.GATES.values() for text in gate]


def test_stored_names_are_shown_in_the_reader_s_language():
    with translation.override("zh-hans"):
        assert [text for text in stored_names_as_shown() if not HAN.search(text)] == []
    with translation.override("en"):
        assert [text for text in stored_names_as_shown() if HAN.search(text)] == []


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "expected"), HEADINGS.items())
def test_pages_speak_the_reader_s_language(address, expected):
    client = logged_in(person("olga"))
    page = client.get(address, **IN_CHINESE).content.decode()
    assert 'lang="zh-hans"' in page
    assert heading(page) == expected
    assert not HAN.search(heading(client.get(address).content.decode()))


@pytest.mark.django_db
def test_the_login_page_speaks_the_reader_s_language(client):
    assert heading(client.get("/login/", **IN_CHINESE).content.decode()) == "登录"
    assert heading(client.get("/login/").content.decode()) == "Log in"


@pytest.mark.django_db
def test_the_engine_s_objection_is_shown_in_chinese():
    client, memory = logged_in(person("olga")), budget("640")
    address = f"/memories/{memory.public_id}/correct/"
    said = {"text": "这句话里没有数目", "reason": "试试", "revision": memory.revision}
    assert "新文本里已没有这个值" in client.post(address, said, **IN_CHINESE).content.decode()
    assert "the new text no longer says it" in client.post(address, said).content.decode()


def test_a_string_is_marked_by_a_name_that_the_collector_reads():
    """Under another one it never comes into the catalogue."""
    renamed = re.compile(r"import \w*gettext\w* as (?!_\b)\w+")
    files = [path for folder in SOURCES for path in (ROOT / folder).rglob("*.py")]
    assert not [path for path in files if renamed.search(path.read_text())]
