"""A platform that is away for a while, as `/ready` tells it, by a clock that the test turns."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest

from channels.adapter import ChannelAdapter
from channels.slack.adapter import SlackAdapter
from channels.slack.faults import LONGEST_PAUSE
from channels.slack.settings import SlackSettings
from channels.telegram.adapter import TelegramAdapter
from channels.telegram.settings import TelegramSettings
from gateway.http.health import Health
from gateway.service.clock import ManualClock
from tests.helpers import slack_running, telegram_running
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_server import TelegramServer

DOWN_SECONDS, UP_SECONDS = 120, 45
"""What readiness promises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """An adapter, and its platform's power switch."""

    adapter: ChannelAdapter
    off: Callable[[], None]
    on: Callable[[], None]


@asynccontextmanager
async def telegram(clock: ManualClock) -> AsyncIterator[Away]:
    async with TelegramServer().serving() as server:
        adapter = TelegramAdapter(telegram_running.settings_for(server, poll_seconds=1), now=clock.now)
        yield Away(adapter=adapter, off=lambda: server.fail(times=1_000_000), on=server.heal)


@asynccontextmanager
async def slack(clock: ManualClock) -> AsyncIterator[Away]:
    async with SlackServer() as server:

        def refuse(code: str) -> None:
            server.methods.refuse_all = code

        yield Away(
            adapter=SlackAdapter(slack_running.settings(server), now=clock.now),
            off=lambda: refuse("internal_error"),
            on=lambda: refuse(""),
        )


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what only the adapter knows."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - an adapter tells nobody how it is; it is asked
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("platform", [telegram, slack])
async def test_a_dead_channel_is_told_within_two_minutes_and_its_recovery_with_the_first_answer(
    platform: Callable[[ManualClock], AbstractAsyncContextManager[Away]],
) -> None:
    async def receive(_message: object) -> None:
        """Nobody writes."""

    clock = ManualClock()
    async with platform(clock) as away:
        adapter = away.adapter
        health = Health({}, channels=lambda: [adapter], clock=clock)
        listening = asyncio.create_task(adapter.run(receive))
        await until(lambda: adapter.health().ok)
        well = await health.ready()
        away.off()
        await until(lambda: not adapter.health().ok)
        hiccup = await health.ready()
        await clock.advance(DOWN_SECONDS)
        dead = await health.ready()
        away.on()
        await until(lambda: adapter.health().ok)
        again = await health.ready()
        listening.cancel()
        await asyncio.wait({listening})
        await adapter.close()

    assert [found.ok for found in (well, hiccup, dead, again)] == [True, True, False, True]
    assert list(dead.reasons) == [f"channel {adapter.name}"]


def test_the_longest_pause_and_a_request_that_hangs_before_it_leave_time_for_recovery() -> None:
    telegram = TelegramSettings(token="1:a")
    slack = SlackSettings(bot_token="xoxb-1")

    # A poll after a failure is not held open, so that it hangs for `stall_seconds` at most.
    assert telegram.longest_delay + max(telegram.stall_seconds, telegram.request_seconds) < UP_SECONDS
    assert LONGEST_PAUSE + slack.request_seconds < UP_SECONDS
    assert slack.probe_seconds + slack.request_seconds < UP_SECONDS
