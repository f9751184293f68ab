"""The web page in a real browser."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.web_house import WebHouse, web_house


def chromium() -> str | None:
    """The browser that playwright keeps, else the system's."""
    kept = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(kept.glob("chromium-*/chrome-*/chrome")) if kept.is_dir() else []
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return str(found[-1]) if found else next(filter(None, map(shutil.which, names)), None)


CHROMIUM = chromium()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium is installed; `playwright install chromium` gets one"
    ),
]


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """Chromium, without a window."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            await opened.close()


@asynccontextmanager
async def page_of(house: WebHouse, *, session: str = "desk") -> AsyncIterator[Page]:
    """The page, with nothing wrong on its console."""
    async with browser() as opened:
        page = await opened.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(f"{house.url}/?session={session}")
        yield page
        assert faults == []


async def test_a_person_writes_and_reads_and_finds_the_talk_again_after_a_reload(tmp_path: Path) -> None:
    llm = ScriptedLLM("An **answer** with <script>alert(1)</script>", piece=5)
    async with web_house(tmp_path, llm) as house, page_of(house) as page:
        await expect(page.locator("#state")).to_have_text("connected")
        await page.fill("#text", "hello")
        await page.press("#text", "Enter")
        reply = page.locator(".message.theirs")
        await expect(reply).to_have_text("An answer with <script>alert(1)</script>")
        await expect(reply.locator("strong")).to_have_text("answer")
        await page.reload()

        await expect(page.locator(".message.mine")).to_have_text("hello")
        await expect(reply).to_have_count(1)


async def test_an_answer_that_falls_due_while_the_page_is_away_is_there_when_it_is_back(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="late", until=gate))
    async with web_house(tmp_path, llm) as house, page_of(house) as page:
        await page.fill("#text", "hello")
        await page.press("#text", "Enter")
        await llm.asked(1)
        await house.channels.web.close()
        gate.set()

        await expect(page.locator(".message.theirs")).to_have_text("late")


async def test_the_page_asks_for_a_token_where_one_is_needed(tmp_path: Path) -> None:
    toml = '[channels.web]\ntoken = "open-sesame"\n'
    async with web_house(tmp_path, toml=toml) as house, page_of(house) as page:
        await expect(page.locator("#login")).to_be_visible()
        await page.fill("#token", "open-sesame")
        await page.press("#token", "Enter")
        await expect(page.locator("#state")).to_have_text("connected")

        assert "sesame" not in page.url


async def test_what_was_said_is_found_on_the_memory_page(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, page_of(house) as page:
        await page.fill("#text", "the heron nests by the mill")
        await page.press("#text", "Enter")
        await expect(page.locator(".message.theirs")).to_have_count(1)
        await house.gateway.stores.index.caught_up()
        await page.click("#to-memory")
        await page.fill("#query", "heron")
        await page.press("#query", "Enter")

        await expect(page.locator(".hit").first).to_contain_text("heron")
