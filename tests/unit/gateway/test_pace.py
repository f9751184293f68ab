from datetime import timedelta
from typing import Any

from channels.messages import InboundMessage
from gateway.pace import Pace
from gateway.service.clock import ManualClock
from tests.helpers.journals import inbound


def written(number: int = 1, **fields: Any) -> InboundMessage:
    return inbound(f"telegram:42/{number}", **({"person": "ann"} | fields))


async def test_what_is_too_much_for_a_minute_waits_for_its_end() -> None:
    clock = ManualClock()
    pace, began = Pace(per_minute=2, clock=clock), clock.now()
    first = pace.free_at(written(1))
    await clock.advance(10)
    second, third, fourth = (pace.free_at(written(number)) for number in (2, 3, 4))
    await clock.advance(50)
    after_a_minute = [pace.free_at(written(number)) for number in (5, 6)]

    assert (first, second) == (None, None)
    assert third == fourth == began + timedelta(minutes=1)
    assert after_a_minute == [None, began + timedelta(seconds=70)]


def test_everybody_has_a_minute_of_their_own() -> None:
    pace = Pace(per_minute=1, clock=ManualClock())

    assert pace.free_at(written(1)) is None
    assert pace.free_at(written(2, person="bob")) is None
    assert pace.free_at(written(3, person=None, sender_id="77")) is None
    assert pace.free_at(written(4)) is not None


def test_an_edit_and_the_rest_of_an_album_are_no_messages_of_their_own() -> None:
    pace = Pace(per_minute=2, clock=ManualClock())
    album = [pace.free_at(written(number, group_id="album")) for number in (1, 2, 3)]

    assert album == [None, None, None]
    assert pace.free_at(written(4, edit_of="telegram:42/1")) is None
    assert pace.free_at(written(5)) is None
    assert pace.free_at(written(6)) is not None


def test_what_a_platform_sends_again_is_counted_once() -> None:
    pace = Pace(per_minute=2, clock=ManualClock())

    assert [pace.free_at(written(1)) for _ in range(3)] == [None] * 3
    assert pace.free_at(written(2)) is None


def test_nobody_waits_at_the_terminal_or_without_a_limit() -> None:
    pace, free = Pace(per_minute=1, clock=ManualClock()), Pace(per_minute=0, clock=ManualClock())

    assert [pace.free_at(written(number, channel="terminal")) for number in (1, 2)] == [None, None]
    assert [free.free_at(written(number)) for number in (1, 2)] == [None, None]


def test_a_workspace_with_a_name_is_a_chat_platform_too() -> None:
    pace = Pace(per_minute=1, clock=ManualClock())

    assert pace.free_at(written(1, channel="slack-acme")) is None
    assert pace.free_at(written(2, channel="slack-acme")) is not None
