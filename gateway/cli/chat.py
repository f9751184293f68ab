"""`mneme chat`: a conversation in the terminal."""

from functools import partial
from typing import Annotated

import typer

from channels.messages import SessionKey, escape_part
from channels.terminal import Screen, TerminalAdapter
from gateway.app import Gateway, choose_model, open_stores, require_embedder
from gateway.cli.call import Call, command
from gateway.cli.command import CommandFailed, command_group, print_lines, run_async
from gateway.cli.daemon import Daemon, daemon_at
from gateway.cli.log_places import open_log
from gateway.cli.remote_chat import RemoteChat, connect_to
from gateway.cli.screen import OneMessage, screen_for
from gateway.config import Settings
from gateway.llm.choose import Choice, Why
from gateway.service.lock import AlreadyRunning
from gateway.turns.commands import typed_command

app = command_group("Chat in the terminal.")

_ASKING = "retry"
"""The command that wants an answer of the model."""

_HOW_TO_CHANGE = {
    Why.CONFIGURED: "the configuration says so; [llm] in mneme.toml changes it",
    Why.KEY: "because OPENAI_API_KEY is set; [llm] in mneme.toml changes it",
    Why.SERVER: "found on this machine; [llm] in mneme.toml changes it",
    Why.LOCAL: "the small model on this machine; [llm] in mneme.toml changes it",
    Why.ROTE: "built in, no language model: it quotes what you told it. A real model answers with "
    "OPENAI_API_KEY set, with Ollama running, or with make chat MODEL=small",
}


@command(app)
def chat(
    call: Call,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", metavar="TEXT", help="Say this, print the reply, and leave."),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="KEY", help="The conversation; a name stands for terminal:NAME."),
    ] = None,
) -> None:
    """Chat in the terminal. Alt+Enter begins a new line, Ctrl-C stops an answer, Ctrl-D leaves.

    With --message: exit code 1, and what was said instead on standard error, when there is no answer.
    """
    if message is None:
        if call.as_json:
            raise typer.BadParameter("there is a document for --message TEXT alone.", param_hint="--json")
        run_async(_chat(call.settings, screen_for(call.settings.gateway.state), session=session))
        return
    screen = OneMessage(message)
    run_async(_chat(call.settings, screen, session=session))
    _report(call, screen, asked=message, key=_key(session))


def _report(call: Call, screen: OneMessage, *, asked: str, key: str) -> None:
    """Print the answer; CommandFailed where there is none, with what was said instead of it."""
    answer, typed = screen.answered, typed_command(asked)
    if not call.as_json:
        print_lines(*screen.beside)
    if answer is None:
        raise CommandFailed("there is no answer yet; what was said is kept")
    if answer.seq is None and (typed is None or typed.name == _ASKING):
        raise CommandFailed(answer.text)
    document = {"session": key, "reply": answer.text, "turn": answer.turn, "seq": answer.seq}
    call.report(document | {"beside": screen.beside}, [answer.text])


async def _chat(settings: Settings, screen: Screen, *, session: str | None) -> None:
    """Chat in this process, or through the daemon where one has the state directory."""
    try:
        await _chat_here(settings, screen, session=session)
    except AlreadyRunning:
        async with daemon_at(settings.gateway.state) as daemon:
            if daemon is None:
                raise
            await _chat_there(settings, daemon, screen, key=_key(session))


async def _chat_there(settings: Settings, daemon: Daemon, screen: Screen, *, key: str) -> None:
    if not isinstance(screen, OneMessage):
        status = await daemon.perform("status", {})
        print_lines(
            f"{status['model']} answers, through the daemon that runs here; what [llm] in mneme.toml says "
            "holds from its next start. /help lists commands."
        )
    await RemoteChat(screen, connect=partial(connect_to, settings.gateway.state, key)).run()


def _key(session: str | None) -> str:
    """The session that is meant: a name stands for one of the terminal's."""
    return session if session and ":" in session else f"terminal:{escape_part(session or 'main')}"


async def _chat_here(settings: Settings, screen: Screen, *, session: str | None) -> None:
    async with open_stores(settings) as stores:
        open_log(settings, foreground=False)
        require_embedder(settings)
        choice = await choose_model(settings)
        if not isinstance(screen, OneMessage):
            print_lines(_banner(choice))
        try:
            gateway = Gateway(
                settings,
                stores,
                adapters=[_adapter(screen, session)],
                llm=choice.client,
                models=choice.models,
            )
            await gateway.serve_until_ended("terminal")
        finally:
            await choice.client.close()


def _adapter(screen: Screen, session: str | None) -> TerminalAdapter:
    if session is None:
        return TerminalAdapter(screen)
    if ":" not in session:
        return TerminalAdapter(screen, chat_id=session)
    return TerminalAdapter(screen, session_key=SessionKey(session))


def _banner(choice: Choice) -> str:
    """Which model answers and how to change it."""
    return f"{choice.client.name} answers ({_HOW_TO_CHANGE[choice.why]}). /help lists commands."
