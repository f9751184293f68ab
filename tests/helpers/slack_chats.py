"""The chats of the strict Slack: what stands in them, and what Slack refuses."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

SECTION_LIMIT = 3000

Arguments = dict[str, Any]


class Refused(Exception):
    """A method says no, by its code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(slots=True)
class Post:
    """One message as it stands now; `states` is every text that it ever had."""

    ts: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
    arguments: Arguments = field(default_factory=dict)
    states: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Channel:
    """A chat: `member` is whether the app is in it."""

    id: str
    kind: str
    messages: list[Post] = field(default_factory=list)
    archived: bool = False
    member: bool = True

    def find(self, ts: str) -> Post:
        """The message with that ts."""
        for post in self.messages:
            if post.ts == ts:
                return post
        raise Refused("message_not_found")

    def shown(self, thread_ts: str | None = None) -> list[str]:
        """What the app's messages in a thread, or at the top, say now."""
        return [post.text for post in self.messages if post.user == "UBOT" and post.thread_ts == thread_ts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How the next call of a method fails; `hold` keeps it waiting until set, `lost` does the work and hangs up."""

    error: str = ""
    status: int = 200
    retry_after: int | None = None
    body: str | bytes | None = None
    content_type: str = "text/html"
    hang_up: bool = False
    lost: bool = False
    hold: asyncio.Event | None = None


def is_block(block: dict[str, Any]) -> bool:
    """Whether Slack takes a section or a row of buttons."""
    if block["type"] == "section":
        return 0 < len(block["text"]["text"]) <= SECTION_LIMIT
    buttons = block["elements"]
    ids = {button["action_id"] for button in buttons}
    return (
        0 < len(buttons) <= 25 and len(ids) == len(buttons) and all(_is_button(button) for button in buttons)
    )


def _is_button(button: dict[str, Any]) -> bool:
    return 0 < len(button["text"]["text"]) <= 75 and len(button["value"]) <= 2000
