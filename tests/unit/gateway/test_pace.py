from datetime import datetime, timedelta
from typing import Any

from channels.messages import Entrance, InboundMessage
from gateway.pace import Pace
from gateway.service.clock import ManualClock
from tests.helpers.journals import inbound


def written(number: int = 1, **fields: Any) -> InboundMessage:
    return inbound(f"telegram:42/{number}", **({"person": "ann"} | fields))


async def test_no_minute_lets_more_through_than_the_limit_however_much_waits() -> None:
    clock = ManualClock()
    pace, waiting, times = Pace(per_minute=3, clock=clock), [written(n) for n in range(12)], list[float]()
    while waiting:
        seconds = pace.wait(waiting[0])
        if seconds:
            await clock.advance(seconds)
        else:
            waiting.pop(0)
            times.append(clock.monotonic())

    assert times == [0, 0, 0, 60, 60, 60, 120, 120, 120, 180, 180, 180]


async def test_a_place_is_free_a_minute_after_it_was_taken() -> None:
    clock = ManualClock()
    pace = Pace(per_minute=2, clock=clock)
    first = pace.wait(written(1))
    await clock.advance(10)
    second, third = pace.wait(written(2)), pace.wait(written(3))
    await clock.advance(50)
    after_a_minute = [pace.wait(written(number)) for number in (3, 4)]

    assert (first, second, third) == (0, 0, 50)
    assert after_a_minute == [0, 10]


def test_a_clock_that_is_set_locks_nobody_out_and_opens_no_gate() -> None:
    clock = SetClock()
    pace = Pace(per_minute=1, clock=clock)
    first = pace.wait(written(1))
    clock.set_by = timedelta(days=1)
    forward = pace.wait(written(2))
    clock.set_by = timedelta(days=-1)
    back = pace.wait(written(2))

    assert (first, forward, back) == (0, 60, 60)


def test_what_a_job_brings_back_is_written_by_nobody() -> None:
    pace = Pace(per_minute=1, clock=ManualClock())

    assert [pace.wait(written(n, entrance=Entrance.SUBAGENT)) for n in range(3)] == [0, 0, 0]


class SetClock(ManualClock):
    """A clock on the wall that somebody sets."""

    set_by = timedelta()

    def now(self) -> datetime:
        return super().now() + self.set_by


def test_everybody_has_a_minute_of_their_own() -> None:
    pace = Pace(per_minute=1, clock=ManualClock())

    assert pace.wait(written(1)) == 0
    assert pace.wait(written(2, person="bob")) == 0
    assert pace.wait(written(3, person=None, sender_id="77")) == 0
    assert pace.wait(written(4)) > 0


def test_an_edit_and_the_rest_of_an_album_are_no_messages_of_their_own() -> None:
    pace = Pace(per_minute=2, clock=ManualClock())
    album = [pace.wait(written(number, group_id="album")) for number in (1, 2, 3)]

    assert album == [0, 0, 0]
    assert pace.wait(written(4, edit_of="telegram:42/1")) == 0
    assert pace.wait(written(5)) == 0
    assert pace.wait(written(6)) > 0


def test_what_a_platform_sends_again_is_counted_once() -> None:
    pace = Pace(per_minute=2, clock=ManualClock())

    assert [pace.wait(written(1)) for _ in range(3)] == [0] * 3
    assert pace.wait(written(2)) == 0


def test_nobody_waits_at_the_terminal_or_without_a_limit() -> None:
    pace, free = Pace(per_minute=1, clock=ManualClock()), Pace(per_minute=0, clock=ManualClock())

    assert [pace.wait(written(number, channel="terminal")) for number in (1, 2)] == [0, 0]
    assert [free.wait(written(number)) for number in (1, 2)] == [0, 0]


def test_a_workspace_with_a_name_is_a_chat_platform_too() -> None:
    pace = Pace(per_minute=1, clock=ManualClock())

    assert pace.wait(written(1, channel="slack-acme")) == 0
    assert pace.wait(written(2, channel="slack-acme")) > 0
