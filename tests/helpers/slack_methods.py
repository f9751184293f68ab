"""The Web API of the strict Slack: what it refuses, the real one refuses too."""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aiohttp import web

from tests.helpers.slack_chats import Arguments, Channel, Fault, Post, Refused, is_block

if TYPE_CHECKING:
    from tests.helpers.slack_server import SlackServer

TEXT_LIMIT = 4000
_PING = re.compile(r"<(![a-z]+|@[A-Z0-9]+)[^>]*>")
_FORM_ONLY = {"users.info", "conversations.info", "conversations.replies"}


class Methods:
    """Answers the methods of the Web API; `calls` are those that came, `pings` whom they pinged."""

    def __init__(self, server: "SlackServer") -> None:
        self._server = server
        self._faults: dict[str, list[Fault]] = {}
        self.calls: list[tuple[str, Arguments]] = []
        self.refuse_all = ""
        self.pings: list[str] = []
        self.uploads: dict[str, bytes] = {}
        self.files: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.downloads: list[tuple[str, str]] = []
        self._methods: dict[str, Callable[[Arguments], Arguments]] = {
            "auth.test": self._auth_test,
            "apps.connections.open": self._connections_open,
            "chat.postMessage": self._post_message,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "users.info": self._users_info,
            "conversations.info": self._conversations_info,
            "conversations.replies": self._replies,
            "reactions.add": self._reactions_add,
            "files.getUploadURLExternal": self._upload_url,
            "files.completeUploadExternal": self._complete_upload,
        }

    def fail(self, method: str, *faults: Fault) -> None:
        """The next calls of a method fail so, one each."""
        self._faults.setdefault(method, []).extend(faults)

    def called(self, method: str) -> list[Arguments]:
        """The arguments of each call of a method."""
        return [arguments for name, arguments in self.calls if name == method]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        method = request.match_info["method"]
        arguments = await _arguments(request, method)
        self.calls.append((method, arguments))
        self._server.changed()
        waiting = self._faults.get(method)
        fault = waiting.pop(0) if waiting else None
        if fault is not None and fault.hold is not None:
            await fault.hold.wait()
        elif fault is not None and not fault.lost:
            return _failed(request, fault)
        answer = self._answer(request, method, arguments)
        self._server.changed()
        if fault is not None and fault.lost:
            return _hang_up(request)
        return web.json_response(answer)

    async def upload(self, request: web.Request) -> web.Response:
        """Take a file at the address that was given out for it."""
        self.uploads[request.match_info["file_id"]] = await request.read()
        return web.Response(text="OK")

    async def download(self, request: web.Request) -> web.Response:
        """Give a file to whoever shows the token; `files` says status, headers and content."""
        name = request.match_info["name"]
        token = request.headers.get("Authorization", "")
        self.downloads.append((name, token))
        status, headers, content = self.files[name]
        if status == 200 and token != f"Bearer {self._server.bot_token}":
            # Without a token Slack shows its sign-in page.
            return web.Response(text="<!DOCTYPE html><title>Slack</title>", content_type="text/html")
        return web.Response(status=status, headers=headers, body=content)

    def _answer(self, request: web.Request, method: str, arguments: Arguments) -> Arguments:
        try:
            self._check_token(request, method)
            if method not in self._methods:
                raise Refused("unknown_method")  # noqa: TRY301 - refusals are how a method answers
            return {"ok": True, **self._methods[method](arguments)}
        except Refused as refused:
            return {"ok": False, "error": refused.code}

    def _check_token(self, request: web.Request, method: str) -> None:
        shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
        needed = self._server.app_token if method == "apps.connections.open" else self._server.bot_token
        if not shown:
            raise Refused("not_authed")
        if self.refuse_all or shown != needed:
            raise Refused(self.refuse_all or "invalid_auth")

    def _auth_test(self, _: Arguments) -> Arguments:
        return {"user_id": "UBOT", "bot_id": "BBOT", "team_id": "T1", "team": "Test", "user": "mneme"}

    def _connections_open(self, _: Arguments) -> Arguments:
        return {"url": self._server.sockets.ticket()}

    def _post_message(self, arguments: Arguments) -> Arguments:
        _only(
            arguments,
            "channel text blocks thread_ts unfurl_links unfurl_media parse link_names mrkdwn metadata",
        )
        channel = self._writable(arguments)
        self._check_form(arguments)
        thread_ts = arguments.get("thread_ts")
        if thread_ts is not None and not _is_root(channel, thread_ts):
            raise Refused("invalid_thread_ts")
        post = Post(ts=self._server.next_ts(), user="UBOT", text="", thread_ts=thread_ts)
        channel.messages.append(post)
        return self._show(channel, post, arguments)

    def _update(self, arguments: Arguments) -> Arguments:
        _only(arguments, "channel ts text blocks parse link_names metadata")
        channel = self._writable(arguments)
        post = channel.find(_required(arguments, "ts"))
        if post.user != "UBOT":
            raise Refused("cant_update_message")
        self._check_form(arguments)
        return self._show(channel, post, arguments)

    def _delete(self, arguments: Arguments) -> Arguments:
        _only(arguments, "channel ts")
        channel = self._writable(arguments)
        post = channel.find(_required(arguments, "ts"))
        if post.user != "UBOT":
            raise Refused("cant_delete_message")
        channel.messages.remove(post)
        return {"channel": channel.id, "ts": post.ts}

    def _show(self, channel: Channel, post: Post, arguments: Arguments) -> Arguments:
        post.text = arguments.get("text", "")
        post.states.append(post.text)
        post.blocks = arguments.get("blocks", post.blocks)
        post.arguments = arguments
        read = (post.text, *(block["text"]["text"] for block in post.blocks if block["type"] == "section"))
        self.pings += [found[1] for text in read for found in _PING.finditer(text)]
        return {"channel": channel.id, "ts": post.ts, "message": {"text": post.text}}

    def _writable(self, arguments: Arguments) -> Channel:
        channel = self._known(arguments)
        if channel.archived:
            raise Refused("is_archived")
        if not channel.member:
            raise Refused("not_in_channel")
        return channel

    def _known(self, arguments: Arguments) -> Channel:
        channel = self._server.channels.get(_required(arguments, "channel"))
        if channel is None:
            raise Refused("channel_not_found")
        return channel

    def _check_form(self, arguments: Arguments) -> None:
        text, blocks = arguments.get("text"), arguments.get("blocks") or []
        if not isinstance(text, str) or not (text or blocks):
            raise Refused("no_text")
        if len(text.encode("utf-16-le")) // 2 > TEXT_LIMIT:
            raise Refused("msg_too_long")
        if len(blocks) > 50 or not all(is_block(block) for block in blocks):
            raise Refused("invalid_blocks")

    def _users_info(self, arguments: Arguments) -> Arguments:
        user = _required(arguments, "user")
        if user not in self._server.users:
            raise Refused("user_not_found")
        name = self._server.users[user]
        return {"user": {"id": user, "name": name, "profile": {"display_name": name}}}

    def _conversations_info(self, arguments: Arguments) -> Arguments:
        channel = self._known(arguments)
        return {
            "channel": {"id": channel.id, "is_im": channel.kind == "im", "is_mpim": channel.kind == "mpim"}
        }

    def _replies(self, arguments: Arguments) -> Arguments:
        channel, ts = self._known(arguments), _required(arguments, "ts")
        found = [post for post in channel.messages if ts in {post.ts, post.thread_ts}]
        if not found:
            raise Refused("thread_not_found")
        return {"messages": [{"ts": post.ts, "user": post.user, "text": post.text} for post in found]}

    def _reactions_add(self, arguments: Arguments) -> Arguments:
        self._known(arguments).find(_required(arguments, "timestamp"))
        _required(arguments, "name")
        return {}

    def _upload_url(self, arguments: Arguments) -> Arguments:
        _required(arguments, "filename")
        if int(_required(arguments, "length")) <= 0:
            raise Refused("invalid_arguments")
        file_id = f"F{len(self.calls)}"
        return {"file_id": file_id, "upload_url": f"http://{self._server.address}/upload/{file_id}"}

    def _complete_upload(self, arguments: Arguments) -> Arguments:
        files = json.loads(_required(arguments, "files"))
        if any(file["id"] not in self.uploads for file in files):
            raise Refused("file_not_found")
        channel = self._server.channels.get(arguments.get("channel_id", ""))
        if channel is None:
            raise Refused("channel_not_found")
        names = ", ".join(file["title"] for file in files)
        text = f"{arguments.get('initial_comment', '')}[{names}]"
        channel.messages.append(Post(self._server.next_ts(), "UBOT", text, arguments.get("thread_ts")))
        return {"files": [{"id": file["id"]} for file in files]}


async def _arguments(request: web.Request, method: str) -> Arguments:
    if request.content_type == "application/json":
        # Methods that read take no JSON.
        return {} if method in _FORM_ONLY else dict(await request.json())
    return {**request.query, **await request.post()}


def _failed(request: web.Request, fault: Fault) -> web.Response:
    if fault.hang_up:
        return _hang_up(request)
    if fault.body is not None:
        body = fault.body.encode() if isinstance(fault.body, str) else fault.body
        return web.Response(status=fault.status, body=body, content_type=fault.content_type)
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return web.json_response({"ok": False, "error": fault.error}, status=fault.status, headers=headers)


def _hang_up(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _only(arguments: Arguments, allowed: str) -> None:
    if not set(arguments) <= set(allowed.split()):
        raise Refused("invalid_arguments")


def _required(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise Refused("invalid_arguments")
    return value


def _is_root(channel: Channel, ts: str) -> bool:
    return any(post.ts == ts and post.thread_ts is None for post in channel.messages)
