"""Who is connected to a server of a test."""

from aiohttp import web


def open_connections(runner: web.AppRunner | None) -> int:
    """How many connections are open; one whose client is gone may be listed while its handler still runs."""
    server = runner.server if runner is not None else None
    if server is None:
        return 0
    transports = [connection.transport for connection in server.connections]
    return sum(transport is not None and not transport.is_closing() for transport in transports)
