"""Files that people send: fetched with the token, which goes to Slack and nowhere else."""

from collections.abc import AsyncIterator

import pytest

from channels.errors import DeliveryFailed, DeliveryRejected
from channels.messages import Attachment
from channels.slack.adapter import SlackAdapter
from channels.slack.files import Files
from tests.helpers.slack_running import settings
from tests.helpers.slack_server import SlackServer


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.methods.files["a.txt"] = (200, {}, b"content")
        yield server


def at(slack: SlackServer, name: str) -> Attachment:
    return Attachment(name=name, mime="text/plain", size=7, remote_id=f"http://{slack.address}/files/{name}")


async def test_a_file_is_fetched_with_the_token(slack: SlackServer) -> None:
    content = await SlackAdapter(settings(slack)).fetch(at(slack, "a.txt"))

    assert content == b"content"
    assert slack.methods.downloads == [("a.txt", "Bearer xoxb-good")]


async def test_the_token_stays_through_a_redirect_inside_slack(slack: SlackServer) -> None:
    slack.methods.files["old.txt"] = (302, {"Location": "/files/a.txt"}, b"")

    assert await Files(settings(slack)).fetch(at(slack, "old.txt")) == b"content"


async def test_a_redirect_to_somebody_else_is_not_followed(slack: SlackServer) -> None:
    async with SlackServer() as foreign:
        foreign.methods.files["a.txt"] = (200, {}, b"trap")
        slack.methods.files["old.txt"] = (302, {"Location": f"http://{foreign.address}/files/a.txt"}, b"")

        with pytest.raises(DeliveryRejected, match="not Slack"):
            await Files(settings(slack)).fetch(at(slack, "old.txt"))

    assert foreign.methods.downloads == []


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.org/a",
        "https://slack.com.evil.org/a",
        "https://notslack.com/a",
        "http://files.slack.com/a",
        "https://files.slack.com@evil.org/a",
        "file:///etc/passwd",
        "",
    ],
)
async def test_no_other_host_is_asked(slack: SlackServer, address: str) -> None:
    with pytest.raises(DeliveryRejected):
        await Files(settings(slack)).fetch(Attachment(name="a", mime="text/plain", size=1, remote_id=address))


async def test_a_sign_in_page_is_no_file(slack: SlackServer) -> None:
    with pytest.raises(DeliveryRejected, match="sign-in"):
        await Files(settings(slack, bot_token="xoxb-old")).fetch(at(slack, "a.txt"))


@pytest.mark.parametrize(
    ("status", "error"), [(404, DeliveryRejected), (503, DeliveryFailed), (429, DeliveryFailed)]
)
async def test_errors_say_whether_to_try_again(
    slack: SlackServer, status: int, error: type[Exception]
) -> None:
    slack.methods.files["a.txt"] = (status, {}, b"")

    with pytest.raises(error):
        await Files(settings(slack)).fetch(at(slack, "a.txt"))


async def test_what_is_too_large_or_leads_in_circles_is_rejected(slack: SlackServer) -> None:
    slack.methods.files["round"] = (302, {"Location": "/files/round"}, b"")

    with pytest.raises(DeliveryRejected, match="larger"):
        await Files(settings(slack), largest=3).fetch(at(slack, "a.txt"))
    with pytest.raises(DeliveryRejected, match="circles"):
        await Files(settings(slack)).fetch(at(slack, "round"))
