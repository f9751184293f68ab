"""The whole, built from its parts: the only room that knows all of them."""

from gateway.app.gateway import Gateway
from gateway.app.model import choose_model
from gateway.app.stores import Stores, open_stores, operation_ports
from gateway.app.vectors import embedder_for, require_embedder

__all__ = [
    "Gateway",
    "Stores",
    "choose_model",
    "embedder_for",
    "open_stores",
    "operation_ports",
    "require_embedder",
]
