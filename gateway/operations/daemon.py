"""What is asked of a running daemon about itself."""

from gateway.operations.operation import Document, OperationFailed, OperationPorts, Running


async def status(ports: OperationPorts) -> Document:
    """How it is: channels, sessions, queues, jobs."""
    return await _running(ports).status()


async def reload(ports: OperationPorts) -> Document:
    """Read the configuration again; ConfigError, and nothing has changed, when it can't be used."""
    return await _running(ports).reload()


def _running(ports: OperationPorts) -> Running:
    if ports.running is None:
        raise OperationFailed("no daemon is running here; mneme run starts one")
    return ports.running
