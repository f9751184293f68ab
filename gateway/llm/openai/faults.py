"""Every way in which an endpoint can fail, as our errors: one table for statuses, one for exceptions."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from gateway.errors import ContextOverflow, LLMError, LLMRejected, LLMUnavailable
from gateway.llm.openai.overflow import named_window, overflows

_LATER = frozenset({408, 409, 425, 429, *range(500, 600)})
_EXCERPT = 200  # characters of an endpoint's complaint: enough for its reason, too little for a prompt
_KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|key)[-_][\w*.-]{6,}|Bearer\s+\S+", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|insufficient balance", re.IGNORECASE
)


class Silence(LLMUnavailable):
    """No byte came for the whole timeout; asking again would cost as long, so it is not retried here."""


class Garbled(Exception):
    """What came is no answer; the text completes a sentence that begins with the endpoint's name.

    `again` says that it would come so again.
    """

    def __init__(self, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.again = again


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer with an error status, or an error document inside a stream."""

    status: int
    complaint: str
    error: Mapping[str, Any] = field(default_factory=dict)
    retry_after: float | None = None


def read_refusal(
    status: int, *, body: bytes, headers: Mapping[str, str], now: datetime | None = None
) -> Refusal:
    """What a refusal says, whatever shape it has; HTML says nothing."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        text = body.decode("utf-8", "replace").strip()
        document = "" if text.startswith("<") else text
    error = _error(document)
    return Refusal(
        status=status,
        complaint=_complaint(document, error),
        error=error,
        retry_after=_retry_after(headers, now=now),
    )


def refused_in_stream(document: Mapping[str, Any]) -> Refusal | None:
    """The refusal that stands in the place of an answer although the status was 200."""
    if not document.get("error"):
        return None
    error = _error(document)
    code = error.get("code") or error.get("status") or document.get("code")
    known = isinstance(code, int) and code >= 400
    return Refusal(
        status=code if known and isinstance(code, int) else 500,
        complaint=_complaint(document, error),
        error=error,
    )


def fault(refusal: Refusal, *, name: str, model: str, setting: str = "llm.model") -> LLMError:
    """The error of a refusal, in one sentence that says what to do; no key stands in it.

    `setting` is where the model is named.
    """
    status, complaint = refusal.status, refusal.complaint
    if status in (401, 403):
        return LLMRejected(f"{name} refuses the API key ({status}); check llm.api_key and what it may use")
    if status == 402 or _NO_CREDIT.search(complaint):
        return LLMRejected(
            f"{name} says that the account has no credit left ({status}); top it up or change llm.api_key"
        )
    if overflows(complaint, status=status):
        window = named_window(complaint, error=refusal.error)
        limit = f"; its window is {window} tokens" if window else ""
        return ContextOverflow(f"{name} says that the request is too long{limit}", window=window)
    if status in _LATER:
        said = "is busy" if status == 429 else "can't answer now"
        return LLMUnavailable(
            f"{name} {said} ({status}){excerpt(complaint)}", retry_after=refusal.retry_after
        )
    if status == 404:
        return LLMRejected(
            f"{name} has no model {model!r} or no such address (404); check {setting} and llm.base_url{excerpt(complaint)}"
        )
    return LLMRejected(f"{name} refuses the request ({status}){excerpt(complaint)}")


def excerpt(complaint: str) -> str:
    """The beginning of a complaint, after a colon, without anything that looks like a key."""
    text = " ".join(_KEYS.sub("***", complaint).split())
    if not text:
        return ""
    return f": {text[:_EXCERPT]}…" if len(text) > _EXCERPT else f": {text}"


def _error(document: object) -> Mapping[str, Any]:
    error = document.get("error", document) if isinstance(document, dict) else None
    return error if isinstance(error, dict) else {}


def _complaint(document: object, error: Mapping[str, Any]) -> str:
    """The words of a complaint: message, code, type and field, and what a validator lists, without its inputs."""
    parts = [error.get(key) for key in ("message", "msg", "code", "type", "param", "reason")]
    if isinstance(document, str):
        parts.append(document)
    elif isinstance(document, dict):
        parts.append(document.get("error"))
        parts.append(document.get("message"))
        details = document.get("detail")
        parts.extend(_details(details) if isinstance(details, list) else [details])
    return "; ".join(dict.fromkeys(part for part in parts if isinstance(part, str) and part))


def _details(details: list[Any]) -> list[str]:
    return [
        f"{'.'.join(map(str, detail.get('loc', ())))}: {detail.get('msg', '')}"
        for detail in details
        if isinstance(detail, dict)
    ]


def _retry_after(headers: Mapping[str, str], *, now: datetime | None) -> float | None:
    """Seconds to wait, however the endpoint writes them."""
    with suppress(KeyError, ValueError):
        return max(float(headers["retry-after-ms"]) / 1000, 0.0)
    value = headers.get("retry-after", "")
    with suppress(ValueError):
        return max(float(value), 0.0)
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(value)
        return max((until - (now or datetime.now(UTC))).total_seconds(), 0.0)
    return None
