"""How long to wait before Slack is asked again for something that failed."""

from channels.errors import ChannelError, DeliveryFailed

LONGEST = 25.0
"""Seconds: with a request that hangs for 15, recovery is noticed within the 45 that readiness may take to come back."""

_MOST_DOUBLINGS = 10


def pause(failures: int, *, first: float, error: ChannelError | None = None) -> float:
    """Seconds after so many failures in a row: `first`, doubled each time up to LONGEST, or as long as Slack says."""
    named = error.retry_after if isinstance(error, DeliveryFailed) else None
    return max(min(first * 2.0 ** min(failures, _MOST_DOUBLINGS), LONGEST), named or 0.0)
