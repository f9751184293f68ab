"""`mneme run`: the daemon, in the foreground."""

import asyncio
import signal
from typing import Annotated

import typer

from gateway.app import Gateway, channel_adapters, choose_model, open_stores
from gateway.cli.command import (
    ConfigOption,
    StateOption,
    command_group,
    print_lines,
    read_settings,
    run_async,
)
from gateway.cli.log_places import open_log
from gateway.config import Settings
from gateway.errors import ConfigError
from gateway.service.notify import Notifier

app = command_group("Run the daemon.")


@app.command()
def run(
    config: ConfigOption = None,
    state: StateOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing on standard output.")] = False,
) -> None:
    """Run the daemon in the foreground. SIGTERM or Ctrl-C lets what runs finish; a second one stops at once.

    Exit code 0 after a stop that was asked for, also during start-up; 1 when it failed; 2 for the configuration.
    """
    settings = read_settings(config, state)
    if problems := settings.missing_secrets():
        raise ConfigError(problems)
    run_async(_run(settings, quiet=quiet))


async def _run(settings: Settings, *, quiet: bool) -> None:
    notifier, stop, hurry = Notifier(settings.environ), asyncio.Event(), asyncio.Event()
    _listen_to_signals(stop, hurry)
    try:
        async with open_stores(settings) as stores:
            open_log(settings, foreground=True)
            choice = await choose_model(settings)
            gateway = Gateway(
                settings,
                stores,
                adapters=channel_adapters(settings, stores),
                llm=choice.client,
                switchable=choice.endpoint is not None,
                notifier=notifier,
                hurry=hurry,
            )

            async def until_stopped() -> None:
                notifier.ready(f"{choice.client.name} answers")
                if not quiet:
                    print_lines(f"Mneme is running; {choice.client.name} answers. Ctrl-C stops it.")
                await stop.wait()
                notifier.stopping("finishing what runs")

            try:
                await gateway.run(until_stopped)
            finally:
                await choice.client.close()
    finally:
        notifier.close()


def _listen_to_signals(stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """The first signal drains, the second one cuts the drain short; what isn't finished is in the inbox."""

    def on_signal() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
