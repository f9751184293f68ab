"""The client that answers without a language model: it quotes what people said and says when it finds nothing."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Final

from gateway.errors import LLMRejected
from gateway.llm.client import Completion, Delta, Finish, Prompt
from gateway.llm.rote.evidence import Saying, excerpt, find, newest_message
from gateway.llm.rote.questions import asked
from gateway.llm.rote.reminders import wish_in
from gateway.replies import Say, say
from memory.messages import Provenance, ToolCall, ToolMessage

_WINDOW: Final = 32_768  # nothing is sent anywhere, so this only says how much history it is shown
_SCHEDULE: Final = "schedule"
_PEOPLE = frozenset({Provenance.OWNER, Provenance.MEMBER})
_SCHEDULED = re.compile(
    r"Scheduled: reminder (?P<at>.+?)(?:, then (?P<after>.+?) and so on)? \(id: (?P<id>\w+)\): (?P<text>.*)"
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|早上好|晚上好|嗨)(?: there| mneme)?\W*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:ok(?:ay)?[\s,]+)?(?:thanks|thank you|thx|谢谢|多谢|感谢)(?: you| a lot| very much|你|您|了)?\W*",
    re.IGNORECASE,
)

_WORDS: Final = {
    "en": {
        "greeting": "Hello. Tell me anything and ask me about it later: I quote what you told me, with time and place.",
        "thanks": "You're welcome.",
        "noted": "Noted.",
        "whole": "I was told:",
        "part": "The nearest that I was told:",
        "nothing": "I find nothing about that in what I was told.",
        "arrived": "This came in:",
        "when": "Noted. To be reminded, say when: /remind 20m tea, or /remind tomorrow 9:00 call Ann.",
        "now": "just now",
    },
    "zh": {
        "greeting": "你好。有什么都可以告诉我，以后再来问：我会引用你说过的原话，并注明时间和出处。",
        "thanks": "不客气。",
        "noted": "记下了。",
        "whole": "记录里有：",
        "part": "最接近的记录：",
        "nothing": "在我记下的话里，没有找到相关的内容。",
        "arrived": "收到：",
        "when": "记下了。要我提醒的话，请说明时间：/remind 20m 喝茶，或 /remind tomorrow 9:00 打电话。",
        "now": "刚才",
    },
}


class RoteLLM:
    """Answers from the prompt alone, at once and always the same: verbatim quotes of people, never of itself.

    It calls no tool but `schedule`, for a reminder, and can't fill a JSON schema: such a request is LLMRejected.
    """

    name = "rote"

    async def warm(self) -> None:
        """Nothing is slow here."""

    async def window(self) -> int:
        """How much history it is shown, in tokens."""
        return _WINDOW

    async def complete(self, prompt: Prompt) -> Completion:
        """Quotes for a question, a short word for anything else."""
        if prompt.schema is not None:
            raise LLMRejected(
                "rote is no language model and can't fill a JSON schema; configure a model in [llm]"
            )
        calls = _reminders(prompt)
        if calls:
            return Completion(tool_calls=calls, finish=Finish.TOOL_CALLS, model=self.name)
        return Completion(text=_answer(prompt), model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The whole answer at once."""
        completion = await self.complete(prompt)
        yield Delta(text=completion.text)
        yield Delta(completion=completion)

    async def close(self) -> None:
        """There is nothing to let go of."""


def _reminders(prompt: Prompt) -> tuple[ToolCall, ...]:
    """The calls for what a person wants to be reminded of; none where they are made already, or can't be."""
    newest = newest_message(prompt)
    can = any(tool.name == _SCHEDULE for tool in prompt.tools)
    if not can or newest is not prompt.messages[-1] or newest.provenance not in _PEOPLE:
        return ()
    wishes = [wish for line in prompt.newest.splitlines() if (wish := wish_in(line)) and wish.when]
    return tuple(
        ToolCall(
            id=f"remind-{number}",
            name=_SCHEDULE,
            arguments=json.dumps(
                {"action": "remind", "when": wish.when, "text": wish.what}, ensure_ascii=False
            ),
        )
        for number, wish in enumerate(wishes)
    )


def _reminded(prompt: Prompt, language: str) -> list[str]:
    """What became of the reminders that this turn was asked for."""
    results: list[ToolMessage] = []
    for message in reversed(prompt.messages):
        if not isinstance(message, ToolMessage):
            break
        results.insert(0, message)
    lines = [_confirmed(one.content, language) for one in results if not one.is_error]
    return [*lines, _WORDS[language]["when"]] if len(lines) < len(results) else lines


def _confirmed(result: str, language: str) -> str:
    """What the tool says of a reminder, in the words in which `/remind` confirms one."""
    made = _SCHEDULED.match(result)
    if made is None:
        return result
    values = {name: value for name, value in made.groupdict().items() if value}
    sentence = Say.REMINDER_REPEATS if "after" in values else Say.REMINDER_SET
    return say(sentence, language, **values) + result[made.end() :]


def _answer(prompt: Prompt) -> str:
    language = "zh" if _HAN.search(prompt.newest) else "en"
    words, reminded = _WORDS[language], _reminded(prompt, language)
    if reminded:
        lines = prompt.newest.splitlines()
        rest = "\n".join(line for line in lines if line.strip() and not wish_in(line))
        beside = [_said(replace(prompt, newest=rest), words)] if asked(rest) else []
        return "\n\n".join(["\n".join(reminded), *beside])
    return _said(prompt, words)


def _said(prompt: Prompt, words: Mapping[str, str]) -> str:
    newest = newest_message(prompt)
    if newest and newest.provenance is Provenance.SUBAGENT:
        return f"{words['arrived']}\n\n{prompt.newest}"
    for courtesy, reply in ((_GREETING, "greeting"), (_THANKS, "thanks")):
        if courtesy.fullmatch(prompt.newest):
            return words[reply]
    question = asked(prompt.newest)
    if any(map(wish_in, prompt.newest.splitlines())):
        return words["when"]
    if not question:
        return words["noted"]
    findings = find(prompt)
    if not findings.sayings:
        return words["nothing"]
    quotes = [_quote(saying, prompt, question=question, now=words["now"]) for saying in findings.sayings]
    return "\n\n".join([words["whole" if findings.whole else "part"], *quotes])


def _quote(saying: Saying, prompt: Prompt, *, question: str, now: str) -> str:
    text = excerpt(saying.text, question=question)
    before = "" if saying.text.startswith(text) else "… "
    after = "" if saying.text.endswith(text) else " …"
    return f"“{before}{text}{after}” ({_source(saying, prompt, now=now)})"


def _source(saying: Saying, prompt: Prompt, *, now: str) -> str:
    if saying.at is None:
        return now
    at = saying.at.astimezone(prompt.now.tzinfo) if prompt.now and prompt.now.tzinfo else saying.at
    named = f"{saying.sender}, " if saying.sender else ""
    return f"{named}{at:%Y-%m-%d %H:%M %Z}, {saying.ref}"
