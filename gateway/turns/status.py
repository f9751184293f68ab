"""`/status` and `/model`: how a conversation stands, and which model answers it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

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
            tokens=in_view,
            window=await llm.window(),
            consolidated=session.last_consolidated,
            waiting=max(0, await waiting() - 1),
            jobs=await jobs(session.key),
            uptime=_rounded(datetime.now(UTC) - started_at),
        )

    async def model(context: CommandContext) -> CommandResult:
        if not context.argument or not switchable:
            return say(Say.MODEL_IS, context.language, model=chosen_model(context.session) or llm.name)
        context.session.metadata["model"] = "" if context.argument == "default" else context.argument
        return say(Say.MODEL_NOW, context.language, model=chosen_model(context.session) or llm.name)

    return {"status": status, "model": model}


def _rounded(span: timedelta) -> timedelta:
    return timedelta(seconds=int(span.total_seconds()))
