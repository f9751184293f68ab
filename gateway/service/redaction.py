"""Takes secrets out of text: those that we know, and whatever looks like one."""

import json
import re
from collections.abc import Iterable
from urllib.parse import quote

MARK = "[redacted]"
_SHORTEST_SECRET = 4
"""Shorter ones would blacken ordinary words, and guard nothing."""
_SHAPES = (
    # What a text must hold, and how long it must be, before the search is worth its time; then the shape itself.
    ("xox", 8, re.compile(r"(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]+")),  # Slack
    ("xapp-", 8, re.compile(r"(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]+")),
    ("sk-", 11, re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}")),  # model endpoints
    ("earer ", 8, re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{6,}")),
    (":", 32, re.compile(r"\d+:[A-Za-z0-9_-]{30,}")),  # Telegram
    ("%3", 34, re.compile(r"\d+%3[Aa][A-Za-z0-9_-]{30,}")),  # the same in a URL
    ("://", 9, re.compile(r"(?<=://)[^/@\s:]+:[^/@\s]+(?=@)")),  # a name and password in a URL
)


class Redactor:
    """Replaces secrets by a mark; where there are none it costs a few comparisons."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _forms(secret)}
        self._known = sorted(known, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, MARK)
        length = len(text)
        for part, shortest, shape in _SHAPES:
            if length >= shortest and part in text:
                text = shape.sub(MARK, text)
        return text


def _forms(secret: str) -> set[str]:
    """A secret as it stands in plain text, in JSON and in a URL."""
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe=""),
    }
