"""Takes secrets out of text: those that we know, and whatever looks like one."""

import json
import re
from collections.abc import Iterable
from urllib.parse import quote

MARK = "[redacted]"
_SHORTEST_SECRET = 4
"""Shorter ones would blacken ordinary words, and guard nothing."""
_SHAPES = (
    r"\d+(?::|%3[Aa])[A-Za-z0-9_-]{30,}",  # Telegram, also as it stands in a URL
    r"(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]+",  # Slack
    r"(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]+",
    r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}",  # model endpoints
    r"(?<=[Bb]earer )[^\s\"',;]+",
    r"(?<=://)[^/@\s:]+:[^/@\s]+(?=@)",  # a name and password in a URL
)


class Redactor:
    """Replaces secrets by a mark. Calling it costs one search where there is nothing to replace."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _forms(secret)}
        literal = [re.escape(form) for form in sorted(known, key=len, reverse=True)]
        self._pattern = re.compile("|".join([*literal, *_SHAPES]))

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        return self._pattern.sub(MARK, text)


def _forms(secret: str) -> set[str]:
    """A secret as it stands in plain text, in JSON and in a URL."""
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe=""),
    }
