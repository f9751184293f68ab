"""The configuration: `load` reads it once, `Settings` holds it; nobody else reads files or environment for it."""

from gateway.config.cadence import Cadence, parse_cadence
from gateway.config.loading import load
from gateway.config.secret import Secret
from gateway.config.settings import Settings

__all__ = ["Cadence", "Secret", "Settings", "load", "parse_cadence"]
