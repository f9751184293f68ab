"""The loop of model and tools, apart from any session."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from gateway.llm.client import Completion, Prompt
from gateway.llm.scripted import ScriptedLLM
from gateway.turns.loop import Ending, run_loop
from memory.messages import AssistantMessage, ToolCall, ToolMessage


@dataclass(slots=True)
class Talk:
    """A conversation in memory; `steps` is what was stored and run, in order."""

    turn_id: str = "t"
    steps: list[str] = field(default_factory=list)

    async def prompt(self) -> Prompt:
        return Prompt(session="loopback:main", system="", messages=())

    async def store_round(self, message: AssistantMessage) -> None:
        self.steps.append("round " + " ".join(call.id for call in message.tool_calls))

    async def store_result(self, message: ToolMessage) -> None:
        self.steps.append(f"result {message.tool_call_id}")

    async def call_tool(self, call: ToolCall) -> ToolMessage:
        self.steps.append(f"call {call.id}")
        return ToolMessage(content="done", tool_call_id=call.id, name=call.name, at=datetime.now(UTC))

    def wrote(self, text: str) -> None:
        """Nobody reads along."""

    def learned(self, prompt: Prompt, completion: Completion) -> None:
        """Nothing to learn."""


def calls(*ids: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(id=call_id, name="note", arguments="{}") for call_id in ids)


async def test_a_models_own_call_ids_are_replaced_by_turn_round_and_index() -> None:
    talk = Talk()
    outcome = await run_loop(talk, ScriptedLLM(Completion(tool_calls=calls("same", "same")), "done"))

    assert outcome.ending is Ending.ANSWERED
    assert talk.steps[0] == "round t/1/0 t/1/1"
    assert {step for step in talk.steps if step.startswith("call")} == {"call t/1/0", "call t/1/1"}


async def test_an_interrupted_round_goes_on_with_its_open_calls_under_their_own_ids() -> None:
    talk = Talk()
    await run_loop(talk, ScriptedLLM("done"), pending=calls("t/3/1"), rounds=3)

    assert talk.steps == ["call t/3/1", "result t/3/1"]
