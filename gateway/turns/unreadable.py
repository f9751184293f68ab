"""What a command says where the files of memory can't be read: the conversation is stored apart from them and goes on."""

import structlog

from gateway.replies import Say, say
from gateway.turns.commands import Afterwards, CommandContext, CommandResult, Handler
from memory.errors import StoreError

log = structlog.get_logger(__name__)


def or_unreadable(handler: Handler) -> Handler:
    """The command, which answers what fails in the files of memory with a sentence; the log names the file.

    Left to itself, that would hold up its chat as a session does that can't be written.
    """

    async def guarded(context: CommandContext) -> CommandResult:
        try:
            result = await handler(context)
        except StoreError as error:
            return _sentence(error, language=context.language)
        return _guarded(result, language=context.language) if isinstance(result, Afterwards) else result

    return guarded


def _guarded(command: Afterwards, *, language: str) -> Afterwards:
    async def run() -> str:
        try:
            return await command.run()
        except StoreError as error:
            return _sentence(error, language=language)

    return Afterwards(run=run)


def _sentence(error: StoreError, *, language: str) -> str:
    log.error("memory_unreadable", error=str(error))
    return say(Say.MEMORY_UNREADABLE, language)
