"""What is said to the program that is killed, and what its model answers."""

from itertools import takewhile

from gateway.errors import LLMRejected
from gateway.llm.client import Completion, Prompt
from memory.messages import ToolCall, ToolMessage, UserMessage

KEY = "loopback:main"
OUTCOMES = {
    "answers": ["one", "two", "three"],
    "tools": ["tool one", "tool two", "plain"],
    "refusals": ["refuse one", "two", "refuse three"],
    "commands": ["one", "/undo", "two", "/retry", "/new", "three"],
    "subagents": ["spawn two", "plain"],
    "steered": ["tool one", "meanwhile two", "meanwhile three", "plain"],
    "interrupted": ["tool one", "meanwhile two", "plain"],
}
"""Messages by outcome: each is sent when the one before is answered, delivered, and nothing is left to do."""

MEANWHILE = "meanwhile"
"""What begins so is sent while a tool runs."""

BUSY = {"steered": "steer", "interrupted": "interrupt"}
"""`sessions.busy` by outcome, where it matters."""

ROUNDS = 2
"""How often the model of the outcome `tools` asks for two tools before it answers."""

STREAMED = ("answers", "tools", "refusals")
"""The outcomes that are also tried on a platform which edits a placeholder into the answer."""

JOBS = [f"{KEY}/0/1/0", f"{KEY}/0/1/1"]
"""What the outcome `subagents` starts: named by turn, round and index, their results come in under these names."""


def message_id(number: int) -> str:
    """The id of an outcome's message."""
    return f"{KEY}/{number}"


def answer(prompt: Prompt) -> Completion | LLMRejected:
    """What the model says depends on the prompt alone, so that a second run says the same."""
    if "refuse" in prompt.newest:
        return LLMRejected("no")
    if prompt.session.startswith("subagent:"):
        done = isinstance(prompt.messages[-1], ToolMessage)
        return Completion(text=f"counted {prompt.session}") if done else _calls("note", "{}")
    spawned = any(isinstance(message, ToolMessage) for message in prompt.messages[-3:])
    if "spawn" in prompt.newest and not spawned:
        return _calls("spawn", '{"task": "count the red ones"}', '{"task": "count the green ones"}')
    if "tool" in prompt.newest and _results_so_far(prompt) < ROUNDS * 2:
        return _calls("note", "{}", "{}")
    return Completion(text=f"First: {prompt.newest}\n\nSecond part.")


def _results_so_far(prompt: Prompt) -> int:
    """How many results stand behind the newest user message."""
    turn = takewhile(lambda message: not isinstance(message, UserMessage), reversed(prompt.messages))
    return sum(isinstance(message, ToolMessage) for message in turn)


def _calls(name: str, *arguments: str) -> Completion:
    return Completion(tool_calls=tuple(ToolCall(id="", name=name, arguments=given) for given in arguments))
