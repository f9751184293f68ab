"""The web page in a real browser."""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Dialog, Page, async_playwright, expect

from gateway.llm.client import Delta, Prompt
from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.web_house import web_house


def chromium() -> str | None:
    """The browser that playwright keeps, else the system's."""
    kept = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(kept.glob("chromium-*/chrome-*/chrome")) if kept.is_dir() else []
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return str(found[-1]) if found else next(filter(None, map(shutil.which, names)), None)


CHROMIUM = chromium()
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium is installed; `playwright install chromium` gets one"
    ),
]

expect.set_options(timeout=20_000)

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> [press](javascript:alert(3)) "
    "[**<b>bold</b>**](data:text/html,x) `<i>code</i>`"
)
PHONE = {"width": 320, "height": 568}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, without a window, one for all tests."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            await opened.close()


@asynccontextmanager
async def page_at(url: str, browser: Browser, *, visit: bool = True, **options: Any) -> AsyncIterator[Page]:
    """The page of somebody who was never here before, with nothing wrong on its console at the end."""
    context = await browser.new_context(**options)
    page = await context.new_page()
    page.set_default_timeout(20_000)
    faults: list[str] = []

    async def dialog(opened: Dialog) -> None:
        faults.append(f"a dialog: {opened.message}")
        await opened.dismiss()

    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", dialog)
    try:
        if visit:
            await page.goto(f"{url}/?session=desk")
        yield page
    finally:
        await context.close()
    assert faults == []


class Halting(ScriptedLLM):
    """Writes half of its answer and waits with the rest."""

    def __init__(self, half: str, rest: str, *, until: asyncio.Event) -> None:
        super().__init__(half + rest)
        self._half = half
        self._until = until

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Both halves, with a pause in between."""
        completion = await self.complete(prompt)
        yield Delta(text=self._half)
        await self._until.wait()
        yield Delta(text=completion.text.removeprefix(self._half))
        yield Delta(completion=completion)


async def say(page: Page, text: str) -> None:
    """Write it and press Enter."""
    await page.fill("#text", text)
    await page.press("#text", "Enter")


async def is_connected(page: Page) -> None:
    """Wait until it says so."""
    await expect(page.locator("#state")).to_have_text("connected")


async def test_an_answer_appears_while_it_is_written(browser: Browser, tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = Halting("one **two**", " three", until=gate)
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        await say(page, "count")
        reply = page.locator(".message.theirs")
        await expect(reply).to_have_text("one two")
        await expect(page.locator("#stop")).to_be_visible()
        gate.set()

        await expect(reply).to_have_text("one two three")
        await expect(reply.locator("strong")).to_have_text("two")
        await expect(page.locator("#stop")).to_be_hidden()


async def test_what_is_said_while_an_answer_is_written_stays_below_it(
    browser: Browser, tmp_path: Path
) -> None:
    gate = asyncio.Event()
    llm = Halting("fir", "st", until=gate)
    llm.add("second")
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        await say(page, "one")
        await expect(page.locator(".message.theirs")).to_have_text("fir")
        await say(page, "two")
        gate.set()
        order = ["one", "first", "two", "second"]
        await expect(page.locator(".message")).to_have_text(order)
        await page.reload()

        await expect(page.locator(".message")).to_have_text(order)


async def test_a_reload_keeps_the_conversation_and_what_still_waits(browser: Browser, tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM("first", Held(answer="second", until=gate))
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        await say(page, "one")
        await expect(page.locator(".message.theirs")).to_have_text(["first"])
        await say(page, "two")
        await llm.asked(2)
        await page.reload()
        await expect(page.locator(".message")).to_have_text(["one", "first", "two"])
        gate.set()
        await expect(page.locator(".message")).to_have_text(["one", "first", "two", "second"])
        await page.reload()
        await is_connected(page)

        await expect(page.locator(".message")).to_have_text(["one", "first", "two", "second"])
        assert len(llm.prompts) == 2


async def test_what_anybody_writes_stays_text(browser: Browser, tmp_path: Path) -> None:
    async with web_house(tmp_path, ScriptedLLM(HOSTILE)) as house, page_at(house.url, browser) as page:
        await say(page, HOSTILE)
        reply = page.locator(".message.theirs")
        await expect(page.locator(".message.mine")).to_have_text(HOSTILE)
        await expect(reply.locator("code")).to_have_text("<i>code</i>")
        await expect(page.locator("#stop")).to_be_hidden()  # what is only being written can't be found yet
        await house.gateway.stores.index.caught_up()
        await page.click("#to-memory")
        await page.fill("#query", "onerror")
        await page.press("#query", "Enter")
        await expect(page.locator(".hit").first).to_contain_text("<script>alert(1)</script>")

        await expect(page.locator("main :is(script, img, i, b, a)")).to_have_count(0)


async def test_markdown_is_shown_as_it_is_meant(browser: Browser, tmp_path: Path) -> None:
    text = "# Plan\n\n1. *one*\n2. two\n\n> said\n\n```\n<b>\n```\nsee [us](https://example.org/a) & **go**"
    async with web_house(tmp_path, ScriptedLLM(text)) as house, page_at(house.url, browser) as page:
        await say(page, "show")
        reply = page.locator(".message.theirs")

        await expect(reply.locator("h3")).to_have_text("Plan")
        await expect(reply.locator("ol > li")).to_have_text(["one", "two"])
        await expect(reply.locator("blockquote")).to_have_text("said")
        await expect(reply.locator("pre code")).to_have_text("<b>")
        await expect(reply.get_by_role("link", name="us")).to_have_attribute("href", "https://example.org/a")


async def test_no_text_holds_the_page_up(browser: Browser, tmp_path: Path) -> None:
    parts = ("[", "`", "**a", "[a](b", "*a ", "**a** ", "a\n\n", "- a\n", "> ", "# a\n", "```\n")
    async with web_house(tmp_path) as house, page_at(house.url, browser) as page, asyncio.timeout(20):
        for part in parts:
            shown = "text => markdown('x' + text).reduce((sum, block) => sum + block.textContent.length, 0)"

            assert await page.evaluate(shown, part * 50_000) > 0


async def test_a_page_comes_back_to_a_daemon_that_was_restarted(browser: Browser, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    place = {"gateway__http": f"127.0.0.1:{port}"}
    async with page_at(f"http://127.0.0.1:{port}", browser, visit=False) as page:
        async with web_house(tmp_path, ScriptedLLM("before"), overrides=place):
            await page.goto(f"http://127.0.0.1:{port}/?session=desk")
            await say(page, "one")
            await expect(page.locator(".message.theirs")).to_have_text("before")
        await expect(page.locator("#state")).to_have_text("not connected")
        await say(page, "two")
        async with web_house(tmp_path, ScriptedLLM("after"), overrides=place):
            await is_connected(page)

            await expect(page.locator(".message")).to_have_text(["one", "before", "two", "after"])


async def test_an_answer_that_falls_due_while_the_page_is_away_is_there_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="late", until=gate))
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        await say(page, "hello")
        await llm.asked(1)
        await house.channels.web.close()
        gate.set()

        await expect(page.locator(".message.theirs")).to_have_text("late")


async def test_the_enter_that_ends_a_composition_sends_nothing(browser: Browser, tmp_path: Path) -> None:
    llm = ScriptedLLM("好")
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        keys = await page.context.new_cdp_session(page)
        await page.focus("#text")
        await keys.send("Input.imeSetComposition", {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6})
        enter = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
        await keys.send("Input.dispatchKeyEvent", enter)
        await expect(page.locator("#text")).to_have_value("ni hao")
        await expect(page.locator(".message")).to_have_count(0)
        await keys.send("Input.insertText", {"text": "你好"})
        await page.press("#text", "Enter")

        await expect(page.locator(".message")).to_have_text(["你好", "好"])
        assert llm.prompts[0].newest == "你好"


async def test_everything_can_be_done_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    llm = ScriptedLLM("first", Held(answer="never", until=asyncio.Event()))
    async with web_house(tmp_path, llm) as house, page_at(house.url, browser) as page:
        keyboard = page.keyboard
        await expect(page.locator("#text")).to_be_focused()
        await keyboard.type("the heron")
        await keyboard.press("Shift+Enter")
        await keyboard.type("nests")
        await keyboard.press("Enter")
        await expect(page.locator(".message.theirs")).to_have_text("first")
        await keyboard.type("more")
        await keyboard.press("Enter")
        await expect(page.locator("#stop")).to_be_visible()
        await llm.asked(2)
        await keyboard.press("Tab")
        await expect(page.locator("#stop")).to_be_focused()
        await keyboard.press("Enter")
        await expect(page.locator("#stop")).to_be_hidden()
        await expect(page.locator("#text")).to_be_focused()
        for _ in range(2):  # the transcript scrolls, so browsers may stop there too
            await keyboard.press("Shift+Tab")
            if await page.locator("#to-memory").evaluate("node => node === document.activeElement"):
                break
        await keyboard.press("Enter")
        await expect(page.locator("#memory")).to_be_visible()
        await house.gateway.stores.index.caught_up()
        await keyboard.press("Tab")
        await expect(page.locator("#query")).to_be_focused()
        await keyboard.type("heron")
        await keyboard.press("Enter")

        await expect(page.locator(".hit").first).to_contain_text("the heron")


async def test_a_phone_shows_all_of_it(browser: Browser, tmp_path: Path) -> None:
    text = f"{'x' * 400} https://example.org/{'y' * 200}\n\n```\n{'code ' * 100}\n```"
    async with (
        web_house(tmp_path, ScriptedLLM(text)) as house,
        page_at(house.url, browser, viewport=PHONE) as page,
    ):
        await say(page, "x" * 300)
        await expect(page.locator(".message.theirs pre")).to_have_count(1)
        wide = "document.documentElement.scrollWidth > innerWidth || chat.scrollWidth > chat.clientWidth"

        assert await page.evaluate(wide) is False
        for control in ("#to-chat", "#to-memory", "#state", "#text", "#say button:last-child"):
            await expect(page.locator(control)).to_be_in_viewport(ratio=1)


async def test_the_page_asks_for_a_token_where_one_is_needed(browser: Browser, tmp_path: Path) -> None:
    toml = '[channels.web]\ntoken = "open-sesame"\n'
    async with web_house(tmp_path, toml=toml) as house, page_at(house.url, browser) as page:
        await expect(page.locator("#token")).to_be_focused()
        await page.keyboard.type("open-sesame")
        await page.keyboard.press("Enter")
        await is_connected(page)

        await expect(page.locator("#text")).to_be_focused()
        assert "sesame" not in page.url


async def test_a_message_that_no_frame_holds_stays_in_its_box(browser: Browser, tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, page_at(house.url, browser) as page:
        await is_connected(page)
        await say(page, "水" * 400_000)
        await expect(page.locator("#notice")).to_contain_text("too long")
        await expect(page.locator(".message")).to_have_count(0)
        await say(page, "short")

        await expect(page.locator(".message.theirs")).to_have_text("heard: short")
        await expect(page.locator("#notice")).to_be_hidden()
