"""How endpoints say that a request is too long, and which window they name when they do (pure)."""

import re
from collections.abc import Mapping
from typing import Any

_NUMBER = r"(?P<window>\d[\d,_]*)"
_NAMING = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"maximum context length\W+(?:is |of |only )?{_NUMBER}",
        rf"(?:with|to|of) {_NUMBER} maximum context length",
        rf"maximum (?:model|prompt) length (?:of|is) {_NUMBER}",
        rf"available context size \({_NUMBER}",
        rf"context size(?: has been)? exceeded.{{0,40}}?{_NUMBER}",
        rf"prompt is too long: [\d,]+ tokens > {_NUMBER}",
        rf"exceed(?:s)? context limit: [\d,]+ \+ [\d,]+ > {_NUMBER}",
        rf"input token count.{{0,40}}exceeds the maximum number of tokens allowed \({_NUMBER}",
        rf"range of input length should be \[\d+, ?{_NUMBER}\]",
        rf"tokens in the prompt cannot exceed {_NUMBER}",
        rf"max_new_tokens`? must be <= {_NUMBER}",
        rf"context length of only {_NUMBER}",
        rf"exceed(?:s|ed)? (?:the )?model token limit\W+{_NUMBER}",
        rf"request too large.{{0,200}}?limit:? {_NUMBER}",
    )
)
_SAYING = re.compile(
    r"context_length_exceeded|exceed_context_size|context.window.{0,30}exceed|exceed\w*.{0,60}context (?:length|window|size|limit)"
    r"|context (?:length|window|size).{0,60}exceed|maximum context length|prompt (?:is )?too long"
    r"|input (?:is )?too long|input length.{0,40}exceed|reduce the length of the (?:messages|prompt|input)"
    r"|input token count.{0,60}exceeds|too many tokens|too large for model|longer than the maximum model length"
    r"|maximum prompt length|request too large|greater than the context length|when context the overflows|model token limit",
    re.IGNORECASE | re.DOTALL,
)


def overflows(complaint: str, *, status: int) -> bool:
    """Whether a refusal means that the request was too long."""
    return status == 413 or bool(_SAYING.search(complaint)) or named_window(complaint) is not None


def named_window(complaint: str, *, error: Mapping[str, Any] | None = None) -> int | None:
    """The limit in tokens that a refusal names, in its fields or in its sentence."""
    field = (error or {}).get("n_ctx")
    if isinstance(field, int) and field > 0:
        return field
    found = next((match for pattern in _NAMING if (match := pattern.search(complaint))), None)
    return int(re.sub(r"\D", "", found["window"])) if found else None
