"""What Slack's Web API and the network answer with when something is wrong, as our own errors, and the pause after one."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from channels.errors import ChannelError, ChannelRefused, DeliveryFailed, DeliveryRejected

LONGEST_PAUSE = 25.0
"""Seconds: with a request that hangs for 15, recovery is noticed within the 45 that readiness may take to come back."""

_MOST_DOUBLINGS = 10
_RATE_LIMIT_SECONDS = 30.0  # what Slack's own SDKs wait when no Retry-After is named

# No call with this token can succeed until a person acts.
REFUSED = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "link_disabled",
        "missing_scope",
        "not_allowed_token_type",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
    }
)
_LIMITED = frozenset({"message_limit_exceeded", "rate_limited", "ratelimited"})
_PASSING = frozenset(
    {
        "accesslimited",
        "fatal_error",
        "internal_error",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
        "update_failed",
    }
)


class Fault(ChannelError):
    """Slack refused one call; `code` is its own word for why."""

    def __init__(self, code: str) -> None:
        super().__init__(f"Slack answers {code}")
        self.code = code


@contextmanager
def mapped() -> Iterator[None]:
    """Turn what the SDK raises into ChannelRefused, DeliveryFailed, or Fault (refused for good, by its code)."""
    try:
        yield
    except SlackApiError as error:
        raise _of_response(error.response) from error
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DeliveryFailed(f"Slack can't be reached: {type(error).__name__}") from error
    except (AttributeError, ValueError) as error:
        # The SDK takes every 200 for JSON in UTF-8, and stumbles over whatever some proxy put in its place.
        raise DeliveryFailed("Slack's answer can't be read") from error


@contextmanager
def delivering() -> Iterator[None]:
    """For sends: what Slack refuses for good, the message or all of us, becomes DeliveryRejected."""
    try:
        yield
    except (Fault, ChannelRefused) as error:
        raise DeliveryRejected(str(error)) from error


def pause(failures: int, *, first: float, error: ChannelError | None = None) -> float:
    """Seconds after so many failures in a row: `first`, doubled each time up to LONGEST_PAUSE, or as long as Slack says."""
    named = error.retry_after if isinstance(error, DeliveryFailed) else None
    return max(min(first * 2.0 ** min(failures, _MOST_DOUBLINGS), LONGEST_PAUSE), named or 0.0)


def _of_response(response: object) -> ChannelError:
    # Where the body is no JSON, the SDK hands over aiohttp's response instead of its own.
    if not isinstance(response, AsyncSlackResponse):
        return DeliveryFailed(f"Slack answers {getattr(response, 'status', 'nonsense')}")
    named = response.get("error") if isinstance(response.data, dict) else None
    code = named if isinstance(named, str) else ""
    if response.status_code == 429 or code in _LIMITED:
        return DeliveryFailed("Slack limits the rate", retry_after=_retry_after(response))
    if response.status_code >= 500 or code in _PASSING or not code:
        return DeliveryFailed(f"Slack answers {code or response.status_code}")
    if code in REFUSED:
        return ChannelRefused(f"Slack answers {code}")
    return Fault(code)


def _retry_after(response: AsyncSlackResponse) -> float:
    headers = {str(name).lower(): value for name, value in response.headers.items()}
    value = str(headers.get("retry-after", ""))
    return float(value) if value.isdigit() else _RATE_LIMIT_SECONDS
