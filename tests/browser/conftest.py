"""A real Chromium in front of a real server with the demo store, as a stranger starts it.

Without Chromium or Playwright these tests skip and say so; with CI=true they must run.
"""

import asyncio
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.live import MANAGE, free_port, wait_for

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--in-process-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


def _missing(what: str):
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} must be there in CI")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if path is None:
        _missing("Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("Playwright (extra [browser])")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        loop = asyncio._get_running_loop()
        yield started
        # It is not set between tests without a browser.
        asyncio._set_running_loop(loop)
        started.close()


@dataclass
class Demo:
    """The running demo: its address and what the command printed."""

    url: str
    username: str
    password: str
    api_key: str
    data: Path


@pytest.fixture(scope="session")
def demo(browser, empty_store, tmp_path_factory):
    """`manage.py demo` with a data folder of its own: one process that plays it and serves it."""
    data = tmp_path_factory.mktemp("demo")
    empty_store(data)
    port = free_port()
    printed = tmp_path_factory.mktemp("printed") / "facts.json"
    with printed.open("w") as out:
        server = subprocess.Popen(
            [*MANAGE, "demo", "--json", "--port", str(port), "--skip-checks"],
            env=os.environ | {"MASE_DATA_DIR": str(data)}, stdout=out, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{port}/readyz", seconds=180)
        facts = json.loads(printed.read_text().splitlines()[0])
        yield Demo(
            facts["url"].rstrip("/"), facts["username"], facts["password"], facts["api_key"], data
        )
    finally:
        server.terminate()
        server.wait(timeout=20)


@dataclass
class Visitor:
    """A logged-in person's page. `problems` collects what the browser complained of."""

    page: object
    demo: Demo
    problems: list[str] = field(default_factory=list)

    def go(self, path: str):
        return self.page.goto(self.demo.url + path)

    def hear(self, message) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def leave(self) -> None:
        if self.page.url.startswith(self.demo.url):
            self.page.evaluate("localStorage.clear()")
        self.page.close()

    def shot(self, name: str) -> None:
        """Keep a picture where MASE_SHOTS says, to be looked at."""
        folder = os.environ.get("MASE_SHOTS")
        if folder:
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)


WIDE, PHONE = {"width": 1360, "height": 850}, {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def session_cookies(browser, demo):
    context = browser.new_context()
    page = context.new_page()
    page.goto(demo.url + "/login/")
    page.fill("#id_username", demo.username)
    page.fill("#id_password", demo.password)
    page.click("main button[type=submit]")
    page.wait_for_url(demo.url + "/")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture(scope="session")
def enter(browser, demo, session_cookies):
    """Call it with theme, language, viewport and whether there is script: a page of somebody who is
    logged in, which the caller leaves. A language's context is kept, and what it has loaded."""
    contexts, loop = {}, asyncio._get_running_loop()

    def entered(*, theme="light", language="en", viewport=WIDE, scripted=True) -> Visitor:
        key = (language, scripted)
        if key not in contexts:
            contexts[key] = browser.new_context(locale=language, java_script_enabled=scripted)
        context = contexts[key]
        context.clear_cookies()
        told = {"name": "django_language", "value": language, "url": demo.url}
        context.add_cookies([*session_cookies, told])
        one = Visitor(context.new_page(), demo)
        one.page.set_viewport_size(viewport)
        one.page.emulate_media(color_scheme=theme)
        one.page.on("console", one.hear)
        one.page.on("pageerror", lambda error: one.problems.append(str(error)))
        return one

    yield entered
    asyncio._set_running_loop(loop)
    for context in contexts.values():
        context.close()


@pytest.fixture
def visitor(enter):
    """As `enter`; problems are asserted empty at the end, and nothing is left in the browser."""
    visitors = []

    def entered(**looks) -> Visitor:
        visitors.append(enter(**looks))
        return visitors[-1]

    yield entered
    for one in visitors:
        one.leave()
    assert [problem for one in visitors for problem in one.problems] == []
