"""The `spawn` tool: hand a task to a subagent, which works on it while the conversation goes on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from gateway.errors import ToolError
from gateway.journal.base import Job
from gateway.journal.names import short_id
from gateway.journal.origin import origin_of
from gateway.llm.client import ToolSchema
from gateway.replies import choose_language
from gateway.tools.tool import ToolContext
from memory.messages import Provenance

SUBAGENT = "subagent"
"""The kind of its jobs."""

LABEL_CHARS = 30


class Jobs(Protocol):
    """What spawn needs of the worker."""

    async def submit(self, job: Job) -> int:
        """Keep a job once, whatever happens; 0 when it starts, else its place in line."""


class SpawnTool:
    """Starts a subagent. The job is named by the call, so that a call that is repeated after a crash starts no second one."""

    provenance = Provenance.TOOL
    schema = ToolSchema(
        name="spawn",
        description=(
            "Give a longer task to a subagent that works on it in the background, with tools of its own. "
            "It sees nothing of this conversation, so put everything it must know into `task`. "
            "The result comes to you by itself later, as a message marked as a subagent's result: then tell "
            "the person what they asked for. Never wait for it and never guess it."
        ),
        parameters={
            "type": "object",
            "properties": {
                "task": {"type": "string", "description": "what to do and what to hand over, complete"},
                "label": {"type": "string", "description": "a few words that a person recognises it by"},
            },
            "required": ["task"],
        },
    )

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """See the schema; ToolError when there is no task."""
        task = str(arguments.get("task") or "").strip()
        if not task:
            raise ToolError("Give `task`: what the subagent is to do.")
        label = label_of(str(arguments.get("label") or ""), task=task)
        language = choose_language("auto", person=context.origin.language, text=context.origin.text)
        now = datetime.now(UTC)
        place = await self._jobs.submit(
            Job(
                id=context.call_id,
                kind=SUBAGENT,
                session=context.session,
                payload={
                    "task": task,
                    "audience": context.audience,
                    "origin": origin_of(context.origin, language=language),
                },
                label=label,
                run_at=now,
                created_at=now,
            )
        )
        if place:
            return f'Subagent "{label}" waits, number {place} in line (id: {short_id(context.call_id)}).'
        return f'Subagent "{label}" started (id: {short_id(context.call_id)}).'


def label_of(label: str, *, task: str) -> str:
    """The label on one line, or the head of the task where there is none."""
    given = " ".join(label.split()).replace('"', "'")
    if given:
        return given
    head = " ".join(task.split()).replace('"', "'")
    return head if len(head) <= LABEL_CHARS else f"{head[:LABEL_CHARS]}…"
