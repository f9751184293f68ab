"""What comes in over Socket Mode, with Slack's own SDK against a strict local Slack."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from channels.errors import ChannelRefused, DeliveryFailed
from channels.messages import ChatKind, InboundMessage, OutboundMessage, Scope, session_key
from channels.slack.adapter import SlackAdapter
from channels.slack.faults import pause
from tests.helpers.slack_chats import Fault
from tests.helpers.slack_running import Inbox, running, settings, until_health
from tests.helpers.slack_server import SlackServer


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer(ack_seconds=0.2) as server:
        yield server


def answer_to(channel: str, text: str, *, thread_id: str | None = None) -> OutboundMessage:
    return OutboundMessage(id="turn-1", channel="slack", chat_id=channel, text=text, thread_id=thread_id)


HELLO = {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": "1.1", "text": "hello"}


async def test_a_direct_message_is_received_and_then_acknowledged(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "hello &amp; good day")
        [message] = await inbox.have(1)
        await slack.until(lambda: slack.sockets.deliveries[0].acknowledged)

    assert message.text == "hello & good day"
    assert (message.chat_id, message.sender_id, message.sender_name) == ("D1", "U1", "ann")
    assert message.chat_kind is ChatKind.DIRECT
    assert message.workspace == "T1"


async def test_nothing_is_acknowledged_before_receive_returned(slack: SlackServer) -> None:
    """An acknowledgement that waits for the answer comes too late, one before it is a lie."""
    durable = asyncio.Event()
    inbox = Inbox(slack)

    async def receive(message: object) -> None:
        await durable.wait()
        await inbox(message)  # type: ignore[arg-type]

    async with running(SlackAdapter(settings(slack)), receive):
        slack.say("D1", "U1", "hello")
        delivery = slack.sockets.deliveries[0]
        await slack.until(lambda: delivery.tries == 1)
        before = delivery.acknowledged
        durable.set()
        await slack.until(lambda: delivery.acknowledged)

    assert not before


async def test_a_message_that_could_not_be_kept_is_delivered_again(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    inbox.failures = [OSError("disk full")]
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "hello")
        await inbox.have(1)
        delivery = slack.sockets.deliveries[0]
        await slack.until(lambda: delivery.acknowledged)

    assert delivery.tries > 1
    assert inbox.order == ["hello"]


async def test_a_retry_minutes_later_carries_the_same_ids(slack: SlackServer) -> None:
    """What recognises a redelivery is its id, and that has no age."""
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "hello")
        [first] = await inbox.have(1)
        again = slack.sockets.redeliver(slack.sockets.deliveries[0])
        await slack.until(lambda: again.acknowledged)

    assert inbox.received == 2
    assert list(inbox.messages) == [first.id]


async def test_an_edit_names_the_message_that_it_changes(slack: SlackServer) -> None:
    """An edit has the same ts, and is not lost as a duplicate."""
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        ts = slack.say("D1", "U1", "tomorow")
        slack.edit("D1", ts, "tomorrow")
        first, edit = await inbox.have(2)

    assert edit.edit_of == first.id
    assert edit.id != first.id
    assert edit.text == "tomorrow"


async def test_a_mention_announced_twice_is_one_message(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("C1", "U1", "<@UBOT> hello")
        await slack.until(lambda: len([d for d in slack.sockets.deliveries if d.acknowledged]) == 2)

    assert inbox.received == 2
    assert len(inbox.messages) == 1
    assert inbox.order == ["hello"]


async def test_a_mention_in_a_channel_opens_a_session_in_its_thread(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        ts = slack.say("C1", "U1", "<@UBOT> hello")
        [message] = await inbox.have(1)

    assert message.chat_kind is ChatKind.GROUP
    assert session_key(message, scope=Scope.THREAD) == f"slack:C1#{ts}"


async def test_the_second_direct_message_is_not_answered_in_the_thread_of_the_first(
    slack: SlackServer,
) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "one")
        slack.say("D1", "U1", "two")
        first, second = await inbox.have(2)

    assert first.thread_id is None
    assert second.thread_id is None
    assert session_key(second, scope=Scope.THREAD) == "slack:D1"


async def test_in_a_group_it_is_told_apart_what_is_said_to_us(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("G1", "U1", "hello everybody")
        slack.say("G1", "U1", "<@UBOT> hello")
        await inbox.have(2)

    assert inbox.addressed == {"hello everybody": False, "hello": True}


async def test_a_thread_that_we_were_called_into_needs_no_second_mention(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        root = slack.say("C1", "U1", "<@UBOT> hello")
        await inbox.have(1)
        slack.say("C1", "U2", "and then?", thread_ts=root)
        _, second = await inbox.have(2)

    assert second.addressed
    assert second.thread_id == root


async def test_a_thread_where_we_posted_needs_no_mention(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    adapter = SlackAdapter(settings(slack))
    async with running(adapter, inbox):
        root = slack.say("C1", "U1", "release day")
        await adapter.send(answer_to("C1", "a reminder", thread_id=root))
        slack.say("C1", "U1", "thanks", thread_ts=root)
        await inbox.have(2)

    assert inbox.addressed == {"release day": False, "thanks": True}


async def test_a_thread_from_before_the_start_is_asked_for(slack: SlackServer) -> None:
    async def knows_thread(message: InboundMessage, root_id: str) -> bool:
        return (message.chat_id, message.reply_to, root_id) == ("C1", root, f"slack:T1/C1/{root}")

    inbox = Inbox(slack)
    root = slack.next_ts()
    async with running(SlackAdapter(settings(slack), knows_thread=knows_thread), inbox):
        slack.say("C1", "U1", "elsewhere", thread_ts="1600000000.000001")
        slack.say("C1", "U1", "and then?", thread_ts=root)
        await inbox.have(2)

    assert inbox.addressed == {"elsewhere": False, "and then?": True}


async def test_another_app_that_mentions_us_is_never_answered(slack: SlackServer) -> None:
    """Two apps that answer each other never end."""
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        for _ in range(5):
            slack.say("C1", "UOTHER", "<@UBOT> build failed", bot_id="BOTHER")
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))

    assert len(slack.sockets.deliveries) == 10
    assert inbox.received == 0


async def test_a_slow_look_up_of_a_name_changes_no_order(slack: SlackServer) -> None:
    held = Fault(hold=asyncio.Event())
    slack.methods.fail("users.info", held)
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "first")
        slack.say("D1", "U2", "second")
        await slack.until(lambda: bool(slack.methods.called("users.info")))
        assert held.hold is not None
        held.hold.set()
        await inbox.have(2)

    assert inbox.order == ["first", "second"]


async def test_a_name_that_can_not_be_had_delays_nothing(slack: SlackServer) -> None:
    slack.methods.fail("users.info", Fault(hold=asyncio.Event()))
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack, lookup_seconds=0.01)), inbox):
        slack.say("D1", "U1", "hello")
        [message] = await inbox.have(1)

    assert message.sender_name == ""


async def test_commands_and_buttons_are_messages(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    adapter = SlackAdapter(settings(slack))
    async with running(adapter, inbox):
        root = slack.say("C1", "U1", "<@UBOT> delete it")
        await inbox.have(1)
        slack.command("C1", "U1", "status now")
        sent = await adapter.send(answer_to("C1", "Sure?", thread_id=root))
        slack.press("C1", "U1", sent.ids[0], "/yes turn-1")
        _, command, pressed = await inbox.have(3)
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))

    assert command.text == "/status now"
    assert pressed.text == "/yes turn-1"
    assert pressed.thread_id == root


async def test_a_refresh_with_a_refused_connect_loses_no_event(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        await slack.until(lambda: slack.sockets.connects == 1)
        slack.sockets.refuse = 1
        await slack.sockets.disconnect("refresh_requested")
        await slack.until(lambda: slack.sockets.connects == 2)
        slack.say("D1", "U1", "still there?")
        await inbox.have(1)

    assert slack.sockets.refused == 1


async def test_a_failed_address_and_a_cut_connection_are_recovered_from(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    slack.methods.fail(
        "apps.connections.open", Fault(error="internal_error"), Fault(hang_up=True), Fault(status=502)
    )
    async with running(SlackAdapter(settings(slack)), inbox):
        await slack.until(lambda: slack.sockets.connects == 1)
        await slack.sockets.drop()
        await slack.until(lambda: slack.sockets.connects == 2)
        slack.say("D1", "U1", "still there?")
        await inbox.have(1)

    assert inbox.order == ["still there?"]


async def test_a_socket_that_only_greets_is_never_healthy(slack: SlackServer) -> None:
    slack.sockets.deaf = 3
    adapter = SlackAdapter(settings(slack, request_seconds=0.1))
    async with running(adapter, Inbox(slack)):
        await slack.until(lambda: slack.sockets.connects == 3 or adapter.health().ok)
        early = adapter.health()
        await until_health(slack, adapter, ok=True)

    assert not early.ok
    assert slack.sockets.connects == 4


async def test_a_socket_that_falls_silent_is_replaced(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    adapter = SlackAdapter(settings(slack))
    async with running(adapter, inbox):
        await until_health(slack, adapter, ok=True)
        slack.sockets.deafen()
        await slack.until(lambda: slack.sockets.connects == 2)
        slack.say("D1", "U1", "do you hear me?")
        await inbox.have(1)
        await until_health(slack, adapter, ok=True)

    assert inbox.order == ["do you hear me?"]


async def test_a_socket_without_a_greeting_is_replaced(slack: SlackServer) -> None:
    slack.sockets.mute = 1
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack, request_seconds=0.2)), inbox):
        await slack.until(lambda: slack.sockets.connects == 2)
        slack.say("D1", "U1", "hello")
        await inbox.have(1)

    assert inbox.order == ["hello"]


async def test_sockets_that_are_ended_at_once_are_opened_again_more_slowly(slack: SlackServer) -> None:
    slack.sockets.brief = 3
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        await slack.until(lambda: slack.sockets.connects == 4)
        slack.say("D1", "U1", "hello")
        await inbox.have(1)

    assert inbox.order == ["hello"]


def test_pauses_grow_to_a_bound_and_follow_what_slack_says() -> None:
    limited = DeliveryFailed("limited", retry_after=90.0)

    assert [pause(failures, first=1.0) for failures in (0, 1, 2, 5, 10_000)] == [1.0, 2.0, 4.0, 25.0, 25.0]
    assert pause(0, first=1.0, error=limited) == 90.0


async def test_an_outage_at_the_start_is_waited_out(slack: SlackServer) -> None:
    slack.methods.fail("auth.test", Fault(hang_up=True), Fault(status=503), Fault(error="internal_error"))
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "hello")
        await inbox.have(1)

    assert inbox.order == ["hello"]


async def test_several_connections_are_held(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack, connections=3)), inbox):
        await slack.until(lambda: len(slack.sockets.live) == 3)
        for number in range(6):
            slack.say("D1", "U1", str(number))
        await inbox.have(6)

    assert sorted(inbox.order) == ["0", "1", "2", "3", "4", "5"]


async def test_health_is_the_last_round_trip(slack: SlackServer) -> None:
    adapter = SlackAdapter(settings(slack, request_seconds=1.0))
    before = adapter.health()
    async with running(adapter, Inbox(slack)):
        await until_health(slack, adapter, ok=True)
        slack.methods.fail("auth.test", *[Fault(status=503)] * 3)
        await until_health(slack, adapter, ok=False)
        failing = adapter.health()
        await until_health(slack, adapter, ok=True)

    assert not before.ok
    assert failing.error == "Slack answers 503"
    assert failing.last_round_trip is not None


@pytest.mark.parametrize("code", ["invalid_auth", "account_inactive", "token_revoked", "not_authed"])
async def test_a_refused_token_ends_the_channel(slack: SlackServer, code: str) -> None:
    slack.methods.refuse_all = code

    with pytest.raises(ChannelRefused, match=code):
        await SlackAdapter(settings(slack)).run(Inbox(slack))


async def test_a_refused_app_token_ends_the_channel(slack: SlackServer) -> None:
    with pytest.raises(ChannelRefused, match="invalid_auth"):
        await SlackAdapter(settings(slack, app_token="xapp-bad")).run(Inbox(slack))


async def test_an_app_that_is_removed_ends_the_channel(slack: SlackServer) -> None:
    adapter = SlackAdapter(settings(slack, probe_seconds=60.0))
    async with running(adapter, Inbox(slack)) as task:
        await until_health(slack, adapter, ok=True)
        slack.methods.refuse_all = "account_inactive"
        slack.emit({"type": "app_uninstalled"})
        await asyncio.wait([task], timeout=5)

    assert isinstance(task.exception(), ChannelRefused)
    assert not adapter.health().ok


async def test_a_channel_that_ended_says_why(slack: SlackServer) -> None:
    adapter = SlackAdapter(settings(slack))
    async with running(adapter, Inbox(slack)) as task:
        await until_health(slack, adapter, ok=True)
        slack.app_token = "xapp-another"
        await slack.sockets.drop()
        await asyncio.wait([task], timeout=5)

    assert isinstance(task.exception(), ChannelRefused)
    assert "invalid_auth" in (adapter.health().error or "")


async def test_what_is_unknown_or_broken_is_acknowledged_and_ignored(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.emit({"type": "star_added", "user": "U1"})
        slack.emit({"type": "message"})
        slack.emit({"type": ["message"]})
        slack.emit({"type": "message", "channel": "C1", "ts": None, "text": ["x"], "user": {}})
        slack.sockets.deliver("interactive", {"type": "view_submission", "view": {}, "user": {"id": "U1"}})
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))

    assert inbox.received == 0


ODD: tuple[object, ...] = (5, True, None, "x", [1], {}, {"id": 5}, [{}])


@pytest.mark.parametrize(
    "key", ["event", "type", "authorizations", "team_id", "event_id", "enterprise", "user"]
)
async def test_a_payload_of_any_shape_is_acknowledged(slack: SlackServer, key: str) -> None:
    async with running(SlackAdapter(settings(slack)), Inbox(slack)):
        for odd in ODD:
            slack.sockets.deliver("events_api", {**slack.callback(HELLO), key: odd})
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))


@pytest.mark.parametrize(
    "key",
    ["channel", "user", "text", "ts", "thread_ts", "channel_type", "subtype", "message", "item", "files"],
)
async def test_an_event_of_any_shape_is_acknowledged(slack: SlackServer, key: str) -> None:
    async with running(SlackAdapter(settings(slack)), Inbox(slack)):
        for odd in ODD:
            slack.emit({**HELLO, key: odd})
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))


async def test_cancelling_ends_everything(slack: SlackServer) -> None:
    adapter = SlackAdapter(settings(slack))
    async with running(adapter, Inbox(slack)) as task:
        await slack.until(lambda: slack.sockets.connects == 1)
    await slack.until(lambda: not slack.sockets.live)

    assert task.cancelled()


def test_slacks_libraries_are_not_loaded_with_the_adapter() -> None:
    """Loading them takes more than a second, which is done in a thread when they are needed."""
    check = (
        "import sys, channels.slack.adapter; sys.exit(any(name.startswith('slack_') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


async def test_a_proxy_carries_everything(slack: SlackServer) -> None:
    inbox = Inbox(slack)
    proxied = settings(slack, base_url="http://slack.invalid/api/", proxy=f"http://{slack.address}")
    adapter = SlackAdapter(proxied)
    async with running(adapter, inbox):
        slack.say("D1", "U1", "hello")
        await inbox.have(1)
        await adapter.send(answer_to("D1", "hi"))

    assert slack.channel("D1").shown() == ["hi"]


async def test_a_proxy_of_the_environment_is_not_ours(
    slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    inbox = Inbox(slack)
    async with running(SlackAdapter(settings(slack)), inbox):
        slack.say("D1", "U1", "hello")
        await inbox.have(1)

    assert inbox.order == ["hello"]
