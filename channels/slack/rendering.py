"""A reply's Markdown as the texts and blocks that Slack takes; pure."""

from typing import Any

from channels.chunking import Blocks, split_blocks, split_markdown
from channels.cuts import utf16_units
from channels.markdown import parse
from channels.messages import Choice, OutboundMessage
from channels.slack.mrkdwn import mrkdwn

# chat.update refuses more than 4,000 characters, which is also where Slack's clients begin to fold a message.
LIMIT = 3900
# A section block refuses more than 3,000: https://docs.slack.dev/reference/block-kit/blocks/section-block
SECTION_LIMIT = 2900
# https://docs.slack.dev/reference/block-kit/block-elements/button-element
_LABEL_LIMIT = 75
_MOST_BUTTONS = 25


def length(tree: Blocks) -> int:
    """How long a tree is once rendered, in UTF-16 units: safe under every reading of "character"."""
    return utf16_units(mrkdwn(tree))


def split(text: str) -> list[str]:
    """The Markdown parts of a reply, each one message of at most LIMIT once rendered."""
    return split_markdown(text, measure=length, limit=LIMIT)


def texts(text: str) -> list[str]:
    """The mrkdwn of a part; several if it is longer than one message can be."""
    return [mrkdwn(part) for part in split_blocks(parse(text), measure=length, limit=LIMIT)]


def blocks(message: OutboundMessage) -> list[dict[str, Any]]:
    """A message with buttons: its text in sections, its choices below."""
    sections = split_blocks(parse(message.text), measure=length, limit=SECTION_LIMIT)
    buttons = [_button(choice, number) for number, choice in enumerate(message.choices[:_MOST_BUTTONS])]
    return [
        *({"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn(part)}} for part in sections),
        {"type": "actions", "elements": buttons},
    ]


def choices_as_text(message: OutboundMessage) -> str:
    """The choices as lines to answer with, where buttons can't be shown."""
    lines = (f"{choice.label}: {choice.value}" for choice in message.choices)
    return "".join(f"\n{line}" for line in lines)


def _button(choice: Choice, number: int) -> dict[str, Any]:
    label = {"type": "plain_text", "text": choice.label[:_LABEL_LIMIT]}
    return {"type": "button", "action_id": f"choice-{number}", "text": label, "value": choice.value}
