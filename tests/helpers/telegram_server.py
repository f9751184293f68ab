"""A Bot API server that is as strict as Telegram's, with people who talk in its chats."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.helpers.connections import open_connections
from tests.helpers.telegram_chats import Chat, Refusal, check_markup, shown_text, utf16

Json = dict[str, Any]
TOKEN = "1000:test-token"


@dataclass(slots=True, kw_only=True)
class Fault:
    """What goes wrong with the next `times` calls of a method (None: any) for a chat (None: any)."""

    method: str | None = None
    chat: int | None = None
    times: int = 1
    status: int = 502
    description: str = "Bad Gateway"
    retry_after: int | None = None
    hang: bool = False
    drop: bool = False
    """The connection is closed without an answer, `after` the effect or before it."""
    after: bool = False
    page: str = ""
    """Something between us and the server answers, with this HTML and no JSON."""


@dataclass(slots=True)
class TelegramServer:
    """One bot's side of Telegram."""

    username: str = "mneme_bot"
    bot_id: int = 1000
    token: str = TOKEN
    base_url: str = ""
    webhook: Json = field(default_factory=dict)
    calls: list[tuple[str, Json]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    uploads: list[tuple[str, str, bytes]] = field(default_factory=list)
    pending: list[Json] = field(default_factory=list)
    polls: int = 0
    _chats: dict[int, Chat] = field(default_factory=dict)
    _faults: list[Fault] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _poller: object = None
    _last_update: int = 500
    _last_message: int = 0
    _runner: web.AppRunner | None = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["TelegramServer"]:
        """Listen on a free port of this machine."""
        app = web.Application(client_max_size=60_000_000)
        app.router.add_route("*", "/bot{token}/{method}", self._answer)
        app.router.add_get("/file/bot{token}/{path:.*}", self._file)
        runner = self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()

    def connections(self) -> int:
        """How many are open."""
        return open_connections(self._runner)

    def chat(self, chat_id: int, *, kind: str | None = None, forum: bool = False) -> Chat:
        """A chat, made when it is first named: private for positive ids, a supergroup for negative ones."""
        if chat_id not in self._chats:
            made = kind or ("private" if chat_id > 0 else "supergroup")
            self._chats[chat_id] = Chat(chat_id, made, forum=forum, bot_id=self.bot_id)
        return self._chats[chat_id]

    def message(
        self, chat_id: int, text: str | None = None, *, sender: int | None = None, **fields: Any
    ) -> Json:
        """A person's message as Telegram would describe it, and as its chat remembers it."""
        number = sender if sender is not None else (chat_id if chat_id > 0 else 1001)
        content = {} if text is None else {"text": text}
        made = {
            "message_id": self.next_message_id(),
            "date": int(time.time()),
            "chat": self.chat(chat_id).described,
            "from": {"id": number, "is_bot": False, "first_name": f"P{number}", "language_code": "en"},
            **content,
            **fields,
        }
        self.chat(chat_id).known.add(made["message_id"])
        return made

    async def say(
        self, chat_id: int, text: str | None = None, *, sender: int | None = None, **fields: Any
    ) -> Json:
        """A person writes; the message."""
        message = self.message(chat_id, text, sender=sender, **fields)
        await self.push(message=message)
        return message

    async def push(self, *, update_id: int | None = None, **kinds: Any) -> int:
        """An update of any kind is there to be fetched; its id."""
        self._last_update = update_id if update_id is not None else self._last_update + 1
        self.pending.append({"update_id": self._last_update, **kinds})
        await self._tell()
        return self._last_update

    def fail(self, **fault: Any) -> None:
        """Let the next calls that match go wrong."""
        self._faults.append(Fault(**fault))

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        self._faults.clear()

    async def wait_for(self, condition: Callable[[], bool], *, seconds: float = 10) -> None:
        """Return when the condition holds; it is looked at after each event."""
        async with asyncio.timeout(seconds), self._news:
            await self._news.wait_for(condition)

    def called(self, method: str) -> list[Json]:
        """The parameters of every call of a method."""
        return [parameters for name, parameters in self.calls if name == method]

    def next_message_id(self) -> int:
        """Ids grow over all chats, as a bot sees them."""
        self._last_message += 1
        return self._last_message

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method, token = request.match_info["method"], request.match_info["token"]
        if token != self.token:
            status = 401 if ":" in token else 404
            return _error(status, "Unauthorized" if status == 401 else "Not Found")
        parameters = await _parameters(request)
        self.calls.append((method, parameters))
        fault = self._fault(method, parameters)
        if fault is not None and not fault.after:
            await self._tell()
            return await _broken(request, fault)
        try:
            result = await self._act(method, parameters)
        except Refusal as refusal:
            answer = _error(refusal.status, refusal.description, **refusal.parameters)
        else:
            answer = web.json_response({"ok": True, "result": result})
        await self._tell()
        return await _broken(request, fault) if fault is not None else answer

    def _fault(self, method: str, parameters: Json) -> Fault | None:
        for fault in self._faults:
            chat = fault.chat is None or str(fault.chat) == str(parameters.get("chat_id"))
            if fault.times > 0 and fault.method in (None, method) and chat:
                fault.times -= 1
                return fault
        return None

    async def _act(self, method: str, parameters: Json) -> Any:
        handlers: dict[str, Callable[[Json], Any]] = {
            "getMe": lambda _: {
                "id": self.bot_id,
                "is_bot": True,
                "first_name": "M",
                "username": self.username,
            },
            "sendMessage": self._send_message,
            "editMessageText": self._edit,
            "deleteMessage": self._delete,
            "sendChatAction": self._action,
            "sendDocument": self._upload,
            "sendPhoto": self._upload,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getFile": lambda given: {
                "file_id": given["file_id"],
                "file_path": f"documents/{given['file_id']}",
            },
            "answerCallbackQuery": lambda _: True,
        }
        if method == "getUpdates":
            return await self._updates(parameters)
        if method not in handlers:
            raise Refusal(404, "Not Found: method not found")
        return handlers[method](parameters)

    async def _updates(self, parameters: Json) -> list[Json]:
        if self.webhook:
            raise Refusal(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            )
        me = self._poller = object()
        self._confirm(int(parameters.get("offset") or 0))
        self.polls += 1
        await self._tell()
        limit = min(max(int(parameters.get("limit") or 100), 1), 100)
        try:
            async with asyncio.timeout(float(parameters.get("timeout") or 0)), self._news:
                await self._news.wait_for(lambda: bool(self.pending) or self._poller is not me)
        except TimeoutError:
            return []
        if self._poller is not me:
            raise Refusal(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
            )
        return self.pending[:limit]

    def _confirm(self, offset: int) -> None:
        """Updates below the offset are forgotten; a negative one keeps only that many from the end."""
        if offset < 0:
            self.pending = self.pending[offset:]
        else:
            self.pending = [update for update in self.pending if update["update_id"] >= offset]

    def _send_message(self, parameters: Json) -> Json:
        chat = self._writable(parameters)
        visible = shown_text(parameters)
        check_markup(parameters)
        thread, reply_to = chat.thread_for_message(parameters), chat.replied_to(parameters)
        return chat.show(self.next_message_id(), visible, parameters, thread=thread, reply_to=reply_to)

    def _edit(self, parameters: Json) -> Json:
        return self._writable(parameters).edit(
            int(parameters.get("message_id") or 0), shown_text(parameters), parameters
        )

    def _delete(self, parameters: Json) -> bool:
        self._writable(parameters).delete(int(parameters.get("message_id") or 0))
        return True

    def _action(self, parameters: Json) -> bool:
        chat = self._writable(parameters)
        chat.actions.append((parameters.get("action"), chat.thread_for_action(parameters)))
        return True

    def _upload(self, parameters: Json) -> Json:
        chat = self._writable(parameters)
        name, content = next(value for value in parameters.values() if isinstance(value, tuple))
        caption = str(parameters.get("caption") or "")
        if utf16(caption) > 1024:
            raise Refusal(400, "Bad Request: message caption is too long")
        self.uploads.append((str(chat.id), name, content))
        thread = chat.thread_for_message(parameters)
        return chat.show(self.next_message_id(), caption or name, parameters, thread=thread, reply_to=None)

    def _writable(self, parameters: Json) -> Chat:
        try:
            chat = self._chats[int(parameters.get("chat_id") or 0)]
        except (KeyError, ValueError):
            raise Refusal(400, "Bad Request: chat not found") from None
        if chat.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")
        return chat

    def _set_webhook(self, parameters: Json) -> bool:
        if not str(parameters.get("url", "")).startswith("https://"):
            raise Refusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
        self.webhook = parameters
        return True

    def _delete_webhook(self, parameters: Json) -> bool:
        if str(parameters.get("drop_pending_updates", "")).lower() == "true":
            self.pending.clear()
        self.webhook = {}
        return True

    async def _file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["path"].removeprefix("documents/"))
        if request.match_info["token"] != self.token or content is None:
            return _error(404, "Not Found")
        return web.Response(body=content)


async def _parameters(request: web.Request) -> Json:
    given: Json = dict(request.query)
    for name, value in (await request.post()).items():
        given[name] = (value.filename, value.file.read()) if isinstance(value, web.FileField) else value
    for name in ("reply_parameters", "reply_markup", "allowed_updates"):
        if isinstance(given.get(name), str):
            given[name] = json.loads(given[name])
    return given


async def _broken(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault.hang:
        await asyncio.Event().wait()
    if fault.drop and request.transport is not None:
        request.transport.close()
    if fault.page:
        return web.Response(text=fault.page, status=fault.status, content_type="text/html")
    parameters = {} if fault.retry_after is None else {"retry_after": fault.retry_after}
    return _error(fault.status, fault.description, **parameters)


def _error(status: int, description: str, **parameters: Any) -> web.Response:
    body = {"ok": False, "error_code": status, "description": description}
    return web.json_response(body | ({"parameters": parameters} if parameters else {}), status=status)
