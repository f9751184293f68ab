"""Puts consolidation into a gateway that doesn't wire it by itself."""

from dataclasses import replace

from gateway.app import Gateway
from gateway.jobs.housekeeping import HouseKeepers, housekeepers
from gateway.jobs.places import Limit
from gateway.turns.commands import Commands
from memory.archive.record import History


def keep_house(gateway: Gateway) -> HouseKeepers:
    """The gateway's own, or ones that are put into it before anything is said."""
    own = getattr(gateway, "housekeepers", None)
    if isinstance(own, HouseKeepers):
        return own
    dispatcher, worker = gateway.dispatcher, gateway.background.worker
    keepers = housekeepers(
        gateway.settings, dispatcher._ports, History(gateway.settings.gateway.state), metrics=gateway.metrics
    )
    dispatcher._ports = replace(dispatcher._ports, housekeeping=keepers.housekeeping)
    dispatcher._commands = Commands({**dispatcher._commands._handlers, **keepers.commands})
    worker._handlers |= keepers.jobs
    worker._limits |= dict.fromkeys(keepers.jobs, Limit())
    return keepers
