"""A gateway with its background: worker, scheduler, and the tools and commands that reach them."""

from dataclasses import replace

from gateway.app import Gateway
from gateway.jobs.background import Background, background
from gateway.tools.registry import ToolRegistry
from gateway.turns.commands import Commands


def wire_background(gateway: Gateway) -> Background:
    """The gateway's own, or one that is put into it before it runs."""
    own = getattr(gateway, "background", None)
    if isinstance(own, Background):
        return own
    dispatcher = gateway.dispatcher
    ports = dispatcher._ports
    beside = background(gateway.settings, ports, publish=gateway.bus.publish)
    names = {tool.schema.name for tool in beside.tools}
    tools = ToolRegistry(
        [*ports.tools._tools.values(), *beside.tools],
        allowed={role: {*allowed, *names} for role, allowed in ports.tools._allowed.items()},
    )
    dispatcher._ports = replace(ports, tools=tools)
    dispatcher._commands = Commands({**dispatcher._commands._handlers, **beside.handlers})
    return beside


def start_background(gateway: Gateway, beside: Background) -> None:
    """Start what the gateway doesn't start by itself."""
    if getattr(gateway, "background", None) is None:
        gateway.supervisor.start("worker", beside.worker.run)
        gateway.supervisor.start("scheduler", beside.scheduler.run)
