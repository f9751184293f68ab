"""`mneme chat`: a conversation in the terminal."""

from functools import partial
from typing import Annotated

import typer

from channels.messages import SessionKey
from channels.terminal import Screen, TerminalAdapter
from gateway.app import Gateway, choose_model, open_stores, require_embedder
from gateway.cli.call import Call, command
from gateway.cli.command import command_group, print_lines, run_async
from gateway.cli.daemon import Daemon, daemon_at
from gateway.cli.log_places import open_log
from gateway.cli.remote_chat import RemoteChat, connect_to
from gateway.cli.screen import OneMessage, screen_for
from gateway.config import Settings
from gateway.llm.choose import Choice, Why
from gateway.service.lock import AlreadyRunning

app = command_group("Chat in the terminal.")

_HOW_TO_CHANGE = {
    Why.CONFIGURED: "the configuration says so; [llm] in mneme.toml changes it",
    Why.KEY: "because OPENAI_API_KEY is set; [llm] in mneme.toml changes it",
    Why.SERVER: "found on this machine; [llm] in mneme.toml changes it",
    Why.LOCAL: "the small model on this machine; [llm] in mneme.toml changes it",
    Why.ROTE: "built in, no language model: it quotes what you told it. A real model answers with "
    "OPENAI_API_KEY set, with Ollama running, or with make chat MODEL=small",
}


@command(app, has_json=False)
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
    """Chat in the terminal. Alt+Enter begins a new line, Ctrl-C stops an answer, Ctrl-D leaves."""
    if message is not None and not message.strip():
        raise typer.BadParameter("TEXT is empty: there is nothing to say.", param_hint="--message")
    if session is not None and not session.strip():
        raise typer.BadParameter("KEY is empty.", param_hint="--session")
    run_async(_chat(call.settings, message=message, session=session))


async def _chat(settings: Settings, *, message: str | None, session: str | None) -> None:
    """Chat in this process, or through the daemon where one has the state directory."""
    try:
        await _chat_here(settings, message=message, session=session)
    except AlreadyRunning:
        async with daemon_at(settings.gateway.state) as daemon:
            if daemon is None:
                raise
            await _chat_there(settings, daemon, message=message, session=session)


async def _chat_there(
    settings: Settings, daemon: Daemon, *, message: str | None, session: str | None
) -> None:
    if message is None:
        status = await daemon.perform("status", {})
        print_lines(f"{status['model']} answers, through the daemon that runs here. /help lists commands.")
    key = session if session and ":" in session else f"terminal:{session or 'main'}"
    screen = OneMessage(message) if message is not None else screen_for(settings.gateway.state)
    await RemoteChat(screen, connect=partial(connect_to, settings.gateway.state, key)).run()


async def _chat_here(settings: Settings, *, message: str | None, session: str | None) -> None:
    async with open_stores(settings) as stores:
        open_log(settings, foreground=False)
        screen = OneMessage(message) if message is not None else screen_for(settings.gateway.state)
        require_embedder(settings)
        choice = await choose_model(settings)
        if message is None:
            print_lines(_banner(choice))
        try:
            gateway = Gateway(
                settings,
                stores,
                adapters=[_adapter(screen, session)],
                llm=choice.client,
                switchable=choice.endpoint is not None,
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
