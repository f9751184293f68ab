"""`/forget REF`: erase what was said, for good."""

from collections.abc import Mapping

from gateway.replies import Say, say
from gateway.turns.commands import Afterwards, CommandContext, CommandResult, Handler
from gateway.turns.unreadable import or_unreadable
from memory.forget import Erasure, Forget
from memory.messages import reference


def forget_handlers(forget: Forget) -> Mapping[str, Handler]:
    """The command. A person reaches what their own audience holds; a group's memory is its owner's to erase."""

    async def command(context: CommandContext) -> CommandResult:
        ref, language, audience = context.ref, context.language, context.session.audience
        if not ref:
            return say(Say.USAGE, language, usage=f"/forget {reference(context.session.key, 17)}")
        if not context.may_change:
            return say(Say.OWNER_ONLY, language)

        async def run() -> str:
            try:
                erasure = await forget.message(ref, audience=audience)
            except ValueError:  # no reference, or one of nothing
                erasure = Erasure()
            if erasure == Erasure():
                return say(Say.NOTHING_TO_FORGET, language, ref=ref)
            return say(
                Say.FORGOTTEN,
                language,
                messages=len(erasure.messages),
                claims=erasure.claims + erasure.archived,
                lines=erasure.lines,
            )

        return Afterwards(run=run)

    return {"forget": or_unreadable(command)}
