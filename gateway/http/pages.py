"""The web page, one file without anything from elsewhere, and the memory that it shows."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from aiohttp import web

from gateway.http.control import Perform
from gateway.http.doors import Door
from gateway.http.problems import bad_request, json_response
from memory.audience import person_audience

_LONGEST_QUERY = 1000
_MOST_HITS = 50


class Pages:
    """`GET /`, for everybody: it holds nobody's words. `GET /v1/memory`, for the person whose memory it is."""

    def __init__(self, *, door: Door, perform: Perform) -> None:
        self._door = door
        self._perform = perform

    async def page(self, request: web.Request) -> web.Response:
        """The chat and memory page."""
        html, policy = _page()
        headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
        }
        return web.Response(text=html, content_type="text/html", charset="utf-8", headers=headers)

    async def memory(self, request: web.Request) -> web.Response:
        """What is remembered of the person behind `session`, or with `query` the best passages; nobody else's."""
        guest = await self._door.guest(request, request.query.get("session", ""))
        audience = person_audience(guest.sender_id)
        query, limit = request.query.get("query", ""), _limit(request.query.get("limit", "10"))
        if len(query) > _LONGEST_QUERY:
            raise bad_request(f"query has at most {_LONGEST_QUERY} characters")
        if not limit:
            return json_response({})  # asked only whether the session is the asker's
        if not query:
            return json_response(await self._perform("memory-show", {"audience": audience}))
        asked = {"audience": audience, "query": query, "limit": limit}
        return json_response(await self._perform("memory-search", asked))


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST_HITS):
        raise bad_request(f"limit is a number up to {_MOST_HITS}")
    return int(text)


@cache
def _page() -> tuple[str, str]:
    """The file, and the policy that lets its own script and style run and nothing else."""
    html = files("gateway.http").joinpath("page.html").read_text(encoding="utf-8")
    sources = {kind: _hashes(html, kind) for kind in ("script", "style")}
    policy = (
        "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"script-src {sources['script']}; style-src {sources['style']}"
    )
    return html, policy


def _hashes(html: str, tag: str) -> str:
    bodies = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
