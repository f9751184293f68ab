"""The whole, built from its parts: the only room that knows all of them."""

from gateway.app.gateway import Gateway
from gateway.app.model import choose_model
from gateway.app.stores import Stores, open_stores, operation_ports

__all__ = ["Gateway", "Stores", "choose_model", "open_stores", "operation_ports"]
