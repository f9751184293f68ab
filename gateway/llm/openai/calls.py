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
        arguments = _arguments(function.get("arguments"))
        index = part.get("index")
        if isinstance(index, int) or whole or not self._drafts:
            draft = self._draft(index, call_id=call_id, name=name, whole=whole)
        else:
            draft = self._unplaced(call_id=call_id, name=name, arguments=arguments)
        draft.id = draft.id or call_id
        draft.name = draft.name or name
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
        if whole or not self._drafts or not isinstance(index, int):
            return self._begin(index)
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

    def _unplaced(self, *, call_id: str, name: str, arguments: str) -> _Draft:
        """The call of a part without an index: by its id; else the newest, unless its name begins another one."""
        last = self._drafts[-1]
        known = next((draft for draft in self._drafts if call_id and draft.id == call_id), None)
        if known is not None:
            return known
        # An id alone begins none: some give every part one of its own.
        other_id = bool(call_id and last.id and (name or last.whole()))
        other_name = bool(name and last.name and (name != last.name or last.whole()))
        if other_id or other_name:
            return self._begin(None)
        if not (call_id or name) and arguments.strip() and last.whole():
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
