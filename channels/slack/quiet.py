"""A logger for Slack's own libraries, which would log what people wrote and what we raise and handle anyway."""

import logging
from functools import cache


@cache
def quiet_logger() -> logging.Logger:
    """Nothing passes it: failures reach us as exceptions, and message text belongs in no log."""
    logger = logging.getLogger("channels.slack.vendor")
    logger.setLevel(logging.CRITICAL + 1)
    return logger
