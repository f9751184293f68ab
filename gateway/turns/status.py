"""`/status` and `/model`: how a conversation stands, and which model answers it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from math import ceil
from zoneinfo import ZoneInfo

from gateway.llm.client import LLMClient
from gateway.replies import Say, say
from gateway.turns.commands import CommandContext, CommandResult, Handler
from gateway.turns.request import chosen_model
from memory import tokens


def status_handlers(
    llm: LLMClient,
    *,
    switchable: bool,
    waiting: Callable[[], Awaitable[int]],
    jobs: Callable[[str], Awaitable[int]],
    started_at: datetime,
    zone: Callable[[str | None], ZoneInfo],
) -> Mapping[str, Handler]:
    """The two commands. `waiting` counts unanswered messages, `jobs` the unfinished jobs of a session.

    `switchable` says whether the endpoint has models to choose from.
    """

    async def status(context: CommandContext) -> CommandResult:
        session = context.session
        in_view = sum(message.tokens or tokens.message_tokens(message) for message in session.visible())
        return say(
            Say.STATUS,
            context.language,
            model=chosen_model(session) or llm.name,
            messages=session.last_seq,
            percent=ceil(100 * in_view / await llm.window()),
            consolidated=session.last_consolidated,
            waiting=max(0, await waiting() - 1),
            jobs=await jobs(session.key),
            since=f"{started_at.astimezone(zone(context.message.person)):%Y-%m-%d %H:%M}",
        )

    async def model(context: CommandContext) -> CommandResult:
        if not context.argument or not switchable:
            return say(Say.MODEL_IS, context.language, model=chosen_model(context.session) or llm.name)
        context.session.metadata["model"] = "" if context.argument == "default" else context.argument
        return say(Say.MODEL_NOW, context.language, model=chosen_model(context.session) or llm.name)

    return {"status": status, "model": model}
