"""A completion put together from the documents of an answer, streamed or whole (pure)."""

from collections.abc import Mapping
from typing import Any

from gateway.llm.client import Completion, Finish, Usage
from gateway.llm.openai.calls import Calls
from gateway.llm.openai.faults import Garbled

_FINISHES = {
    "stop": Finish.STOP,
    "eos": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "content_filter": Finish.FILTER,
}


class Answer:
    """Takes documents in order and gives the completion; `key` names the request, for ids of calls."""

    def __init__(self, *, key: tuple[object, ...]) -> None:
        self.characters = 0
        """How much was said so far, in words, thoughts and arguments."""
        self._text = _Text()
        self._reasoning = _Text()
        self._calls = Calls(key=key)
        self._finish: Finish | None = None
        self._usage = Usage()
        self._model = ""
        self._chosen = False
        self._ended = False

    def take(self, document: Mapping[str, Any]) -> str:
        """The text that this document adds."""
        self._ended = self._ended or document.get("end") is True
        self._model = _string(document.get("model")) or self._model
        self._usage = _usage(document.get("usage")) or self._usage
        choices = document.get("choices")
        choice = next(filter(_is_ours, choices), None) if isinstance(choices, list) else None
        if choice is None:
            return ""
        self._chosen = True
        return self._choice(choice)

    def completion(self) -> Completion:
        """The whole answer; Garbled when it broke off or never came. Nothing half is ever given."""
        if not self._ended and self._finish is None:
            raise Garbled("broke off in the middle of the answer")
        if not self._chosen:
            raise Garbled("answered without any choice")
        calls = self._calls.finished()
        finish = self._finish or Finish.STOP
        if calls and finish is Finish.STOP:
            finish = Finish.TOOL_CALLS
        return Completion(
            text=self._text.whole(),
            tool_calls=calls,
            finish=finish,
            usage=self._usage,
            reasoning=self._reasoning.whole(),
            model=self._model,
        )

    def _choice(self, choice: Mapping[str, Any]) -> str:
        message, delta = choice.get("message"), choice.get("delta")
        whole = isinstance(message, dict) and not delta
        said = message if whole else delta
        finish = choice.get("finish_reason")
        if finish or whole:
            self._finish = _FINISHES.get(str(finish), Finish.STOP)
        if not isinstance(said, dict):
            return ""
        thought, text = _thought(said), _content(said.get("content")) or _string(said.get("refusal"))
        self._reasoning.add(thought)
        parts = [part for part in said.get("tool_calls") or () if isinstance(part, dict)]
        self.characters += len(thought) + len(text) + self._calls.add(parts, whole=whole)
        return self._text.add(text)


def _is_ours(choice: object) -> bool:
    """Whether this is the one answer that was asked for."""
    return isinstance(choice, dict) and choice.get("index") in (0, None)


class _Text:
    """Text in pieces; halves of a surrogate pair that came apart are joined again."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._half = ""

    def add(self, piece: str) -> str:
        if not piece:
            return ""
        text, self._half = self._half + piece, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        text = _unicode(text)
        self._pieces.append(text)
        return text

    def whole(self) -> str:
        return "".join(self._pieces)


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _content(content: object) -> str:
    """Content as text; of a list of blocks those that are text."""
    if isinstance(content, list):
        return "".join(_string(block.get("text")) for block in content if isinstance(block, dict))
    return _string(content)


def _thought(said: Mapping[str, Any]) -> str:
    return _string(said.get("reasoning_content")) or _string(said.get("reasoning"))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
