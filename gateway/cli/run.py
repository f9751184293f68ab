"""`mneme run`: the daemon, in the foreground."""

import asyncio
import os
from typing import Annotated

import structlog
import typer

from gateway import __version__
from gateway.app import open_stores
from gateway.app.daemon import Daemon, open_daemon
from gateway.cli.call import Call, command
from gateway.cli.command import command_group, print_lines, run_async
from gateway.cli.commands import stop_signals
from gateway.cli.log_places import open_log
from gateway.config import Settings
from gateway.errors import ConfigError
from gateway.service.heap import share_one_heap
from gateway.service.notify import Notifier

app = command_group("Run the daemon.")
log = structlog.get_logger(__name__)


@command(app, has_json=False)
def run(
    call: Call,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing on standard output.")] = False,
) -> None:
    """Run the daemon in the foreground. SIGTERM or Ctrl-C lets what runs finish; a second one stops at once.

    Exit code 0 after a stop that was asked for, also during start-up; 1 when it failed; 2 for the configuration.
    """
    settings = call.settings_and_secrets
    if problems := settings.missing_secrets():
        raise ConfigError(problems)
    share_one_heap()
    run_async(_run(settings, quiet=quiet))


async def _run(settings: Settings, *, quiet: bool) -> None:
    notifier, stop, hurry = Notifier(settings.environ), asyncio.Event(), asyncio.Event()
    _listen_to_signals(stop, hurry)
    try:
        async with open_stores(settings) as stores:
            open_log(settings, foreground=True)
            log.info("daemon_started", version=__version__, pid=os.getpid(), store=settings.sessions.store)
            for warning in settings.warnings:
                log.warning("configuration_doubted", doubt=warning)
            async with open_daemon(settings, stores, notifier=notifier, hurry=hurry) as daemon:

                async def until_stopped() -> None:
                    notifier.ready(f"{daemon.llm.name} answers")
                    channels = sorted(daemon.gateway.adapters)
                    log.info("startup_finished", model=daemon.llm.name, channels=channels)
                    if not quiet:
                        print_lines(_greeting(settings, daemon))
                    await stop.wait()
                    notifier.stopping("finishing what runs")
                    log.info("stop_requested")

                await daemon.run(until_stopped)
            log.info("daemon_stopped", hurried=hurry.is_set())
    finally:
        notifier.close()


def _greeting(settings: Settings, daemon: Daemon) -> str:
    """One line: which model, which channels, where the web chat is."""
    channels = sorted(daemon.gateway.adapters.keys() - {"terminal", "web"})
    place = f"http://{settings.gateway.http}" if settings.gateway.http else "the control socket alone"
    where = f"{', '.join(channels)} and {place}" if channels else place
    return f"Mneme is running: {daemon.llm.name} answers on {where}. Ctrl-C stops it."


def _listen_to_signals(stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """The first signal drains, the second one cuts the drain short; what isn't finished is in the inbox."""

    def on_signal() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    for number in stop_signals():
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
