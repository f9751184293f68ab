"""What one endpoint takes, learned from its refusals: a field that it refused is not sent again."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """How requests to an endpoint are written; the defaults are what most endpoints take.

    `limit_field` names the output limit ("" sends none) and `limit` is the most that the endpoint allows (0: any).
    `answer_format` is json_schema, json_object or "". `null_content` says that null may stand beside calls.
    `short_ids` wants call ids of nine letters and digits.
    """

    stream: bool = True
    usage_in_stream: bool = True
    tools: bool = True
    limit_field: str = "max_tokens"
    limit: int = 0
    answer_format: str = "json_schema"
    null_content: bool = True
    reasoning: bool = False
    system_role: bool = True
    short_ids: bool = False


_REFUSAL = (
    r"(?:not? (?:\w+ )?support|n't support|unsupported|unknown|unrecogni[sz]ed|unexpected|not permitted"
    r"|not allowed|forbidden|not available|unavailable|invalid|must contain|requires?\b|not implemented)"
)


def _refuses(field: str) -> re.Pattern[str]:
    """A refusal and the field's name, in either order and near each other."""
    return re.compile(
        rf"\b{field}\b.{{0,200}}?{_REFUSAL}|{_REFUSAL}.{{0,200}}?\b{field}\b", re.IGNORECASE | re.DOTALL
    )


_STREAM_OPTIONS = _refuses("stream_options")
_STREAM = _refuses("stream(?:ing)?")
_LIMIT = _refuses("max_(?:completion_)?tokens")
_LIMIT_VALUE = re.compile(
    r"max_(?:completion_)?tokens\b.{0,120}?(?:at most|up to|less than or equal to|<=|\[\d+,)\s*(\d+)",
    re.IGNORECASE | re.DOTALL,
)
_ANSWER_FORMAT = _refuses("(?:response_format|json_schema|json_object|structured outputs?)")
_TOOLS = re.compile(
    r"not support (?:\w+ ){0,3}(?:tool|function)|support (?:\w+ )?(?:tool use|tools|function calling)\b"
    r"|tool choice requires|tools param requires|(?:unknown|unrecogni[sz]ed|unexpected|unsupported|extra)\b[^.]{0,60}\btools\b"
    r"|\btools\b[^.]{0,60}(?:not supported|not permitted|not allowed|unsupported|unexpected|unknown)",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"\bcontent\b.{0,120}?(?:null|none|nil|string|required|missing|empty)|(?:null|none|missing).{0,60}?\bcontent\b",
    re.IGNORECASE | re.DOTALL,
)
_REASONING_WANTED = re.compile(
    r"reasoning_content\b.{0,120}?(?:missing|must be|required|passed back)|(?:missing|requires?).{0,60}?\breasoning_content\b",
    re.IGNORECASE | re.DOTALL,
)
_REASONING_REFUSED = _refuses("reasoning_content")
_SYSTEM_ROLE = re.compile(
    r"system (?:role|message)s?\b.{0,40}?(?:not|n't|unsupported)", re.IGNORECASE | re.DOTALL
)
_SHORT_IDS = re.compile(r"tool.?call.?id.{0,120}?length of 9", re.IGNORECASE | re.DOTALL)

Sent = Mapping[str, Any]
_Lesson = Callable[[Quirks, str, Sent], Quirks | None]


def _limit(quirks: Quirks, complaint: str, sent: Sent) -> Quirks | None:
    if quirks.limit_field not in sent:
        return None
    value = _LIMIT_VALUE.search(complaint)
    if value and 0 < int(value[1]) < sent[quirks.limit_field]:
        return replace(quirks, limit=int(value[1]))
    if not _LIMIT.search(complaint):
        return None
    return replace(quirks, limit_field="max_completion_tokens" if quirks.limit_field == "max_tokens" else "")


def _answer_format(quirks: Quirks, complaint: str, sent: Sent) -> Quirks | None:
    if "response_format" not in sent or not _ANSWER_FORMAT.search(complaint):
        return None
    return replace(quirks, answer_format="json_object" if quirks.answer_format == "json_schema" else "")


def _stream(quirks: Quirks, complaint: str, sent: Sent) -> Quirks | None:
    if "stream_options" in sent and _STREAM_OPTIONS.search(complaint):
        return replace(quirks, usage_in_stream=False)
    if sent.get("stream") and _STREAM.search(complaint):
        return replace(quirks, stream=False)
    return None


def _tools(quirks: Quirks, complaint: str, sent: Sent) -> Quirks | None:
    return replace(quirks, tools=False) if "tools" in sent and _TOOLS.search(complaint) else None


def _messages(quirks: Quirks, complaint: str, sent: Sent) -> Quirks | None:
    messages = sent["messages"]
    if _SHORT_IDS.search(complaint) and not quirks.short_ids:
        return replace(quirks, short_ids=True)
    if not quirks.reasoning and _REASONING_WANTED.search(complaint):
        return replace(quirks, reasoning=True)
    if quirks.reasoning and _REASONING_REFUSED.search(complaint) and not _REASONING_WANTED.search(complaint):
        return replace(quirks, reasoning=False)
    if _CONTENT.search(complaint) and any(message["content"] is None for message in messages):
        return replace(quirks, null_content=False)
    if quirks.system_role and _SYSTEM_ROLE.search(complaint) and messages[0]["role"] == "system":
        return replace(quirks, system_role=False)
    return None


_LESSONS: tuple[_Lesson, ...] = (_stream, _limit, _answer_format, _tools, _messages)


def learn(quirks: Quirks, *, complaint: str, sent: Sent) -> Quirks | None:
    """The quirks after a refusal of `sent`, or None when it says nothing about how requests are written."""
    return next((learned for lesson in _LESSONS if (learned := lesson(quirks, complaint, sent))), None)
