"""Tool calls put together from the parts in which endpoints stream them, some of them carelessly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.llm.openai.faults import Garbled
from gateway.llm.openai.wire import short_id
from memory.messages import ToolCall


@dataclass(slots=True)
class _Draft:
    id: str = ""
    name: str = ""
    arguments: str = ""

    def whole(self) -> bool:
        try:
            orjson.loads(self.arguments)
        except orjson.JSONDecodeError:
            return False
        return True


class Calls:
    """The calls of one answer. `key` makes ids that are ours where the endpoint gives none or repeats one."""

    def __init__(self, *, key: tuple[object, ...]) -> None:
        self._key = key
        self._drafts: list[_Draft] = []
        self._open: dict[int, _Draft] = {}

    def add(self, parts: Sequence[Mapping[str, Any]], *, whole: bool) -> int:
        """The parts that came together, or with `whole` the calls of an answer in one piece; how many characters.

        Where several come together without an index, their places tell them apart.
        """
        return sum(
            self._add(part if len(parts) == 1 else {"index": place, **part}, whole=whole)
            for place, part in enumerate(parts)
        )

    def _add(self, part: Mapping[str, Any], *, whole: bool) -> int:
        function = _mapping(part.get("function"))
        call_id, name = _text(part.get("id")), _text(function.get("name"))
        draft = self._draft(part.get("index"), call_id=call_id, name=name, whole=whole)
        draft.id = draft.id or call_id
        draft.name = draft.name or name
        arguments = _arguments(function.get("arguments"))
        draft.arguments += arguments
        return len(arguments)

    def finished(self) -> tuple[ToolCall, ...]:
        """Every call, with an id that is unique among them; arguments are what the model wrote."""
        calls: dict[str, ToolCall] = {}
        for place, draft in enumerate(self._drafts):
            if not draft.name:
                raise Garbled("asked for a tool without naming it")
            usable = draft.id.strip() and draft.id not in calls
            call_id = draft.id if usable else short_id(*self._key, place)
            calls[call_id] = ToolCall(id=call_id, name=draft.name, arguments=draft.arguments or "{}")
        return tuple(calls.values())

    def _draft(self, index: object, *, call_id: str, name: str, whole: bool) -> _Draft:
        if whole or not self._drafts:
            return self._begin(index)
        if not isinstance(index, int):
            return self._only(call_id=call_id, name=name)
        draft = self._open.get(index)
        if draft is None or (name and call_id and draft.id and call_id != draft.id):
            return self._begin(index)
        return draft

    def _begin(self, index: object) -> _Draft:
        draft = _Draft()
        self._drafts.append(draft)
        if isinstance(index, int):
            self._open[index] = draft
        return draft

    def _only(self, *, call_id: str, name: str) -> _Draft:
        """The one call that parts without an index can belong to; with a second one nobody knows."""
        last = self._drafts[-1]
        other_id = bool(call_id and last.id and call_id != last.id)
        other_name = bool(name and last.name and (name != last.name or last.whole()))
        if len(self._drafts) > 1 or other_id or other_name:
            raise Garbled(
                "streams several tool calls without an index, so that their parts can't be told apart; "
                "use another server or model for tools",
                again=True,
            )
        return last


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return orjson.dumps(value).decode()
