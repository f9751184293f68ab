"""The few Web API methods that we call, through Slack's own client, with its errors mapped."""

import logging
from collections.abc import Sequence
from functools import cache

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from channels.errors import DeliveryFailed
from channels.payloads import Json, mapping
from channels.slack.faults import mapped
from channels.slack.inbound import Identity
from channels.slack.settings import SlackSettings


class SlackApi:
    """Every method raises DeliveryFailed (later), ChannelRefused (the token) or Fault (this call, by its code).

    The client's retry handlers are off: it would sleep through a rate limit inside the send, while the one who
    called knows better what to do meanwhile.
    """

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings
        self.client = AsyncWebClient(
            token=settings.bot_token,
            base_url=settings.base_url,
            timeout=max(int(settings.request_seconds), 1),
            retry_handlers=[],
            logger=quiet_logger(),
        )
        # Without one configured, the client would take a proxy from the environment.
        self.client.proxy = settings.proxy or None

    async def identify(self) -> Identity:
        """Who the token makes us; a round trip."""
        with mapped():
            answer = await self.client.auth_test()
        return Identity(
            user_id=str(answer.get("user_id", "")),
            team_id=str(answer.get("team_id", "")),
        )

    async def open_socket(self) -> str:
        """The address of a new socket, good for one connection."""
        with mapped():
            answer = await self.client.apps_connections_open(app_token=self._settings.app_token)
        return str(answer.get("url", ""))

    async def post(self, arguments: Json) -> str:
        """Post a message; its `ts`."""
        with mapped():
            return _ts(await self.client.chat_postMessage(**arguments))

    async def update(self, arguments: Json) -> str:
        """Change a message; its `ts`."""
        with mapped():
            return _ts(await self.client.chat_update(**arguments))

    async def delete(self, channel: str, *, ts: str) -> None:
        """Take a message of ours away."""
        with mapped():
            await self.client.chat_delete(channel=channel, ts=ts)

    async def user_name(self, user_id: str) -> str:
        """What a user is called in this workspace; empty where nothing is set."""
        with mapped():
            answer = await self.client.users_info(user=user_id)
        user = mapping(answer.get("user"))
        profile = mapping(user.get("profile"))
        return str(profile.get("display_name") or user.get("real_name") or user.get("name") or "")

    async def upload(
        self, files: Sequence[tuple[str, bytes]], *, channel: str, thread_ts: str | None, comment: str
    ) -> None:
        """Share files, each a name and its content, in one message with a comment."""
        uploads = [{"filename": name, "title": name, "file": content} for name, content in files]
        with mapped():
            await self.client.files_upload_v2(
                file_uploads=uploads, channel=channel, thread_ts=thread_ts, initial_comment=comment or None
            )


@cache
def quiet_logger() -> logging.Logger:
    """For Slack's own libraries: failures reach us as exceptions, and what people wrote belongs in no log."""
    logger = logging.getLogger("channels.slack.vendor")
    logger.setLevel(logging.CRITICAL + 1)
    return logger


def _ts(answer: AsyncSlackResponse) -> str:
    ts = answer.get("ts")
    if not isinstance(ts, str):
        raise DeliveryFailed("Slack answers without a ts")
    return ts
