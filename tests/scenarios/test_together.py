"""Telegram and Slack in one gateway, with everybody writing at once."""

from pathlib import Path

import pytest

from channels.access import Allowed
from channels.slack.adapter import SlackAdapter
from channels.telegram.adapter import TelegramAdapter
from gateway.app.channels import known_threads
from gateway.app.people import access_for
from tests.helpers import slack_running, telegram_running
from tests.helpers.house import house, settings_for
from tests.helpers.slack_server import TEAM, SlackServer
from tests.helpers.telegram_house import people_toml
from tests.helpers.telegram_server import TelegramServer

CHATS = 100
"""On each of the two platforms."""


EMPTY_PLACEHOLDER = "…"
"""Left behind where the platform took longer than a courtesy may."""


@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_two_hundred_chats_on_two_platforms_are_answered_each_in_order(tmp_path: Path) -> None:
    numbers = range(1001, 1001 + CHATS)
    toml = people_toml(numbers) + f'workspaces = ["slack:{TEAM}"]\n'
    (tmp_path / "mneme.toml").write_text(toml)
    async with TelegramServer().serving() as telegram, SlackServer() as slack:
        access = access_for(settings_for(tmp_path))
        adapter = TelegramAdapter(
            telegram_running.settings_for(telegram),
            admits=lambda message: isinstance(access.decide(message), Allowed),
        )
        async with house(
            tmp_path,
            adapters=[adapter],
            connect=lambda stores: SlackAdapter(
                slack_running.settings(slack), knows_thread=known_threads(stores)
            ),
            overrides={"sessions__busy": "queue"},
        ) as inside:
            for turn in ("first", "second"):
                for number in numbers:
                    await telegram.say(number, f"{turn} of {number}")
                    slack.say(f"D{number}", "U1", f"{turn} of {number}")
            await telegram.wait_for(lambda: not telegram.pending, seconds=50)
            await slack.until(lambda: all(one.acknowledged for one in slack.sockets.deliveries), within=50)
            await inside.calm()

    expected = {number: [f"heard: {turn} of {number}" for turn in ("first", "second")] for number in numbers}
    shown = {
        number: [text for text in telegram.chat(number).texts if text != EMPTY_PLACEHOLDER]
        for number in numbers
    }
    assert shown == expected
    assert {number: slack.channel(f"D{number}").shown() for number in numbers} == expected
