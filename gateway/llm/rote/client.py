"""The client that answers without a language model: it quotes what people said and says when it finds nothing."""

import re
from collections.abc import AsyncGenerator
from typing import Final

from gateway.errors import LLMRejected
from gateway.llm.client import Completion, Delta, Prompt
from gateway.llm.rote.evidence import Saying, excerpt, find, newest_message
from gateway.llm.rote.questions import asked
from memory.messages import Provenance

_WINDOW: Final = 32_768  # nothing is sent anywhere, so this only says how much history it is shown
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
        "now": "刚才",
    },
}


class RoteLLM:
    """Answers from the prompt alone, at once and always the same: verbatim quotes of people, never of itself.

    It calls no tools and can't fill a JSON schema: such a request is LLMRejected.
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
        return Completion(text=_answer(prompt), model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The whole answer at once."""
        completion = await self.complete(prompt)
        yield Delta(text=completion.text)
        yield Delta(completion=completion)

    async def close(self) -> None:
        """There is nothing to let go of."""


def _answer(prompt: Prompt) -> str:
    words = _WORDS["zh" if _HAN.search(prompt.newest) else "en"]
    newest = newest_message(prompt)
    if newest and newest.provenance is Provenance.SUBAGENT:
        return f"{words['arrived']}\n\n{prompt.newest}"
    if _GREETING.fullmatch(prompt.newest):
        return words["greeting"]
    if _THANKS.fullmatch(prompt.newest):
        return words["thanks"]
    question = asked(prompt.newest)
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
