"""The files that people send: fetched with our token, which goes to Slack's hosts and nowhere else."""

import aiohttp
from yarl import URL

from channels.errors import DeliveryFailed, DeliveryRejected
from channels.messages import Attachment
from channels.slack.settings import SlackSettings

_HOSTS = ("slack.com", "slack-edge.com", "slack-files.com")
_PAGE = "text/html"
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Slack's own limit for a file is 1 GB, more than a chat's memory should take in.
LARGEST = 50 * 1024 * 1024


class Files:
    """Downloads of at most `largest` bytes."""

    def __init__(self, settings: SlackSettings, *, largest: int = LARGEST) -> None:
        self._settings = settings
        self._largest = largest
        # Where the Web API is served by another host, that host is Slack to us.
        self._own = URL(settings.base_url).origin()

    async def fetch(self, attachment: Attachment) -> bytes:
        """The content behind a `url_private`; DeliveryFailed (later) or DeliveryRejected (never).

        A redirect is followed to Slack's hosts with the token, and to no other: those that Slack sends us to by
        itself need none, and who else could be meant nobody knows.
        """
        timeout = aiohttp.ClientTimeout(total=self._settings.request_seconds * 4)
        url = URL(attachment.remote_id or "")
        try:
            async with aiohttp.ClientSession(timeout=timeout) as session:
                for _ in range(_MOST_REDIRECTS):
                    found = await self._step(session, url, attachment.mime)
                    if isinstance(found, bytes):
                        return found
                    url = found
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryFailed(f"the file can't be fetched: {type(error).__name__}") from error
        raise DeliveryRejected("the file's address leads in circles")

    async def _step(self, session: aiohttp.ClientSession, url: URL, mime: str) -> bytes | URL:
        if not self._is_slack(url):
            raise DeliveryRejected(f"the file lies at {url.host}, which is not Slack")
        headers = {"Authorization": f"Bearer {self._settings.bot_token}"}
        proxy = self._settings.proxy or None
        async with session.get(url, headers=headers, proxy=proxy, allow_redirects=False) as answer:
            if answer.status in _REDIRECTS:
                return url.join(URL(answer.headers.get("Location", "")))
            if answer.status == 429 or answer.status >= 500:
                raise DeliveryFailed(f"the file's server answers {answer.status}")
            if answer.status != 200:
                raise DeliveryRejected(f"the file's server answers {answer.status}")
            if answer.content_type == _PAGE and mime != _PAGE:
                raise DeliveryRejected("Slack shows its sign-in page instead of the file")
            return await self._content(answer)

    async def _content(self, answer: aiohttp.ClientResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in answer.content.iter_chunked(65536):
            size += len(part)
            if size > self._largest:
                raise DeliveryRejected(f"the file is larger than {self._largest} bytes")
            parts.append(part)
        return b"".join(parts)

    def _is_slack(self, url: URL) -> bool:
        host = url.host
        if host is None:
            return False
        within = any(host == known or host.endswith(f".{known}") for known in _HOSTS)
        return url.origin() == self._own or (url.scheme == "https" and within)
