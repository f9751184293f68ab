"""The operator's way in: operations by name, on the control socket alone."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from channels.errors import ChannelError
from channels.messages import SessionKey
from channels.web.adapter import Guest, WebAdapter
from gateway.errors import ConfigError, GatewayError
from gateway.http.bodies import read_object
from gateway.http.problems import HttpProblem, bad_request, json_response
from memory.errors import StoreError

Perform = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""An operation by its name, with its arguments; what it raises is for the operator to read."""

_TERMINAL = "terminal"
FAILED = 1
USAGE = 2
"""What the command that called should exit with."""


class Control:
    """`POST /control/<operation>` with a JSON object of arguments; its document, or an error with an exit code."""

    def __init__(self, perform: Perform) -> None:
        self._perform = perform

    async def handle(self, request: web.Request) -> web.Response:
        """422 with one line when it can't be done."""
        arguments = await read_object(request)
        try:
            return json_response(await self._perform(request.match_info["operation"], arguments))
        except HttpProblem:
            raise
        except ConfigError as error:
            return _failure(error, code=USAGE)
        except (GatewayError, StoreError, ChannelError) as error:
            return _failure(error, code=FAILED)


def terminal_guest(request: web.Request, channel: WebAdapter) -> Guest | None:
    """Whoever sits at a terminal of this machine and names a session by its key; None when none is named.

    A session of the terminal itself is a chat of that name; any other is written in from the chat `<its key>`.
    """
    key = request.query.get("key")
    if key is None:
        return None
    kind, colon, name = key.partition(":")
    if not colon or not name:
        raise bad_request('key is the key of a session, such as "terminal:main"')
    if kind == channel.name:
        return Guest(sender_id=_TERMINAL, chat_id=unquote(name))
    return Guest(sender_id=_TERMINAL, chat_id=key, session_key=SessionKey(key))


def _failure(error: Exception, *, code: int) -> web.Response:
    document = {"message": str(error) or type(error).__name__, "type": type(error).__name__, "exit": code}
    return json_response({"error": document}, status=422)
