"""Slack's control sequences (`<@U1>`, `<https://…|label>`, `&amp;`) to plain text and back."""

import html
import re
from collections.abc import Mapping

# What Slack escapes in `text`, and nothing else: https://docs.slack.dev/messaging/formatting-message-text
_ENTITY = re.compile(r"&(amp|lt|gt);")
_LETTERS = {"amp": "&", "lt": "<", "gt": ">"}
_SEQUENCE = re.compile(r"<([^<>\n]*)>")
_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>\n]*)?>")


def escape(text: str) -> str:
    """The text as Slack shows it letter by letter: nobody is pinged and no link is made by it."""
    return html.escape(text, quote=False)


def unescape(text: str) -> str:
    """The letters behind the three entities, replaced in one pass, so that `&amp;lt;` stays `&lt;`."""
    return _ENTITY.sub(lambda found: _LETTERS[found[1]], text)


def mentions(text: str) -> frozenset[str]:
    """The ids of the users that a Slack text mentions."""
    return frozenset(_MENTION.findall(text))


def readable(text: str, *, names: Mapping[str, str], without: str = "") -> str:
    """A Slack text as a person reads it; mentions of the user `without` are taken out.

    Sequences are read before entities are, each once: a literal `&lt;@U1&gt;` stays text.
    """
    if without:
        text = re.sub(rf"[ \t]?<@{re.escape(without)}(?:\|[^<>\n]*)?>", "", text)
    parts: list[str] = []
    end = 0
    for found in _SEQUENCE.finditer(text):
        parts += (unescape(text[end : found.start()]), _shown(found[1], names))
        end = found.end()
    return "".join((*parts, unescape(text[end:]))).strip()


def _shown(sequence: str, names: Mapping[str, str]) -> str:
    target, _, label = sequence.partition("|")
    label = unescape(label)
    match target[:1]:
        case "@":
            return "@" + (label.removeprefix("@") or names.get(target[1:], target[1:]))
        case "#":
            return "#" + (label.removeprefix("#") or target[1:])
        case "!":
            return _special(target[1:], label)
        case _:
            return _link(unescape(target), label)


def _special(target: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@team>`, `<!date^…|fallback>`."""
    kind, _, rest = target.partition("^")
    if kind == "date":
        return label or rest
    return label if label.startswith("@") else "@" + (label or rest or kind)


def _link(url: str, label: str) -> str:
    bare = url.removeprefix("mailto:").removeprefix("tel:")
    # Slack makes a link of every address that a person types: `<http://a.org|a.org>` was written as `a.org`.
    if not label or label in {url, bare, bare.removeprefix("http://"), bare.removeprefix("https://")}:
        return label or bare
    return f"{label} ({bare})"
