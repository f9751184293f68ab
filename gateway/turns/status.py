"""`/status` and `/model`: how a conversation stands, and which model answers it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from math import ceil
from zoneinfo import ZoneInfo

from gateway.llm.client import LLMClient
from gateway.replies import Say, say
from gateway.turns.commands import CommandContext, CommandResult, Handler
from gateway.turns.request import chosen_model
from memory import tokens

Models = Callable[[], Awaitable[Sequence[str]]]
_MOST_SHOWN = 12
"""Some endpoints serve hundreds."""


def status_handlers(
    llm: LLMClient,
    *,
    models: Models | None,
    waiting: Callable[[], Awaitable[int]],
    jobs: Callable[[str], Awaitable[int]],
    started_at: datetime,
    zone: Callable[[str | None], ZoneInfo],
) -> Mapping[str, Handler]:
    """The two commands. `waiting` counts unanswered messages, `jobs` the unfinished jobs of a session.

    `models` asks the endpoint for those that may be chosen, as far as it lists them; None where there is no choice.
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
        asked, language = context.argument, context.language
        if asked and models is not None:
            context.session.metadata["model"] = "" if asked == "default" else asked
        sentence = Say.MODEL_NOW if asked and models is not None else Say.MODEL_IS
        said = [say(sentence, language, model=chosen_model(context.session) or llm.name)]
        listed = await models() if models is not None and asked != "default" else ()
        if listed and asked not in listed:
            shown = ", ".join([*listed[:_MOST_SHOWN], *(["…"] if len(listed) > _MOST_SHOWN else [])])
            said.append(say(Say.MODEL_UNLISTED if asked else Say.MODEL_CHOICE, language, models=shown))
        return "\n".join(said)

    return {"status": status, "model": model}
